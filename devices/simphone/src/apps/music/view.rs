//! What the music app shows.

use super::{FRAME_MS, Msg, Music, Over, Playlist, RepeatMode, Track, VOLUME};
use crate::apps::prelude::*;

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
        let form = Outline::Box(x, side * (1.0 - high), x + w, side, w * 0.3);
        Shape::new(form, Tone::Primary)
    });
    Node::canvas("android.view.View", shapes.to_vec()).id("equalizer").dp(side, side)
}

/// A record that turns while music plays.
fn disc(t: &Track, playing: bool, now_ms: u64, side: f32) -> Node {
    let now = now_ms / FRAME_MS * FRAME_MS;
    let turn = if playing { phase(now, 4_000) * std::f32::consts::TAU } else { 0.6 };
    let c = side / 2.0;
    let at = |angle: f32, r: f32| (c + angle.cos() * r * c, c + angle.sin() * r * c);
    let dark = Tone::Rgb(0x22, 0x24, 0x29);
    let groove = Tone::Rgb(0x4a, 0x4e, 0x58);
    let mut shapes = vec![Shape::new(Outline::Disc(c, c, c * 0.96), dark)];
    shapes.extend([0.9, 0.8, 0.7, 0.6].map(|r| Shape::new(Outline::Ring(c, c, c * r, 1.2), groove)));
    shapes.push(Shape::new(Outline::Disc(c, c, c * 0.44), colour_of(&t.title)));
    for (i, angle) in (0_u8..3).map(|i| (i, turn + f32::from(i) * std::f32::consts::TAU / 3.0)) {
        let (x, y) = at(angle, 0.3);
        let size = if i == 0 { 0.07 } else { 0.04 };
        shapes.push(Shape::new(Outline::Disc(x, y, c * size), Tone::WHITE));
    }
    let shine = vec![at(turn, 0.55), at(turn, 0.92)];
    shapes.push(Shape::new(Outline::Stroke(shine, 3.0), Tone::Rgb(0x8e, 0x93, 0xa0)));
    shapes.push(Shape::new(Outline::Disc(c, c, c * 0.05), dark));
    Node::canvas("android.view.View", shapes).id("album_art").dp(side, side)
}

fn toggle_icon(playing: bool) -> Icon {
    if playing { Icon::Pause } else { Icon::Play }
}

fn art(t: &Track, side: f32) -> Node {
    kit::plate(Icon::Music, side * 0.5).dp(side, side).bg(colour_of(&t.album)).radius(10.0)
}

impl Music {
    fn song(&self, t: &Track, cx: &Cx<'_>, behind: Node) -> Node {
        let current = self.player.playing && self.player.track == t.id;
        let mut below = Node::text(format!("{} · {}", t.artist, parts::minutes(t.seconds)));
        below = below.id("song_artist").sp(14.0).lines(1).muted();
        let title = Node::label("song_title", &*t.title, 16.5).lines(1);
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
            .tap(Msg::Play(t.id))
            .long(show(Over::Song(t.id)))
    }

    fn mini(&self, cx: &Cx<'_>) -> Option<Node> {
        let t = self.track(self.player.track)?;
        let playing = self.player.playing;
        Some(
            Node::row(vec![
                art(t, 44.0),
                Node::column(vec![
                    Node::label("mini_title", &*t.title, 15.5).lines(1),
                    Node::label("mini_artist", &*t.artist, 13.5).lines(1).muted(),
                ]),
                bars(playing, cx.now_ms, 24.0),
                kit::icon_button("mini_play_pause", toggle_icon(playing), "", Msg::Toggle),
                kit::icon_button("mini_next", Icon::Next, "", Msg::Next),
            ])
            .id("mini_player")
            .gap(12.0)
            .pad(16.0, 8.0)
            .bg(Tone::Card)
            .tap(Msg::OpenPlayer),
        )
    }

    fn songs(&self, at: &Activity, cx: &Cx<'_>) -> Node {
        let row = |t: &Track| {
            let more = kit::icon_button("song_more", Icon::More, "", show(Over::Song(t.id)));
            self.song(t, cx, more)
        };
        let rows = self.listed(at).iter().filter_map(|id| self.track(*id)).map(row).collect();
        kit::list("song_list", rows, (Icon::Music, "No songs"))
    }

    /// A screen whose last part is the player, small.
    fn with_mini(&self, mut parts: Vec<Node>, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        parts.extend(self.mini(cx));
        AppScreen::new(Node::column(parts).tall()).over(self.over(at))
    }

    pub(super) fn main(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        let bar = if at.searching() {
            parts::search_bar("Search songs")
        } else {
            kit::app_bar("Music", vec![kit::icon_button("action_search", Icon::Search, "Search", Msg::Find)])
        };
        let tab = at.local("tab").parse().unwrap_or(0);
        let labels = [("Songs", Msg::Tab(0)), ("Playlists", Msg::Tab(1)), ("Favourites", Msg::Tab(2))];
        let body = if tab == 1 {
            let row = |p: &Playlist| {
                let front = kit::badge(Icon::Menu, colour_of(&p.name), 46.0);
                kit::row(Some(front), &p.name, &parts::count(p.tracks.len(), "song"), None)
                    .id("playlist_item")
                    .tap(Msg::OpenPlaylist(p.id))
            };
            let naming = ask("playlist_name", Over::Naming(0));
            let fab = kit::fab("fab_add_playlist", Icon::Plus, "New playlist", naming);
            let list = Node::list("playlist_list", self.playlists.iter().map(row).collect());
            kit::under(list, Some(fab))
        } else {
            self.songs(at, cx)
        };
        self.with_mini(vec![bar, kit::tabs(&labels, tab), body], at, cx)
    }

    pub(super) fn playlist_page(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        let id = at.extra_int("id").unwrap_or(0);
        let Some(p) = self.playlist(id) else {
            return parts::gone(Icon::Music, "This playlist is gone");
        };
        let delete = kit::icon_button("action_delete", Icon::Trash, "", show(Over::Drop(id)));
        let bar = kit::up_bar(&p.name, vec![delete]);
        let length: i64 = p.tracks.iter().filter_map(|t| self.track(*t)).map(|t| t.seconds).sum();
        let summary = format!("{} songs · {}", p.tracks.len(), parts::minutes(length));
        let head = Node::row(vec![
            Node::label("playlist_summary", summary, 14.5).muted().fill(),
            kit::button("play_all", "Play all", Msg::PlayAll).disabled_if(|| p.tracks.is_empty()),
        ])
        .pad(20.0, 8.0);
        let row = |t: &Track| {
            let on = Msg::Unlist(t.id);
            self.song(t, cx, kit::icon_button("song_remove", Icon::Close, "Remove from playlist", on))
        };
        let list = if p.tracks.is_empty() {
            kit::nothing(Icon::Music, "No songs in this playlist")
        } else {
            Node::list("song_list", p.tracks.iter().filter_map(|t| self.track(*t)).map(row).collect())
        };
        self.with_mini(vec![bar, head, list], at, cx)
    }

    pub(super) fn player_page(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        let Some(t) = self.track(self.player.track) else {
            let bar = kit::up_bar("Now playing", vec![]);
            return parts::screen(bar, kit::nothing(Icon::Music, "Nothing to play"));
        };
        let add = kit::icon_button("add_to_playlist", Icon::Plus, "Add to playlist", show(Over::Pick(t.id)));
        let bar = kit::up_bar("Now playing", vec![add]);
        let p = &self.player;
        let small = |n: i64| i32::try_from(n).unwrap_or(0);
        let heart = kit::icon_button("favorite", Icon::Heart, "", Msg::Like(t.id));
        let names = Node::row(vec![
            Node::column(vec![
                Node::label("track_title", &*t.title, 23.0).lines(1),
                Node::label("track_artist", format!("{} · {}", t.artist, t.album), 15.0).lines(1).muted(),
            ])
            .gap(4.0),
            bars(p.playing, cx.now_ms, 26.0),
            kit::lit(heart, t.favorite),
        ])
        .gap(12.0);
        let time = |id: &str, at: i64| Node::label(id, parts::minutes(at), 13.0).muted();
        let seek = Node::column(vec![
            Node::slider("seek_bar", small(p.position), small(t.seconds), Msg::Seek),
            Node::row(vec![
                time("time_current", p.position),
                Node::spring().high(1.0),
                time("time_total", t.seconds),
            ])
            .pad(10.0, 0.0),
        ]);
        let what = if p.playing { "Pause" } else { "Play" };
        let play = kit::icon_button("play_pause", toggle_icon(p.playing), what, Msg::Toggle)
            .dp(68.0, 68.0)
            .bg(Tone::Tint)
            .radius(34.0);
        let repeat = kit::icon_button("repeat", Icon::Refresh, "", Msg::Repeat);
        let repeat = if p.repeat == RepeatMode::One {
            repeat.child(Node::text("1").class("android.view.View").sp(10.0).bold().margin(18.0, 0.0))
        } else {
            repeat
        };
        let keys = Node::row(vec![
            kit::lit(kit::icon_button("shuffle", Icon::Sort, "", Msg::Shuffle), p.shuffle),
            kit::icon_button("previous", Icon::Previous, "", Msg::Previous),
            play,
            kit::icon_button("next", Icon::Next, "", Msg::Next),
            kit::lit(repeat, p.repeat != RepeatMode::Off),
        ])
        .gap(14.0)
        .main(Align::Centre);
        let volume = cx.settings.int(Namespace::System, VOLUME).unwrap_or(0);
        let volume = Node::row(vec![
            Node::icon(Icon::Volume, 24.0).muted(),
            Node::slider("volume_bar", small(volume), 15, Msg::Volume).desc("Volume"),
        ])
        .gap(12.0);
        let below = vec![names, seek, keys, volume];
        let body = if cx.landscape() {
            Node::row(vec![
                Node::stack(vec![disc(t, p.playing, cx.now_ms, (cx.height - 80.0).clamp(80.0, 220.0))])
                    .centred()
                    .w(Len::Fill(2.0)),
                Node::column(below).gap(6.0).main(Align::Centre).tall().w(Len::Fill(3.0)),
            ])
            .tall()
            .gap(16.0)
            .pad(24.0, 0.0)
        } else {
            let side = (cx.height - 430.0).min(cx.width - 60.0).clamp(80.0, 320.0);
            let mut all = vec![Node::stack(vec![disc(t, p.playing, cx.now_ms, side)]).centred().tall()];
            all.extend(below);
            Node::column(all).gap(18.0).pad(24.0, 16.0).tall()
        };
        parts::screen(bar, body).over(self.over(at))
    }

    fn over(&self, at: &Activity) -> Option<Overlay> {
        Some(match at.over()? {
            Over::Song(id) => {
                let t = self.track(id)?;
                let like = if t.favorite { "Remove from favourites" } else { "Add to favourites" };
                let lines = [
                    (Icon::Plus, "Add to playlist", show(Over::Pick(id))),
                    (Icon::Heart, like, Msg::Like(id).into()),
                ];
                dialogs::sheet(&t.title, lines)
            }
            Over::Pick(id) => {
                let row = |p: &Playlist| {
                    Node::label("android:id/text1", &*p.name, 16.5)
                        .lines(1)
                        .fill()
                        .high(50.0)
                        .cross(Align::Centre)
                        .tap(Msg::Into(p.id, id))
                };
                let rows = self.playlists.iter().map(row).collect();
                let new = ("new_playlist", "New playlist", ask("playlist_name", Over::Naming(id)));
                dialogs::pick("Add to playlist", ("pick_list", 50.0, rows), new)
            }
            Over::Naming(id) => {
                let field = Node::field("playlist_name", "Playlist name");
                dialogs::ask("New playlist", field, "Create", Msg::Named(id))
            }
            Over::Drop(id) => {
                let text = "The songs themselves are kept.";
                dialogs::confirm("Delete playlist?", text, "Delete", Msg::Dropped(id))
            }
        })
    }
}
