//! What people do at a console: terminals, scripts sent to a shell, a reboot.

use crate::support::{DEADLINE, Phones, until};

#[test]
fn ctrl_c_ends_what_runs_and_not_the_shell() {
    let (_phones, adb, serial) = Phones::connected();
    let mut shell = adb.session(&serial, &["shell", "-t", "-t"]);
    shell.until_ends("simphone:/ $ ");
    shell.type_keys("echo it runs; sleep 1000\r");
    shell.until_ends("\r\nit runs\r\n");
    shell.type_keys("\u{3}");
    shell.until_ends("^C\r\n130|simphone:/ $ ");
    shell.type_keys("cd /sdcard && ecjo\u{7f}\u{7f}ho here\r");
    shell.until_ends("\r\nhere\r\nsimphone:/sdcard $ ");
    shell.type_keys("half a line\u{3}");
    shell.until_ends("^C\r\n130|simphone:/sdcard $ ");
    shell.type_keys("cat; echo read\r");
    shell.type_keys("a line\r\u{4}");
    shell.until_ends("a line\r\nread\r\nsimphone:/sdcard $ ");
    shell.type_keys("exit 3\r");
    assert_eq!(shell.ended(), Some(3));
    let mut command = adb.session(&serial, &["shell", "-t", "-t", "echo it runs; sleep 1000"]);
    command.until_ends("it runs\r\n");
    command.type_keys("\u{3}");
    assert_eq!(command.ended(), Some(130));
}

#[test]
fn a_command_may_go_on_over_several_lines() {
    let (_phones, adb, serial) = Phones::connected();
    let script =
        "for i in 1 2\ndo\n  echo n$i\ndone\nif true; then\n echo \"a\nb\"\nfi\necho one \\\ntwo\nexit 4\n";
    let out = adb.run(&["-s", &serial, "shell"], script.as_bytes(), DEADLINE);
    assert_eq!((out.text().as_str(), out.code), ("n1\nn2\na\nb\none two\n", Some(4)));
    let mut shell = adb.session(&serial, &["shell", "-t", "-t"]);
    shell.until_ends(" $ ");
    shell.type_keys("for i in 1 2; do\r");
    shell.until_ends("\r\n> ");
    shell.type_keys("echo n$i; done\r");
    shell.until_ends("\r\nn1\r\nn2\r\nsimphone:/ $ ");
    let unfinished = adb.run(&["-s", &serial, "shell"], b"echo 'open\n", DEADLINE);
    assert!(unfinished.stderr.contains("no closing quote"), "{unfinished:?}");
}

#[test]
fn settings_are_changed_by_every_way_there_is() {
    let (_phones, adb, serial) = Phones::connected();
    let shell = |line: &str| adb.on(&serial, &["shell", line]).text();
    let wifi = shell("settings put global wifi_on 1; content query --uri content://settings/global/wifi_on");
    assert!(wifi.ends_with("name=wifi_on, value=1\n"), "{wifi}");
    let insert =
        "content insert --uri content://settings/system --bind name:s:user_rotation --bind value:i:1";
    assert!(shell(&format!("{insert}; dumpsys input")).contains("SurfaceOrientation: 1"));
    let update =
        "content update --uri content://settings/system --bind value:i:0 --where \"name='user_rotation'\"";
    assert_eq!(shell(&format!("{update}; settings get system user_rotation")), "0\n");
    let delete = "content delete --uri content://settings/system --where \"name='user_rotation'\"";
    assert_eq!(shell(&format!("{delete}; settings get system user_rotation")), "null\n");
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
    let out = adb.on(&serial, &["exec-out", "cat /nope /proc/version 2>&1"]).text();
    assert!(out.starts_with("cat: /nope: No such file"), "{out}");
}

#[test]
fn a_reboot_keeps_what_is_stored_and_ends_what_ran() {
    let (_phones, adb, serial) = Phones::connected();
    let boot = || adb.on(&serial, &["shell", "cat", "/proc/sys/kernel/random/boot_id"]).text();
    let before = boot();
    let prepare = "settings put system screen_brightness 7; echo kept > /sdcard/kept; am start -n com.android.settings/.Settings";
    adb.on(&serial, &["shell", prepare]);
    let running = adb.session(&serial, &["shell", "echo runs; sleep 1000"]);
    running.until_ends("runs\n");
    assert_eq!(adb.on(&serial, &["reboot"]).code, Some(0));
    running.ended();
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
