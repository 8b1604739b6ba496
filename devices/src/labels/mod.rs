//! Numeric tags: which elements get one, where it is drawn, and the text list that goes with it.
//!
//! Invariant: one tag, one element. The number drawn, the number in the list and the number accepted
//! in a reply are the same, and hold for one observation only.
//!
//! The order of use: [`select`] numbers the elements, [`screen_list`] writes them down, [`layout_on`]
//! finds a place for each number and [`paint_plates`] draws them; [`paint`] does the last two at once, and
//! [`label`] all of it. [`Grid`] is for what has no elements.

use serde::{Deserialize, Serialize};

use crate::geometry::{Physical, Rect};
pub use crate::tag::{Tag, Tagged};

mod animation;
mod atlas;
mod caption;
mod cells;
mod codec;
mod deflate;
mod draw;
mod grid;
mod ink;
mod layer;
mod layout;
mod list;
mod mark;
mod paint;
#[cfg(test)]
mod reading_tests;
mod rows;
mod select;
mod spatial;
#[cfg(test)]
mod testing;
mod upstream;
mod webp;
mod whole;

pub use animation::animate;
pub use caption::caption;
pub use cells::{CELLS, cells_without_numbers};
pub use codec::{
    PictureFormat, PicturePacking, decode, encode_jpeg, encode_png, file_ending, media_type, picture_size,
    shrink,
};
pub use grid::{Grid, Subarea, paint_grid};
pub use layer::Layer;
pub use layout::{layout, layout_on};
pub use list::{
    ListLine, MAX_LINES_CHARS, MAX_NAME_CHARS, MAX_OPTION_CHARS, MAX_TEXTS_CHARS, MAX_VALUE_CHARS, WORDLESS,
    is_wordless, parse_cells, parse_list, parse_list_line, screen_list, text_list,
};
pub use mark::{mark_path, mark_point};
pub use paint::{paint, paint_plates};
pub use select::{select, twins};
pub use upstream::as_appagent;
pub use whole::{Labelled, label};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LabelStyle {
    /// AppAgent's look: a half-transparent dark plate with a light number near the element's centre.
    Appagent,
    /// Set of marks: a coloured box around each element with the number on its corner.
    #[default]
    Boxes,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plate {
    pub tag: Tag,
    /// The plate that carries it: whole pixels, inside the picture.
    pub rect: Rect<Physical>,
    pub anchor: Rect<Physical>,
}
