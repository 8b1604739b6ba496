//! The apps that are on a phone, and what all of them do alike.

use std::collections::BTreeMap;

use super::{
    actions,
    app::{App, Manifest, Sys},
    seed::Seed,
    stack::Activity,
};
use crate::{
    files::Vfs,
    ui::{
        message::Common,
        node::{UiEvent, UiEventKind},
    },
};

/// What a phone has when it is first switched on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SystemImage {
    /// Its apps, with contents of a seed and a start.
    pub(crate) install: fn(u64, i64) -> Installed,
    /// Lays its files, of a seed and a start.
    pub(crate) lay: fn(&mut Vfs, u64, i64),
}

#[derive(Debug, Default)]
pub(crate) struct Installed {
    pub(crate) manifests: Vec<Manifest>,
    pub(crate) apps: BTreeMap<&'static str, Box<dyn App>>,
}

impl Installed {
    pub(crate) fn add<A: App>(&mut self, package: &'static str, seed: u64, start: i64) {
        self.manifests.push(Manifest::of(package));
        self.apps.insert(package, Box::new(A::fresh(&mut Seed::of(seed, package, start))));
        self.manifests.sort_by_key(|m| m.label);
    }

    pub(crate) fn manifest(&self, package: &str) -> Option<&Manifest> {
        self.manifests.iter().find(|m| m.package == package)
    }
}

/// Gives an event to an app, unless it is one that all apps answer alike; `back` is what the screen does at Back.
pub(super) fn give(
    app: &mut dyn App,
    at: &mut Activity,
    ev: &UiEvent,
    back: Option<&str>,
    sys: &mut Sys<'_>,
) {
    let on = if ev.kind == UiEventKind::Back && !at.searching() { back.unwrap_or("") } else { &*ev.on };
    if let Some(actions) = actions::parse(on) {
        for message in actions::act(actions, app, at, &ev.kind, sys) {
            give(app, at, &UiEvent { on: message, kind: ev.kind.clone() }, None, sys);
        }
        return;
    }
    match ev.message() {
        _ if ev.kind == UiEventKind::Back && at.searching() => {
            at.end_search();
            sys.consume();
        }
        Some(Common::Up) => {
            give(app, at, &UiEvent { on: String::new(), kind: UiEventKind::Back }, back, sys);
            if !sys.consumed {
                sys.finish();
            }
        }
        Some(Common::Cancel) => at.overlay = None,
        Some(Common::Discard) => {
            at.overlay = None;
            sys.finish();
        }
        Some(Common::Show(overlay)) => at.overlay = Some(overlay),
        Some(Common::Ask(field, overlay)) => {
            at.fields.remove(&field);
            at.overlay = Some(overlay);
        }
        Some(Common::Search) => at.begin_search(),
        Some(Common::EndSearch) => at.end_search(),
        None => app.on_event(at, ev, sys),
    }
}
