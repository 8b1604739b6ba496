//! `waldo check`: mistakes of a task's author are named.

use super::support::*;

const GOOD: &str = "<title>Page</title><button onclick=\"document.title='Done'\">Go</button>";

fn check(title: &str) -> String {
    format!("[[check]]\nkind = \"js\"\nexpr = \"document.title\"\nequals = \"{title}\"")
}

fn change_suite(dir: &std::path::Path, from: &str, to: &str) {
    let file = dir.join("s/suite.toml");
    write(&file, text_in(&file).replace(from, to));
}

fn taps(dir: &std::path::Path, id: &str, name: &str) {
    let file = dir.join("s/tasks").join(format!("{id}.toml"));
    let text = text_in(&file);
    let tap = format!("do = \"tap\"\nrole = \"button\"\nname = \"{name}\"");
    write(&file, text.replace("do = \"key\"\nchord = \"Escape\"", &tap));
}

#[test]
fn the_first_step_that_failed_and_the_checks_are_named() {
    let dir = tempdir();
    let (done, never, start) = (check("Done"), check("Never"), check("Page"));
    let tasks =
        [("good", GOOD, &*done), ("lost", GOOD, &done), ("wrong", GOOD, &never), ("idle", GOOD, &start)];
    suite(&dir, "s", &tasks);
    // Room for the reference to look for what is not there, and to say so.
    change_suite(&dir, "max_steps = 3", "max_steps = 6");
    taps(&dir, "good", "Go");
    taps(&dir, "lost", "Gone");
    taps(&dir, "wrong", "Go");
    waldo(&dir, "check ./s --task good").ok().prints("its task is solved by its reference");
    let said = waldo(&dir, "check ./s --json").exits(1).json();
    has(&said, json!({ "sound": false, "episodes": 8 }));
    let fault = |task: &str, agent: &str| {
        let all = said["faults"].as_array().unwrap();
        all.iter().find(|one| one["task"] == task && one["agent"] == agent).cloned()
    };
    assert!(fault("good", "reference").is_none() && fault("good", "noop").is_none(), "{said}");
    let lost = fault("lost", "reference").unwrap();
    assert!(lost["step"]["report"].as_str().unwrap().contains("Gone"), "{lost}");
    let wrong = fault("wrong", "reference").unwrap();
    assert!(wrong["checks"][0]["wanted"].as_str().unwrap().contains("Never"), "{wrong}");
    assert!(wrong["checks"][0]["found"].as_str().unwrap().contains("Done"), "{wrong}");
    let idle = fault("idle", "noop").unwrap();
    assert!(idle["fault"].as_str().unwrap().contains("doing nothing"), "{idle}");
    let lost = waldo(&dir, "check ./s --task lost").exits(1).prints("lost is not solved by its reference");
    lost.prints("  step ").prints("wanted ").prints("found ");
    waldo(&dir, "check ./s --task none").exits(4).warns("no task 'none'");
}

/// Two switches and a field that keep their state on the server.
const HOUSE: &str = "<title>House</title>\
    <button role=switch aria-checked=false onclick=\"set(this, 'lamp')\">Lamp</button>\
    <button role=switch aria-checked=false onclick=\"set(this, 'heater')\">Heater</button>\
    <script>const state = {};\
    function set(button, name) {\
      state[name] = button.getAttribute('aria-checked') !== 'true';\
      button.setAttribute('aria-checked', state[name]);\
      fetch('/_waldo/state', { method: 'PUT', body: JSON.stringify(state),\
        headers: { 'Content-Type': 'application/json' } });\
    }</script>";

#[test]
fn a_changed_solution_survives_where_no_check_sees_the_difference() {
    let dir = tempdir();
    let on =
        |name: &str, value| format!("[[check]]\nkind = \"state\"\npointer = \"/{name}\"\nequals = {value}\n");
    let loose = on("lamp", true);
    let tight = format!("{loose}[[check]]\nkind = \"state\"\npointer = \"/heater\"\nabsent = true\n");
    suite(&dir, "s", &[("loose", HOUSE, &loose), ("tight", HOUSE, &tight)]);
    change_suite(&dir, "max_steps = 3", "max_steps = 20");
    for id in ["loose", "tight"] {
        taps(&dir, id, "Lamp");
        let file = dir.join(format!("s/tasks/{id}.toml"));
        write(&file, text_in(&file).replace("role = \"button\"", "role = \"switch\""));
    }
    let args = "check ./s --mutate --mutants 10 --task";
    let said = waldo(&dir, &format!("{args} tight --json")).json();
    let of = |said: &Value, kind: &str, verdict: &str| said["kinds"][kind][verdict].as_u64().unwrap();
    let share = |ends: &str| said[format!("{ends}_percent")].clone();
    assert_eq!(
        (share("different_ends_that_score_0"), share("same_ends_that_score_1")),
        (json!(100.0), json!(100.0))
    );
    // The controls: some end otherwise, and some end the same.
    assert!(of(&said, "neighbour", "killed") > 0 && of(&said, "other_way", "equivalent") > 0, "{said}");
    assert!(of(&said, "other_claim", "killed") > 0 && of(&said, "corrected", "equivalent") > 0, "{said}");
    let said = waldo(&dir, &format!("{args} loose --json")).exits(1).json();
    let mut mutants = said["mutants"].as_array().unwrap().iter();
    let survives =
        |one: &Value| one["verdict"] == "survived" && one["difference"].to_string().contains("heater");
    assert!(mutants.any(survives), "{said}");
    let printed = waldo(&dir, &format!("{args} loose --out r")).exits(1);
    printed.prints("loose survived: ").prints("killed  survived");
    waldo(&dir, "report r").ok();
    let page = text_in(dir.join("r/report.html"));
    page.split("Changed solutions").nth(1).unwrap().says("<h3>loose: survived</h3>").says("heater");
}

const KEEPS: &str = "<title>Page</title>\
    <button onclick=\"localStorage.theme='dark'\">Keep</button>\
    <button onclick=\"document.title='Done'; document.cookie='seen=yes'\">Go</button>\
    <button onclick=\"const open=indexedDB.open('notes'); open.onupgradeneeded=()=>open.result.createObjectStore('all'); \
    open.onsuccess=()=>{const put=open.result.transaction('all','readwrite'); put.objectStore('all').put({to:'Ada'},7); \
    put.oncomplete=()=>{document.title='Done'}}\">File</button>";

#[test]
fn what_a_page_keeps_in_the_browser_is_part_of_the_whole_state() {
    let dir = tempdir();
    let kept = "[[check]]\nkind = \"change\"\nin = \"storage\"\nkey = \"theme\"\nequals = \"dark\"";
    let strayed = check("Done");
    suite(&dir, "s", &[("kept", KEEPS, kept), ("strayed", KEEPS, &strayed), ("filed", KEEPS, &strayed)]);
    change_suite(&dir, "format = 1", "format = 2");
    taps(&dir, "kept", "Keep");
    taps(&dir, "strayed", "Go");
    taps(&dir, "filed", "File");
    let said = waldo(&dir, "check ./s --json").exits(1).json();
    let faults = said["faults"].as_array().unwrap();
    // The control: what a check names is explained.
    assert!(faults.iter().all(|fault| fault["task"] != "kept"), "{said}");
    said.to_string()
        .says("cookies seen: \\\"yes\\\" was added")
        .says(r#"indexed-db notes/all/7: {\"to\":\"Ada\"} was added"#);
}
