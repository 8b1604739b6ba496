//! Why a run is over, as its host is told.

use crate::limits::Limit;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StopCause {
    Finished,
    /// The script was refused, and never ran.
    Refused,
    Raised,
    Limit(Limit),
    Stopped,
    /// The worker died, or broke the protocol, or could not be started.
    Broken,
    /// The future of the run was dropped, or something panicked.
    Dropped,
}
