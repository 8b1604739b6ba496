//! `waldo check`: mistakes of a task's author are named.

use super::support::*;

const GOOD: &str = "<title>Page</title><button onclick=\"document.title='Done'\">Go</button>";

fn check(title: &str) -> String {
    format!("[[check]]\nkind = \"js\"\nexpr = \"document.title\"\nequals = \"{title}\"")
}

fn taps(dir: &std::path::Path, id: &str, name: &str) {
    let file = dir.join("s/tasks").join(format!("{id}.toml"));
    let text = std::fs::read_to_string(&file).unwrap();
    let tap = format!("do = \"tap\"\nrole = \"button\"\nname = \"{name}\"");
    std::fs::write(&file, text.replace("do = \"key\"\nchord = \"Escape\"", &tap)).unwrap();
}

#[test]
fn the_first_step_that_failed_and_the_checks_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let (done, never, start) = (check("Done"), check("Never"), check("Page"));
    suite(
        dir.path(),
        "s",
        &[("good", GOOD, &done), ("lost", GOOD, &done), ("wrong", GOOD, &never), ("idle", GOOD, &start)],
    );
    // Room for the reference to look for what is not there, and to say so.
    let file = dir.path().join("s/suite.toml");
    let text = std::fs::read_to_string(&file).unwrap().replace("max_steps = 3", "max_steps = 6");
    std::fs::write(file, text).unwrap();
    taps(dir.path(), "good", "Go");
    taps(dir.path(), "lost", "Gone");
    taps(dir.path(), "wrong", "Go");
    let one = waldo(dir.path(), &["check", "./s", "--task", "good"]).run().expect_code(0);
    assert!(one.stdout.contains("its task is solved by its reference"), "{}", one.stdout);
    let said = waldo(dir.path(), &["check", "./s", "--json"]).run().expect_code(1).json();
    assert_eq!((&said["sound"], &said["episodes"]), (&false.into(), &8.into()), "{said}");
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
    let text = waldo(dir.path(), &["check", "./s", "--task", "lost"]).run().expect_code(1).stdout;
    assert!(text.contains("lost is not solved by its reference") && text.contains("  step "), "{text}");
    assert!(text.contains("wanted ") && text.contains("found "), "{text}");
    let unknown = waldo(dir.path(), &["check", "./s", "--task", "none"]).run().expect_code(4);
    assert!(unknown.stderr.contains("no task 'none'"), "{}", unknown.stderr);
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
    let dir = tempfile::tempdir().unwrap();
    let on =
        |name: &str, value| format!("[[check]]\nkind = \"state\"\npointer = \"/{name}\"\nequals = {value}\n");
    let loose = on("lamp", true);
    let tight =
        format!("{}[[check]]\nkind = \"state\"\npointer = \"/heater\"\nabsent = true\n", on("lamp", true));
    suite(dir.path(), "s", &[("loose", HOUSE, &loose), ("tight", HOUSE, &tight)]);
    let file = dir.path().join("s/suite.toml");
    let text = std::fs::read_to_string(&file).unwrap().replace("max_steps = 3", "max_steps = 20");
    std::fs::write(file, text).unwrap();
    for id in ["loose", "tight"] {
        let file = dir.path().join("s/tasks").join(format!("{id}.toml"));
        let text = std::fs::read_to_string(&file).unwrap();
        let tap = "do = \"tap\"\nrole = \"switch\"\nname = \"Lamp\"";
        std::fs::write(&file, text.replace("do = \"key\"\nchord = \"Escape\"", tap)).unwrap();
    }
    let args = ["check", "./s", "--mutate", "--mutants", "10", "--json", "--task"];
    let said = waldo(dir.path(), &[&args[..], &["tight"]].concat()).run().expect_code(0).json();
    let of = |said: &Value, kind: &str, verdict: &str| said["kinds"][kind][verdict].as_u64().unwrap();
    assert_eq!(said["different_ends_that_score_0_percent"], 100.0, "{said}");
    assert_eq!(said["same_ends_that_score_1_percent"], 100.0, "{said}");
    // The controls: some end otherwise, and some end the same.
    assert!(of(&said, "neighbour", "killed") > 0 && of(&said, "other_way", "equivalent") > 0, "{said}");
    assert!(of(&said, "other_claim", "killed") > 0 && of(&said, "corrected", "equivalent") > 0, "{said}");
    let said = waldo(dir.path(), &[&args[..], &["loose"]].concat()).run().expect_code(1).json();
    let survivors: Vec<&Value> =
        said["mutants"].as_array().unwrap().iter().filter(|one| one["verdict"] == "survived").collect();
    assert!(survivors.iter().any(|one| one["difference"].to_string().contains("heater")), "{said}");
    let args = ["check", "./s", "--mutate", "--mutants", "10", "--task", "loose", "--out", "r"];
    let text = waldo(dir.path(), &args).run().expect_code(1).stdout;
    assert!(text.contains("loose survived: ") && text.contains("killed  survived"), "{text}");
    waldo(dir.path(), &["report", "r"]).run().expect_code(0);
    let page = std::fs::read_to_string(dir.path().join("r/report.html")).unwrap();
    let table = page.split("Changed solutions").nth(1).unwrap();
    assert!(table.contains("<h3>loose: survived</h3>") && table.contains("heater"), "{table}");
}

const KEEPS: &str = "<title>Page</title>\
    <button onclick=\"localStorage.theme='dark'\">Keep</button>\
    <button onclick=\"document.title='Done'; document.cookie='seen=yes'\">Go</button>\
    <button onclick=\"const open=indexedDB.open('notes'); open.onupgradeneeded=()=>open.result.createObjectStore('all'); \
    open.onsuccess=()=>{const put=open.result.transaction('all','readwrite'); put.objectStore('all').put({to:'Ada'},7); \
    put.oncomplete=()=>{document.title='Done'}}\">File</button>";

#[test]
fn what_a_page_keeps_in_the_browser_is_part_of_the_whole_state() {
    let dir = tempfile::tempdir().unwrap();
    let kept = "[[check]]\nkind = \"change\"\nin = \"storage\"\nkey = \"theme\"\nequals = \"dark\"";
    let strayed = check("Done");
    suite(
        dir.path(),
        "s",
        &[("kept", KEEPS, kept), ("strayed", KEEPS, &strayed), ("filed", KEEPS, &strayed)],
    );
    let file = dir.path().join("s/suite.toml");
    let text = std::fs::read_to_string(&file).unwrap().replace("format = 1", "format = 2");
    std::fs::write(file, text).unwrap();
    taps(dir.path(), "kept", "Keep");
    taps(dir.path(), "strayed", "Go");
    taps(dir.path(), "filed", "File");
    let said = waldo(dir.path(), &["check", "./s", "--json"]).run().expect_code(1).json();
    let faults = said["faults"].as_array().unwrap();
    // The control: what a check names is explained.
    assert!(faults.iter().all(|fault| fault["task"] != "kept"), "{said}");
    let said = said.to_string();
    assert!(said.contains("cookies seen: \\\"yes\\\" was added"), "{said}");
    assert!(said.contains(r#"indexed-db notes/all/7: {\"to\":\"Ada\"} was added"#), "{said}");
}
