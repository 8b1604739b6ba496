//! The home screen: a clock, the apps, the drawer with all of them, and the recents.

use serde::{Deserialize, Serialize};

use super::{App, Cx, Entry, Manifest, Overlay, Screen, Seed, Sys, kit};
use crate::{
    ui::{
        icon::Icon,
        node::{Align, Event, Len, Node, UiEventKind},
        theme::Tone,
    },
    world::{TouchPhase, intent::Intent, stack::Activity},
};

/// The home screen has no state but its order of apps.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Launcher {
    /// Packages in the dock.
    dock: Vec<String>,
}

fn tile(app: &Manifest, ink: Tone, place: &str) -> Node {
    Node::column(vec![
        Node::stack(vec![
            Node::icon(app.icon, 32.0).class("android.view.View").tone(Tone::Rgb(255, 255, 255)),
        ])
        .size(Len::Dp(58.0), Len::Dp(58.0))
        .bg(app.colour)
        .radius(20.0)
        .centred(),
        Node::text(app.label).sp(13.5).lines(1).tone(ink).main(Align::Centre),
    ])
    .class("android.widget.TextView")
    .id("icon")
    .desc(app.label)
    .gap(6.0)
    .pad(2.0, 8.0)
    .cross(Align::Centre)
    .tap(format!("open/{}", app.package))
    .long(format!("{place}/{}", app.package))
}

impl Launcher {
    fn shown<'a>(cx: &'a Cx<'_>) -> impl Iterator<Item = &'a Manifest> {
        cx.installed.iter().filter(|m| m.entry != Entry::Hidden)
    }

    fn home(&self, cx: &Cx<'_>) -> Node {
        let white = Tone::Rgb(0xf4, 0xf6, 0xfc);
        let civil = cx.civil();
        let on_dock = |m: &&Manifest| self.dock.iter().any(|d| d == m.package);
        let tiles: Vec<Node> =
            Self::shown(cx).filter(|m| !on_dock(m)).map(|m| tile(m, white, "hold")).collect();
        let dock: Vec<Node> = self
            .dock
            .iter()
            .filter_map(|d| Self::shown(cx).find(|m| m.package == d))
            .map(|m| tile(m, white, "hold").w(Len::Fill(1.0)))
            .collect();
        let clock = Node::column(vec![
            Node::text(cx.time(civil)).id("clock").sp(54.0).tone(white),
            Node::text(format!("{}, {} {}", civil.weekday_name(), civil.month_name(), civil.day))
                .id("date")
                .sp(17.0)
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
            Node::stack(vec![Node::icon(Icon::Up, 26.0).class("android.view.View").tone(white)])
                .class("android.widget.ImageView")
                .id("all_apps_handle")
                .desc("Apps list")
                .size(Len::Fill(1.0), Len::Dp(40.0))
                .centred()
                .tap("drawer"),
        );
        rows.push(Node::row(dock).id("hotseat").pad(10.0, 4.0));
        Node::column(rows).id("drag_layer").h(Len::Fill(1.0)).drag("pull")
    }

    fn drawer(at: &Activity, cx: &Cx<'_>) -> Node {
        let wanted = at.field("fallback_search_view").unwrap_or("").to_lowercase();
        let tiles: Vec<Node> = Self::shown(cx)
            .filter(|m| m.label.to_lowercase().contains(&wanted))
            .map(|m| tile(m, Tone::OnSurface, "hold"))
            .collect();
        let body = if tiles.is_empty() {
            kit::nothing(Icon::Search, "No apps found")
        } else {
            Node::grid("apps_list_view", if cx.landscape() { 7 } else { 4 }, tiles).pad(10.0, 4.0)
        };
        Node::column(vec![
            Node::row(vec![
                Node::field("fallback_search_view", "Search apps")
                    .radius(26.0)
                    .change("search")
                    .submit("first"),
            ])
            .pad(16.0, 10.0),
            body,
        ])
        .h(Len::Fill(1.0))
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
                Node::stack(vec![Node::icon(t.app.icon, 72.0).class("android.view.View").tone(Tone::Line)])
                    .centred()
                    .h(Len::Dp(110.0))
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
            .tap(format!("front/{}", t.id))
            .dismiss(format!("end/{}", t.id))
        });
        Node::column(vec![
            Node::list("overview_panel", cards.collect()),
            Node::row(vec![kit::soft_button("clear_all", "Clear all", "clear")])
                .main(Align::Centre)
                .pad(0.0, 14.0),
        ])
        .h(Len::Fill(1.0))
    }
}

impl App for Launcher {
    fn manifest() -> Manifest {
        Manifest {
            package: crate::world::LAUNCHER,
            label: "Home",
            icon: Icon::Home,
            colour: Tone::Rgb(0x4a, 0x55, 0x68),
            activities: &[".Launcher", ".RecentsActivity"],
            entry: Entry::Hidden,
            authorities: &[],
            filters: &[],
        }
    }

    fn fresh(_: &mut Seed) -> Self {
        let dock =
            ["com.android.contacts", "com.android.messaging", "com.waldo.shop", super::settings::PACKAGE];
        Self { dock: dock.iter().map(|d| (*d).to_owned()).collect() }
    }

    fn view(&self, at: &Activity, cx: &Cx<'_>) -> Screen {
        if at.name() == "RecentsActivity" {
            return Screen::new(Self::recents(cx));
        }
        let over = at.overlay.as_ref().map(|package| {
            let label = cx.installed.iter().find(|m| m.package == package).map_or("", |m| m.label);
            let info = format!("info/{package}");
            Overlay::Dialog(kit::dialog(
                label,
                vec![],
                &[("app_info", "App info", info.as_str()), ("cancel", "Cancel", "cancel")],
            ))
        });
        if at.local("drawer") == "1" {
            return Screen::new(Self::drawer(at, cx)).over(over);
        }
        Screen::new(self.home(cx)).ground(Tone::Rgb(0x2b, 0x3a, 0x5c)).over(over)
    }

    fn on_event(&mut self, at: &mut Activity, ev: &Event, sys: &mut Sys<'_>) {
        let (what, rest) = ev.parts();
        match (what, &ev.kind) {
            (_, UiEventKind::Back) => {
                if at.local("drawer") == "1" {
                    at.locals.clear();
                    at.fields.clear();
                    at.editing = None;
                }
                if at.name() == "Launcher" {
                    sys.consume();
                }
            }
            ("drawer", _) => at.set_local("drawer", "1"),
            ("pull", UiEventKind::Drag(_, y, TouchPhase::Down)) => at.set_local("from", y.to_string()),
            ("pull", UiEventKind::Drag(_, y, TouchPhase::Up)) => {
                let from: i32 = at.local("from").parse().unwrap_or(*y);
                if from - y > 60 {
                    at.set_local("drawer", "1");
                } else if y - from > 60 {
                    sys.world().set_shade(crate::world::Shade::Open);
                }
            }
            ("open", _) => sys.start(Intent::launch(rest)),
            ("first", _) => {
                let wanted = at.field("fallback_search_view").unwrap_or("").to_lowercase();
                let found = sys.world().packages().into_iter().find(|p| {
                    p.launcher.is_some() && !wanted.is_empty() && p.label.to_lowercase().contains(&wanted)
                });
                if let Some(p) = found {
                    sys.start(Intent::launch(&p.package));
                }
            }
            ("hold", _) => at.overlay = Some(rest.to_owned()),
            ("info", _) => {
                at.overlay = None;
                let to = crate::world::intent::Component::new(super::settings::PACKAGE, ".SubSettings");
                sys.start(Intent::to(to).with("page", "app").with("package", rest));
            }
            ("cancel", _) => at.overlay = None,
            ("front", _) => {
                if let Ok(id) = rest.parse() {
                    sys.front_task(id);
                }
            }
            ("end", _) => {
                if let Ok(id) = rest.parse() {
                    sys.end_task(id);
                }
            }
            ("clear", _) => {
                let ids: Vec<u64> = sys.world().stack().iter().map(|t| t.id).collect();
                for id in ids {
                    sys.end_task(id);
                }
                sys.finish();
            }
            _ => {}
        }
    }
}
