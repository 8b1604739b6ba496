use super::*;
use crate::{
    fault::Stay,
    ui::geometry::Rect,
    world::{intent::Extra, providers::Query},
};

const SETTINGS: &str = crate::apps::settings::PACKAGE;

fn world() -> World {
    World::new(
        &PhoneOptions { width: 720, height: 1600, density_dpi: 320, ..PhoneOptions::default() },
        crate::apps::PHONE,
    )
}

fn xml(w: &mut World) -> String {
    w.dump(DumpKind::Full).unwrap()
}

/// The rectangle of the first node one of whose attributes has this value.
fn rect(w: &mut World, attribute: &str, value: &str) -> Option<Rect> {
    let xml = xml(w);
    let at = xml.find(&format!(" {attribute}=\"{value}\""))?;
    let bounds = xml[at..].split("bounds=\"").nth(1)?;
    let n: Vec<i32> =
        bounds.split(|c: char| !c.is_ascii_digit()).filter_map(|p| p.parse().ok()).take(4).collect();
    Some(Rect::new(n[0], n[1], n[2], n[3]))
}

fn touch_at(w: &mut World, x: i32, y: i32) {
    w.tick(w.now_ms() + 700);
    let now = w.now_ms();
    w.touch(TouchPhase::Down, 0, x, y, now);
    w.touch(TouchPhase::Up, 0, x, y, now);
}

fn tap(w: &mut World, text: &str) {
    let r = rect(w, "text", text)
        .or_else(|| rect(w, "content-desc", text))
        .unwrap_or_else(|| panic!("nothing shows {text:?} in {}", xml(w)));
    let (x, y) = r.centre();
    touch_at(w, x, y);
}

fn swipe(w: &mut World, from: (i32, i32), to: (i32, i32), ms: u64) {
    let begun = w.now_ms() + 10;
    w.touch(TouchPhase::Down, 0, from.0, from.1, begun);
    for i in 1..=10 {
        let k = i32::try_from(i).unwrap();
        let (x, y) = (from.0 + (to.0 - from.0) * k / 10, from.1 + (to.1 - from.1) * k / 10);
        w.touch(TouchPhase::Move, 0, x, y, begun + ms * i / 10);
    }
    w.touch(TouchPhase::Up, 0, to.0, to.1, begun + ms);
    w.tick(w.now_ms() + 1_000);
}

fn back(w: &mut World) {
    w.key(4, KeyPress::Short, 0);
}

fn settings() -> World {
    let mut w = world();
    w.start(&Intent::launch(SETTINGS)).unwrap();
    w
}

#[test]
fn the_back_stack_goes_down_page_by_page_and_home() {
    let mut w = settings();
    tap(&mut w, "Display");
    assert_eq!(w.foreground().short(), "com.android.settings/.SubSettings");
    tap(&mut w, "Screen timeout");
    assert!(xml(&mut w).contains("10 minutes"));
    back(&mut w);
    assert!(!xml(&mut w).contains("10 minutes"), "back closes the dialog alone");
    back(&mut w);
    assert_eq!(w.foreground().short(), "com.android.settings/.Settings");
    back(&mut w);
    assert_eq!(w.foreground().package, LAUNCHER);
    back(&mut w);
    assert_eq!(w.foreground().package, LAUNCHER, "home is the end");
    let again = w.start(&Intent::launch(SETTINGS)).unwrap();
    assert_eq!(again.how, intent::StartKind::BroughtToFront);
}

#[test]
fn a_task_comes_back_as_it_was_left() {
    let mut w = settings();
    tap(&mut w, "Display");
    w.key(3, KeyPress::Short, 0);
    assert_eq!(w.foreground().package, LAUNCHER);
    w.key(187, KeyPress::Short, 0);
    assert_eq!(w.foreground().short(), "com.android.launcher3/.RecentsActivity");
    tap(&mut w, "Settings");
    assert_eq!(w.foreground().short(), "com.android.settings/.SubSettings");
    w.force_stop(SETTINGS);
    assert_eq!(w.foreground().package, LAUNCHER);
    assert_eq!(w.stack().len(), 1);
}

#[test]
fn toggles_sliders_and_choices_change_the_tables() {
    let mut w = settings();
    tap(&mut w, "Display");
    tap(&mut w, "Dark theme");
    assert_eq!(w.look(), ColorScheme::Dark);
    let r = rect(&mut w, "class", "android.widget.SeekBar").unwrap();
    swipe(&mut w, (r.centre().0, r.centre().1), (r.r - 1, r.centre().1), 300);
    assert_eq!(w.settings().get(Namespace::System, "screen_brightness"), Some("255"));
    tap(&mut w, "Screen timeout");
    tap(&mut w, "5 minutes");
    assert_eq!(w.settings().get(Namespace::System, "screen_off_timeout"), Some("300000"));
    assert!(rect(&mut w, "text", "5 minutes").is_some(), "the row shows the choice");
}

#[test]
fn a_dialog_that_is_too_tall_scrolls_between_its_title_and_its_buttons() {
    let mut w = settings();
    tap(&mut w, "Display");
    tap(&mut w, "Screen timeout");
    w.set_user_rotation(Some(Rotation::R90));
    let (_, height) = w.display().logical();
    assert!(rect(&mut w, "text", "10 minutes").is_none());
    let cancel = rect(&mut w, "text", "Cancel").unwrap();
    assert!(cancel.b < i32::try_from(height).unwrap(), "the button is on the screen: {cancel:?}");
    let list = rect(&mut w, "resource-id", "android:id/scrollView").unwrap();
    assert!(list.b <= cancel.t);
    let (x, y) = list.centre();
    swipe(&mut w, (x, y + 100), (x, y - 300), 300);
    tap(&mut w, "10 minutes");
    assert_eq!(w.settings().get(Namespace::System, "screen_off_timeout"), Some("600000"));
    w.set_user_rotation(Some(Rotation::R0));
    tap(&mut w, "Screen timeout");
    w.set_user_rotation(Some(Rotation::R90));
    assert!(rect(&mut w, "text", "15 seconds").is_some(), "the next one begins at its top");
}

#[test]
fn seven_taps_make_a_developer() {
    let mut w = settings();
    w.start(&Intent::to(Component::new(SETTINGS, ".SubSettings")).with("page", "about")).unwrap();
    for _ in 0..7 {
        tap(&mut w, "Build number");
    }
    assert!(w.settings().on(Namespace::Global, "development_settings_enabled"));
    assert_eq!(w.state_json()["toast"], "You are now a developer!");
    assert!(!xml(&mut w).contains("developer!"), "a toast is not in the tree");
}

#[test]
fn the_keyboard_covers_the_lower_screen_and_types() {
    let mut w = settings();
    let before = rect(&mut w, "resource-id", "android:id/content").unwrap();
    tap(&mut w, "Search settings");
    assert!(w.ime().shown);
    let after = rect(&mut w, "resource-id", "android:id/content").unwrap();
    assert!(after.b < before.b - 300, "the app is above the keyboard: {after:?}");
    assert!(!xml(&mut w).contains("keyboard_view"), "the keyboard's window is not dumped");
    let scene = w.scene();
    let keys = &scene.window(compose::Layer::Ime).unwrap().laid;
    let (x, y) = keys.items[keys.find_text("b").unwrap()].rect.centre();
    touch_at(&mut w, x, y);
    assert_eq!(w.focused_text().as_deref(), Some("b"));
    for c in "att".chars() {
        w.type_char(c).unwrap();
    }
    assert!(rect(&mut w, "text", "Battery").is_some() && rect(&mut w, "text", "Storage").is_none());
    assert!(w.type_char('ö').is_err());
    w.key(67, KeyPress::Short, 0);
    assert_eq!(w.focused_text().as_deref(), Some("bat"));
    w.key(122, KeyPress::Short, 0);
    w.key(112, KeyPress::Short, 0);
    assert_eq!(w.focused_text().as_deref(), Some("at"));
    w.key(29, KeyPress::Short, 0x1000);
    w.key(67, KeyPress::Short, 0);
    assert_eq!(w.focused_text().as_deref(), Some(""));
    back(&mut w);
    assert!(!w.ime().shown);
    assert_eq!(w.foreground().package, SETTINGS, "the first back hides the keyboard only");
}

#[test]
fn the_broadcast_keyboard_works_only_while_it_is_current() {
    let mut w = settings();
    tap(&mut w, "Search settings");
    let mut send = Intent::action("ADB_INPUT_B64");
    send.extras.insert("msg".into(), Extra::Text("w5xiZXIg0LbQuNC30L3RjCDmnJ0=".into()));
    w.broadcast(&send);
    assert_eq!(w.focused_text().as_deref(), Some(""));
    assert!(w.ime_set(ime::ADB_IME).is_err(), "it must be enabled first");
    w.ime_enable(ime::ADB_IME).unwrap();
    w.ime_set(ime::ADB_IME).unwrap();
    assert_eq!(w.settings().get(Namespace::Secure, "default_input_method"), Some(ime::ADB_IME));
    w.broadcast(&send);
    assert_eq!(w.focused_text().as_deref(), Some("Über жизнь 朝"));
    w.broadcast(&Intent::action("ADB_CLEAR_TEXT"));
    assert_eq!(w.focused_text().as_deref(), Some(""));
    assert_eq!(w.ime_reset(), ime::LATIN_IME);
}

#[test]
fn a_list_scrolls_to_its_end_and_back() {
    let mut w = settings();
    assert!(rect(&mut w, "text", "About phone").is_none());
    for _ in 0..4 {
        swipe(&mut w, (360, 1300), (360, 500), 300);
    }
    assert!(rect(&mut w, "text", "About phone").is_some());
    let end = xml(&mut w);
    swipe(&mut w, (360, 1300), (360, 500), 300);
    assert_eq!(xml(&mut w), end, "the end is the end");
    for _ in 0..4 {
        swipe(&mut w, (360, 500), (360, 1300), 300);
    }
    assert!(rect(&mut w, "text", "Network & internet").is_none(), "escaped in the tree");
    assert!(xml(&mut w).contains("Network &amp; internet"));
}

#[test]
fn a_fling_settles_and_only_then_is_it_quiet() {
    let mut w = settings();
    w.tick(5_000);
    let begun = w.now_ms();
    w.touch(TouchPhase::Down, 0, 360, 1300, begun);
    for i in 1..=5 {
        w.touch(TouchPhase::Move, 0, 360, 1300 - 20 * i, begun + 10 * u64::try_from(i).unwrap());
    }
    w.touch(TouchPhase::Up, 0, 360, 1200, begun + 50);
    let at_lift = xml(&mut w);
    assert_eq!(w.quiet_for_ms(), 0);
    w.tick(begun + 2_000);
    assert_ne!(xml(&mut w), at_lift, "it went on after the finger left");
    w.tick(begun + 3_100);
    assert!(w.quiet_for_ms() >= 1_000);
}

#[test]
fn rotation_turns_the_picture_the_layout_and_the_dump() {
    let mut w = settings();
    assert_eq!(w.frame().dimensions(), (720, 1600));
    w.put_setting(Namespace::System, "user_rotation", "1");
    assert_eq!(w.frame().dimensions(), (1600, 720));
    let tree = xml(&mut w);
    assert!(tree.contains("<hierarchy rotation=\"1\">") && tree.contains("bounds=\"[0,0][1600,720]\""));
    w.put_setting(Namespace::System, "accelerometer_rotation", "1");
    assert_eq!(w.frame().dimensions(), (720, 1600));
    w.set_size_override(Some((540, 960)));
    assert_eq!(w.frame().dimensions(), (540, 960));
}

#[test]
fn the_shade_opens_by_a_swipe_and_has_the_focus() {
    let mut w = settings();
    w.notify(Notification {
        id: 7,
        package: SETTINGS.into(),
        title: "Hello".into(),
        text: "there".into(),
        when: w.wall(),
        intent: None,
        ongoing: false,
    });
    swipe(&mut w, (360, 5), (360, 900), 200);
    assert_eq!(w.shade(), Shade::Open);
    assert!(xml(&mut w).contains("package=\"com.android.systemui\""));
    let r = rect(&mut w, "text", "Hello").unwrap();
    swipe(&mut w, r.centre(), (r.centre().0 + 400, r.centre().1), 200);
    assert!(w.notifications().is_empty(), "swiped away");
    let tile = xml(&mut w);
    assert!(tile.contains("Flashlight, Off"));
    tap(&mut w, "Flashlight, Off");
    assert!(xml(&mut w).contains("Flashlight, On"));
    back(&mut w);
    assert_eq!(w.shade(), Shade::Closed);
    assert_eq!(w.foreground().package, SETTINGS);
}

#[test]
fn a_hold_opens_the_menu_of_an_app() {
    let mut w = world();
    let r = rect(&mut w, "content-desc", "Settings").unwrap();
    let (x, y) = r.centre();
    let now = w.now_ms() + 10;
    w.touch(TouchPhase::Down, 0, x, y, now);
    w.tick(now + 600);
    w.touch(TouchPhase::Up, 0, x, y, now + 620);
    assert!(xml(&mut w).contains("App info"));
    tap(&mut w, "App info");
    assert!(xml(&mut w).contains("Force stop"));
}

#[test]
fn the_drawer_opens_by_a_swipe_over_the_home_screen() {
    let mut w = world();
    swipe(&mut w, (360, 1000), (360, 300), 200);
    assert!(xml(&mut w).contains("apps_list_view"));
    back(&mut w);
    assert!(xml(&mut w).contains("workspace"));
}

#[test]
fn faults_stand_in_the_way_of_a_dump() {
    let mut w = settings();
    w.faults_mut().set(Fault::NullRoot, Stay::Times(1));
    assert_eq!(w.dump(DumpKind::Full), Err(DumpError::NullRoot));
    let first = xml(&mut w);
    w.faults_mut().set(Fault::StaleDump, Stay::Times(1));
    w.start(&Intent::to(Component::new(SETTINGS, ".SubSettings")).with("page", "display")).unwrap();
    assert_eq!(xml(&mut w), first);
    assert_ne!(xml(&mut w), first);
    w.faults_mut().set(Fault::SecureScreen, Stay::Always);
    assert!(w.frame().pixels().all(|p| p.0 == [0, 0, 0, 255]));
    w.faults_mut().clear_all();
    assert!(w.frame().pixels().any(|p| p.0[0] > 100));
}

#[test]
fn contents_come_from_the_seed_alone() {
    let apps = |seed| {
        let w = World::new(&PhoneOptions { seed, ..PhoneOptions::default() }, crate::apps::PHONE);
        w.state_json()["apps"].to_string()
    };
    assert_eq!(apps(1), apps(1));
    assert_ne!(apps(1), apps(2));
    let mut w = settings();
    w.put_setting(Namespace::Global, "wifi_on", "0");
    w.reset(0);
    assert!(w.settings().on(Namespace::Global, "wifi_on"));
    assert_eq!(w.foreground().package, LAUNCHER);
    assert!(w.query("content://nobody/x", &Query::default()).is_err());
}

#[test]
fn a_frame_is_kept_until_something_changes() {
    let mut w = settings();
    let one = w.frame();
    assert!(Arc::ptr_eq(&one, &w.frame()));
    tap(&mut w, "Display");
    assert!(!Arc::ptr_eq(&one, &w.frame()));
}
