//! What every app is written in: its widgets, its messages, its rows, and what it is asked and may do.

pub(crate) use super::{
    App, AppScreen, Cx, IntentFilter, LauncherEntry, Manifest, Overlay, Seed, Sys, contents, dialogs, kit,
    parts,
};
pub(crate) use crate::{
    clock::Civil,
    ui::{
        icon::Icon,
        message::{Common, ask, messages, show},
        node::{Align, FieldInput, Len, Node, UiEvent, UiEventKind},
        shape::{Outline, Shape},
        theme::{Tone, colour_of},
    },
    world::{
        TouchPhase,
        intent::{ACTION_SEND, ACTION_VIEW, Component, Intent},
        providers::{ProviderRow, ProviderValue, row},
        settings::{Namespace, Settings},
        stack::Activity,
    },
};
pub(crate) use serde::{Deserialize, Serialize};
