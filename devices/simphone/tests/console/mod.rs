//! What people do at a console: terminals, scripts sent to a shell, sockets the other way, the log, a reboot.

use crate::support::{Adb, DEADLINE, Phones, until};

#[test]
fn ctrl_c_ends_what_runs_and_not_the_shell() {
    let phones = Phones::one();
    let (adb, serial) = Adb::connected(&phones);
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
    let phones = Phones::one();
    let (adb, serial) = Adb::connected(&phones);
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
fn scripts_read_line_by_line_and_run_other_commands() {
    let phones = Phones::one();
    let (adb, serial) = Adb::connected(&phones);
    let shell = |line: &str| adb.on(&serial, &["shell", line]).text();
    assert_eq!(shell("seq 3 | while read x; do echo got $x; done"), "got 1\ngot 2\ngot 3\n");
    assert_eq!(shell("echo 'a b  c d' | (read x y; echo \"$x-$y\")"), "a-b  c d\n");
    assert_eq!(shell("echo a b c | xargs -n 2 echo x"), "x a b\nx c\n");
    assert_eq!(shell("timeout 0.1 sleep 100; echo $?; timeout 9 echo fast"), "143\nfast\n");
    let script = b"read x\nvalue of x\necho \"<$x>\"\ncat\nthe rest\n";
    assert_eq!(adb.run(&["-s", &serial, "shell"], script, DEADLINE).text(), "<value of x>\nthe rest\n");
}

#[test]
fn settings_are_changed_by_every_way_there_is() {
    let phones = Phones::one();
    let (adb, serial) = Adb::connected(&phones);
    let shell = |line: &str| adb.on(&serial, &["shell", line]).text();
    assert_eq!(shell("svc wifi disable; settings get global wifi_on"), "0\n");
    assert_eq!(
        shell("svc wifi enable; content query --uri content://settings/global/wifi_on")
            .split_once("name=")
            .unwrap()
            .1,
        "wifi_on, value=1\n"
    );
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
    let phones = Phones::one();
    let (adb, serial) = Adb::connected(&phones);
    let out = adb.on(&serial, &["exec-out", "am", "start", "-n", "com.nope/.X"]).text();
    assert!(
        out.starts_with("Starting: Intent { cmp=com.nope/.X }\nError type 3\nError: Activity class"),
        "{out}"
    );
    let out = adb.on(&serial, &["exec-out", "cat /nope /proc/version 2>&1"]).text();
    assert!(out.starts_with("cat: /nope: No such file"), "{out}");
}

#[test]
fn sockets_the_other_way_are_kept_and_listed() {
    let phones = Phones::one();
    let (adb, serial) = Adb::connected(&phones);
    assert_eq!(adb.on(&serial, &["reverse", "tcp:7302", "tcp:7303"]).code, Some(0));
    let list = adb.on(&serial, &["reverse", "--list"]).text();
    assert!(list.contains("tcp:7302 tcp:7303"), "{list}");
    let port = adb.on(&serial, &["reverse", "tcp:0", "tcp:9"]).text();
    assert!(port.trim().parse::<u16>().is_ok(), "{port:?}");
    let again = adb.on(&serial, &["reverse", "--no-rebind", "tcp:7302", "tcp:1"]);
    assert!(again.code == Some(1) && again.stderr.contains("cannot rebind existing socket"), "{again:?}");
    assert_eq!(adb.on(&serial, &["reverse", "--remove", "tcp:7302"]).code, Some(0));
    let gone = adb.on(&serial, &["reverse", "--remove", "tcp:7302"]);
    assert!(gone.stderr.contains("listener 'tcp:7302' not found"), "{gone:?}");
    assert_eq!(adb.on(&serial, &["reverse", "--remove-all"]).code, Some(0));
    assert_eq!(adb.on(&serial, &["reverse", "--list"]).text().trim(), "");
}

#[test]
fn the_log_is_printed_and_followed() {
    let phones = Phones::one();
    let (adb, serial) = Adb::connected(&phones);
    adb.on(&serial, &["shell", "am start -n com.android.settings/.Settings; log -p w -t mine first"]);
    let log = adb.on(&serial, &["logcat", "-d", "-v", "brief"]).text();
    assert!(
        log.contains("I/ActivityTaskManager( 1432): START u0 {cmp=com.android.settings/.Settings}"),
        "{log}"
    );
    let only = adb.on(&serial, &["logcat", "-d", "-v", "brief", "-s", "mine:E"]).text();
    assert_eq!(only, "--------- beginning of main\n");
    let follow = adb.session(&serial, &["logcat", "-v", "brief", "mine:V", "*:S"]);
    follow.until_ends("W/mine( 4242): first\n");
    adb.on(&serial, &["shell", "log", "-t", "mine", "second"]);
    follow.until_ends("I/mine( 4242): second\n");
    adb.on(&serial, &["logcat", "-c"]);
    let piped = adb.on(&serial, &["shell", "logcat | grep -c mine"]);
    assert_eq!(piped.text(), "0\n");
}

#[test]
fn a_reboot_keeps_what_is_stored_and_ends_what_ran() {
    let phones = Phones::one();
    let (adb, serial) = Adb::connected(&phones);
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

#[test]
fn what_other_clients_ask_for_is_there() {
    let phones = Phones::one();
    let (adb, serial) = Adb::connected(&phones);
    let shell = |line: &str| adb.on(&serial, &["shell", line]).text();
    // adbutils: rotation and address; pure-python-adb: processors.
    assert!(
        shell("wm user-rotation lock 1; dumpsys display")
            .contains(" orientation=1, logicalFrame=Rect(0, 0 - 2400, 1080)")
    );
    assert!(shell("ifconfig wlan0").contains("inet addr:192.168.1.23 "));
    assert!(shell("ip addr show dev wlan0").contains("inet 192.168.1.23/24 "));
    assert!(shell("settings put global wifi_on 0; ip addr show wlan0").contains("state DOWN"));
    assert_eq!(shell("grep -c ^cpu /proc/stat; echo a | tee /sdcard/t; cat /sdcard/t"), "9\na\na\n");
    let refused = adb.on(&serial, &["tcpip", "5555"]);
    assert!(refused.all().contains("stays on the port"), "{refused:?}");
}
