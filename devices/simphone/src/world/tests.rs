use super::*;
use crate::{apps::drive::AppDriver, fault::Stay, ui::geometry::Rect, world::providers::Query};

const SETTINGS: &str = crate::apps::settings::PACKAGE;

fn home() -> AppDriver {
    AppDriver::on(
        &PhoneOptions { width: 720, height: 1600, density_dpi: 320, ..PhoneOptions::default() },
        LAUNCHER,
    )
}

fn settings() -> AppDriver {
    let mut d = home();
    d.w.start(&Intent::launch(SETTINGS)).unwrap();
    d
}

#[test]
fn a_task_comes_back_as_it_was_left() {
    let mut d = settings();
    d.tap_text("Display");
    d.w.key(3, 0);
    assert_eq!(d.w.foreground().package, LAUNCHER);
    d.w.key(187, 0);
    assert_eq!(d.w.foreground().short(), "com.android.launcher3/.RecentsActivity");
    d.tap_text("Settings");
    assert_eq!(d.w.foreground().short(), "com.android.settings/.SubSettings");
    d.w.key(3, 0);
    let again = d.w.start(&Intent::launch(SETTINGS)).unwrap();
    assert_eq!(again.how, intent::StartKind::BroughtToFront);
    d.w.force_stop(SETTINGS);
    assert_eq!(d.w.foreground().package, LAUNCHER);
    assert_eq!(d.w.stack().len(), 1);
}

#[test]
fn toggles_sliders_and_choices_change_the_tables() {
    let mut d = settings();
    d.tap_text("Display").tap_text("Dark theme");
    assert_eq!(d.w.look(), ColorScheme::Dark);
    let r = d.find("class", "android.widget.SeekBar").unwrap();
    d.swipe((r.centre().0, r.centre().1), (r.r - 1, r.centre().1), 300);
    assert_eq!(d.w.settings.get(Namespace::System, "screen_brightness"), Some("255"));
    d.tap_text("Screen timeout").tap_text("5 minutes");
    assert_eq!(d.w.settings.get(Namespace::System, "screen_off_timeout"), Some("300000"));
    assert!(d.find("text", "5 minutes").is_some(), "the row shows the choice");
}

#[test]
fn a_dialog_that_is_too_tall_scrolls_between_its_title_and_its_buttons() {
    let mut d = settings();
    d.tap_text("Display").tap_text("Screen timeout");
    d.w.set_user_rotation(Some(Rotation::R90));
    let (_, height) = d.w.display.logical();
    assert!(d.find("text", "10 minutes").is_none());
    let cancel = d.find("text", "Cancel").unwrap();
    assert!(cancel.b < i32::try_from(height).unwrap(), "the button is on the screen: {cancel:?}");
    let list = d.find("resource-id", "android:id/scrollView").unwrap();
    assert!(list.b <= cancel.t);
    let (x, y) = list.centre();
    d.swipe((x, y + 100), (x, y - 300), 300).tap_text("10 minutes");
    assert_eq!(d.w.settings.get(Namespace::System, "screen_off_timeout"), Some("600000"));
    d.w.set_user_rotation(Some(Rotation::R0));
    d.tap_text("Screen timeout");
    d.w.set_user_rotation(Some(Rotation::R90));
    assert!(d.find("text", "15 seconds").is_some(), "the next one begins at its top");
}

#[test]
fn the_keyboard_covers_the_lower_screen_and_types() {
    let mut d = settings();
    let before = d.find("resource-id", "android:id/content").unwrap();
    d.tap_text("Search settings");
    assert!(d.w.ime().shown);
    let after = d.find("resource-id", "android:id/content").unwrap();
    assert!(after.b < before.b - 300, "the app is above the keyboard: {after:?}");
    assert!(!d.xml().contains("keyboard_view"), "the keyboard's window is not dumped");
    let scene = d.w.scene();
    let keys = &scene.window(compose::WindowLayer::Ime).unwrap().laid;
    let (x, y) = keys.items[keys.find_text("b").unwrap()].rect.centre();
    d.press(Rect::new(x, y, x, y), 0);
    assert_eq!(d.w.focused_text().as_deref(), Some("b"));
    for c in "att".chars() {
        d.w.type_char(c).unwrap();
    }
    assert!(d.find("text", "Battery").is_some() && d.find("text", "Storage").is_none());
    assert!(d.w.type_char('ö').is_err());
    d.w.key(67, 0);
    assert_eq!(d.w.focused_text().as_deref(), Some("bat"));
    d.w.key(122, 0);
    d.w.key(112, 0);
    assert_eq!(d.w.focused_text().as_deref(), Some("at"));
    d.w.key(29, 0x1000);
    d.w.key(67, 0);
    assert_eq!(d.w.focused_text().as_deref(), Some(""));
    d.back();
    assert!(!d.w.ime().shown);
    assert_eq!(d.w.foreground().package, SETTINGS, "the first back hides the keyboard only");
}

#[test]
fn the_broadcast_keyboard_works_only_while_it_is_current() {
    let mut d = settings();
    d.tap_text("Search settings");
    let mut send = Intent::action("ADB_INPUT_B64");
    send.extras.insert("msg".into(), "w5xiZXIg0LbQuNC30L3RjCDmnJ0=".into());
    d.w.broadcast(&send);
    assert_eq!(d.w.focused_text().as_deref(), Some(""));
    assert!(d.w.ime_set(ime::ADB_IME).is_err(), "it must be enabled first");
    d.w.ime_enable(ime::ADB_IME).unwrap();
    d.w.ime_set(ime::ADB_IME).unwrap();
    assert_eq!(d.w.settings.get(Namespace::Secure, "default_input_method"), Some(ime::ADB_IME));
    d.w.broadcast(&send);
    assert_eq!(d.w.focused_text().as_deref(), Some("Über жизнь 朝"));
    d.w.broadcast(&Intent::action("ADB_CLEAR_TEXT"));
    assert_eq!(d.w.focused_text().as_deref(), Some(""));
    assert_eq!(d.w.ime_reset(), ime::LATIN_IME);
}

#[test]
fn a_list_scrolls_to_its_end_and_back() {
    let mut d = settings();
    assert!(d.find("text", "About phone").is_none());
    for _ in 0..4 {
        d.swipe((360, 1300), (360, 500), 300);
    }
    assert!(d.find("text", "About phone").is_some());
    let end = d.xml();
    d.swipe((360, 1300), (360, 500), 300);
    assert_eq!(d.xml(), end, "the end is the end");
    for _ in 0..4 {
        d.swipe((360, 500), (360, 1300), 300);
    }
    assert!(!d.xml().contains("Network & internet"), "escaped in the tree");
    assert!(d.xml().contains("Network &amp; internet"));
}

#[test]
fn a_fling_settles_and_only_then_is_it_quiet() {
    let mut d = settings();
    d.w.tick(5_000);
    let begun = d.w.now_ms;
    d.w.touch(TouchPhase::Down, 0, 360, 1300, begun);
    for i in 1..=5 {
        d.w.touch(TouchPhase::Move, 0, 360, 1300 - 20 * i, begun + 10 * u64::try_from(i).unwrap());
    }
    d.w.touch(TouchPhase::Up, 0, 360, 1200, begun + 50);
    let at_lift = d.xml();
    assert_eq!(d.w.quiet_for_ms(), 0);
    d.w.tick(begun + 2_000);
    assert_ne!(d.xml(), at_lift, "it went on after the finger left");
    d.w.tick(begun + 3_100);
    assert!(d.w.quiet_for_ms() >= 1_000);
}

#[test]
fn rotation_turns_the_picture_the_layout_and_the_dump() {
    let mut d = settings();
    assert_eq!(d.w.frame().dimensions(), (720, 1600));
    d.w.put_setting(Namespace::System, "user_rotation", "1");
    assert_eq!(d.w.frame().dimensions(), (1600, 720));
    let tree = d.xml();
    assert!(tree.contains("<hierarchy rotation=\"1\">") && tree.contains("bounds=\"[0,0][1600,720]\""));
    d.w.put_setting(Namespace::System, "accelerometer_rotation", "1");
    assert_eq!(d.w.frame().dimensions(), (720, 1600));
    d.w.set_size_override(Some((540, 960)));
    assert_eq!(d.w.frame().dimensions(), (540, 960));
}

#[test]
fn the_shade_opens_by_a_swipe_and_has_the_focus() {
    let mut d = settings();
    d.w.notify(Notification {
        id: 7,
        package: SETTINGS.into(),
        title: "Hello".into(),
        text: "there".into(),
        when: d.w.wall(),
        intent: None,
        ongoing: false,
    });
    d.swipe((360, 5), (360, 900), 200);
    assert_eq!(d.w.shade, Shade::Open);
    assert!(d.xml().contains("package=\"com.android.systemui\""));
    let r = d.find("text", "Hello").unwrap();
    d.swipe(r.centre(), (r.centre().0 + 400, r.centre().1), 200);
    assert!(d.w.notifications.is_empty(), "swiped away");
    let tile = d.xml();
    assert!(tile.contains("Flashlight, Off"));
    d.tap_text("Flashlight, Off");
    assert!(d.xml().contains("Flashlight, On"));
    d.back();
    assert_eq!(d.w.shade, Shade::Closed);
    assert_eq!(d.w.foreground().package, SETTINGS);
}

#[test]
fn the_drawer_opens_by_a_swipe_over_the_home_screen() {
    let mut d = home();
    d.swipe((360, 1000), (360, 300), 200);
    assert!(d.xml().contains("apps_list_view"));
    d.back();
    assert!(d.xml().contains("workspace"));
}

#[test]
fn faults_stand_in_the_way_of_a_dump() {
    let mut d = settings();
    d.w.faults_mut().set(PhoneFault::NullRoot, Stay::Times(1));
    assert_eq!(d.w.dump(), Err(DumpError::NullRoot));
    let first = d.xml();
    d.w.faults_mut().set(PhoneFault::StaleDump, Stay::Times(1));
    d.w.start(&Intent::to(Component::new(SETTINGS, ".SubSettings")).with("page", "display")).unwrap();
    assert_eq!(d.xml(), first);
    assert_ne!(d.xml(), first);
    d.w.faults_mut().set(PhoneFault::SecureScreen, Stay::Always);
    assert!(d.w.frame().pixels().all(|p| p.0 == [0, 0, 0, 255]));
    d.w.faults_mut().clear_all();
    assert!(d.w.frame().pixels().any(|p| p.0[0] > 100));
}

#[test]
fn contents_come_from_the_seed_alone() {
    let apps = |seed| {
        let w = World::new(&PhoneOptions { seed, ..PhoneOptions::default() }, crate::apps::PHONE);
        w.state_json()["apps"].to_string()
    };
    assert_eq!(apps(1), apps(1));
    assert_ne!(apps(1), apps(2));
    let mut d = settings();
    d.w.put_setting(Namespace::Global, "wifi_on", "0");
    d.w.reset(0);
    assert!(d.w.settings.on(Namespace::Global, "wifi_on"));
    assert_eq!(d.w.foreground().package, LAUNCHER);
    assert!(d.w.query("content://nobody/x", &Query::default()).is_err());
}

#[test]
fn a_frame_is_kept_until_something_changes() {
    let mut d = settings();
    let one = d.w.frame();
    assert!(Arc::ptr_eq(&one, &d.w.frame()));
    d.tap_text("Display");
    assert!(!Arc::ptr_eq(&one, &d.w.frame()));
}
