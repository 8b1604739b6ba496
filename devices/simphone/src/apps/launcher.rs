//! The home screen: a clock, the apps, the drawer with all of them, and the recents.
//!
//! Provider: `content://com.android.launcher3/searches` (`_id`, `package`, `searched`): the apps that were found by a
//! search of the drawer and opened from there, the last one last, with what was searched for.

use serde_json::json;

use crate::{apps::prelude::*, world::app::TaskCard};

messages! {
    enum Msg {
        Drawer = "drawer",
        /// A finger's way over the home screen.
        Pull = "pull",
        Open(package: String) = "open",
        /// The first app that was found is opened.
        First = "first",
        /// What the settings know of an app.
        Info(package: String) = "info",
        /// A task comes to the front, ends; all end.
        Front(task: u64) = "front",
        End(task: u64) = "end",
        Clear = "clear",
    }
}

pub(crate) const PACKAGE: &str = crate::world::LAUNCHER;

/// The home screen: its order of apps, and what was searched for.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Launcher {
    dock: Vec<String>,
    /// Packages that were opened from a search, each once, with what was searched for.
    searches: Vec<(String, String)>,
}

impl Launcher {
    /// Opens an app, and remembers it where it was searched for.
    fn open(&mut self, package: &str, at: &Activity, sys: &mut Sys<'_>) {
        let searched = at.typed("fallback_search_view");
        if !searched.is_empty() {
            self.searches.retain(|(opened, _)| opened != package);
            self.searches.push((package.to_owned(), searched));
        }
        sys.start(Intent::launch(package));
    }
}

impl App for Launcher {
    fn fresh(_: &mut Seed) -> Self {
        let dock =
            ["com.android.contacts", "com.android.messaging", "com.waldo.shop", super::settings::PACKAGE];
        Self { dock: dock.iter().map(|d| (*d).to_owned()).collect(), searches: Vec::new() }
    }

    fn facts(&self, _: &Activity, cx: &Cx<'_>) -> serde_json::Value {
        let task = |task: &TaskCard| {
            let mut facts = task.app.facts();
            facts["id"] = task.id.into();
            facts
        };
        json!({
            "apps": cx.installed.iter().map(Manifest::facts).collect::<Vec<_>>(),
            "tasks": cx.tasks.iter().map(task).collect::<Vec<_>>(),
        })
    }

    fn on_event(&mut self, at: &mut Activity, ev: &UiEvent, sys: &mut Sys<'_>) {
        let Some(message) = ev.message() else {
            if ev.kind == UiEventKind::Back {
                if at.is_on("drawer") {
                    at.locals.clear();
                    at.fields.clear();
                    at.editing = None;
                }
                if at.name() == "Launcher" {
                    sys.consume();
                }
            }
            return;
        };
        match message {
            Msg::Drawer => at.set_local("drawer", "1"),
            Msg::Pull => match ev.kind {
                UiEventKind::Drag(_, y, TouchPhase::Down) => at.set_local("from", y.to_string()),
                UiEventKind::Drag(_, y, TouchPhase::Up) => {
                    let from: i32 = at.local("from").parse().unwrap_or(y);
                    if from - y > 60 {
                        at.set_local("drawer", "1");
                    } else if y - from > 60 {
                        sys.world().set_shade(crate::world::Shade::Open);
                    }
                }
                _ => {}
            },
            Msg::Open(package) => self.open(&package, at, sys),
            Msg::First => {
                let wanted = at.field("fallback_search_view").unwrap_or("").to_lowercase();
                let found =
                    sys.world().packages().into_iter().find(|p| {
                        p.launched && !wanted.is_empty() && p.label.to_lowercase().contains(&wanted)
                    });
                if let Some(p) = found {
                    self.open(&p.package, at, sys);
                }
            }
            Msg::Info(package) => {
                at.overlay = None;
                let to = Component::new(super::settings::PACKAGE, ".SubSettings");
                sys.start(Intent::to(to).with("page", "app").with("package", &package));
            }
            Msg::Front(task) => sys.front_task(task),
            Msg::End(task) => sys.end_task(task),
            Msg::Clear => {
                let ids: Vec<u64> = sys.world().stack().iter().map(|t| t.id).collect();
                for id in ids {
                    sys.end_task(id);
                }
                sys.finish();
            }
        }
    }
}
