//! Phones: those that adb has, those at ports of their own or on a cable, and simulated ones.

#[cfg(feature = "android")]
mod found;
#[cfg(feature = "android")]
mod source;

use std::net::SocketAddr;
use std::sync::Arc;

use async_trait::async_trait;
use waldo_devices::{AppRule, GuardPolicy, Platform, ResetTo};
use waldo_tasks::RealPhone;

#[cfg(feature = "android")]
pub use source::adb_key;

use super::error::ScreenError;
use super::kind::{Family, KindFacts, ScreenKind, ScreenRequest, ScreenSource};
#[cfg(feature = "android")]
use super::{
    browser_args::BrowserArgs,
    finding::{DeviceEntry, Finding},
    flags::DeviceFlags,
};

/// How the product of a simulated phone begins.
const SIMULATED: &str = "Waldo Phone,";

pub enum Phone {
    Simulated,
    /// What an adb server has: the one that is ready, or the one of a serial.
    Adb,
    /// Its own port, without an adb server.
    Tcp,
    /// A USB cable, without an adb server.
    Usb,
}

/// `text` where it is `kind`, or `kind:SERIAL`.
fn with_serial(text: &str, kind: &str) -> Option<Result<String, String>> {
    let rest = text.strip_prefix(kind)?;
    let named = rest.strip_prefix(':').is_some_and(|serial| !serial.is_empty());
    (rest.is_empty() || named).then(|| Ok(text.to_owned()))
}

#[cfg(feature = "android")]
async fn open(
    phones: source::Phones,
    wanted: ScreenRequest<'_>,
) -> Result<Arc<dyn ScreenSource>, ScreenError> {
    let adb = source::adb_options(wanted.flags.adb_server.as_deref())?;
    let deadline = waldo_devices::Deadline::after(super::kind::STARTS_WITHIN);
    let display = wanted.flags.display_id;
    let source =
        source::AndroidSource::new(&phones, adb, display, wanted.secrets, wanted.approver, deadline).await?;
    Ok(Arc::new(source))
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let numeric = text.replace("localhost", "127.0.0.1");
    numeric
        .parse()
        .map_err(|_| format!("'tcp:{text}': write a numeric address and a port, like tcp:127.0.0.1:5601"))
}

#[async_trait]
impl ScreenKind for Phone {
    fn facts(&self) -> KindFacts {
        let forms: &[&str] = match self {
            Self::Simulated => &["simphone"],
            Self::Adb => &["android", "android:SERIAL"],
            Self::Tcp => &["tcp:HOST:PORT"],
            Self::Usb => &["usb", "usb:SERIAL"],
        };
        KindFacts::new(forms, &Phones, &["--display-id"])
    }

    fn read(&self, text: &str) -> Option<Result<String, String>> {
        match self {
            Self::Simulated => (text == "simphone").then(|| Ok(text.to_owned())),
            Self::Adb => with_serial(text, "android"),
            Self::Tcp => Some(address(text.strip_prefix("tcp:")?).map(|address| format!("tcp:{address}"))),
            Self::Usb => with_serial(text, "usb"),
        }
    }

    #[cfg(feature = "android")]
    async fn source(&self, wanted: ScreenRequest<'_>) -> Result<Arc<dyn ScreenSource>, ScreenError> {
        use super::flags::Concurrency;
        let named = wanted.address();
        let phones = match (self, named, wanted.many) {
            (Self::Simulated, ..) => source::Phones::Simulated,
            (Self::Adb, Some(serial), _) => source::Phones::Serial(serial.to_owned()),
            (Self::Adb, None, Concurrency::One) => source::Phones::Only,
            (Self::Adb, None, Concurrency::All) => source::Phones::All,
            (Self::Tcp, place, _) => {
                source::Phones::Tcp(address(place.unwrap_or_default()).map_err(ScreenError::Input)?)
            }
            (Self::Usb, serial, _) => source::Phones::Usb(serial.map(str::to_owned)),
        };
        open(phones, wanted).await
    }

    #[cfg(not(feature = "android"))]
    async fn source(&self, _: ScreenRequest<'_>) -> Result<Arc<dyn ScreenSource>, ScreenError> {
        Err(crate::absent::Absent { what: "phones", feature: "android" }.into())
    }
}

pub struct Phones;

#[async_trait]
impl Family for Phones {
    fn platform(&self) -> Platform {
        Platform::Android
    }

    fn usual(&self) -> &'static str {
        "simphone"
    }

    fn played_on(&self, _: &str) -> String {
        "on a phone: give --device simphone (a simulated one), --device android (adb's) or --device tcp:HOST:PORT"
            .to_owned()
    }

    fn starts_with(&self, named: &str, url: Option<&str>, _: Option<&str>) -> Result<(), ScreenError> {
        super::kind::no_address(named, url)
    }

    fn start(&self, open: Option<&str>, mut policy: GuardPolicy) -> Result<ResetTo, ScreenError> {
        if policy.apps.is_empty() {
            let package =
                open.map(|app| app.split('/').next().unwrap_or(app)).filter(|app| app.contains('.'));
            let package = package.ok_or_else(|| {
                let listed = "(* for any end; adb shell pm list packages lists them)";
                ScreenError::Input(match open {
                    Some(name) => format!(
                        "'{name}' is a name, which apps can share: say as well which package may be touched, \
                         --allow-app PACKAGE {listed}"
                    ),
                    None => format!(
                        "on a phone, say which apps may be touched: --open PACKAGE, or --allow-app PACKAGE {listed}"
                    ),
                })
            })?;
            policy.apps = vec![AppRule(package.to_owned())];
        }
        Ok(ResetTo { start: open.unwrap_or_default().to_owned(), policy, ..ResetTo::default() })
    }

    fn start_name(&self, to: &ResetTo) -> Option<String> {
        (!to.start.is_empty()).then(|| to.start.clone())
    }

    fn noun(&self) -> &'static str {
        "phone"
    }

    fn names_app(&self, open: &str) -> bool {
        !open.contains('.')
    }

    fn nobodys(&self, product: &str) -> Option<&'static str> {
        product.starts_with(SIMULATED).then_some("simphone")
    }

    fn may_be_wiped(&self, _: &str) -> Result<RealPhone, ScreenError> {
        Ok(RealPhone::MayBeWiped)
    }

    #[cfg(feature = "android")]
    async fn list(&self, flags: &DeviceFlags, _: &BrowserArgs) -> Vec<DeviceEntry> {
        found::list(self.platform().as_str(), flags).await
    }

    #[cfg(feature = "android")]
    async fn examine(&self, flags: &DeviceFlags, _: &BrowserArgs) -> Vec<Finding> {
        vec![found::examine(flags).await]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_opened_app_may_be_touched_unless_others_are_named() {
        let none = GuardPolicy::default;
        let to = Phones.start(Some("com.a.b/.Main"), none()).unwrap();
        assert!(to.policy.allows_app("com.a.b") && !to.policy.allows_app("com.a.c"));
        assert!(Phones.start(None, none()).is_err() && Phones.start(Some("Clock"), none()).is_err());
        let named = GuardPolicy { apps: vec![AppRule("com.a.*".into())], ..GuardPolicy::default() };
        let to = Phones.start(Some("Clock"), named).unwrap();
        assert!(to.policy.allows_app("com.a.c") && to.start == "Clock");
    }
}
