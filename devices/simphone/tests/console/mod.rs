//! What people do at a console: scripts sent to a shell, pages of settings, a reboot.

use crate::support::{DEADLINE, Phones, until};

#[test]
fn a_command_may_go_on_over_several_lines() {
    let (_phones, adb, serial) = Phones::connected();
    let script =
        "for i in 1 2\ndo\n  echo n$i\ndone\nif true; then\n echo \"a\nb\"\nfi\necho one \\\ntwo\nexit 4\n";
    let out = adb.run(&["-s", &serial, "shell"], script.as_bytes(), DEADLINE);
    assert_eq!((out.text().as_str(), out.code), ("n1\nn2\na\nb\none two\n", Some(4)));
    let unfinished = adb.run(&["-s", &serial, "shell"], b"echo 'open\n", DEADLINE);
    assert!(unfinished.stderr.contains("no closing quote"), "{unfinished:?}");
    let at_terminal = adb.on(&serial, &["shell", "-t", "-t"]);
    assert!(at_terminal.code == Some(1) && at_terminal.stderr.contains("no terminal"), "{at_terminal:?}");
}

#[test]
fn settings_have_pages_by_intent() {
    let (_phones, adb, serial) = Phones::connected();
    let shell = |line: &str| adb.on(&serial, &["shell", line]).text();
    assert!(shell("settings put system user_rotation 1; dumpsys input").contains("SurfaceOrientation: 1"));
    let page =
        |action: &str| shell(&format!("am start -a android.settings.{action}; uiautomator dump /dev/tty"));
    assert!(page("WIFI_SETTINGS").contains("text=\"Internet\""));
    assert!(page("DISPLAY_SETTINGS").contains("text=\"Screen timeout\""));
    assert!(
        page("APPLICATION_DETAILS_SETTINGS -d package:com.waldo.shop").contains("text=\"com.waldo.shop\"")
    );
}

#[test]
fn errors_come_in_their_turn() {
    let (_phones, adb, serial) = Phones::connected();
    let out = adb.on(&serial, &["exec-out", "am", "start", "-n", "com.nope/.X"]).text();
    assert!(
        out.starts_with("Starting: Intent { cmp=com.nope/.X }\nError type 3\nError: Activity class"),
        "{out}"
    );
    let out = adb.on(&serial, &["exec-out", "cat /nope 2>&1"]).text();
    assert!(out.starts_with("cat: /nope: No such file"), "{out}");
}

#[test]
fn a_reboot_keeps_what_is_stored_and_ends_what_ran() {
    let (phones, adb, serial) = Phones::connected();
    let boot = || adb.on(&serial, &["shell", "cat", "/proc/sys/kernel/random/boot_id"]).text();
    let before = boot();
    let prepare = "settings put system screen_brightness 7; echo kept > /sdcard/kept; am start -n com.android.settings/.Settings";
    adb.on(&serial, &["shell", prepare]);
    std::thread::scope(|scope| {
        let running = scope.spawn(|| adb.on(&serial, &["shell", "echo > /sdcard/runs; sleep 1000"]));
        until("the command runs", || phones.phone().with(|w| w.files.read("/sdcard/runs").is_ok()));
        assert_eq!(adb.on(&serial, &["reboot"]).code, Some(0));
        assert!(running.join().unwrap().code.is_some());
    });
    adb.reconnect(&serial);
    until("the phone has booted", || {
        let now = boot();
        !now.is_empty() && now != before
    });
    let after =
        "settings get system screen_brightness; cat /sdcard/kept; dumpsys window | grep mCurrentFocus";
    let out = adb.on(&serial, &["shell", after]).text();
    assert!(out.starts_with("7\nkept\n") && out.contains("com.android.launcher3"), "{out}");
}
