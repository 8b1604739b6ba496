use waldo_devices::error::{DeviceError, Result};
use waldo_devices::word_list;

/// Key names in lower case, and Android's codes.
const KEYS: [&str; 51] = word_list(
    "enter|return=66 tab=61 escape|esc=111 backspace=67 delete|del=112 insert=124 space=62 up|arrowup=19 \
     down|arrowdown=20 left|arrowleft=21 right|arrowright=22 center=23 home=122 end=123 pageup=92 \
     pagedown=93 back=4 search=84 menu=82 volumeup=24 volumedown=25 volumemute|mute=164 power=26 \
     wakeup=224 sleep=223 play=126 pause=127 playpause=85 next=87 previous=88 copy=278 cut=277 paste=279 \
     recents=187 camera=27 ctrl|control=113 shift=59 alt=57 meta|cmd|super=117 ,=55 .=56 -=69 ==70 [=71 \
     ]=72 \\=73 ;=74 '=75 /=76 `=68 plus=81",
);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AndroidChord {
    codes: Vec<String>,
}

impl AndroidChord {
    /// Reads keys joined by `+`, such as `Enter`, `ctrl+a`, `KEYCODE_MEDIA_STOP`.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let bad = |message: String| DeviceError::BadArgument { what: format!("key '{text}'"), message };
        let names: Vec<&str> = match text.trim() {
            "" => return Err(bad("name a key".to_owned())),
            "+" => vec!["plus"],
            text => text.split('+').map(str::trim).collect(),
        };
        let codes = names
            .iter()
            .map(|name| {
                code(name).ok_or_else(|| {
                    bad(format!("'{name}' is not a key; try Enter, Tab, ctrl+a, KEYCODE_MENU"))
                })
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { codes })
    }

    /// The shell command that presses it on a phone of API level `sdk`.
    pub(crate) fn command(&self, input: &str, sdk: u32) -> Result<String> {
        match self.codes.as_slice() {
            [one] => Ok(format!("{input} keyevent {one}")),
            many if sdk >= 31 => Ok(format!("{input} keycombination {}", many.join(" "))),
            _ => Err(DeviceError::Unsupported {
                platform: "android",
                action: "press keys together before Android 12".to_owned(),
            }),
        }
    }
}

fn code(name: &str) -> Option<String> {
    let low = name.to_ascii_lowercase();
    let mut known = KEYS.iter().filter_map(|known| known.rsplit_once('='));
    if let Some((_, code)) = known.find(|(keys, _)| keys.split('|').any(|key| key == low)) {
        return Some(code.to_owned());
    }
    let upper = name.to_ascii_uppercase();
    if upper.starts_with("KEYCODE_")
        && upper.len() < 40
        && upper.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    {
        return Some(upper);
    }
    if let Some(key) = low.strip_prefix("kp_") {
        let known = matches!(key, "add" | "subtract" | "multiply" | "divide" | "decimal" | "enter")
            || matches!(key.as_bytes(), [b'0'..=b'9']);
        let key = if key == "decimal" { "DOT".to_owned() } else { key.to_ascii_uppercase() };
        return known.then(|| format!("KEYCODE_NUMPAD_{key}"));
    }
    let function = low.strip_prefix('f').and_then(|n| n.parse::<u32>().ok()).filter(|n| (1..=12).contains(n));
    if let Some(n) = function {
        return Some((130 + n).to_string());
    }
    let mut chars = low.chars();
    match (chars.next()?, chars.next()) {
        (c @ 'a'..='z', None) => Some((29 + (c as u32 - 'a' as u32)).to_string()),
        (c @ '0'..='9', None) => Some((7 + (c as u32 - '0' as u32)).to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(text: &str) -> String {
        AndroidChord::parse(text).unwrap().command("input", 34).unwrap()
    }

    #[test]
    fn keys_have_androids_codes() {
        assert_eq!(command("Enter"), "input keyevent 66");
        assert_eq!(command("ctrl+A"), "input keycombination 113 29");
        assert_eq!(command("Shift+Tab"), "input keycombination 59 61");
        assert_eq!(command("F5"), "input keyevent 135");
        assert_eq!(command("9"), "input keyevent 16");
        assert_eq!(command("+"), "input keyevent 81");
        assert_eq!(command("KP_Decimal"), "input keyevent KEYCODE_NUMPAD_DOT");
        assert_eq!(command("keycode_menu"), "input keyevent KEYCODE_MENU");
        for bad in ["", "Nope", "ctrl+", "KEYCODE_A;reboot", "KP_A;reboot", "f99"] {
            assert!(AndroidChord::parse(bad).is_err(), "{bad}");
        }
        assert!(AndroidChord::parse("ctrl+a").unwrap().command("input", 30).is_err());
    }
}
