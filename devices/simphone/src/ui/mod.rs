//! Widgets: the declared tree, its layout, painting, and its XML.

mod attributes;
pub mod canvas;
pub mod dump;
pub mod geometry;
pub mod icon;
pub mod kit;
pub mod laid;
pub mod layout;
mod measure;
pub(crate) mod message;
pub mod node;
pub mod paint;
pub mod shape;
pub mod text;
pub mod theme;
