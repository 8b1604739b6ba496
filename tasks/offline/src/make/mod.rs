//! Items of one's own, from screens whose elements are known: places to find (L2) and questions to answer (L1), in the
//! benchmark's format.
//!
//! Invariants: the same screens and the same seed give the same items; what is right is read from the tree of elements,
//! never from a model (which may say an instruction in other words); nothing but the picture tells it: by how its options
//! are drawn, a question says nothing of its answer.

mod ask;
mod deck;
mod dice;
mod draw;
mod places;
mod rewrite;
mod scene;
mod screens;
#[cfg(test)]
mod testing;
mod write;

pub use ask::make_questions;
pub use places::{FoundPlace, Rewritten, make_places};
pub use rewrite::{Flaw, LONGEST, judged};
pub use screens::{FOLDER, Pressed, Screen, read_screens, write_screens};
pub use write::{write_places, write_questions};
