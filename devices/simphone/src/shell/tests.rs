use super::*;
use crate::fault::{PhoneFault, Stay};
use crate::options::{IdleWait, PhoneOptions, ShellControl};
use proptest::prelude::*;

fn phone() -> Arc<Phone> {
    Phone::new(PhoneOptions { idle: IdleWait::SHORT, width: 270, height: 600, ..PhoneOptions::default() })
}

fn sh(phone: &Arc<Phone>, line: &str) -> Output {
    sh_in(phone, line, b"")
}

fn sh_in(phone: &Arc<Phone>, line: &str, stdin: &[u8]) -> Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(capture(phone, line, stdin))
}

#[test]
fn lines_run_as_in_a_shell() {
    for (line, shown) in [
        ("echo a; false || echo b && echo c", "a\nb\nc\n"),
        ("false; echo $?; sh -c 'exit 7'; echo $?; (exit 3); echo $?", "1\n7\n3\n"),
        (
            "if ls /sdcard >/dev/null; then echo yes; elif a; then b; else echo no; fi > /sdcard/o; cat /sdcard/o",
            "yes\n",
        ),
        (
            "echo _id=7, n=2 | head -1 | cut -d= -f2; echo a:b:c | cut -d : -f 1,3; echo none | cut -d= -f2",
            "7, n\na:c\nnone\n",
        ),
        ("true && { echo a; echo b; } | wc -l", "2\n"),
        ("for i in 1 $(echo 2 3); do echo -n $i; done; echo", "123\n"),
        ("x='a  b'; echo $x \"$x\" '$x' $none # rest", "a b a  b $x\n"),
        (
            "echo $(echo a; echo b) \"$(echo 'c  d')\" a#b \\$x \"\\$5 \\x \\\"q\\\"\" ''",
            "a b c  d a#b $x $5 \\x \"q\" \n",
        ),
        ("cd /sdcard; ls | grep -c Download; echo it\\'s", "1\nit's\n"),
        ("cat /none 2>/dev/null; echo a > /sdcard/f; echo b >> /sdcard/f; cat < /sdcard/f | wc -l", "2\n"),
        ("cat /none 2>&1 | wc -c; echo 2 >/sdcard/x; cat /sdcard/x", "38\n2\n"),
    ] {
        let ran = sh(&phone(), line);
        assert_eq!((ran.text().as_str(), ran.error_text().as_str()), (shown, ""), "{line}");
    }
    let ended = sh(&phone(), "echo x; exit 7; echo y");
    assert_eq!(ended, Output { stdout: b"x\n".to_vec(), stderr: vec![], code: 7 });
    assert_eq!(sh_in(&phone(), "", b"echo one\nfalse\n").code, 1);
    assert_eq!(
        sh_in(&phone(), "cat > /data/local/tmp/in; wc -c /data/local/tmp/in", b"abc").text(),
        "3 /data/local/tmp/in\n"
    );
}

#[test]
fn sizes_settings_and_storage_answer_as_a_phones_do() {
    let line = "if simctl time >/dev/null 2>&1; then echo simulated; fi; simctl reset 1";
    let real = Phone::new(PhoneOptions { control: ShellControl::None, ..phone().options.clone() });
    let said = sh(&real, line);
    assert_eq!((said.text().as_str(), said.code), ("", 127), "{said:?}");
    assert_eq!(sh(&phone(), line).text(), "simulated\n");
    let p = phone();
    assert_eq!(sh(&p, "wm size; wm density").text(), "Physical size: 270x600\nPhysical density: 420\n");
    assert_eq!(
        sh(&p, "wm size 240x480; wm density 240; wm size; wm density").text(),
        "Physical size: 270x600\nOverride size: 240x480\nPhysical density: 420\nOverride density: 240\n"
    );
    assert_eq!(sh(&p, "wm size reset; wm size").text(), "Physical size: 270x600\n");
    assert_eq!(sh(&p, "wm size 1x1").code, 255);
    let p = phone();
    assert_eq!(sh(&p, "settings get global none; settings put global none 5; settings get global none; settings delete global none; settings delete global none").text(), "null\n5\nDeleted 1 rows\nDeleted 0 rows\n");
    assert_eq!(
        sh(&p, "getprop ro.build.version.sdk; getprop none; setprop debug.x 1; getprop debug.x").text(),
        "34\n\n1\n"
    );
    assert!(
        sh(&p, "settings list global | grep window_animation_scale")
            .text()
            .starts_with("window_animation_scale=")
    );
    assert_eq!(sh(&p, "getprop | grep -c '^\\[ro.build.version.sdk\\]: \\[34\\]$'").text(), "1\n");
    let p = phone();
    let o = sh(&p, "simctl fault low-storage; echo a > /sdcard/f; echo $?; ls /sdcard/f | wc -l");
    assert_eq!(o.text(), "1\n1\n");
    assert_eq!(o.error_text(), "echo: write: No space left on device\n");
    let p = phone();
    let o = sh(&p, "input text 'höflich'");
    assert!(o.error_text().contains("java.lang.NullPointerException") && o.code != 0);
    assert!(sh(&p, "input tap 1").error_text().contains("Argument expected after \"1\""));
    assert!(sh(&p, "input tap a b").error_text().contains("NumberFormatException"));
    assert_eq!(sh(&p, "input keyevent KEYCODE_HOME 4; cmd input tap 5 5; input -d 0 motionevent DOWN 3 3; input motionevent UP 3 3").code, 0);
    assert_eq!(sh(&p, "input frob").text(), "Unknown command: frob\n");
}

#[test]
fn what_fails_says_so_in_a_phone_s_words() {
    let deep = "(".repeat(10_000);
    for (line, error, code) in [
        ("frobnicate -x", "/system/bin/sh: frobnicate: inaccessible or not found", 127),
        ("cat x", "cat: x: No such file or directory", 1),
        ("rm -f /sdcard/none; rm /sdcard/none", "rm: /sdcard/none: No such file or directory", 1),
        ("ls /data", "ls: /data: Permission denied", 1),
        ("echo x > /system/f", "/system/bin/sh: can't create /system/f: Read-only file system", 1),
        ("echo 'a", "/system/bin/sh: no closing quote", 1),
        ("a | | b", "/system/bin/sh: syntax error: unexpected '|'", 1),
        ("; a", "/system/bin/sh: syntax error: unexpected ';'", 1),
        ("a )", "/system/bin/sh: syntax error: unexpected ')'", 1),
        ("a &&", "/system/bin/sh: syntax error: unexpected EOF", 1),
        ("fi", "/system/bin/sh: syntax error: unexpected 'fi'", 1),
        ("echo >", "/system/bin/sh: syntax error: unexpected 'newline'", 1),
        (&deep, "/system/bin/sh: syntax error: nesting too deep", 1),
    ] {
        let ran = sh(&phone(), line);
        assert_eq!((ran.error_text(), ran.code), (format!("{error}\n"), code), "{line:.20}");
    }
}

#[test]
fn a_raw_picture_has_its_header_and_packs() {
    let p = phone();
    let raw = sh(&p, "screencap").stdout;
    let word = |at: usize| u32::from_le_bytes(raw[at..at + 4].try_into().unwrap());
    assert_eq!((word(0), word(4), word(8), raw.len()), (270, 600, 1, 16 + 270 * 600 * 4));
    let png = sh(&p, "screencap -p").stdout;
    assert_eq!(image::load_from_memory(&png).unwrap().to_rgba8().as_raw(), &raw[16..]);
    let packed = sh(&p, "screencap | gzip -1").stdout;
    let mut plain = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(packed.as_slice()), &mut plain).unwrap();
    assert_eq!(plain.len(), raw.len());
    let o = sh(&p, "screencap -j");
    assert!(o.error_text().contains("invalid option") && o.code == 1 && o.stdout.is_empty());
    assert_eq!(sh(&p, "screencap /sdcard/a.png; ls /sdcard/a.png").text(), "/sdcard/a.png\n");
    assert_eq!(sh(&p, "screencap -p /system/a.png").code, 1);
    let old = Phone::new(PhoneOptions { sdk: 26, width: 10, height: 10, ..PhoneOptions::default() });
    assert_eq!(sh(&old, "screencap").stdout.len(), 12 + 400);
    let new = Phone::new(PhoneOptions { sdk: 36, width: 16, height: 16, ..PhoneOptions::default() });
    assert!(image::load_from_memory(&sh(&new, "screencap -j").stdout).is_ok());
    p.with(|w| w.faults_mut().set(PhoneFault::HalfPicture, Stay::Times(1)));
    assert!(image::load_from_memory(&sh(&p, "screencap -p").stdout).is_err());
    assert!(image::load_from_memory(&sh(&p, "screencap -p").stdout).is_ok());
}

#[test]
fn a_failed_dump_exits_0_and_leaves_the_old_file() {
    let p = phone();
    let o = sh(
        &p,
        "echo old > /sdcard/window_dump.xml; simctl fault null-root; uiautomator dump; echo $?; cat /sdcard/window_dump.xml",
    );
    assert_eq!(o.text(), "0\nold\n");
    assert_eq!(o.error_text(), "ERROR: null root node returned by UiTestAutomationBridge.\n");
    let o = sh(&p, "simctl clear; simctl fault never-idle; uiautomator dump /sdcard/x.xml; ls /sdcard/x.xml");
    assert!(o.error_text().starts_with("ERROR: could not get idle state.\n"), "{}", o.error_text());
}

#[test]
fn folders_are_listed_and_removed() {
    let p = phone();
    sh(&p, "mkdir /sdcard/d; echo hello > /sdcard/d/f; mkdir /sdcard/d/sub");
    assert_eq!(sh(&p, "ls -a /sdcard/d").text(), ".\n..\nf\nsub\n");
    assert_eq!(
        sh(&p, "ls -d /sdcard; ls /sdcard/d/f /sdcard/d").text(),
        "/sdcard\n/sdcard/d/f\n\n/sdcard/d:\nf\nsub\n"
    );
    assert_eq!(
        sh(&p, "rm /sdcard/d; rm -r /sdcard/d; ls /sdcard/d").error_text(),
        "rm: /sdcard/d: is a directory\nls: /sdcard/d: No such file or directory\n"
    );
}

/// In single quotes, so that the shell reads it back as one word.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_quoted_text_is_echoed_as_it_is(text in "[^\0-][^\0]{0,40}") {
        let o = sh(&phone(), &format!("echo {}", quote(&text)));
        prop_assert_eq!(o.text(), text + "\n");
    }

    #[test]
    fn no_line_of_signs_breaks_the_shell(line in "[a-c $(){}'\"`\\\\;&|<>!#0-2=*]{0,30}") {
        sh(&phone(), &format!("echo {line}"));
    }
}
