//! Pictures of the screen: taken the fastest way that a phone offers, compared, and searched for
//! elements where there is no tree.

mod capture;
mod find;
mod frame;
mod likeness;
mod raw;
mod way;

pub(crate) use capture::Camera;
pub use find::picture_elements;
pub(crate) use frame::CellMeans;
pub use raw::decode_raw;
pub use way::PictureWay;
