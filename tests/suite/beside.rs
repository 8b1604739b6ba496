//! What a task has beside its screen (a person who answers, tools to call), and partial credit.

use super::support::*;

const PAGE: &str = "<title>Page</title><button onclick=\"document.title='Done'\">Go</button>";
const CHECK: &str = "[[check]]\nkind = \"js\"\nexpr = \"document.title\"\nequals = \"Done\"\n";
const NEVER: &str = "[[check]]\nkind = \"js\"\nexpr = \"document.body.id\"\nequals = \"never\"\n";

/// A model that says these one after the other.
fn model(actions: &[&str]) -> Server {
    let replies: Vec<String> = actions.iter().map(|action| action.to_string()).collect();
    Server::start(move |n, _| Answer::acts(&replies[n.min(replies.len() - 1)]))
}

/// What a model was asked for each step, its marks of quotation bare.
fn prompts(model: &Server) -> Vec<String> {
    let all = model.requests().into_iter();
    all.map(|request| request.body.replace("\\\\", "").replace("\\\"", "\"")).collect()
}

fn result(run: &Path, of: &str) -> Value {
    json_in(run.join("episodes").join(of).join("r0/result.json"))
}

/// Plays the one task of `./s` by AppAgent, with a model that says these; its run and the model.
fn played(dir: &Path, suite: &str, actions: &[&str]) -> (Value, Value, Server) {
    let model = model(actions);
    let contestant = format!("--agent appagent --model m --base-url {}", model.url("/v1"));
    let args = format!("eval {suite} {contestant} --json --out run --attempts 1 --max-steps 8");
    let said = waldo(dir, &args).run().json();
    (said, result(&dir.join("run"), "appagent+m/t"), model)
}

#[test]
fn the_references_of_the_suite_ask_and_call_and_doing_nothing_earns_nothing() {
    let dir = tempdir();
    let tasks = "--task which-of-two --task room-and-code --task evening-plan";
    let args = format!("eval l4-assist --agent reference --agent noop --workers 2 --out run {tasks}");
    waldo(&dir, &args)
        .ok()
        .prints("partial credit of tasks with checkpoints, reference: 100.0 %")
        .prints("questions to the tasks' persons, reference: 2");
    let run = dir.join("run");
    let (reference, noop) = (result(&run, "reference/room-and-code"), result(&run, "noop/room-and-code"));
    has(&reference, json!({ "success": 1.0, "partial": 1.0 }));
    has(&noop, json!({ "success": 0.0, "partial": 0.0 }));
    // What a server keeps is a part of the whole state.
    let changes = reference["changes"].as_array().unwrap();
    assert!(changes.iter().any(|one| one["store"] == "tools" && one["after"] == "booked"), "{reference}");
    assert_eq!(result(&run, "reference/which-of-two")["questions"], 1);
    let acted = events_of(&run.join("episodes/reference/which-of-two"), "acted");
    let asked = acted.iter().find(|event| event["action"]["do"] == "ask_user").unwrap();
    asked["report"]["evidence"].to_string().says("I mean ");
    let csv = text_in(run.join("results.csv"));
    assert!(csv.lines().next().unwrap().ends_with(",partial,questions"), "{csv}");
    assert!(csv.contains("room-and-code") && csv.lines().any(|line| line.ends_with(",1,0")), "{csv}");
}

#[test]
fn partial_credit_is_told_apart_and_makes_no_success() {
    let dir = tempdir();
    let checks = format!("{CHECK}points = 3\n{NEVER}checkpoint = \"the rest\"\n{CHECK}");
    suite(&dir, "s", &[("t", PAGE, &checks)]);
    let (said, result, _) = played(&dir, "./s", &["tap(1)", "FINISH"]);
    has(&result, json!({ "success": 0.0, "partial": 0.75 }));
    assert!(result["checks"][1]["what"].as_str().unwrap().starts_with("the rest: "), "{result}");
    has(&said["table"][0], json!({ "sr": 0.0, "partial": 0.75 }));
    let bad = format!("{CHECK}points = 0\n");
    suite(&dir, "bad", &[("t", PAGE, &bad)]);
    waldo(&dir, "tasks ./bad").exits(4).warns("points: is a number above 0");
}

#[test]
fn a_person_of_a_model_answers_from_a_brief_that_the_agent_never_sees() {
    let dir = tempdir();
    let user = "[user]\nquestions = 1\nmodel = \"anna\"\nbrief = \"You like violet best.\"\n";
    suite(&dir, "s", &[("t", PAGE, &format!("{user}{CHECK}"))]);
    // Without the model the task is left out, and says why.
    let ended = waldo(&dir, &["eval", "./s", "--agent", "noop"]).run();
    assert!(ended.code != 0 && ended.stderr.contains("[contestant.anna]"), "{}", ended.stderr);
    let anna = Server::start(|_, _| Answer::chat("Violet, please."));
    let config = format!("[contestant.anna]\nmodel = \"a\"\nbase-url = \"{}\"\n", anna.url("/v1"));
    write(dir.join("waldo.toml"), config);
    waldo(&dir, &["config", "trust"]).run();
    let actions = ["ask_user(\"Which colour?\")", "ask_user(\"And which size?\")", "tap(1)", "FINISH"];
    let (said, result, model) = played(&dir, "./s", &actions);
    has(&result, json!({ "success": 1.0, "questions": 1 }));
    assert_eq!(said["table"][0]["questions"], 1, "{said}");
    let put = anna.requests().last().unwrap().body.clone();
    assert!(put.contains("You like violet best.") && put.contains("Which colour?"), "{put}");
    let all = prompts(&model);
    let offers =
        all[0].contains("answers up to 1 question (ask_user)") && all[0].contains("ask_user(\"question\")");
    assert!(offers, "{}", all[0]);
    assert!(all[1].contains("the person who set the task tells you: Violet, please."), "{}", all[1]);
    assert!(all[2].contains("could not be carried out"), "{}", all[2]);
    assert!(all.iter().all(|prompt| !prompt.contains("You like violet best.")));
    let told = events_of(&dir.join("run"), "happened");
    told[0]["what"].as_str().unwrap().says("played by the model a");
}

/// A server of one tool that says `said`, or what else this code does with a line.
fn tool(code: &str) -> String {
    let script = format!(
        "import sys, json\nfor line in sys.stdin:\n    m = json.loads(line)\n    say = lambda r: print(json.dumps(dict(jsonrpc='2.0', id=m['id'], result=r)), flush=True)\n    if m['method'] == 'initialize': say(dict(protocolVersion='2025-06-18', capabilities={{}}, serverInfo=dict(name='t', version='1')))\n    if m['method'] == 'tools/list': say(dict(tools=[dict(name='look_up', description='Looks up.', inputSchema=dict(type='object'))]))\n    if m['method'] == 'tools/call':\n        {code}\n"
    );
    format!("[[tool]]\nrun = [\"python3\", \"-c\", '''{script}''']\n")
}

#[test]
fn a_tool_runs_in_a_sandbox_answers_in_untrusted_text_and_its_end_is_no_failure_of_the_agent() {
    let dir = tempdir();
    let said = format!(
        "import os; say(dict(content=[dict(type='text', text='it is ' + m['params']['arguments']['name'] + '; ' + str(sorted(os.environ)) + str(os.path.exists('{}')))]))",
        dir.display()
    );
    suite(&dir, "s", &[("t", PAGE, &format!("{}{CHECK}", tool(&said)))]);
    let call = "call_tool(\"look_up\", \"{\\\"name\\\": \\\"Ada\\\"}\")";
    let actions = [call, "call_tool(\"other\")", "call_tool(\"look_up\", \"no object\")", "tap(1)", "FINISH"];
    let (_, result, model) = played(&dir, "./s", &actions);
    has(&result, json!({ "success": 1.0 }));
    let all = prompts(&model);
    let (first, second) = (&all[0], &all[1]);
    assert!(first.contains("- look_up: Looks up. {\"type\":\"object\"}"), "{first}");
    let (_, block) = second.split_once("<screen-text untrusted>").unwrap();
    block.says("by your last action: \"it is Ada; ['HOME', 'LANG', 'PATH', 'PWD', 'TZ']False");
    let run = dir.join("run");
    events_of(&run, "acted")[1]["note"].to_string().says("the task offers look_up");
    let unread = |event: &Value| event.to_string().contains("must be a JSON object");
    assert!(events_of(&run, "decided").iter().any(unread));
    for (code, why) in [("sys.exit('broken')", "broken"), ("print('{', flush=True)", "its line is not JSON")]
    {
        suite(&dir, "bad", &[("t", PAGE, &format!("{}{CHECK}", tool(code)))]);
        std::fs::remove_dir_all(dir.join("run")).unwrap();
        let (_, result, _) = played(&dir, "./bad", &[call, "FINISH"]);
        let reason = result["reason"].as_str().unwrap_or_default();
        assert!(result["outcome"] == "invalid" && reason.contains(why), "{result}");
    }
}

/// A picture of one pixel.
const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4//8/AAX+Av4N70a4AAAAAElFTkSuQmCC";

#[test]
fn an_environment_behind_the_bridge_brings_its_person_its_tools_and_its_checkpoints() {
    let dir = tempdir();
    let environment = Server::start(|_, request| {
        let said = match request.path.trim_start_matches('/') {
            "hello" => json!({ "protocol": 1, "name": "e", "platform": "web", "screen": [1, 1],
                "tasks": [{ "id": "t" }] }),
            "reset" => json!({ "session": "s", "goal": "g", "questions": 2,
                "tools": [{ "name": "look_up", "description": "Looks up.", "schema": { "type": "object" } }] }),
            "observe" => json!({ "picture": PIXEL }),
            "act" if request.body.contains("call_tool") => {
                assert!(request.body.contains("\"arguments\":{\"name\":\"Ada\"}"), "{}", request.body);
                json!({ "effect": "confirmed", "evidence": "her number is 7" })
            }
            "act" => json!({ "effect": "confirmed", "evidence": "I mean Ada" }),
            "judge" => json!({ "success": 0.0, "checkpoints": [
                { "name": "asked", "passed": true, "weight": 1 }, { "name": "done", "passed": false, "weight": 3 }] }),
            _ => json!({}),
        };
        Answer::json(&said)
    });
    let suite = format!("bridge:{}", environment.url(""));
    let actions = ["ask_user(\"Who?\")", "call_tool(\"look_up\", \"{\\\"name\\\": \\\"Ada\\\"}\")", "FINISH"];
    let (_, result, model) = played(&dir, &suite, &actions);
    has(&result, json!({ "success": 0.0, "partial": 0.25, "questions": 1 }));
    let all = prompts(&model);
    assert!(all[0].contains("- look_up: Looks up."), "{}", all[0]);
    assert!(all[1].contains("tells you: I mean Ada"), "{}", all[1]);
    assert!(all[2].contains("by your last action: \"her number is 7\""), "{}", all[2]);
}

/// A Python program of this repository that prints its address, with a folder of its modules.
struct Adaptor {
    _child: Ends,
    address: String,
}

impl Adaptor {
    fn start(program: &[&str], modules: &str) -> Self {
        let mut python = Command::new("python3");
        python.args(program).current_dir(env!("CARGO_MANIFEST_DIR")).env("PYTHONPATH", modules);
        let mut child = python.env("PYTHONDONTWRITEBYTECODE", "1").stdout(Stdio::piped()).spawn().unwrap();
        let address = first_line(&mut child).trim().to_owned();
        Self { _child: Ends(child), address }
    }
}

#[test]
fn osworlds_own_environment_is_served_as_far_as_a_stand_in_for_its_package_goes() {
    let dir = tempdir();
    let tasks = dir.join("examples/chrome");
    folder(&tasks);
    for (id, goal, wanted) in [
        ("one", "press Save", json!(["Save"])),
        ("both", "press Save", json!(["Save", "Discard"])),
        ("none", "press nothing", json!(null)),
    ] {
        let task = json!({ "id": id, "instruction": goal, "config": [], "evaluator": { "wanted": wanted } });
        write(tasks.join(format!("{id}.json")), task.to_string());
    }
    let examples = dir.to_str().unwrap();
    let served = Adaptor::start(
        &["scripts/bridge-osworld", examples, "--port", "0", "--screen", "320x200", "--pause", "0"],
        "tests/suite/desktop_env",
    );
    let address = served.address.as_str();
    let said = waldo(&dir, &["bridge", "check", address, "--json"]).run().expect_code(0).json();
    assert_eq!((&said["kept"], &said["tasks"]), (&json!(true), &json!(3)), "{said}");
    let args =
        format!("eval bridge:desktop:{address} --agent baseline --agent refuser --max-steps 4 --out run");
    waldo(&dir, &args).ok();
    let run = dir.join("run");
    for (of, success, partial) in [
        ("baseline/one", 1.0, 1.0),
        ("baseline/both", 0.5, 0.5),
        ("refuser/none", 1.0, 1.0),
        ("refuser/one", 0.0, 0.0),
    ] {
        has(&result(&run, of), json!({ "success": success, "partial": partial }));
    }
}

const MOBILEWORLD: &str = "tests/suite/mobile_world";

/// The adaptor of MobileWorld over a stand-in for its checkout and for its containers.
fn mobileworld(servers: &[&str], more: &[&str]) -> Adaptor {
    let servers: Vec<&str> = servers.iter().flat_map(|server| ["--server", server]).collect();
    let program =
        ["scripts/bridge-mobileworld", "--mobileworld-dir", MOBILEWORLD, "--port", "0", "--pause", "0"];
    Adaptor::start(&[&program[..], &servers, more].concat(), "")
}

#[test]
fn mobileworlds_containers_are_played_as_far_as_a_stand_in_for_their_server_goes() {
    let dir = tempdir();
    let container = format!("{MOBILEWORLD}/container.py");
    let phones = [Adaptor::start(&[&container], ""), Adaptor::start(&[&container], "")];
    let served = mobileworld(&[&phones[0].address, &phones[1].address], &[]);
    let said = waldo(&dir, &["bridge", "check", &served.address, "--json"]).run().expect_code(0).json();
    assert_eq!((&said["kept"], &said["tasks"]), (&json!(true), &json!(5)), "{said}");
    let suite = format!("bridge:android:{}", served.address);
    waldo(&dir, &["tasks", &suite]).ok().prints("agent-user-interaction").prints("gui-only");
    let args =
        ["eval", &suite, "--agent", "baseline", "--agent", "noop", "--max-steps", "4", "--workers", "2"];
    let tasks = ["--task", "PressSaveTask", "--task", "PressBothTask", "--out", "run"];
    waldo(&dir, &[&args[..], &tasks].concat()).ok();
    let run = dir.join("run");
    for (of, success, partial) in [
        ("baseline/PressSaveTask", 1.0, 1.0),
        ("baseline/PressBothTask", 0.0, 0.5),
        ("noop/PressSaveTask", 0.0, 0.0),
    ] {
        has(&result(&run, of), json!({ "success": success, "partial": partial }));
    }
    for (task, actions, questions, told) in [
        (
            "WriteAskUserTask",
            &["ask_user(\"Which?\")", "tap(3)", "text(\"Ada\")", "FINISH"][..],
            Some(1),
            "tells you: I mean Ada",
        ),
        (
            "CountMcpTask",
            &["call_tool(\"amap_count\", \"{\\\"of\\\": \\\"it\\\"}\")", "answer(\"42\")"],
            None,
            "\"it: 42\"",
        ),
    ] {
        let model = model(actions);
        let args = ["eval", &suite, "--task", task, "--agent", "appagent", "--model", "m", "--base-url"];
        let more = [&model.url("/v1"), "--attempts", "1", "--max-steps", "8", "--out", task];
        waldo(&dir, &[&args[..], &more].concat()).ok();
        let result = result(&dir.join(task), &format!("appagent+m/{task}"));
        has(&result, json!({ "success": 1.0, "partial": 1.0, "questions": questions }));
        let all = prompts(&model);
        assert!(all[1].contains(told), "{}", all[1]);
        assert!(!all.iter().any(|prompt| prompt.contains("arXiv_search")), "{}", all[0]);
    }
}

#[test]
fn what_is_missing_for_mobileworld_is_told_with_what_mends_it() {
    let dir = tempdir();
    let nobody = dir.join("mcp.json");
    write(&nobody, json!({ "mcpServers": { "nobody": {} } }).to_string());
    let phone = Adaptor::start(&[&format!("{MOBILEWORLD}/container.py")], "");
    for (server, task, why) in [
        (phone.address.as_str(), "LostTask", "has no task LostTask (it has 4): its image and the checkout"),
        (&phone.address, "CountMcpTask", "set DASHSCOPE_API_KEY"),
        ("http://127.0.0.1:1", "PressSaveTask", "start a container (`sudo uv run mw env run`"),
    ] {
        let served = mobileworld(&[server], &["--mcp-config", nobody.to_str().unwrap()]);
        let suite = format!("bridge:android:{}", served.address);
        let args = ["eval", &suite, "--task", task, "--agent", "noop", "--attempts", "1", "--out", task];
        waldo(&dir, &args).run().expect_code(3);
        let result = result(&dir.join(task), &format!("noop/{task}"));
        let reason = result["reason"].as_str().unwrap_or_default();
        assert!(result["outcome"] == "invalid" && reason.contains(why), "{result}");
    }
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/bridge-mobileworld");
    let args = [program, "--list", "--mobileworld-dir", dir.to_str().unwrap()];
    let said = Command::new("python3").args(args).output().unwrap();
    let error = String::from_utf8_lossy(&said.stderr);
    assert!(!said.status.success() && error.contains("give a checkout of https://github.com"), "{error}");
}
