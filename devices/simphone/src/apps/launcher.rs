//! The home screen: a clock, the apps, the drawer with all of them, and the recents.
//!
//! Provider: `content://com.android.launcher3/searches` (`_id`, `package`, `searched`): the apps that were found by a
//! search of the drawer and opened from there, the last one last, with what was searched for.

use crate::apps::prelude::*;

messages! {
    /// What its widgets send.
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

/// The home screen: its order of apps, and what was searched for.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Launcher {
    dock: Vec<String>,
    /// Packages that were opened from a search, each once, with what was searched for.
    searches: Vec<(String, String)>,
}

/// An app's sign and name; a hold asks what to do with it.
fn tile(app: &Manifest, ink: Tone) -> Node {
    let sign = Node::stack(vec![Node::mark(app.icon, 32.0, Tone::WHITE)]);
    Node::column(vec![
        sign.dp(58.0, 58.0).bg(app.colour).radius(20.0).centred(),
        Node::text(app.label).sp(13.5).lines(1).tone(ink).main(Align::Centre),
    ])
    .class("android.widget.TextView")
    .id("icon")
    .desc(app.label)
    .gap(6.0)
    .pad(2.0, 8.0)
    .cross(Align::Centre)
    .tap(Msg::Open(app.package.to_owned()))
    .long(show(app.package))
}

impl Launcher {
    fn shown<'a>(cx: &'a Cx<'_>) -> impl Iterator<Item = &'a Manifest> {
        cx.installed.iter().filter(|m| m.entry != LauncherEntry::Hidden)
    }

    fn home(&self, cx: &Cx<'_>) -> Node {
        let white = Tone::Rgb(0xf4, 0xf6, 0xfc);
        let civil = cx.civil();
        let on_dock = |m: &&Manifest| self.dock.iter().any(|d| d == m.package);
        let tiles: Vec<Node> = Self::shown(cx).filter(|m| !on_dock(m)).map(|m| tile(m, white)).collect();
        let dock: Vec<Node> = self
            .dock
            .iter()
            .filter_map(|d| Self::shown(cx).find(|m| m.package == d))
            .map(|m| tile(m, white).fill())
            .collect();
        let clock = Node::column(vec![
            Node::label("clock", cx.time(civil), 54.0).tone(white),
            Node::label(
                "date",
                format!("{}, {} {}", civil.weekday_name(), civil.month_name(), civil.day),
                17.0,
            )
            .tone(white),
        ])
        .pad(20.0, if cx.landscape() { 4.0 } else { 28.0 })
        .cross(Align::Centre);
        let columns = if cx.landscape() { 7 } else { 4 };
        let mut rows = vec![];
        if !cx.landscape() {
            rows.push(clock);
        }
        rows.push(Node::grid("workspace", columns, tiles).pad(10.0, 4.0));
        rows.push(
            Node::stack(vec![Node::mark(Icon::Up, 26.0, white)])
                .class("android.widget.ImageView")
                .id("all_apps_handle")
                .desc("Apps list")
                .size(Len::Fill(1.0), Len::Dp(40.0))
                .centred()
                .tap(Msg::Drawer),
        );
        rows.push(Node::row(dock).id("hotseat").pad(10.0, 4.0));
        Node::column(rows).id("drag_layer").tall().drag(Msg::Pull)
    }

    /// Opens an app, and remembers it where it was searched for.
    fn open(&mut self, package: &str, at: &Activity, sys: &mut Sys<'_>) {
        let searched = at.typed("fallback_search_view");
        if !searched.is_empty() {
            self.searches.retain(|(opened, _)| opened != package);
            self.searches.push((package.to_owned(), searched));
        }
        sys.start(Intent::launch(package));
    }

    fn drawer(at: &Activity, cx: &Cx<'_>) -> Node {
        let wanted = at.field("fallback_search_view").unwrap_or("").to_lowercase();
        let tiles: Vec<Node> = Self::shown(cx)
            .filter(|m| m.label.to_lowercase().contains(&wanted))
            .map(|m| tile(m, Tone::OnSurface))
            .collect();
        let body = if tiles.is_empty() {
            kit::nothing(Icon::Search, "No apps found")
        } else {
            Node::grid("apps_list_view", if cx.landscape() { 7 } else { 4 }, tiles).pad(10.0, 4.0)
        };
        Node::column(vec![
            Node::row(vec![
                Node::field("fallback_search_view", "Search apps").radius(26.0).submit(Msg::First),
            ])
            .pad(16.0, 10.0),
            body,
        ])
        .tall()
    }

    fn recents(cx: &Cx<'_>) -> Node {
        if cx.tasks.is_empty() {
            return kit::nothing(Icon::Square, "No recent items").bg(Tone::Surface);
        }
        let cards = cx.tasks.iter().map(|t| {
            Node::column(vec![
                Node::row(vec![
                    kit::badge(t.app.icon, t.app.colour, 32.0),
                    Node::text(t.app.label).sp(16.0).bold(),
                ])
                .gap(12.0)
                .pad(16.0, 12.0),
                Node::stack(vec![Node::mark(t.app.icon, 72.0, Tone::Line)])
                    .centred()
                    .high(110.0)
                    .bg(Tone::Surface),
            ])
            .class("android.widget.FrameLayout")
            .id("snapshot")
            .desc(t.app.label)
            .bg(Tone::Card)
            .border(Tone::Line)
            .pad(2.0, 2.0)
            .radius(18.0)
            .margin(24.0, 8.0)
            .tap(Msg::Front(t.id))
            .dismiss(Msg::End(t.id))
        });
        Node::column(vec![
            Node::list("overview_panel", cards.collect()),
            Node::row(vec![kit::soft_button("clear_all", "Clear all", Msg::Clear)])
                .main(Align::Centre)
                .pad(0.0, 14.0),
        ])
        .tall()
    }
}

impl App for Launcher {
    fn manifest() -> Manifest {
        let (package, colour) = (crate::world::LAUNCHER, Tone::Rgb(0x4a, 0x55, 0x68));
        Manifest {
            activities: &[".Launcher", ".RecentsActivity"],
            authorities: &[crate::world::LAUNCHER],
            tables: &["com.android.launcher3/searches"],
            entry: LauncherEntry::Hidden,
            ..Manifest::system(package, "Home", Icon::Home, colour)
        }
    }

    fn fresh(_: &mut Seed) -> Self {
        let dock =
            ["com.android.contacts", "com.android.messaging", "com.waldo.shop", super::settings::PACKAGE];
        Self { dock: dock.iter().map(|d| (*d).to_owned()).collect(), searches: Vec::new() }
    }

    fn view(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        if at.name() == "RecentsActivity" {
            return AppScreen::new(Self::recents(cx));
        }
        let over = at.overlay.as_ref().map(|package| {
            let label = cx.installed.iter().find(|m| m.package == package).map_or("", |m| m.label);
            let info = ("app_info", "App info", Msg::Info(package.clone()).into());
            let cancel = ("cancel", "Cancel", Common::Cancel.into());
            Overlay::Dialog(kit::dialog::<String>(label, vec![], &[info, cancel]))
        });
        if at.is_on("drawer") {
            return AppScreen::new(Self::drawer(at, cx)).over(over);
        }
        AppScreen::new(self.home(cx)).ground(Tone::Rgb(0x2b, 0x3a, 0x5c)).over(over)
    }

    fn rows(&self, table: &str) -> Option<Vec<ProviderRow>> {
        (table == "com.android.launcher3/searches").then(|| {
            let rows = self.searches.iter().zip(1_i64..);
            rows.map(|((package, searched), id)| row! { _id: id, package: package, searched: searched })
                .collect()
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
                let found = sys.world().packages().into_iter().find(|p| {
                    p.launcher.is_some() && !wanted.is_empty() && p.label.to_lowercase().contains(&wanted)
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
