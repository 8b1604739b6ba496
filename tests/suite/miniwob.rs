//! The suite miniwob on pages of our own that keep the contract of the package's: the wheel is not here.

use super::support::*;

/// What the runner uses of the package's `core/core.js`, in the least words.
const CORE: &str = include_str!("miniwob.js");

fn page(area: &str, problem: &str) -> String {
    format!(
        "<!doctype html><meta charset=utf-8><title>t</title><script src=\"../core/core.js\"></script>
         <body><div id=query></div><div id=area>{area}</div>
         <div id=cover onclick=\"core.startEpisodeReal()\">START</div>
         <script>const $ = (id) => document.getElementById(id);
         var genProblem = () => {{ {problem} }};</script>"
    )
}

/// The pages; more than the ones that a test names are no harm.
fn write_pages(html: &Path) {
    let press = page(
        "<button id=yes>x</button><button id=no>x</button>",
        "const names = ['Apple', 'Pear', 'Plum', 'Fig', 'Quince'].sort(() => Math.random() - 0.5);
         $('yes').textContent = names[0]; $('no').textContent = names[1];
         $('query').textContent = 'Press ' + names[0];
         $('yes').onclick = () => core.endEpisode(0.25, 'right'); $('no').onclick = () => core.endEpisode(-1);",
    );
    let type_it = page(
        "<input id=field><button id=go>Submit</button>",
        "const word = ['red', 'green', 'blue'][Math.floor(Math.random() * 3)];
         $('query').textContent = 'Enter \"' + word + '\" and submit';
         $('go').onclick = () => core.endEpisode($('field').value === word ? 1 : -1);",
    );
    // The goal is a frame's business, which takes a while to be ready.
    let slow = page(
        "<button id=b>Go</button>",
        "WOB_TASK_READY = false; $('query').textContent = 'wrong';
         setTimeout(() => { $('query').textContent = 'Press Go'; WOB_TASK_READY = true; }, 150);
         $('b').onclick = () => core.endEpisode(1);",
    );
    let object = page(
        "",
        "$('query').textContent = '-'; core.getUtterance = () => ({ utterance: 'Do it', fields: {} });",
    );
    // Done without a reward; a press that comes late hits the cover, and then what would be right.
    let again = page(
        "<button id=b>Again</button>",
        "$('query').textContent = 'Press again';
         $('b').onclick = () => { core.endEpisode(0); $('cover').click(); core.endEpisode(1); };",
    );
    let reload = page(
        "<button id=b>Reload</button>",
        "$('query').textContent = 'Press reload'; $('b').onclick = () => location.reload();",
    );
    for (name, text) in [
        ("press", press),
        ("type-it", type_it),
        ("slow", slow),
        ("object", object),
        ("again", again),
        ("reload", reload),
        ("no-core", "<!doctype html><title>t</title><p>nothing".to_owned()),
        ("no-goal", page("", "")),
        ("broken", page("", "throw new Error('no such picture');")),
        ("never-ready", page("", "WOB_TASK_READY = false; $('query').textContent = 'Wait';")),
    ] {
        write(html.join(format!("miniwob/{name}.html")), text);
    }
    write(html.join("core/core.js"), CORE);
}

fn package() -> Dir {
    let dir = tempdir();
    write_pages(&dir.join("pkg/miniwob/html"));
    dir
}

fn eval(dir: &Path, out: &str, more: &str) -> Ended {
    waldo(dir, &format!("eval miniwob --miniwob-dir pkg --out {out} --no-report --json {more}")).run()
}

/// The result of an episode, its goal, and the seed that its page got.
fn episode(dir: &Path, run: &str, agent: &str, task: &str, repeat: u32) -> (Value, String, u64) {
    let folder = dir.join(run).join("episodes").join(agent).join(task).join(format!("r{repeat}"));
    let result = json_in(folder.join("result.json"));
    let events = std::fs::read_to_string(folder.join("events.jsonl")).unwrap_or_default();
    let started: Value =
        events.lines().next().map(|line| serde_json::from_str(line).unwrap()).unwrap_or_default();
    let goal = started["goal"].as_str().unwrap_or_default().to_owned();
    (result, goal, started["params"]["page_seed"].as_u64().unwrap_or_default())
}

#[test]
fn pages_give_goal_and_reward_and_the_same_seed_gives_the_same_instance() {
    let dir = package();
    let tasks = "--task press --task type-it --task slow --task object";
    let args = format!("--agent baseline --agent noop --repeats 3 --workers 3 --max-steps 4 {tasks}");
    let got = eval(&dir, "r1", &args).expect_code(0).json();
    eval(&dir, "r2", &args).expect_code(0);
    assert_eq!(got["table"][0]["sr"], 0.75, "all but the page that cannot be won: {got}");
    assert_eq!(got["table"][1]["sr"], 0.0, "{got}");
    let mut goals = std::collections::BTreeSet::new();
    for task in ["press", "type-it"] {
        for repeat in 0..3 {
            let (result, goal, seed) = episode(&dir, "r1", "baseline", task, repeat);
            assert_eq!(result["outcome"], "ended_by_page", "{result}");
            assert_eq!(seed, result["seed"].as_u64().unwrap() & 0xffff_ffff);
            for (run, agent) in [("r2", "baseline"), ("r1", "noop")] {
                let (_, again, same) = episode(&dir, run, agent, task, repeat);
                assert_eq!((&again, same), (&goal, seed), "{task} r{repeat}");
            }
            goals.insert(goal);
        }
    }
    assert!(goals.len() > 2, "repeats are other instances: {goals:?}");
    let (press, ..) = episode(&dir, "r1", "baseline", "press", 0);
    assert_eq!(press["checks"][0]["found"], "raw reward 0.25 right");
    assert_eq!(episode(&dir, "r1", "noop", "slow", 0).1, "Press Go");
    let (object, goal, _) = episode(&dir, "r1", "noop", "object", 0);
    assert_eq!((goal.as_str(), object["outcome"].as_str()), ("Do it", Some("finished")));
    assert_eq!(object["checks"][0]["found"], "the page did not end the episode");
}

#[test]
fn the_page_timer_is_off_unless_asked_for() {
    let dir = package();
    // The pages' own limit is 0.4 s. Each wait of noop ends with a settled screen, so steps take time.
    let args = "--agent noop --task type-it";
    eval(&dir, "off", &format!("{args} --max-steps 12")).expect_code(0);
    let (off, ..) = episode(&dir, "off", "noop", "type-it", 0);
    has(&off, json!({ "outcome": "finished", "steps": 12 }));
    for timer in ["page", "200"] {
        let more = format!("{args} --max-steps 1000 --miniwob-timer {timer}");
        eval(&dir, timer, &more).expect_code(0);
        let (result, ..) = episode(&dir, timer, "noop", "type-it", 0);
        assert_eq!(result["outcome"], "ended_by_page", "{timer}: {result}");
        assert_eq!(result["checks"][0]["found"], "raw reward -1 timed out", "{timer}");
    }
    eval(&dir, "x", &format!("{args} --miniwob-timer soon")).expect_code(2).warns("off, page");
}

#[test]
fn pages_that_do_not_start_are_invalid_and_say_why() {
    let dir = package();
    let pages = [
        ("no-core", "the page has no MiniWoB core"),
        ("no-goal", "it gave no utterance"),
        ("broken", "no such picture"),
        ("never-ready", "the task was not ready after 8 s"),
    ];
    let tasks: String = pages.iter().map(|(task, _)| format!(" --task {task}")).collect();
    let got = eval(&dir, "r", &format!("--agent noop --attempts 1 --workers 4{tasks}")).expect_code(3).json();
    has(&got["table"][0], json!({ "invalid": 4, "n": 0 }));
    for (task, reason) in pages {
        let (result, ..) = episode(&dir, "r", "noop", task, 0);
        assert_eq!(result["outcome"], "invalid");
        result["reason"].as_str().unwrap().says(reason).says(format!("miniwob/{task}.html"));
    }
}

#[test]
fn an_episode_is_one_instance() {
    let dir = package();
    let args = "--agent baseline --task again --task reload --max-steps 6";
    eval(&dir, "r", args).expect_code(0);
    let (again, ..) = episode(&dir, "r", "baseline", "again", 0);
    has(&again, json!({ "success": 0.0, "outcome": "ended_by_page" }));
    has(&again, json!({ "steps": 1, "checks/0/found": "raw reward 0" }));
    let (reload, ..) = episode(&dir, "r", "baseline", "reload", 0);
    let found = "the page was loaded again, which ends the episode";
    has(&reload, json!({ "success": 0.0, "steps": 1, "checks/0/found": found }));
}

#[test]
fn pages_are_listed_and_a_folder_without_them_is_refused() {
    let dir = package();
    let flight = dir.join("pkg/miniwob/html/flight/Air");
    for frame in ["wrapper.html", "index.html"] {
        write(flight.join(frame), "<script src=\"../../core/core.js\"></script>");
    }
    write(dir.join("pkg/miniwob/html/miniwob/inner/part.html"), "");
    let list = waldo(&dir, "tasks miniwob --miniwob-dir pkg --json").json();
    let names: Vec<&str> = list.as_array().unwrap().iter().map(|t| t["id"].as_str().unwrap()).collect();
    assert!(names.len() == 11 && names.is_sorted() && names.contains(&"flight.Air"), "{names:?}");
    waldo(&dir, "tasks miniwob --miniwob-dir pkg/miniwob/html").ok().prints("(11 tasks").prints("  type-it ");
    for command in ["eval miniwob --agent noop", "tasks miniwob"] {
        waldo(&dir, command).exits(4).warns("--miniwob-dir").warns("scripts/miniwob");
        let bad = waldo(&dir, &format!("{command} --miniwob-dir nowhere"));
        bad.exits(4).warns("nowhere").warns("scripts/miniwob");
    }
    // No folder of a package may lead out of it.
    for part in ["miniwob", "core", "flight"] {
        let (at, kept) = (dir.join("pkg/miniwob/html").join(part), dir.join("kept"));
        std::fs::rename(&at, &kept).unwrap();
        std::os::unix::fs::symlink(&kept, &at).unwrap();
        waldo(&dir, "tasks miniwob --miniwob-dir pkg").exits(4).warns("is a link");
        std::fs::remove_file(&at).unwrap();
        std::fs::rename(&kept, &at).unwrap();
    }
}
