//! How screens are read from the command line.

use std::str::FromStr;

use waldo_devices::Platform;

use super::error::ScreenError;
use super::kind::{DeviceSpec, NamedScreen};
use super::registry::{KINDS, family};
use super::several::{SEVERAL, TOO_FEW};

impl Default for DeviceSpec {
    fn default() -> Self {
        Self::new(KINDS[0], KINDS[0].facts().forms[0].to_owned(), Vec::new())
    }
}

impl FromStr for DeviceSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.contains('=') {
            return parts(text).map(|parts| Self::new(SEVERAL, text.to_owned(), parts));
        }
        for kind in KINDS {
            if let Some(read) = kind.read(text) {
                return read.map(|text| Self::new(*kind, text, Vec::new()));
            }
        }
        if text.starts_with("wda:") {
            return Err("wda:…: iPhones are no longer supported; your own environment can show one, as bridge:android:URL".to_owned());
        }
        let forms: Vec<&str> = KINDS.iter().flat_map(|kind| kind.facts().forms).copied().collect();
        let (last, others) = forms.split_last().map_or(("", &[][..]), |(last, others)| (*last, others));
        Err(format!("'{text}' names no device: write {} or {last}", others.join(", ")))
    }
}

impl FromStr for NamedScreen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, spec) = text
            .split_once('=')
            .ok_or_else(|| format!("'{text}': write NAME=DEVICE, such as phone=simphone"))?;
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        if name.is_empty() || !name.split('-').all(|part| !part.is_empty() && part.chars().all(plain)) {
            return Err(format!(
                "'{name}': a screen's name is small letters and digits, joined by single hyphens"
            ));
        }
        let spec: DeviceSpec = spec.parse()?;
        if spec.family().platform().has_several_screens() {
            return Err(format!("'{text}': a screen is one device, not several"));
        }
        Ok(Self { name: name.to_owned(), spec })
    }
}

/// The screens that such a text names; an error where it is not well formed.
fn parts(text: &str) -> Result<Vec<NamedScreen>, String> {
    let named: Vec<NamedScreen> = text.split(',').map(str::parse).collect::<Result<_, _>>()?;
    for (at, screen) in named.iter().enumerate() {
        if named.iter().take(at).any(|other| other.name == screen.name) {
            return Err(format!("two screens have the name '{}'", screen.name));
        }
    }
    Ok(named)
}

/// The screens as one `--device`.
pub fn together(screens: &[NamedScreen]) -> Result<DeviceSpec, String> {
    let each = screens.iter().map(|screen| format!("{}={}", screen.name, screen.spec));
    let text = each.collect::<Vec<_>>().join(",");
    match parts(&text)?.len() {
        0 | 1 => Err(TOO_FEW.to_owned()),
        _ => text.parse(),
    }
}

/// The screens that tasks of a suite name, each on the device that its platform has where none is given in `on`.
///
/// # Errors
/// When `on` names a screen that no task has, or one of another platform.
pub fn of_tasks<'a>(
    needed: impl Iterator<Item = &'a (String, Platform)>,
    on: &[NamedScreen],
) -> Result<DeviceSpec, ScreenError> {
    let mut screens: Vec<(String, Platform)> = Vec::new();
    for (name, platform) in needed {
        match screens.iter().find(|(known, _)| known == name) {
            Some((_, other)) if other != platform => {
                let both = format!("{} and {}", other.as_str(), platform.as_str());
                return Err(ScreenError::Input(format!("the screen '{name}' is of two platforms: {both}")));
            }
            Some(_) => {}
            None => screens.push((name.clone(), *platform)),
        }
    }
    if let Some(unknown) = on.iter().find(|given| screens.iter().all(|(name, _)| *name != given.name)) {
        let names: Vec<&str> = screens.iter().map(|(name, _)| name.as_str()).collect();
        let message = format!("no task has a screen '{}'; there are {}", unknown.name, names.join(", "));
        return Err(ScreenError::Input(message));
    }
    let mut all = Vec::new();
    for (name, platform) in screens {
        let given = on.iter().find(|given| given.name == name);
        let spec = match given {
            Some(given) => given.spec.clone(),
            None => family(platform).usual().parse().map_err(ScreenError::Input)?,
        };
        let is = spec.family().platform();
        if is != platform {
            return Err(ScreenError::Input(format!(
                "the screen '{name}' is {}, not {}: give --on {name}={}",
                platform.as_str(),
                is.as_str(),
                family(platform).usual()
            )));
        }
        all.push(NamedScreen { name, spec });
    }
    together(&all).map_err(ScreenError::Input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_read_as_it_is_written() {
        for text in "web simphone android android:emulator-5554 android:127.0.0.1:5601 usb usb:A1 desktop \
             desktop::0 desktop::1.0 desktop::portable"
            .split(' ')
        {
            assert_eq!(text.parse::<DeviceSpec>().unwrap().to_string(), text);
        }
        assert_eq!("tcp:localhost:5601".parse::<DeviceSpec>().unwrap().to_string(), "tcp:127.0.0.1:5601");
        assert_eq!(DeviceSpec::default().to_string(), "web");
        for bad in "|phone|android:|tcp:5601|usb:|tcp:host:x|web:1|desktop:|desktop:0|desktop::x".split('|') {
            assert!(bad.parse::<DeviceSpec>().is_err(), "{bad}");
        }
        let unknown = "phone".parse::<DeviceSpec>().unwrap_err();
        let iphone = "wda:http://me:hunter22@127.0.0.1:8100".parse::<DeviceSpec>().unwrap_err();
        assert!(iphone.contains("no longer supported") && !iphone.contains("hunter22"), "{iphone}");
        assert!(
            unknown.contains("android:SERIAL") && unknown.ends_with("or NAME=DEVICE,NAME=DEVICE"),
            "{unknown}"
        );
    }

    #[test]
    fn screens_are_named_one_by_one() {
        let read = |text: &str| parts(text).map(|all| all.len());
        assert_eq!(read("phone=simphone,desk=desktop,phone-2=simphone"), Ok(3));
        let alone: NamedScreen = "phone=simphone".parse().unwrap();
        assert!(together(&[alone]).unwrap_err().contains("at least two"));
        for (bad, why) in [
            ("phone=simphone,phone=web", "two screens have the name"),
            ("Phone=simphone,desk=desktop", "small letters"),
            ("phone=telephone,desk=desktop", "names no device"),
            ("phone,desk=desktop", "NAME=DEVICE"),
        ] {
            let error = read(bad).unwrap_err();
            assert!(error.contains(why), "{bad}: {error}");
        }
    }

    #[test]
    fn each_screen_of_a_suite_gets_the_usual_device_of_its_platform_or_the_one_that_is_given() {
        let needed = [("phone".to_owned(), Platform::Android), ("desk".to_owned(), Platform::Desktop)];
        let spec = |on: &[&str]| {
            let on: Vec<NamedScreen> = on.iter().map(|text| text.parse().unwrap()).collect();
            of_tasks(needed.iter(), &on).map(|spec| spec.to_string()).map_err(|error| error.to_string())
        };
        assert_eq!(spec(&[]).unwrap(), "phone=simphone,desk=desktop");
        assert_eq!(spec(&["phone=android:A1"]).unwrap(), "phone=android:A1,desk=desktop");
        assert!(spec(&["tablet=simphone"]).unwrap_err().contains("there are phone, desk"));
        assert!(spec(&["phone=web"]).unwrap_err().contains("--on phone=simphone"));
    }
}
