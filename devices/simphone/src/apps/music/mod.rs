//! Music: songs, playlists, favourites, and a player whose picture never rests while it plays, so that the screen
//! is never idle: a dump gives up, as on a real phone.
//!
//! Providers: `content://music/tracks` (`_id`, `title`, `artist`, `album`, `duration` in seconds, `favorite` 0 or 1),
//! `content://music/playlists` (`_id`, `name`, `tracks`), `content://music/playlist_tracks` (`_id`, `playlist_id`,
//! `playlist`, `track_id`, `title`, `position`) and `content://music/player` (`_id` 1, `playing` 0 or 1, `track_id`,
//! `title`, `position` in seconds, `shuffle` 0 or 1, `repeat` off|all|one). The volume is the setting
//! `system volume_music` (0 to 15). Music ends with the app's task.

mod data;
mod seed;
#[cfg(test)]
mod tests;
mod view;

use crate::apps::prelude::*;

messages! {
    /// What its widgets send.
    enum Msg {
        Find = "find",
        Tab(tab: usize) = "tab",
        OpenPlaylist(id: i64) = "playlist",
        OpenPlayer = "player",
        /// A track is played, then those that are listed with it.
        Play(track: i64) = "play",
        PlayAll = "all",
        Toggle = "toggle",
        Next = "next",
        Previous = "previous",
        Shuffle = "shuffle",
        Repeat = "repeat",
        Seek = "seek",
        Volume = "volume",
        Like(track: i64) = "like",
        /// A track is added to a playlist.
        Into(playlist: i64, track: i64) = "into",
        /// A new playlist has its name; a track goes into it, unless that is 0.
        Named(track: i64) = "named",
        /// A track is taken out of the playlist that is shown.
        Unlist(track: i64) = "unlist",
        Dropped(playlist: i64) = "dropped",
    }
}

messages! {
    /// What lies over a screen.
    enum Over {
        /// What can be done to a track.
        Song(track: i64) = "song",
        /// To which playlist to add a track.
        Pick(track: i64) = "pick",
        /// The name of a new playlist; a track goes into it, unless that is 0.
        Naming(track: i64) = "naming",
        /// Whether to delete a playlist.
        Drop(playlist: i64) = "drop",
    }
}

/// The package of this app.
pub const PACKAGE: &str = "com.waldo.music";
/// The setting that holds the volume.
const VOLUME: &str = "volume_music";
/// Milliseconds between the pictures while it plays.
const FRAME_MS: u64 = 100;

/// Songs, playlists, and what plays.
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

impl RepeatMode {
    const WORDS: [(Self, &'static str); 3] = [(Self::Off, "off"), (Self::All, "all"), (Self::One, "one")];
}

/// What comes after a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NextTrack {
    Next,
    Previous,
    /// The track has ended by itself.
    Ended,
}

impl Music {
    fn track(&self, id: i64) -> Option<&Track> {
        self.tracks.iter().find(|t| t.id == id)
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

    /// Keeps the notification of what plays.
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

    fn add_to(&mut self, playlist: i64, track: i64, sys: &mut Sys<'_>) {
        let Some(p) = self.playlists.iter_mut().find(|p| p.id == playlist) else { return };
        if p.tracks.contains(&track) {
            return sys.toast(format!("Already in {}", p.name));
        }
        p.tracks.push(track);
        sys.toast(format!("Added to {}", p.name));
    }

    fn new_playlist(&mut self, at: &mut Activity, sys: &mut Sys<'_>) -> Option<i64> {
        let taken = |name: &str| self.playlists.iter().any(|p| p.name.eq_ignore_ascii_case(name));
        let name = parts::new_name(at, "playlist_name", "playlist", taken, sys)?;
        self.next += 1;
        self.playlists.push(Playlist { id: self.next, name, tracks: Vec::new() });
        at.overlay = None;
        Some(self.next)
    }

    /// The tracks that a screen lists.
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
    fn manifest() -> Manifest {
        Manifest {
            activities: &[".MainActivity", ".PlaylistActivity", ".PlayerActivity"],
            authorities: &["music"],
            tables: &["music/tracks", "music/playlists", "music/playlist_tracks", "music/player"],
            ..Manifest::user(PACKAGE, "Music", Icon::Music, Tone::Rgb(0x7b, 0x3f, 0x98))
        }
    }

    fn fresh(seed: &mut Seed) -> Self {
        seed::fresh(seed)
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

    fn view(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        match at.name() {
            "PlayerActivity" => self.player_page(at, cx),
            "PlaylistActivity" => self.playlist_page(at, cx),
            _ => self.main(at, cx),
        }
    }

    fn on_event(&mut self, at: &mut Activity, ev: &UiEvent, sys: &mut Sys<'_>) {
        let Some(message) = ev.message() else { return };
        match message {
            Msg::Find => {
                at.begin_search();
                at.set_local("tab", "0");
            }
            Msg::Tab(tab) => {
                at.end_search();
                at.set_local("tab", tab.to_string());
            }
            Msg::OpenPlaylist(id) => sys.open(".PlaylistActivity", &[("id", &id)]),
            Msg::OpenPlayer => sys.open(".PlayerActivity", &[]),
            Msg::Play(track) => {
                let queue = self.listed(at);
                self.play(track, queue, sys);
                sys.open(".PlayerActivity", &[]);
            }
            Msg::PlayAll => {
                let queue = self.listed(at);
                if let Some(first) = queue.first().copied() {
                    self.play(first, queue, sys);
                }
            }
            Msg::Toggle => {
                self.player.playing = !self.player.playing && self.track(self.player.track).is_some();
                self.tell(sys);
            }
            Msg::Next | Msg::Previous => {
                self.step(if message == Msg::Next { NextTrack::Next } else { NextTrack::Previous });
                self.tell(sys);
            }
            Msg::Shuffle => self.player.shuffle = !self.player.shuffle,
            Msg::Repeat => {
                self.player.repeat = match self.player.repeat {
                    RepeatMode::Off => RepeatMode::All,
                    RepeatMode::All => RepeatMode::One,
                    RepeatMode::One => RepeatMode::Off,
                };
            }
            Msg::Seek | Msg::Volume => match ev.kind {
                UiEventKind::Value(v) if message == Msg::Seek => self.player.position = i64::from(v),
                UiEventKind::Value(v) => sys.put(Namespace::System, VOLUME, &v.to_string()),
                _ => {}
            },
            Msg::Like(track) => {
                at.overlay = None;
                if let Some(t) = self.tracks.iter_mut().find(|t| t.id == track) {
                    t.favorite = !t.favorite;
                    sys.toast(if t.favorite { "Added to favourites" } else { "Removed from favourites" });
                }
            }
            Msg::Into(playlist, track) => {
                at.overlay = None;
                self.add_to(playlist, track, sys);
            }
            Msg::Named(track) => {
                let id = self.new_playlist(at, sys);
                if let (Some(id), true) = (id, track > 0) {
                    self.add_to(id, track, sys);
                }
            }
            Msg::Unlist(track) => {
                let id = at.extra_int("id").unwrap_or(0);
                if let Some(p) = self.playlists.iter_mut().find(|p| p.id == id) {
                    p.tracks.retain(|t| *t != track);
                }
            }
            Msg::Dropped(playlist) => {
                at.overlay = None;
                self.playlists.retain(|p| p.id != playlist);
                sys.toast("Playlist deleted");
                sys.finish();
            }
        }
    }

    fn rows(&self, table: &str) -> Option<Vec<ProviderRow>> {
        self.table(table)
    }

    fn put_row(&mut self, table: &str, row: &ProviderRow) -> Result<i64, String> {
        self.put(table, row)
    }

    fn delete_row(&mut self, table: &str, id: i64) -> bool {
        self.take(table, id)
    }
}
