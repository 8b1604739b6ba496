//! What every app is written in: its messages, its rows, and what it is asked and may do.

pub(crate) use super::{App, Cx, Manifest, Seed, Sys, contents, parts};
pub(crate) use crate::{
    clock::Civil,
    ui::{
        icon::Icon,
        message::messages,
        node::{UiEvent, UiEventKind},
        shape::{Outline, Shape},
        theme::{Tone, colour_of},
    },
    world::{
        TouchPhase,
        app::Kept as _,
        intent::{Component, Intent},
        providers::{ProviderRow, ProviderValue, row},
        settings::Namespace,
        stack::Activity,
        tables,
    },
};
pub(crate) use serde::{Deserialize, Serialize};
