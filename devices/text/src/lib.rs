//! Words for elements that only a picture shows.
//!
//! Invariants: a reader is asked about an element that was found in the picture and has no name, and about nothing else; what
//! it reads is text of a screen, cleaned, cut and masked like all of it; a part of a picture that was read is not read
//! again; a reader that is missing, late or broken costs names and never an observation; no more is given to it, and
//! taken from it, than a bound.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests start programs as they need them"))]

mod kept;
mod named;
mod pages;
mod part;
mod reader;
mod table;
mod tesseract;
mod words;

pub use kept::KeptWords;
pub use named::NamedByText;
pub use part::PreparedPart;
pub use reader::TextReader;
pub use tesseract::{Languages, PROGRAM, Tesseract};
pub use words::Word;
