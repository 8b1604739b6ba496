//! What PDF documents say.

use lopdf::Document;

use super::fault::OsworldFault;

fn open(bytes: &[u8]) -> Result<Document, OsworldFault> {
    Document::load_mem(bytes).map_err(|e| OsworldFault::raised(format!("no PDF document: {e}")))
}

/// How many pages a document has.
///
/// # Errors
/// [`OsworldFault::Raised`] when it is none.
pub fn count(bytes: &[u8]) -> Result<usize, OsworldFault> {
    // What this library finds again, the original's may not.
    if !bytes.windows(9).any(|part| part == b"startxref") {
        return Err(OsworldFault::Unsupported("a PDF document without its table".into()));
    }
    Ok(open(bytes)?.get_pages().len())
}

/// The text of each page.
///
/// # Errors
/// [`OsworldFault::Raised`] when it is not a document, or its text cannot be read.
pub fn pages(bytes: &[u8]) -> Result<Vec<String>, OsworldFault> {
    let document = open(bytes)?;
    let numbers: Vec<u32> = document.get_pages().into_keys().collect();
    let read = |number: u32| {
        document.extract_text(&[number]).map_err(|e| OsworldFault::raised(format!("page {number}: {e}")))
    };
    numbers.into_iter().map(read).collect()
}
