//! Demonstrations: recording what a person does on a device, and learning from it.
//!
//! ```text
//! DEMO/demo.json                             what was demonstrated, on what
//! DEMO/events.jsonl                          every screen and step, a line each: what counts
//! DEMO/screens/NNN.png  NNN-raw.png          each screen with its numbers, and without
//! DEMO/record.txt  task_desc.txt             AppAgent's record and task
//! DEMO/labeled_screenshots/DEMO_N.png        the screen before line N of the record, for AppAgent
//! DEMO/raw_screenshots/DEMO_N.png            the same without numbers
//! DEMO/xml/DEMO_N.xml                        its tree as the phone wrote it, where there is one
//! DEMO/elements/DEMO_N.json                  its elements, on any device
//! DEMO/learn.jsonl                           what a model was asked about it
//! ```
//!
//! AppAgent's record knows taps, texts, long presses and swipes on elements; other steps (back, enter) are
//! in the events alone.
//!
//! Invariants: a step is on disk before the next one can be made, so a process that is killed loses at most
//! the step under way; what is there for AppAgent is made from the events and can be made again; learning
//! asks about a step once, whatever stops it.

mod deed;
mod folder;
mod follower;
mod import;
mod layout;
mod learn;
mod read;
mod recording;
mod upstream;

pub use deed::{DemoAction, Touch, stroke};
pub use folder::DemoFolder;
pub use import::import;
pub use layout::DemoInfo;
pub use learn::{LearnOutcome, Learned, Learning, Lesson, Refine};
pub use read::{Demo, DemoScreen, DemoStep};
pub use recording::{DemoActionOutcome, Recording};
pub use upstream::export_learning;
