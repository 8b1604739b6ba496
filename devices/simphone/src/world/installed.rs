//! The apps that are on a phone, their types forgotten.

use std::collections::BTreeMap;
use std::fmt::Debug;

use super::{
    app::{App, Cx, Manifest, Screen, Sys},
    providers::Row,
    seed::Seed,
    stack::Activity,
};
use crate::{
    files::Vfs,
    ui::{
        message::Common,
        node::{Event, UiEventKind},
    },
};

/// What a phone has when it is first switched on.
#[derive(Debug, Clone, Copy)]
pub struct SystemImage {
    /// Its apps, with contents of a seed and a start.
    pub(crate) install: fn(u64, i64) -> Installed,
    /// Lays its files, of a seed and a start.
    pub(crate) lay: fn(&mut Vfs, u64, i64),
}

/// An app whose type is forgotten.
pub(crate) trait AnyApp: Send + Debug {
    fn view(&self, at: &Activity, cx: &Cx<'_>) -> Screen;
    fn on_event(&mut self, at: &mut Activity, ev: &Event, sys: &mut Sys<'_>);
    fn second(&mut self, sys: &mut Sys<'_>);
    fn frame_ms(&self, at: &Activity) -> Option<u64>;
    fn rows(&self, table: &str) -> Option<Vec<Row>>;
    fn put_row(&mut self, table: &str, row: &Row) -> Result<i64, String>;
    fn delete_row(&mut self, table: &str, id: i64) -> bool;
    fn save(&self) -> serde_json::Value;
    #[cfg(test)]
    fn load(&mut self, state: serde_json::Value) -> Result<(), serde_json::Error>;
    fn renew(&mut self, seed: &mut Seed);
}

#[derive(Debug)]
struct Slot<A>(A);

impl<A: App> AnyApp for Slot<A> {
    fn view(&self, at: &Activity, cx: &Cx<'_>) -> Screen {
        self.0.view(at, cx)
    }
    fn on_event(&mut self, at: &mut Activity, ev: &Event, sys: &mut Sys<'_>) {
        let back = Event { on: String::new(), kind: UiEventKind::Back };
        match ev.message() {
            _ if ev.kind == UiEventKind::Back && at.searching() => {
                at.end_search();
                sys.consume();
            }
            Some(Common::Up) => {
                self.0.on_event(at, &back, sys);
                if !sys.consumed {
                    sys.finish();
                }
            }
            Some(Common::Cancel) => at.overlay = None,
            Some(Common::Show(overlay)) => at.overlay = Some(overlay),
            Some(Common::Ask(field, overlay)) => {
                at.fields.remove(&field);
                at.overlay = Some(overlay);
            }
            Some(Common::Search) => at.begin_search(),
            Some(Common::EndSearch) => at.end_search(),
            None => self.0.on_event(at, ev, sys),
        }
    }
    fn second(&mut self, sys: &mut Sys<'_>) {
        self.0.second(sys);
    }
    fn frame_ms(&self, at: &Activity) -> Option<u64> {
        self.0.frame_ms(at)
    }
    fn rows(&self, table: &str) -> Option<Vec<Row>> {
        self.0.rows(table)
    }
    fn put_row(&mut self, table: &str, row: &Row) -> Result<i64, String> {
        self.0.put_row(table, row)
    }
    fn delete_row(&mut self, table: &str, id: i64) -> bool {
        self.0.delete_row(table, id)
    }
    fn save(&self) -> serde_json::Value {
        serde_json::to_value(&self.0).unwrap_or_default()
    }
    #[cfg(test)]
    fn load(&mut self, state: serde_json::Value) -> Result<(), serde_json::Error> {
        self.0 = serde_json::from_value(state)?;
        Ok(())
    }
    fn renew(&mut self, seed: &mut Seed) {
        self.0 = A::fresh(seed);
    }
}

/// Installed apps.
#[derive(Debug, Default)]
pub(crate) struct Installed {
    pub(crate) manifests: Vec<Manifest>,
    pub(crate) apps: BTreeMap<&'static str, Box<dyn AnyApp>>,
}

impl Installed {
    pub(crate) fn add<A: App>(&mut self, seed: u64, start: i64) {
        let manifest = A::manifest();
        let fresh = A::fresh(&mut Seed::of(seed, manifest.package, start));
        self.manifests.push(manifest);
        self.apps.insert(manifest.package, Box::new(Slot(fresh)));
        self.manifests.sort_by_key(|m| m.label);
    }

    /// The manifest of a package.
    pub(crate) fn manifest(&self, package: &str) -> Option<&Manifest> {
        self.manifests.iter().find(|m| m.package == package)
    }
}
