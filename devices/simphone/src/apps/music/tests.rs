use crate::{
    Phone, PhoneOptions,
    apps::drive::AppDriver,
    options::IdleWait,
    world::{DumpError, DumpKind, TouchPhase, intent::Intent, settings::Namespace},
};

const LISTED: &str = "content://music/playlist_tracks";

#[test]
fn a_song_goes_into_a_new_playlist_and_out_again() {
    let mut d = AppDriver::of(super::PACKAGE);
    let title = d.texts("song_title").remove(1);
    d.tap_nth("song_more", 1).tap_text("Add to playlist").tap("new_playlist");
    d.type_into("playlist_name", "Evening").tap("android:id/button1");
    assert_eq!(d.toast(), "Added to Evening");
    d.again();
    assert_eq!(d.rows(LISTED, "playlist='Evening'").remove(0).text("title"), title);
    d.tap_text("Playlists").tap_text("Evening");
    assert!(d.shows(&title));
    d.tap("song_remove");
    assert!(d.rows(LISTED, "playlist='Evening'").is_empty());
    d.tap("action_delete").tap("android:id/button1");
    assert!(d.rows("content://music/playlists", "name='Evening'").is_empty() && !d.shows("Evening"));
}

#[test]
fn the_player_plays_on_seeks_and_sets_the_volume() {
    let mut d = AppDriver::of(super::PACKAGE);
    let titles = d.texts("song_title");
    d.tap_text(&titles[0]);
    assert_eq!(d.text("track_title"), titles[0]);
    for _ in 0..5 {
        d.w.tick(d.w.now_ms() + 1_000);
    }
    let player = |d: &AppDriver| d.rows("content://music/player", "").remove(0);
    assert!(player(&d).int("position") >= Some(5) && player(&d).int("playing") == Some(1));
    d.tap("next");
    assert_eq!(player(&d).text("title"), titles[1]);
    d.tap("seek_bar");
    let half = d.rows("content://music/tracks", &format!("title='{}'", titles[1])).remove(0);
    let (at, all) = (player(&d).int("position").unwrap(), half.int("duration").unwrap());
    assert!((at - all / 2).abs() <= 3, "{at} of {all}");
    d.tap("volume_bar");
    assert!(matches!(d.w.settings().get(Namespace::System, "volume_music"), Some("7" | "8")));
    d.tap("favorite").tap("repeat").tap("repeat").tap("play_pause").again();
    let kept = player(&d);
    assert_eq!((kept.int("playing"), kept.text("repeat")), (Some(0), "one".into()));
    assert_eq!(d.text("mini_title"), titles[1]);
    let liked = half.int("favorite") == Some(0);
    let now = d.rows("content://music/tracks", &format!("title='{}'", titles[1])).remove(0);
    assert_eq!(now.int("favorite"), Some(i64::from(liked)));
}

#[test]
fn music_ends_with_its_task() {
    let mut d = AppDriver::of(super::PACKAGE);
    d.tap("mini_play_pause");
    d.w.tick(d.w.now_ms() + 2_000);
    assert_eq!(d.w.notifications().len(), 1);
    d.w.force_stop(super::PACKAGE);
    d.w.tick(d.w.now_ms() + 2_000);
    assert_eq!(d.rows("content://music/player", "").remove(0).int("playing"), Some(0));
    assert!(d.w.notifications().is_empty());
}

#[tokio::test]
async fn while_it_plays_no_dump_comes_and_pictures_move() {
    let phone = Phone::new(PhoneOptions {
        width: 360,
        height: 800,
        density_dpi: 140,
        idle: IdleWait::SHORT,
        ..PhoneOptions::default()
    });
    phone.with(|w| w.put_setting(Namespace::Global, "transition_animation_scale", "0"));
    phone.with(|w| w.start(&Intent::launch(super::PACKAGE))).unwrap();
    let quiet = phone.dump(DumpKind::Full).await.unwrap();
    let at = quiet.find("id/mini_play_pause").unwrap();
    let n: Vec<i32> = quiet[at..]
        .split("bounds=\"")
        .nth(1)
        .unwrap()
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|p| p.parse().ok())
        .take(4)
        .collect();
    let press = |w: &mut crate::world::World| {
        let (x, y, now) = (i32::midpoint(n[0], n[2]), i32::midpoint(n[1], n[3]), w.now_ms());
        w.touch(TouchPhase::Down, 0, x, y, now);
        w.touch(TouchPhase::Up, 0, x, y, now);
    };
    phone.with(press);
    let first = phone.with(|w| w.frame());
    assert_eq!(phone.dump(DumpKind::Full).await, Err(DumpError::NotIdle));
    assert_ne!(first, phone.with(|w| w.frame()), "the bars dance");
    phone.with(press);
    assert!(phone.dump(DumpKind::Full).await.is_ok(), "paused, the screen is quiet again");
}
