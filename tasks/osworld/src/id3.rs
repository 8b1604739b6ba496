//! Tags of music files (ID3 version 2), by the names of `mutagen.easyid3`.

use std::collections::BTreeMap;

/// Frames with the names that rules use.
const NAMES: &str = "TIT2 title TPE1 artist TALB album TPE2 albumartist TCOM composer TDRC date TCON genre \
                     TRCK tracknumber TPOS discnumber TBPM bpm TCOP copyright TENC encodedby TEXT lyricist \
                     TLEN length TPE3 conductor TPE4 arranger TIT1 grouping TSRC isrc";

/// The tags of a file; nothing when it has none.
pub fn tags(bytes: &[u8]) -> Option<BTreeMap<&'static str, Vec<String>>> {
    let head = bytes.get(..10).filter(|head| head.starts_with(b"ID3"))?;
    let version = *head.get(3)?;
    if version != 3 && version != 4 {
        return None;
    }
    let size = synchsafe(head.get(6..10)?);
    let mut rest = bytes.get(10..10 + size.min(bytes.len().saturating_sub(10)))?;
    if head.get(5)? & 0x40 != 0 {
        let length = rest.get(..4)?;
        let extended = if version == 4 { synchsafe(length) } else { plain(length) + 4 };
        rest = rest.get(extended..)?;
    }
    let mut found: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    while let Some(frame) = rest.get(..10) {
        let id = std::str::from_utf8(frame.get(..4)?).unwrap_or_default();
        if id.starts_with('\0') {
            break;
        }
        let length = frame.get(4..8)?;
        let length = if version == 4 { synchsafe(length) } else { plain(length) };
        let Some(content) = rest.get(10..10 + length) else { break };
        // The year of the older version is the date of the newer.
        let id = if id == "TYER" { "TDRC" } else { id };
        let names = NAMES.split(' ').step_by(2).zip(NAMES.split(' ').skip(1).step_by(2));
        if let Some((_, name)) = names.into_iter().find(|(known, _)| *known == id) {
            found.insert(name, texts(content));
        }
        rest = rest.get(10 + length..)?;
    }
    Some(found)
}

fn synchsafe(bytes: &[u8]) -> usize {
    bytes.iter().fold(0, |all, byte| all << 7 | usize::from(byte & 0x7f))
}

fn plain(bytes: &[u8]) -> usize {
    bytes.iter().fold(0, |all, byte| all << 8 | usize::from(*byte))
}

fn texts(content: &[u8]) -> Vec<String> {
    let Some((encoding, bytes)) = content.split_first() else { return Vec::new() };
    let wide = |bytes: &[u8], big: bool| -> String {
        let units = bytes.chunks_exact(2).map(|pair| match pair {
            [a, b] if big => u16::from_be_bytes([*a, *b]),
            [a, b] => u16::from_le_bytes([*a, *b]),
            _ => 0,
        });
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    let text = match encoding {
        1 if bytes.starts_with(&[0xfe, 0xff]) => wide(bytes, true),
        1 => wide(bytes, false),
        2 => wide(bytes, true),
        3 => String::from_utf8_lossy(bytes).into_owned(),
        _ => bytes.iter().map(|byte| char::from(*byte)).collect(),
    };
    let text = text.trim_end_matches('\0');
    text.split('\0').map(|part| part.trim_start_matches('\u{feff}').to_owned()).collect()
}
