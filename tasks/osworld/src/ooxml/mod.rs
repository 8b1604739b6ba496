//! Office documents, read as the libraries of the original read them: `openpyxl`, `pandas`,
//! `python-docx` and `python-pptx`. What is broken, or no such document, is [`crate::fault::OsworldFault::Raised`].

pub mod docx;
pub mod odt;
pub mod pptx;
pub mod xlsx;

pub use waldo_office::{Package, budget, package, range};
