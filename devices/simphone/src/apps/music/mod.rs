//! Music: songs, playlists, favourites, and a player whose picture never rests while it plays, so that the screen
//! is never idle: a dump gives up, as on a real phone.
//!
//! Providers: `content://music/tracks` (`_id`, `title`, `artist`, `album`, `duration` in seconds, `favorite` 0 or 1),
//! `content://music/playlists` (`_id`, `name`, `tracks`), `content://music/playlist_tracks` (`_id`, `playlist_id`,
//! `playlist`, `track_id`, `title`, `position`) and `content://music/player` (`_id` 1, `playing` 0 or 1, `track_id`,
//! `title`, `position` in seconds, `shuffle` 0 or 1, `repeat` off|all|one). Playlists and their tracks take inserts.
//! The volume is the setting `system volume_music` (0 to 15). Music ends with the app's task.

mod drawing;
#[cfg(test)]
mod tests;

use crate::apps::prelude::*;

messages! {
    enum Msg {
        /// A track is played, then those that are listed with it.
        Play(track: i64) = "play",
        PlayAll = "all",
        Toggle = "toggle",
        Next = "next",
        Previous = "previous",
    }
}

pub const PACKAGE: &str = "com.waldo.music";
const VOLUME: &str = "volume_music";
/// A row of a playlist: its id, and its place in it.
const PLACES: i64 = 1_000;
/// Milliseconds between the pictures while it plays.
const FRAME_MS: u64 = 100;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Music {
    tracks: Vec<Track>,
    playlists: Vec<Playlist>,
    player: Player,
    next: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Track {
    id: i64,
    title: String,
    artist: String,
    album: String,
    seconds: i64,
    favorite: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Playlist {
    id: i64,
    name: String,
    tracks: Vec<i64>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Player {
    playing: bool,
    track: i64,
    position: i64,
    queue: Vec<i64>,
    shuffle: bool,
    repeat: RepeatMode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RepeatMode {
    Off,
    All,
    One,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NextTrack {
    Next,
    Previous,
    Ended,
}

impl Music {
    fn track(&self, id: i64) -> Option<&Track> {
        self.tracks.iter().find(|t| t.id == id)
    }

    fn title(&self, track: i64) -> &str {
        self.track(track).map_or("", |t| &t.title)
    }

    fn places(&self, p: &Playlist) -> Vec<ProviderRow> {
        let row = |(i, t): (usize, &i64)| {
            row! {
                _id: p.id * PLACES + *t, playlist_id: p.id, playlist: &p.name, track_id: *t,
                title: self.title(*t), position: i,
            }
        };
        p.tracks.iter().enumerate().map(row).collect()
    }

    fn playlist(&self, id: i64) -> Option<&Playlist> {
        self.playlists.iter().find(|p| p.id == id)
    }

    fn play(&mut self, track: i64, queue: Vec<i64>, sys: &mut Sys<'_>) {
        self.player.queue = queue;
        self.player.track = track;
        self.player.position = 0;
        self.player.playing = self.track(track).is_some();
        self.tell(sys);
    }

    fn tell(&self, sys: &mut Sys<'_>) {
        match self.track(self.player.track) {
            Some(t) if self.player.playing => {
                sys.notify(1, &t.title, &t.artist, Some(Intent::launch(PACKAGE)));
            }
            _ => sys.unnotify(1),
        }
    }

    fn step(&mut self, step: NextTrack) {
        let p = &mut self.player;
        if step == NextTrack::Ended && p.repeat == RepeatMode::One {
            p.position = 0;
            return;
        }
        // After three seconds, back means the beginning of this track.
        if step == NextTrack::Previous && p.position > 3 {
            p.position = 0;
            return;
        }
        let count = p.queue.len();
        if count == 0 {
            p.playing = false;
            return;
        }
        let at = p.queue.iter().position(|t| *t == p.track).unwrap_or(0);
        // Shuffled: by a stride that meets every track of the queue once before it comes round.
        let stride = if p.shuffle { (2..count).find(|s| gcd(*s, count) == 1).unwrap_or(1) } else { 1 };
        let to = if step == NextTrack::Previous { at + count - stride } else { at + stride };
        if step == NextTrack::Ended && p.repeat == RepeatMode::Off && to >= count {
            p.playing = false;
            p.position = 0;
            return;
        }
        p.position = 0;
        p.track = p.queue.get(to % count).copied().unwrap_or(p.track);
    }

    fn listed(&self, at: &Activity) -> Vec<i64> {
        if at.name() == "PlaylistActivity" {
            let id = at.extra_int("id").unwrap_or(0);
            return self.playlist(id).map(|p| p.tracks.clone()).unwrap_or_default();
        }
        let wanted = at.field("search_src_text").unwrap_or("").to_lowercase();
        let favorites = at.local("tab") == "2";
        self.tracks
            .iter()
            .filter(|t| !favorites || t.favorite)
            .filter(|t| format!("{} {}", t.title, t.artist).to_lowercase().contains(&wanted))
            .map(|t| t.id)
            .collect()
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl App for Music {
    fn fresh(seed: &mut Seed) -> Self {
        let count = usize::try_from(seed.int(15, 18)).unwrap_or(16);
        let mut tracks: Vec<Track> = Vec::new();
        for (id, title) in (1..).zip(seed.sample(contents::list("titles"), count)) {
            let [artist, album] =
                seed.sample(&contents::records("artists"), 1).first().copied().unwrap_or_default();
            tracks.push(Track {
                id,
                title: title.to_owned(),
                artist: artist.to_owned(),
                album: album.to_owned(),
                seconds: seed.int(128, 331),
                favorite: seed.int(0, 5) == 0,
            });
        }
        tracks.sort_by(|a, b| a.title.cmp(&b.title));
        let ids: Vec<i64> = tracks.iter().map(|t| t.id).collect();
        let mut playlists = Vec::new();
        for (id, name) in (1..).zip(seed.sample(contents::list("playlists"), 3)) {
            let size = usize::try_from(seed.int(3, 6)).unwrap_or(4);
            playlists.push(Playlist { id, name: name.to_owned(), tracks: seed.sample(&ids, size) });
        }
        let first = ids.first().copied().unwrap_or(0);
        let player = Player {
            playing: false,
            track: first,
            position: 0,
            queue: ids,
            shuffle: false,
            repeat: RepeatMode::Off,
        };
        Music { tracks, playlists, player, next: 100 }
    }

    fn frame_ms(&self, _: &Activity) -> Option<u64> {
        // Each of the screens has the little bars that dance while music plays.
        self.player.playing.then_some(FRAME_MS)
    }

    fn second(&mut self, sys: &mut Sys<'_>) {
        if !self.player.playing {
            return;
        }
        if !sys.world().stack().iter().any(|t| t.package == PACKAGE) {
            self.player.playing = false;
            return sys.unnotify(1);
        }
        self.player.position += 1;
        let length = self.track(self.player.track).map_or(0, |t| t.seconds);
        if self.player.position >= length {
            self.step(NextTrack::Ended);
            self.tell(sys);
        }
    }

    fn facts(&self, at: &Activity, cx: &Cx<'_>) -> serde_json::Value {
        let listed: Vec<_> = self.listed(at).iter().filter_map(|id| self.track(*id)).collect();
        serde_json::json!({ "listed": listed, "volume": cx.settings.int(Namespace::System, VOLUME) })
    }

    fn draw(&self, canvas: &str, (side, _): (f32, f32), _: &Activity, cx: &Cx<'_>) -> Vec<Shape> {
        match self.track(self.player.track) {
            Some(t) if canvas == "disc" => drawing::disc(&t.title, self.player.playing, cx.now_ms, side),
            _ => drawing::bars(self.player.playing, cx.now_ms, side),
        }
    }

    fn on_event(&mut self, at: &mut Activity, ev: &UiEvent, sys: &mut Sys<'_>) {
        match ev.message() {
            Some(Msg::Play(track)) => self.play(track, self.listed(at), sys),
            Some(Msg::PlayAll) => {
                let queue = self.listed(at);
                if let Some(first) = queue.first().copied() {
                    self.play(first, queue, sys);
                }
            }
            Some(Msg::Toggle) => {
                self.player.playing = !self.player.playing && self.track(self.player.track).is_some();
                self.tell(sys);
            }
            Some(Msg::Next) => {
                self.step(NextTrack::Next);
                self.tell(sys);
            }
            Some(Msg::Previous) => {
                self.step(NextTrack::Previous);
                self.tell(sys);
            }
            None => {}
        }
    }

    fn rows(&self, table: &str) -> Option<Vec<ProviderRow>> {
        match table {
            "music/playlist_tracks" => Some(self.playlists.iter().flat_map(|p| self.places(p)).collect()),
            _ => tables::rows(&self.save(), table),
        }
    }

    fn put_row(&mut self, table: &str, row: &ProviderRow) -> Result<i64, String> {
        match table {
            "music/playlists" => {
                let name = row.text("name");
                if name.is_empty() {
                    return Err("a playlist needs a name".to_owned());
                }
                self.next += 1;
                self.playlists.push(Playlist { id: self.next, name, tracks: Vec::new() });
                Ok(self.next)
            }
            "music/playlist_tracks" => {
                let track = row.int("track_id").filter(|t| self.track(*t).is_some());
                let track = track.ok_or("track_id names no track")?;
                let p = self.playlists.iter_mut().find(|p| Some(p.id) == row.int("playlist_id"));
                let p = p.ok_or("playlist_id names no playlist")?;
                if !p.tracks.contains(&track) {
                    p.tracks.push(track);
                }
                Ok(p.id * PLACES + track)
            }
            _ => Err(format!("{table} is read-only")),
        }
    }
}
