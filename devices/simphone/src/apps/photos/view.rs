//! What the photos app shows.

use super::{MARKS, Msg, OPTIONS, Photo, Photos, WHOLE, picture_id, scene};
use crate::apps::prelude::*;

/// Height of everything but the picture, in dp: bar, strip and tools.
const AROUND: f32 = 64.0 + 56.0 + 64.0;

/// Width and height of a picture's canvas, of the room between the system's bars, in dp.
pub(super) fn canvas_size((w, h): (f32, f32)) -> (f32, f32) {
    (w, (h - AROUND).max(1.0))
}

fn shown(picture: &Photo) -> scene::Shown {
    let part = |thousandths: i32| thousandths as f32 / 10.0;
    scene::Shown {
        scene: picture.scene,
        turned: picture.turned,
        mono: picture.has("mono"),
        zoom: picture.zoom as f32 / WHOLE as f32,
        middle: (part(picture.middle.0), part(picture.middle.1)),
    }
}

/// A sign without a name.
fn tool(number: usize, icon: Icon, on: Msg) -> Node {
    kit::icon_button(&format!("tool_{number}"), icon, "", on)
}

fn chip(number: usize, text: &str, on: Msg) -> Node {
    kit::soft_button(&format!("undo_{number}"), text, on).sp(13.0).pad(14.0, 0.0).high(40.0)
}

/// What can be undone.
fn strip(chips: Vec<Node>) -> Node {
    Node::strip("undo", chips).gap(8.0).pad(12.0, 8.0).high(56.0).fill()
}

impl Photos {
    pub(super) fn grid(&self, cx: &Cx<'_>) -> AppScreen {
        let tools = OPTIONS
            .iter()
            .enumerate()
            .map(|(n, (name, icon, _))| tool(n + 1, *icon, Msg::Option((*name).to_owned())))
            .collect();
        let columns = match (self.has("large"), cx.landscape()) {
            (true, false) => 2,
            (false, false) => 3,
            (true, true) => 4,
            (false, true) => 6,
        };
        let mut pictures: Vec<&Photo> = self.pictures.iter().filter(|p| !p.has("archived")).collect();
        pictures.sort_by_key(|p| if self.has("oldest") { p.taken } else { -p.taken });
        let side = (cx.width - 24.0) / columns as f32 - 8.0;
        let tiles = pictures.into_iter().map(|p| self.tile(p, side)).collect();
        let chips = OPTIONS.iter().enumerate().filter(|(_, (name, ..))| self.has(name));
        let chips =
            chips.map(|(n, (name, _, text))| chip(n + 1, text, Msg::Option((*name).to_owned()))).collect();
        let body = Node::column(vec![strip(chips), Node::grid("pictures", columns, tiles).pad(12.0, 4.0)]);
        parts::screen(kit::app_bar("Photos", tools), body.tall())
    }

    fn tile(&self, picture: &Photo, side: f32) -> Node {
        let whole = scene::Shown { zoom: 1.0, middle: (50.0, 50.0), ..shown(picture) };
        let drawn =
            Node::canvas("android.widget.ImageView", scene::shapes(whole, (side, side))).dp(side, side);
        let mut parts = vec![drawn, Node::label("title", picture.title.as_str(), 13.0).lines(1)];
        if self.has("dates") {
            let day = Civil::of(picture.taken).short();
            parts.push(Node::label("date", day, 12.0).muted().lines(1));
        }
        Node::column(parts).id("tile").gap(4.0).pad(4.0, 4.0).tap(Msg::Open(picture.id))
    }

    pub(super) fn one(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        let id = picture_id(at);
        let Some(picture) = self.pictures.iter().find(|p| p.id == id) else {
            let gone = kit::nothing(Icon::Image, "This picture is gone");
            return parts::screen(kit::up_bar("Photos", vec![]), gone);
        };
        let shapes = scene::shapes(shown(picture), canvas_size((cx.width, cx.height)));
        let canvas = Node::canvas("android.widget.ImageView", shapes)
            .id("picture")
            .desc(format!("Picture: {}", picture.title))
            .tap(Msg::Caption)
            .double(Msg::Zoom)
            .pinch(Msg::Zoom);
        let mut chips = Vec::new();
        if picture.turned > 0 {
            chips.push(chip(MARKS.len() + 1, "Turn it back", Msg::Turn(3)));
        }
        if picture.zoom > WHOLE {
            let text = format!("{} %: show all of it", picture.zoom / 10);
            chips.push(chip(MARKS.len() + 2, &text, Msg::Whole));
        }
        let marks = MARKS.iter().enumerate().filter(|(_, (mark, ..))| picture.has(mark));
        chips.extend(marks.map(|(n, (mark, _, text))| chip(n + 1, text, Msg::Mark((*mark).to_owned()))));
        let mut tools: Vec<Node> = MARKS
            .iter()
            .enumerate()
            .map(|(n, (mark, icon, _))| tool(n + 1, *icon, Msg::Mark((*mark).to_owned())))
            .collect();
        tools.push(tool(MARKS.len() + 1, Icon::Rotate, Msg::Turn(1)));
        let title = match at.local("caption") {
            "yes" => format!("Taken on {}", Civil::of(picture.taken).short()),
            _ => picture.title.clone(),
        };
        let bar = Node::row(tools).id("tools").high(64.0).bg(Tone::Card);
        let body = Node::column(vec![canvas, strip(chips), bar]).tall();
        parts::screen(kit::up_bar(&title, vec![]), body)
    }
}
