//! The music's tables, as its providers show them.

use super::{Music, Playlist, RepeatMode};
use crate::apps::prelude::*;

/// A row of a playlist: its id, and its place in it.
const PLACES: i64 = 1_000;

impl Music {
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

    pub(super) fn table(&self, table: &str) -> Option<Vec<ProviderRow>> {
        match table {
            "music/playlist_tracks" => Some(self.playlists.iter().flat_map(|p| self.places(p)).collect()),
            _ => tables::rows(&self.save(), table),
        }
    }

    pub(super) fn put(&mut self, table: &str, row: &ProviderRow) -> Result<i64, String> {
        match table {
            "music/tracks" => {
                let t = self.tracks.iter_mut().find(|t| Some(t.id) == row.int("_id"));
                let t = t.ok_or("_id names no track")?;
                t.favorite = row.int("favorite") == Some(1);
                Ok(t.id)
            }
            "music/playlists" => {
                let name = row.text("name");
                if name.is_empty() {
                    return Err("a playlist needs a name".to_owned());
                }
                if let Some(p) = self.playlists.iter_mut().find(|p| Some(p.id) == row.int("_id")) {
                    p.name = name;
                    return Ok(p.id);
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
            "music/player" => {
                self.player.playing = row.int("playing") == Some(1);
                if let Some(track) = row.int("track_id").filter(|t| self.track(*t).is_some()) {
                    self.player.track = track;
                }
                self.player.position = row.int("position").unwrap_or(0).max(0);
                self.player.shuffle = row.int("shuffle") == Some(1);
                let repeat = serde_json::from_value(row.text("repeat").into());
                self.player.repeat = repeat.unwrap_or(RepeatMode::Off);
                Ok(1)
            }
            _ => Err(format!("{table} is read-only")),
        }
    }

    pub(super) fn take(&mut self, table: &str, id: i64) -> bool {
        let all = |s: &Self| s.playlists.iter().map(|p| p.tracks.len() + 1).sum::<usize>();
        let before = all(self);
        match table {
            "music/playlists" => self.playlists.retain(|p| p.id != id),
            "music/playlist_tracks" => {
                if let Some(p) = self.playlists.iter_mut().find(|p| p.id == id / PLACES) {
                    p.tracks.retain(|t| *t != id % PLACES);
                }
            }
            _ => {}
        }
        all(self) < before
    }
}
