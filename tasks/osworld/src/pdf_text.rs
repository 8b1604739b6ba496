use std::io::Read as _;

use lopdf::Document;

use super::fault::{OsworldFault, Result};
use super::ooxml::budget::{self, Cost};

/// Streams that may be packed in each other.
const DEEPEST: usize = 4;

fn open(bytes: &[u8]) -> Result<Document> {
    budget::spend(Cost::Bytes, bytes.len() as u64)?;
    // The library unpacks streams without a bound, so that they are measured before.
    for (at, _) in bytes.windows(6).enumerate().filter(|(_, word)| *word == b"stream") {
        let rest = bytes.get(at + 6..).unwrap_or_default();
        let begin = rest.iter().position(|byte| !matches!(byte, b'\r' | b'\n')).unwrap_or(rest.len());
        if begin > 0 {
            measure(rest.get(begin..).unwrap_or_default(), DEEPEST)?;
        }
    }
    Document::load_mem(bytes).map_err(|e| OsworldFault::raised(format!("no PDF document: {e}")))
}

/// Pays for what a packed stream unpacks to, as far as it can be unpacked.
fn measure(packed: &[u8], depth: usize) -> Result<()> {
    // The low half of the first byte names the method.
    if packed.first().is_none_or(|first| first & 0x0f != 8) {
        return Ok(());
    }
    if depth == 0 {
        return Ok(budget::refuse("streams that are packed in each other")?);
    }
    let mut unpacked = flate2::read::ZlibDecoder::new(packed);
    let (mut part, mut first) = (vec![0; 1 << 16], Vec::new());
    while let Ok(read) = unpacked.read(&mut part) {
        if read == 0 {
            break;
        }
        budget::spend(Cost::Bytes, read as u64)?;
        first.extend(part.iter().take(read));
    }
    measure(&first, depth - 1)
}

pub fn count(bytes: &[u8]) -> Result<usize> {
    // What this library finds again, the original's may not.
    if !bytes.windows(9).any(|part| part == b"startxref") {
        return Err(OsworldFault::Unsupported("a PDF document without its table".into()));
    }
    Ok(open(bytes)?.get_pages().len())
}

pub fn pages(bytes: &[u8]) -> Result<Vec<String>> {
    let document = open(bytes)?;
    let numbers: Vec<u32> = document.get_pages().into_keys().collect();
    let read = |number: u32| {
        budget::spend(Cost::Nodes, 1)?;
        document.extract_text(&[number]).map_err(|e| OsworldFault::raised(format!("page {number}: {e}")))
    };
    numbers.into_iter().map(read).collect()
}
