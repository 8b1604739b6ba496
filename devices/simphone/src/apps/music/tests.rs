use crate::{
    Phone, PhoneOptions,
    options::IdleWait,
    world::{DumpError, TouchPhase, intent::Intent, settings::Namespace},
};

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
    let quiet = phone.dump().await.unwrap();
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
        let (x, y, now) = (i32::midpoint(n[0], n[2]), i32::midpoint(n[1], n[3]), w.now_ms);
        w.touch(TouchPhase::Down, 0, x, y, now);
        w.touch(TouchPhase::Up, 0, x, y, now);
    };
    phone.with(press);
    let first = phone.with(|w| w.frame());
    assert_eq!(phone.dump().await, Err(DumpError::NotIdle));
    assert_ne!(first, phone.with(|w| w.frame()), "the bars dance");
    phone.with(press);
    assert!(phone.dump().await.is_ok(), "paused, the screen is quiet again");
}
