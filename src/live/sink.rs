//! The run's events, on their way to the pages.

use std::sync::Arc;

use waldo_tasks::{Event, EventSink};

use super::hub::Hub;

pub(super) struct HubSink(pub(super) Arc<Hub>);

impl EventSink for HubSink {
    fn emit(&self, event: &Event, picture: Option<&[u8]>) {
        self.0.take(&event.episode, &event.kind, picture);
    }
}
