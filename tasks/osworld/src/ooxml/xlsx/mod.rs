mod charts;
mod filters;
mod frame;
mod pivots;
mod raw;

pub(crate) use charts::charts;
pub use filters::{columns, filters, rows};
pub(crate) use filters::{frozen, validations, zoom};
pub use frame::DataFrame;
pub(crate) use pivots::pivots;
pub(crate) use raw::{RawSheet, sparklines};
pub use waldo_office::book::MAIN;
pub use waldo_office::book::{Book, Cell, Content, Sheet, Stored};
pub use waldo_office::styles::{CellStyle, Styles};
