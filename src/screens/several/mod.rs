//! Several screens at once, each of a kind of its own: `phone=simphone,desk=desktop`.

mod source;

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};
use waldo_devices::{GuardPolicy, Platform, ResetTo};
use waldo_tasks::episode::Timeouts;

use super::browser_args::BrowserArgs;
use super::error::ScreenError;
use super::flags::DeviceFlags;
use super::kind::{Family, KindFacts, NamedScreen, ScreenKind, ScreenRequest, ScreenSource};
use super::{desktops, phones, web};
use source::SeveralSource;
pub use source::info_of_all;

pub const TOO_FEW: &str = "several screens are at least two: name another with --on";

/// The kind, for whoever reads several screens.
pub static SEVERAL: &dyn ScreenKind = &Several;

pub struct Several;

#[async_trait]
impl ScreenKind for Several {
    fn facts(&self) -> KindFacts {
        KindFacts::new(&["NAME=DEVICE,NAME=DEVICE"], &SeveralFamily, DeviceFlags::ALL)
    }

    fn read(&self, _: &str) -> Option<Result<String, String>> {
        // They are read one by one, each by its own kind.
        None
    }

    async fn source(&self, wanted: ScreenRequest<'_>) -> Result<Arc<dyn ScreenSource>, ScreenError> {
        let mut screens = Vec::new();
        // Screens of one spelling come from one source: one browser, one server.
        let mut sources: Vec<(String, Arc<dyn ScreenSource>)> = Vec::new();
        if wanted.parts.len() < 2 {
            return Err(ScreenError::Input(TOO_FEW.to_owned()));
        }
        for NamedScreen { name, spec } in wanted.parts {
            let flags = wanted.flags.of_screen(name);
            let key = match spec.family().platform().has_programs() {
                true => format!("{spec} {:?}", flags.size()),
                false => spec.to_string(),
            };
            let known = sources.iter().position(|(known, _)| *known == key);
            let at = match known {
                Some(at) => at,
                None => {
                    let (flags, browser, many) = (&flags, wanted.browser, wanted.many);
                    let (secrets, approver) = (wanted.secrets.clone(), wanted.approver.clone());
                    let own = ScreenRequest {
                        named: spec.as_str(),
                        parts: &[],
                        flags,
                        browser,
                        secrets,
                        approver,
                        many,
                    };
                    sources.push((key, spec.kind().source(own).await?));
                    sources.len() - 1
                }
            };
            screens.push((name.clone(), at));
        }
        let sources = sources.into_iter().map(|(_, source)| source).collect();
        Ok(Arc::new(SeveralSource::new(screens, sources, wanted.secrets)))
    }
}

/// What several screens have in common: nothing but that they are several.
pub struct SeveralFamily;

impl SeveralFamily {
    fn each() -> impl Iterator<Item = &'static dyn Family> {
        let all: [&'static dyn Family; 3] = [&web::PagesKind, &phones::Phones, &desktops::ProgramsKind];
        all.into_iter()
    }
}

#[async_trait]
impl Family for SeveralFamily {
    fn platform(&self) -> Platform {
        Platform::Devices
    }

    fn usual(&self) -> &'static str {
        ""
    }

    fn played_on(&self, named: &str) -> String {
        format!(
            "on several screens, not on {named}: leave --device out, or name each screen with --on NAME=DEVICE"
        )
    }

    fn start(&self, _: Option<&str>, _: GuardPolicy) -> Result<ResetTo, ScreenError> {
        Err(ScreenError::Input(
            "each of several screens starts on its own: give --start NAME=WHAT for each".to_owned(),
        ))
    }

    fn noun(&self) -> &'static str {
        "screens"
    }

    fn timeouts(&self, usual: Timeouts) -> Timeouts {
        Self::each().fold(usual, |most, family| {
            let own = family.timeouts(usual);
            Timeouts {
                set_up: most.set_up.max(own.set_up),
                device: most.device.max(own.device),
                decide: most.decide.max(own.decide),
            }
        })
    }

    fn add_parameters(&self, flags: &DeviceFlags, browser: &BrowserArgs, to: &mut Map<String, Value>) {
        Self::each().for_each(|family| family.add_parameters(flags, browser, to));
        let own = flags.sizes.iter().filter_map(|size| Some((size.name.as_ref()?, size.size)));
        let own: Map<String, Value> =
            own.map(|(name, (w, h))| (name.clone(), format!("{w}x{h}").into())).collect();
        if !own.is_empty() {
            to.insert("screens".to_owned(), own.into());
        }
    }
}
