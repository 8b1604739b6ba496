//! The music on a new phone.

use super::{Music, Player, Playlist, RepeatMode, Track};
use crate::apps::prelude::*;

pub(super) fn fresh(seed: &mut Seed) -> Music {
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
