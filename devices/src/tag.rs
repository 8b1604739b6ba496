//! The number that an element is called by.

use serde::{Deserialize, Serialize};

/// The number of an element, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tag(pub u32);

/// A tag and the place of its element in the observation's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tagged {
    pub tag: Tag,
    pub element: usize,
}
