//! What the music app shows.

use super::{FRAME_MS, Music, Repeat, Track, VOLUME};
use crate::{
    apps::{Cx, Overlay, Screen, kit, parts},
    ui::{
        icon::Icon,
        node::{Align, Len, Node},
        shape::{Form, Shape},
        theme::{Tone, colour_of},
    },
    world::{settings::Namespace, stack::Activity},
};

#[allow(clippy::cast_precision_loss, reason = "a share of a turn")]
fn phase(now_ms: u64, period: u64) -> f32 {
    (now_ms % period) as f32 / period as f32
}

/// Bars that dance while music plays.
fn bars(playing: bool, now_ms: u64, side: f32) -> Node {
    let now = now_ms / FRAME_MS * FRAME_MS;
    let tau = std::f32::consts::TAU;
    let shapes = [(0.0, 900), (1.0, 700), (2.0, 1_100), (3.0, 600)].map(|(i, period)| {
        let high = if playing { 0.55 + 0.4 * (tau * (phase(now, period) + i * 0.21)).sin() } else { 0.15 };
        let (w, x) = (side * 0.16, side * (0.08 + 0.23 * i));
        let form = Form::Box(x, side * (1.0 - high), x + w, side, w * 0.3);
        Shape::new(form, Tone::Primary)
    });
    Node::canvas("android.view.View", shapes.to_vec()).id("equalizer").size(Len::Dp(side), Len::Dp(side))
}

/// A record that turns while music plays.
fn disc(t: &Track, playing: bool, now_ms: u64, side: f32) -> Node {
    let now = now_ms / FRAME_MS * FRAME_MS;
    let turn = if playing { phase(now, 4_000) * std::f32::consts::TAU } else { 0.6 };
    let c = side / 2.0;
    let at = |angle: f32, r: f32| (c + angle.cos() * r * c, c + angle.sin() * r * c);
    let dark = Tone::Rgb(0x22, 0x24, 0x29);
    let groove = Tone::Rgb(0x4a, 0x4e, 0x58);
    let mut shapes = vec![Shape::new(Form::Disc(c, c, c * 0.96), dark)];
    shapes.extend([0.9, 0.8, 0.7, 0.6].map(|r| Shape::new(Form::Ring(c, c, c * r, 1.2), groove)));
    shapes.push(Shape::new(Form::Disc(c, c, c * 0.44), colour_of(&t.title)));
    for (i, angle) in (0_u8..3).map(|i| (i, turn + f32::from(i) * std::f32::consts::TAU / 3.0)) {
        let (x, y) = at(angle, 0.3);
        let size = if i == 0 { 0.07 } else { 0.04 };
        shapes.push(Shape::new(Form::Disc(x, y, c * size), Tone::Rgb(255, 255, 255)));
    }
    let shine = vec![at(turn, 0.55), at(turn, 0.92)];
    shapes.push(Shape::new(Form::Stroke(shine, 3.0), Tone::Rgb(0x8e, 0x93, 0xa0)));
    shapes.push(Shape::new(Form::Disc(c, c, c * 0.05), dark));
    Node::canvas("android.view.View", shapes).id("album_art").size(Len::Dp(side), Len::Dp(side))
}

fn toggle_icon(playing: bool) -> Icon {
    if playing { Icon::Pause } else { Icon::Play }
}

fn art(t: &Track, side: f32) -> Node {
    Node::stack(vec![
        Node::icon(Icon::Music, side * 0.5).class("android.view.View").tone(Tone::Rgb(255, 255, 255)),
    ])
    .class("android.widget.ImageView")
    .size(Len::Dp(side), Len::Dp(side))
    .bg(colour_of(&t.album))
    .radius(10.0)
    .centred()
}

impl Music {
    fn song(&self, t: &Track, cx: &Cx<'_>, behind: Node) -> Node {
        let current = self.player.playing && self.player.track == t.id;
        let mut below = Node::text(format!("{} · {}", t.artist, parts::minutes(t.seconds)));
        below = below.id("song_artist").sp(14.0).lines(1).tone(Tone::Muted);
        let title = Node::text(&*t.title).id("song_title").sp(16.5).lines(1);
        let title = if current { title.bold().tone(Tone::Primary) } else { title };
        let mut row = vec![art(t, 46.0), Node::column(vec![title, below]).gap(2.0)];
        if current {
            row.push(bars(true, cx.now_ms, 22.0));
        }
        row.push(behind);
        Node::row(row)
            .id("song_item")
            .gap(14.0)
            .pad(16.0, 7.0)
            .tap(format!("play/{}", t.id))
            .long(format!("song/{}", t.id))
    }

    fn mini(&self, cx: &Cx<'_>) -> Option<Node> {
        let t = self.track(self.player.track)?;
        let playing = self.player.playing;
        Some(
            Node::row(vec![
                art(t, 44.0),
                Node::column(vec![
                    Node::text(&*t.title).id("mini_title").sp(15.5).lines(1),
                    Node::text(&*t.artist).id("mini_artist").sp(13.5).lines(1).tone(Tone::Muted),
                ]),
                bars(playing, cx.now_ms, 24.0),
                kit::icon_button("mini_play_pause", toggle_icon(playing), "", "toggle"),
                kit::icon_button("mini_next", Icon::Next, "", "next"),
            ])
            .id("mini_player")
            .gap(12.0)
            .pad(16.0, 8.0)
            .bg(Tone::Card)
            .tap("player"),
        )
    }

    fn songs(&self, at: &Activity, cx: &Cx<'_>) -> Node {
        let ids = self.listed(at);
        if ids.is_empty() {
            return kit::nothing(Icon::Music, "No songs");
        }
        let rows = ids.iter().filter_map(|id| self.track(*id)).map(|t| {
            self.song(t, cx, kit::icon_button("song_more", Icon::More, "", format!("song/{}", t.id)))
        });
        Node::list("song_list", rows.collect())
    }

    pub(super) fn main(&self, at: &Activity, cx: &Cx<'_>) -> Screen {
        let bar = if parts::searching(at) {
            parts::search_bar("Search songs")
        } else {
            kit::app_bar(
                "Music",
                None,
                vec![kit::icon_button("action_search", Icon::Search, "Search", "find")],
            )
        };
        let tab = at.local("tab").parse().unwrap_or(0);
        let tabs = kit::tabs(&[("Songs", "tab/0"), ("Playlists", "tab/1"), ("Favourites", "tab/2")], tab);
        let (body, fab) = if tab == 1 {
            let rows = self.playlists.iter().map(|p| {
                let many =
                    if p.tracks.len() == 1 { "1 song".into() } else { format!("{} songs", p.tracks.len()) };
                let front = kit::badge(Icon::Menu, colour_of(&p.name), 46.0);
                kit::row(Some(front), &p.name, &many, None)
                    .id("playlist_item")
                    .tap(format!("playlist/{}", p.id))
            });
            let fab = kit::fab("fab_add_playlist", Icon::Plus, "New playlist", "naming/0");
            (Node::list("playlist_list", rows.collect()), Some(fab))
        } else {
            (self.songs(at, cx), None)
        };
        let body = match fab {
            Some(fab) => Node::stack(vec![body, kit::overlay_end(fab)]),
            None => body,
        };
        let mut page = vec![bar, tabs, body];
        page.extend(self.mini(cx));
        Screen::new(Node::column(page).h(Len::Fill(1.0))).over(self.over(at))
    }

    pub(super) fn playlist_page(&self, at: &Activity, cx: &Cx<'_>) -> Screen {
        let id = at.extra("id").parse().unwrap_or(0);
        let Some(p) = self.playlist(id) else {
            let bar = kit::app_bar("", Some("up"), vec![]);
            return Screen::new(kit::page(bar, kit::nothing(Icon::Music, "This playlist is gone"), None));
        };
        let delete = kit::icon_button("action_delete", Icon::Trash, "", format!("drop/{id}"));
        let bar = kit::app_bar(&p.name, Some("up"), vec![delete]);
        let length: i64 = p.tracks.iter().filter_map(|t| self.track(*t)).map(|t| t.seconds).sum();
        let head = Node::row(vec![
            Node::text(format!("{} songs · {}", p.tracks.len(), parts::minutes(length)))
                .id("playlist_summary")
                .sp(14.5)
                .tone(Tone::Muted)
                .fill(),
            kit::button("play_all", "Play all", "all").disabled_if(|| p.tracks.is_empty()),
        ])
        .pad(20.0, 8.0);
        let list = if p.tracks.is_empty() {
            kit::nothing(Icon::Music, "No songs in this playlist")
        } else {
            let rows = p.tracks.iter().filter_map(|t| self.track(*t)).map(|t| {
                let on = format!("unlist/{}", t.id);
                self.song(t, cx, kit::icon_button("song_remove", Icon::Close, "Remove from playlist", &on))
            });
            Node::list("song_list", rows.collect())
        };
        let mut page = vec![bar, head, list];
        page.extend(self.mini(cx));
        Screen::new(Node::column(page).h(Len::Fill(1.0))).over(self.over(at))
    }

    pub(super) fn player_page(&self, at: &Activity, cx: &Cx<'_>) -> Screen {
        let mut bar = kit::app_bar("Now playing", Some("up"), vec![]);
        let Some(t) = self.track(self.player.track) else {
            return Screen::new(kit::page(bar, kit::nothing(Icon::Music, "Nothing to play"), None));
        };
        bar.children.push(kit::icon_button(
            "add_to_playlist",
            Icon::Plus,
            "Add to playlist",
            format!("pick/{}", t.id),
        ));
        let p = &self.player;
        let lit = |node: Node, on: bool| {
            let node = node.selected_if(|| on);
            if on { node.bg(Tone::Tint).radius(24.0) } else { node }
        };
        let small = |n: i64| i32::try_from(n).unwrap_or(0);
        let heart = kit::icon_button("favorite", Icon::Heart, "", format!("like/{}", t.id));
        let names = Node::row(vec![
            Node::column(vec![
                Node::text(&*t.title).id("track_title").sp(23.0).lines(1),
                Node::text(format!("{} · {}", t.artist, t.album))
                    .id("track_artist")
                    .sp(15.0)
                    .lines(1)
                    .tone(Tone::Muted),
            ])
            .gap(4.0),
            bars(p.playing, cx.now_ms, 26.0),
            lit(heart, t.favorite),
        ])
        .gap(12.0);
        let time = |id: &str, at: i64| Node::text(parts::minutes(at)).id(id).sp(13.0).tone(Tone::Muted);
        let seek = Node::column(vec![
            Node::slider("seek_bar", small(p.position), small(t.seconds), "seek"),
            Node::row(vec![
                time("time_current", p.position),
                Node::spring().h(Len::Dp(1.0)),
                time("time_total", t.seconds),
            ])
            .pad(10.0, 0.0),
        ]);
        let play = kit::icon_button(
            "play_pause",
            toggle_icon(p.playing),
            if p.playing { "Pause" } else { "Play" },
            "toggle",
        )
        .size(Len::Dp(68.0), Len::Dp(68.0))
        .bg(Tone::Tint)
        .radius(34.0);
        let repeat = kit::icon_button("repeat", Icon::Refresh, "", "repeat");
        let repeat = if p.repeat == Repeat::One {
            repeat.child(Node::text("1").class("android.view.View").sp(10.0).bold().margin(18.0, 0.0))
        } else {
            repeat
        };
        let keys = Node::row(vec![
            lit(kit::icon_button("shuffle", Icon::Sort, "", "shuffle"), p.shuffle),
            kit::icon_button("previous", Icon::Previous, "", "previous"),
            play,
            kit::icon_button("next", Icon::Next, "", "next"),
            lit(repeat, p.repeat != Repeat::Off),
        ])
        .gap(14.0)
        .main(Align::Centre);
        let volume = cx.settings.int(Namespace::System, VOLUME).unwrap_or(0);
        let volume = Node::row(vec![
            Node::icon(Icon::Volume, 24.0).tone(Tone::Muted),
            Node::slider("volume_bar", small(volume), 15, "volume").desc("Volume"),
        ])
        .gap(12.0);
        let below = vec![names, seek, keys, volume];
        let body = if cx.landscape() {
            Node::row(vec![
                Node::stack(vec![disc(t, p.playing, cx.now_ms, (cx.height - 80.0).clamp(80.0, 220.0))])
                    .centred()
                    .w(Len::Fill(2.0)),
                Node::column(below).gap(6.0).main(Align::Centre).h(Len::Fill(1.0)).w(Len::Fill(3.0)),
            ])
            .h(Len::Fill(1.0))
            .gap(16.0)
            .pad(24.0, 0.0)
        } else {
            let side = (cx.height - 430.0).min(cx.width - 60.0).clamp(80.0, 320.0);
            let mut all =
                vec![Node::stack(vec![disc(t, p.playing, cx.now_ms, side)]).centred().h(Len::Fill(1.0))];
            all.extend(below);
            Node::column(all).gap(18.0).pad(24.0, 16.0).h(Len::Fill(1.0))
        };
        Screen::new(kit::page(bar, body, None)).over(self.over(at))
    }

    fn over(&self, at: &Activity) -> Option<Overlay> {
        let (kind, rest) = at.overlay.as_deref()?.split_once('/')?;
        let id: i64 = rest.parse().unwrap_or(0);
        match kind {
            "song" => {
                let t = self.track(id)?;
                let like = if t.favorite { "Remove from favourites" } else { "Add to favourites" };
                Some(Overlay::Sheet(parts::sheet(
                    &t.title,
                    &[
                        (Icon::Plus, "Add to playlist", &format!("pick/{id}")),
                        (Icon::Heart, like, &format!("like/{id}")),
                    ],
                )))
            }
            "pick" => {
                let rows = self.playlists.iter().map(|p| {
                    Node::text(&*p.name)
                        .id("android:id/text1")
                        .sp(16.5)
                        .lines(1)
                        .fill()
                        .h(Len::Dp(50.0))
                        .cross(Align::Centre)
                        .tap(format!("into/{}/{id}", p.id))
                });
                let shown = f32::from(u8::try_from(self.playlists.len().min(7)).unwrap_or(7));
                let list = Node::scroll("pick_list", rows.collect()).h(Len::Dp(50.0 * shown));
                Some(Overlay::Dialog(kit::dialog(
                    "Add to playlist",
                    vec![list],
                    &[
                        ("new_playlist", "New playlist", format!("naming/{id}").as_str()),
                        ("android:id/button2", "Cancel", "cancel"),
                    ],
                )))
            }
            "naming" => {
                let on = format!("named/{id}");
                Some(Overlay::Dialog(kit::dialog(
                    "New playlist",
                    vec![Node::field("playlist_name", "Playlist name").submit(&*on)],
                    &[("android:id/button2", "Cancel", "cancel"), ("android:id/button1", "Create", &on)],
                )))
            }
            "drop" => Some(Overlay::Dialog(kit::confirm(
                "Delete playlist?",
                "The songs themselves are kept.",
                "Delete",
                &format!("dropped/{id}"),
            ))),
            _ => None,
        }
    }
}
