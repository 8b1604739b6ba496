//! Spreadsheets.

mod charts;
mod filters;
mod frame;
mod pivots;
mod raw;

pub use charts::charts;
pub use filters::{columns, filters, frozen, rows, validations, zoom};
pub use frame::Frame;
pub use pivots::pivots;
pub use raw::{cell_value, sparklines};
pub use waldo_office::book::MAIN;
pub use waldo_office::book::{Book, Cell, Content, Sheet, Stored};
pub use waldo_office::styles::{Style, Styles};
