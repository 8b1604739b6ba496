//! Words for what only a picture shows, on the command line.

use super::support::*;

/// Needs the program itself: nothing is left out in silence.
fn tesseract() -> String {
    let said = std::process::Command::new("tesseract").arg("--version").output();
    let said = said.unwrap_or_else(|error| panic!("{error}: scripts/setup tests installs tesseract"));
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    said.lines().next().unwrap().to_owned()
}

/// Words are found one by one; the last stands beside a cursor that blinks, and is left out while it does.
const MENU: [&str; 5] = ["Receive", "goods", "Print", "labels", "Your"];

fn elements(dir: &Path, more: &[&str]) -> Ended {
    let terminal = "xterm -fa Monospace -fs 12 -e sh -c 'printf \"Receive goods\\n\\nPrint labels\\n\\nYour choice\"; sleep 900'";
    let args = ["elements", "--device", "desktop", "--open", terminal];
    waldo(dir, &[&args[..], more].concat()).ok()
}

#[test]
fn a_terminal_has_its_words_and_the_flag_takes_them_away() {
    tesseract();
    let dir = tempdir();
    // A terminal may be slow to draw what it shows.
    let has_all = |seen: &str| MENU.iter().all(|word| seen.contains(word));
    let mut seen = String::new();
    for _ in 0..5 {
        seen = elements(&dir, &[]).stdout;
        if has_all(&seen) {
            break;
        }
    }
    assert!(has_all(&seen), "{seen}");
    let seen = elements(&dir, &["--text-recognition", "off"]).stdout;
    assert!(!MENU.iter().any(|word| seen.contains(word)), "{seen}");
    // A language that is not here was asked for: nothing is played without it.
    let unread = waldo(&dir, "elements --device desktop --open xterm --text-recognition eng+xyz");
    unread.fails().warns("apt install tesseract-ocr-xyz");
    waldo(&dir, "elements --text-recognition a/b").fails().warns("deu+eng");
}

#[test]
fn a_run_that_began_before_the_program_was_installed_goes_on_without_it() {
    tesseract();
    let dir = tempdir();
    let eval = |more: &str| {
        let args = "eval l3-web --task kanban-drag --agent noop --no-report --out r";
        waldo(&dir, &format!("{args} {more}")).run()
    };
    // As it is recorded where nothing reads.
    eval("--text-recognition off").expect_code(0);
    std::fs::remove_file(dir.join("r/episodes/noop/kanban-drag/r0/result.json")).unwrap();
    eval("").expect_code(0).warns("text recognition stays off");
    // Who asks for it gets it, and that is another run.
    std::fs::remove_file(dir.join("r/episodes/noop/kanban-drag/r0/result.json")).unwrap();
    eval("--text-recognition eng").expect_code(4).warns("text_recognition");
}

#[test]
fn records_and_doctor_say_what_reads() {
    let version = tesseract();
    let dir = tempdir();
    let run = |out: &str, more: &str| {
        let args = "run look --device desktop --open xterm --agent noop --max-steps 1";
        waldo(&dir, &format!("{args} --out {out} {more}")).run();
        json_in(dir.join(out).join("manifest.json"))["parameters"]["text_recognition"].clone()
    };
    assert_eq!(run("on", ""), format!("{version} eng"));
    assert_eq!(run("off", "--text-recognition off"), Value::Null);
    let found = |args: &str, path: Option<&str>| {
        let mut doctor = waldo(&dir, &format!("doctor --json {args}"));
        if let Some(path) = path {
            doctor = doctor.env("PATH", path);
        }
        let findings = doctor.run().json();
        let own = findings.as_array().unwrap().iter().find(|finding| finding["what"] == "text recognition");
        own.unwrap_or_else(|| panic!("{findings}")).clone()
    };
    let says = |own: &Value, field: &str, words: &str| own[field].as_str().unwrap().contains(words);
    let (here, off) = (found("", None), found("--text-recognition off", None));
    assert!(here["ok"] == true && says(&here, "found", &version), "{here}");
    assert!(off["ok"] == true && says(&off, "found", "off"), "{off}");
    // Where it is not installed that is said, with what it costs and what installs it.
    let none = found("", dir.to_str());
    assert!(none["ok"] == false && says(&none, "costs", "no words"), "{none}");
    assert!(says(&none, "hint", "sudo apt install tesseract-ocr"), "{none}");
}
