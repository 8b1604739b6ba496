//! Keys and chords in whatever spelling a model likes.

/// Named keys: what drivers call them, and the other names, without case, blanks, `_` and `-`.
const KEYS: [(&str, &[&str]); 26] = [
    ("Enter", &["return"]),
    ("Tab", &[]),
    ("Escape", &["esc"]),
    ("Backspace", &["back", "bksp"]),
    ("Delete", &["del"]),
    ("Insert", &["ins"]),
    ("ArrowUp", &["up", "uparrow"]),
    ("ArrowDown", &["down", "downarrow"]),
    ("ArrowLeft", &["left", "leftarrow"]),
    ("ArrowRight", &["right", "rightarrow"]),
    ("PageUp", &["pgup", "prior"]),
    ("PageDown", &["pgdn", "pgdown", "next"]),
    ("Home", &[]),
    ("End", &[]),
    ("Space", &["spacebar"]),
    ("CapsLock", &["caps"]),
    ("ContextMenu", &["menu", "apps"]),
    ("PrintScreen", &["prtsc", "prtscr", "printscrn"]),
    ("Pause", &["break"]),
    ("NumLock", &[]),
    ("ScrollLock", &[]),
    ("plus", &["add"]),
    ("minus", &["hyphen", "dash"]),
    ("equal", &["equals"]),
    ("comma", &[]),
    ("period", &["dot"]),
];

/// Keys of the keypad: programs can tell them from those of the same name elsewhere.
const KEYPAD: [&str; 16] = [
    "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "Add", "Subtract", "Multiply", "Divide", "Decimal",
    "Enter",
];

const MODIFIERS: [(&str, &[&str]); 4] = [
    ("ctrl", &["control", "ctl", "strg", "ctrlleft", "controlleft"]),
    ("shift", &["shiftleft", "shiftright"]),
    ("alt", &["option", "opt", "altleft"]),
    ("meta", &["cmd", "command", "super", "win", "windows", "winleft"]),
];

enum KeyName {
    Modifier(&'static str),
    Named(String),
}

/// A chord as drivers take it, `ctrl+shift+t`, from `Ctrl Shift T`, `Ctrl-Shift-T` and the like.
pub fn chord(written: &str) -> Result<String, String> {
    let mut held: Vec<&'static str> = Vec::new();
    let mut pressed: Option<String> = None;
    for word in words(written.trim()) {
        match key(&word)? {
            KeyName::Modifier(name) if held.contains(&name) => {}
            KeyName::Modifier(name) => held.push(name),
            KeyName::Named(name) => {
                if let Some(first) = &pressed {
                    return Err(format!(
                        "'{}' presses both {first} and {name}: press one key, with Ctrl, Shift, Alt or Super held, and the next in a step of its own",
                        cut(written)
                    ));
                }
                pressed = Some(name);
            }
        }
    }
    if held.is_empty() && pressed.is_none() {
        return Err("the key is empty".to_owned());
    }
    Ok(held.into_iter().map(str::to_owned).chain(pressed).collect::<Vec<_>>().join("+"))
}

fn words(written: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let blanks: Vec<&str> = written.split_whitespace().collect();
    for (i, word) in blanks.iter().enumerate() {
        let alone = word.chars().count() == 1;
        if *word == "+" && i > 0 && i + 1 < blanks.len() {
            continue;
        }
        if alone {
            out.push((*word).to_owned());
            continue;
        }
        let hyphens = !word.contains('+')
            && word.split_once('-').is_some_and(|(first, _)| matches!(key(first), Ok(KeyName::Modifier(_))));
        let by = if hyphens { '-' } else { '+' };
        let mut parts: Vec<&str> = word.split(by).collect();
        // The last of `ctrl++` is the sign itself.
        if parts.len() > 2 && parts.ends_with(&["", ""]) {
            parts.truncate(parts.len() - 2);
            out.extend(parts.iter().filter(|p| !p.is_empty()).map(|p| (*p).to_owned()));
            out.push(by.to_string());
            continue;
        }
        out.extend(parts.iter().filter(|p| !p.is_empty()).map(|p| (*p).to_owned()));
    }
    // `Page Down` and `Arrow Left` are one key.
    let mut joined: Vec<String> = Vec::new();
    for word in out {
        if let Some(last) = joined.last_mut()
            && matches!(last.to_ascii_lowercase().as_str(), "page" | "arrow" | "caps" | "print" | "num")
        {
            last.push_str(&word);
        } else {
            joined.push(word);
        }
    }
    joined
}

fn key(word: &str) -> Result<KeyName, String> {
    let mut chars = word.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        return Ok(KeyName::Named(match c {
            '+' => "plus".to_owned(),
            '-' => "minus".to_owned(),
            c => c.to_lowercase().to_string(),
        }));
    }
    let bare: String = word.chars().filter(|c| c.is_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect();
    let is = |(name, others): &&(&'static str, &[&str])| {
        name.eq_ignore_ascii_case(&bare) || others.contains(&bare.as_str())
    };
    if let Some((name, _)) = MODIFIERS.iter().find(is) {
        return Ok(KeyName::Modifier(name));
    }
    if let Some((name, _)) = KEYS.iter().find(is) {
        return Ok(KeyName::Named(match *name {
            "comma" => ",".to_owned(),
            "period" => ".".to_owned(),
            name => name.to_owned(),
        }));
    }
    if let Some(number) = bare.strip_prefix('f').and_then(|n| n.parse::<u8>().ok())
        && (1..=24).contains(&number)
    {
        return Ok(KeyName::Named(format!("F{number}")));
    }
    let keypad = bare.strip_prefix("kp").or_else(|| bare.strip_prefix("numpad"));
    if let Some(at) = keypad.and_then(|name| KEYPAD.iter().find(|known| known.eq_ignore_ascii_case(name))) {
        return Ok(KeyName::Named(format!("KP_{at}")));
    }
    if bare.contains("click") {
        return Err("a key cannot be held during a click: use two actions".to_owned());
    }
    Err(format!(
        "'{}' is not a key: write a character or a name such as Enter, Tab, Pagedown, Ctrl A",
        cut(word)
    ))
}

fn cut(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords_are_read_in_every_common_spelling() {
        for (written, want) in [
            ("Ctrl+S", "ctrl+s"),
            ("Ctrl S", "ctrl+s"),
            ("ctrl + s", "ctrl+s"),
            ("Ctrl-Shift-T", "ctrl+shift+t"),
            ("CONTROL A", "ctrl+a"),
            ("Pagedown", "PageDown"),
            ("Page Down", "PageDown"),
            ("Arrowleft", "ArrowLeft"),
            ("Shift Tab", "shift+Tab"),
            ("Return", "Enter"),
            ("kp_enter", "KP_Enter"),
            ("ctrl+numpad5", "ctrl+KP_5"),
            ("Ctrl ,", "ctrl+,"),
            ("Ctrl ++", "ctrl+plus"),
            ("ctrl++", "ctrl+plus"),
            ("ctrl+-", "ctrl+minus"),
            ("Ctrl +", "ctrl+plus"),
            ("+", "plus"),
            ("-", "minus"),
            ("F5", "F5"),
            ("alt+f4", "alt+F4"),
            ("Super", "meta"),
            ("Backspace", "Backspace"),
            ("Back", "Backspace"),
            ("Space", "Space"),
            ("é", "é"),
        ] {
            assert_eq!(chord(written).as_deref(), Ok(want), "{written}");
        }
    }

    #[test]
    fn what_is_no_key_is_named() {
        assert!(chord("").unwrap_err().contains("empty"));
        assert!(chord("Ctrl Foo").unwrap_err().contains("'Foo'"));
        assert!(chord("a b").unwrap_err().contains("both a and b"));
        assert!(chord("Ctrl + Click").unwrap_err().contains("two actions"));
        assert!(chord("F99").is_err());
    }
}
