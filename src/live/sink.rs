//! The run's events, on their way to the pages.

use std::sync::Arc;

use waldo_tasks::{EpisodeKey, Event, EventSink, TaskError};

use super::hub::Hub;

/// Hands events to the hub.
pub(super) struct HubSink(pub(super) Arc<Hub>);

impl EventSink for HubSink {
    fn emit(&self, event: &Event, picture: Option<&[u8]>) {
        self.0.take(&event.episode, &event.kind, picture);
    }

    fn write_error(&self, _: &EpisodeKey) -> Option<TaskError> {
        None
    }
}
