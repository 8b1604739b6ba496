//! The run's events, on their way to the pages.

use std::sync::Arc;

use waldo_tasks::{EpisodeKey, Event, Sink, TaskError};

use super::hub::Hub;

/// Hands events to the hub.
pub(super) struct Taken(pub(super) Arc<Hub>);

impl Sink for Taken {
    fn emit(&self, event: &Event, picture: Option<&[u8]>) {
        self.0.take(&event.episode, &event.kind, picture);
    }

    fn lost(&self, _: &EpisodeKey) -> Option<TaskError> {
        None
    }
}
