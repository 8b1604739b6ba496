//! Several screens in one episode: suites of the platform devices, `run --on`, and what the record says of them.

use super::desktop::need;
use super::support::*;

/// The record of the episode whose folder is `contestant/task`.
fn events(run: &std::path::Path, episode: &str) -> Vec<Value> {
    super::support::events(&run.join("episodes").join(episode).join("r0"))
}

#[test]
fn agents_carry_facts_from_screen_to_screen_and_every_screen_is_judged() {
    need(&["mousepad"]);
    let dir = tempdir();
    let args = "eval l4-devices --agent reference --agent appagent --agent planner --agent noop --model reference \
        --task note-to-file --task code-to-page --out r --json";
    let table = waldo(&dir, args).json();
    let sr = |name: &str| row(&table, name)["sr"].as_f64().unwrap();
    for (name, want) in
        [("reference", 1.0), ("appagent+reference", 1.0), ("planner+reference", 1.0), ("noop", 0.0)]
    {
        assert_eq!(sr(name), want, "{name}: {table}");
    }
    let run = dir.join("r");
    let all = events(&run, "reference/code-to-page");
    let front = |event: &Value| {
        let screens = event["context"]["screens"].as_array()?;
        let front = screens.iter().find(|screen| screen["front"] == true)?;
        Some(front["name"].as_str()?.to_owned())
    };
    let fronts: Vec<String> = all.iter().filter_map(front).collect();
    assert_eq!(fronts.first().map(String::as_str), Some("browser"), "{fronts:?}");
    assert!(["phone", "desk"].iter().all(|name| fronts.iter().any(|front| front == name)), "{fronts:?}");
    // The message came in the middle, and the phone was told to have changed before anybody looked there.
    let happened = all.iter().position(|event| event["event"] == "happened").expect("an event of the task");
    assert!(all[happened]["what"].as_str().unwrap().starts_with("phone: run "), "{}", all[happened]);
    let manifest = json_in(run.join("manifest.json"));
    assert_eq!(manifest["device"]["platform"], "devices");
    assert!(manifest["tasks"][0]["screens"].as_array().unwrap().len() >= 2, "{}", manifest["tasks"][0]);
    // It can be played again, on screens of the same kinds.
    waldo(&dir, "replay r reference/note-to-file/r0").ok().prints("1.00");
}

#[test]
fn a_goal_by_hand_is_pursued_on_the_screens_that_are_named() {
    need(&["mousepad"]);
    let dir = tempdir();
    let args = "run --on phone=simphone --on desk=desktop --start desk=mousepad --start phone=com.android.settings \
        --agent noop --max-steps 2 --out r look";
    waldo(&dir, args).ok();
    let seen = events(&dir.join("r"), "noop/by-hand");
    let first = seen.iter().find(|event| event["event"] == "observed").unwrap();
    let screens = first["context"]["screens"].as_array().unwrap();
    assert_eq!(screens.iter().map(|s| s["name"].as_str().unwrap()).collect::<Vec<_>>(), ["phone", "desk"]);
    assert!(screens[1]["showing"].as_str().unwrap().contains("Mousepad"), "{screens:?}");

    for (args, why) in [
        ("run --on phone=simphone --agent noop x", "at least two"),
        (
            "run --on phone=simphone --on b=web --start phone=com.android.settings --agent noop x",
            "needs a page",
        ),
        ("run --on phone=simphone --on b=web --start c=x --agent noop x", "no screen 'c'"),
        ("run --on phone=telephone --on b=web --agent noop x", "names no device"),
        ("eval l4-devices --on watch=web --agent noop", "no task has a screen 'watch'"),
        ("eval l3-web --on phone=simphone --agent noop", "--device names it"),
        ("eval l4-devices --device web --agent noop", "on several screens"),
        ("explore --suite l4-devices --task note-to-file --model reference", "on several screens"),
    ] {
        waldo(&dir, args).fails().warns(why);
    }
}

/// The stand-in that types only what its prompt holds, with and without what carries facts from turn to turn.
#[test]
fn a_fact_that_nothing_carries_is_lost() {
    let dir = tempdir();
    let contestant = |name: &str, agent: &str, own: &str| {
        format!("[contestant.{name}]\nagent = \"{agent}\"\nmodel = \"note-taker\"\n{own}\n")
    };
    let all = [
        contestant("planner", "planner", ""),
        contestant("planner-without", "planner", "no-memory = true"),
        contestant("appagent", "appagent", ""),
        contestant("appagent-without", "appagent", "no-summary = true"),
    ];
    write(dir.join("waldo.toml"), all.concat());
    need(&["mousepad"]);
    let names = ["planner", "planner-without", "appagent", "appagent-without"];
    let rows: String = names.iter().map(|name| format!(" --contestant {name}")).collect();
    let args = format!("eval l4-devices --task file-to-contact --out r --json{rows}");
    let got = waldo(&dir, &args).json();
    let sr = |name: &str| row(&got, name)["sr"].as_f64().unwrap();
    assert_eq!(names.map(sr), [1.0, 0.0, 1.0, 0.0], "{got}");
    text_in(dir.join("r/manifest.json")).says("\"memory\": false").says("\"summary\": false");
    let got = waldo(&dir, "compare r --base planner --contestant planner-without --json").json();
    assert_eq!(got["pairs"][0]["flips"][0]["task"], "file-to-contact", "{got}");
}

/// Documentation of an app: of each key what a tap does.
fn documented(docs: &std::path::Path, app: &str, taps: &[(&str, &str)]) {
    let elements = docs.join(app).join("elements");
    write(docs.join(app).join("app.json"), json!({ "format": 1, "app": app }).to_string());
    for (n, (key, tap)) in taps.iter().enumerate() {
        let element = json!({ "key": key, "layers": { "auto": { "tap": tap } } });
        write(elements.join(format!("e{n}.json")), element.to_string());
    }
}

#[test]
fn each_screen_has_the_documentation_of_the_app_in_front_of_it() {
    const FIELD: &str = "android.widget.LinearLayout_1080_143_com.android.settings.id_search_src_text_0";
    const MENU: &str = "mousepad/frame/menu=File";
    need(&["mousepad"]);
    let dir = tempdir();
    // Both say something of both, so that only the app in front can tell which counts.
    let docs = dir.join("docs");
    let phone = [(FIELD, "Searches the settings."), (MENU, "Is wrong, of a phone.")];
    documented(&docs, "com.android.settings", &phone);
    documented(&docs, "mousepad", &[(FIELD, "Is wrong, of a desktop."), (MENU, "Opens and saves.")]);
    let play = |out: &str, more: &str| {
        let model =
            Server::start(|n, _| Answer::acts(if n == 0 { "switch_screen(\"desk\")" } else { "FINISH" }));
        let agent = format!("--agent appagent --model m --base-url {} --docs docs", model.url("/v1"));
        let screens =
            "--on phone=simphone --on desk=desktop --start desk=mousepad --start phone=com.android.settings";
        waldo(&dir, &format!("run {screens} --out {out} {agent} {more} 'look at both'")).ok();
        model.requests().into_iter().map(|asked| asked.body).collect::<Vec<_>>()
    };
    let asked = play("a", "");
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert!(asked[0].contains("Searches the settings."), "{asked:?}");
    assert!(asked[1].contains("Opens and saves."), "{asked:?}");
    assert!(asked.iter().all(|body| !body.contains("Is wrong")), "{asked:?}");
    // Who names a screen's app gets that one.
    let asked = play("b", "--docs-app desk=com.android.settings");
    assert!(asked[0].contains("Searches the settings."), "{asked:?}");
    asked[1].clone().says("Is wrong, of a phone.").lacks("Opens and saves.");
    let args =
        "eval l3-android --agent appagent --model reference --dry-run --docs docs --docs-app desk=nosuch";
    waldo(&dir, args).fails().warns("holds no documentation of 'nosuch'");
}
