//! MMBench-GUI's offline levels: L1, questions about a picture with options to choose from, and L2, places on a picture
//! that an instruction describes.
//!
//! Their files are read and checked, replies are read by the benchmark's own rules, and scores are computed as its code
//! computes them (`utils/misc.py` and `benchmarks/*.py` of open-compass/MMBench-GUI at 896ddf1). Where the benchmark's
//! code ends with an error, this says what is wrong with the file, or leaves out what cannot be computed.
//!
//! Invariant: data in, data out. Nothing here asks a model or knows a device.

mod error;
mod folder;
mod letters;
pub mod make;
mod named;
mod numbers;
mod places;
mod platform;
mod points;
mod published;
mod questions;
#[cfg(test)]
mod recorded_tests;
mod score;
mod sheets;

pub use error::OfflineError;
pub use folder::BenchFolder;
pub use letters::{LetterRule, read_letter};
pub use places::{Grounding, ItemKind, PlaceItem, PlaceMode, Share, places};
pub use platform::OfflinePlatform;
pub use points::{PointRule, read_point};
pub use published::{PublishedRow, published};
pub use questions::{Difficulty, Question, QuestionMode, questions};
pub use score::{
    L1Cell, L1Outcome, L1Scores, L1Split, L2Cell, L2Outcome, L2Scores, L2Split, PlaceResult, Scorer,
    score_l1, score_l2,
};
pub use sheets::{Prediction, l1_sheet, l2_sheet, predictions};
