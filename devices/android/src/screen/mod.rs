//! Pictures of the screen: taken the fastest way that a phone offers, compared, and searched for
//! elements where there is no tree.

mod capture;
mod find;
mod likeness;
mod raw;
mod way;

pub(crate) use capture::Camera;
pub use find::picture_elements;
pub use raw::decode_raw;
pub(crate) use waldo_devices::cell_means::CellMeans;
pub use way::PictureWay;
