//! Key codes by name, as `input keyevent` takes them.

use crate::lists;

/// The code of a name, with or without `KEYCODE_`, or of a number; 0 (unknown) where there is none.
pub fn code(text: &str) -> u32 {
    if let Ok(number) = text.parse::<u32>() {
        return number;
    }
    let name = text.strip_prefix("KEYCODE_").unwrap_or(text);
    let rows =
        lists::of_phone("keys").map(|[first, names]| (first.parse().unwrap_or(0)..).zip(names.split(' ')));
    rows.flatten().find(|(_, own)| *own == name).map_or(0, |(code, _)| code)
}

/// What a held key adds to the meta state of the keys after it: shift 1, alt 2, ctrl 0x1000, meta 0x10000.
pub fn meta(code: u32) -> u32 {
    match code {
        57 | 58 => 0x2,
        59 | 60 => 0x1,
        113 | 114 => 0x1000,
        117 | 118 => 0x1_0000,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_mean_the_same_keys() {
        for (name, number) in [
            ("KEYCODE_HOME", 3),
            ("BACK", 4),
            ("KEYCODE_0", 7),
            ("KEYCODE_A", 29),
            ("KEYCODE_ENTER", 66),
            ("DEL", 67),
            ("KEYCODE_CTRL_LEFT", 113),
            ("KEYCODE_MOVE_END", 123),
            ("KEYCODE_APP_SWITCH", 187),
            ("KEYCODE_WAKEUP", 224),
            ("279", 279),
            ("KEYCODE_NONE", 0),
        ] {
            assert_eq!(code(name), number, "{name}");
        }
    }
}
