//! Who is told of what is recorded, beside the disk.

use std::sync::Arc;

use crate::events::{Event, EventKind, EventSink};

/// A sink that takes the events of a demonstration; none at first.
///
/// Invariant: however often the device is started anew, a demonstration begins once for it.
#[derive(Default)]
pub(super) struct Follower {
    sink: Option<Arc<dyn EventSink>>,
    begun: bool,
}

impl std::fmt::Debug for Follower {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Follower").field("begun", &self.begun).finish_non_exhaustive()
    }
}

impl Follower {
    pub(super) fn new(sink: Arc<dyn EventSink>) -> Self {
        Self { sink: Some(sink), begun: false }
    }

    /// Hands on what is on the disk; `picture` is the labelled one of a screen.
    pub(super) fn tell(&mut self, events: &[Event], picture: Option<&[u8]>) {
        let Some(sink) = &self.sink else { return };
        for event in events {
            let begins = matches!(event.kind, EventKind::Started { .. });
            if !(begins && self.begun) {
                sink.emit(event, picture);
            }
            self.begun |= begins;
        }
    }
}
