//! Widgets: the declared tree, its layout, painting, and its XML.

pub mod canvas;
pub mod dump;
pub mod geometry;
pub mod icon;
pub mod laid;
pub mod layout;
pub mod markup;
mod measure;
pub(crate) mod message;
pub mod node;
pub mod paint;
pub mod shape;
pub(crate) mod templates;
pub mod text;
pub mod theme;
