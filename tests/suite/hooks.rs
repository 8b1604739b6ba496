//! Programs of profiles, and the trust that a project's file needs to name one.

use super::native::{HIT, page};
use super::support::*;

/// All stages in a program: no endpoint is asked.
const PROGRAM: &str = include_str!("hooks.py");

fn profile(dir: &Path) {
    waldo(dir, "models new mine --from ui-tars").ok();
    let file = dir.join("mine/profile.toml");
    let data = text_in(&file);
    let stages = "[\"build_prompt\", \"preprocess\", \"generate\", \"postprocess\", \"parse_response\"]";
    write(&file, format!("{data}\n[hook]\nexec = [\"python3\", \"hook.py\"]\nstages = {stages}\n"));
    write(dir.join("mine/hook.py"), PROGRAM);
    waldo(dir, "models check ./mine").ok();
}

#[test]
fn a_program_plays_without_any_endpoint_and_needs_trust_where_a_found_file_names_it() {
    let dir = tempdir();
    suite(&dir, "s", &[("middle", &page(611, 402), HIT)]);
    profile(&dir);
    let base = "eval ./s --agent native --model local --no-report --json --attempts 1 --viewport 1280x800";
    let play = |out: &str, more: &str| {
        waldo(&dir, &format!("{base} --out {out} {more}")).env("A_KEY", "a-secret-of-a-test").run()
    };
    let got = play("r", "--profile ./mine").expect_code(0).json();
    assert_eq!(got["table"][0]["sr"], 1.0, "{got}");
    let decided = events_of(&dir.join("r"), "decided");
    let exchange = &decided[0]["decision"]["exchanges"][0];
    exchange["prompt"].as_str().unwrap().says("TASK Leave middle alone. PREPROCESSED");
    has(exchange, json!({ "usage/prompt": 7, "reply": "raw press" }));
    // What it printed is in the record of that exchange, or of the next where it came late.
    let printed = |event: &Value| event["decision"]["exchanges"].to_string().contains("at generate");
    assert!(decided.iter().any(printed), "{exchange}");
    assert_eq!(decided[0]["decision"]["thought"], "I see it.");

    // Named by a file that was found, it needs a person's trust, once.
    write(dir.join("waldo.toml"), "[native]\nprofile = \"./mine\"\n");
    play("q", "").expect_code(4).stderr.says("waldo config trust").says("hook.py");
    waldo(&dir, "config trust").ok().prints("native.profile = ./mine runs");
    all_solved(&play("q", "").expect_code(0).json());
    // It covers the bytes of what runs: another program in the same place is another trust, and the first one is the first.
    let program = dir.join("mine/hook.py");
    write(&program, format!("{PROGRAM}# and more\n"));
    play("p", "").expect_code(4).stderr.says("waldo config trust");
    write(&program, PROGRAM);
    all_solved(&play("p", "").expect_code(0).json());
    // However its folder is named.
    for named in ["mine", "mine/", "../mine"] {
        let inner = dir.join("inner");
        folder(&inner);
        let home = if named == "../mine" { inner } else { dir.to_owned() };
        let text = format!(
            "[native]\nprofile = \"{named}\"\n[contestant.x]\nagent = \"native\"\nprofile = \"{named}\"\n"
        );
        write(home.join("waldo.toml"), text);
        waldo(&home, "config show").exits(4).warns("native.profile").warns("contestant.x.profile");
    }
    write(dir.join("mine/waldo.toml"), "[native]\nprofile = \".\"\n");
    waldo(&dir.join("mine"), "config show").exits(4);
    write(dir.join("mine/deep/waldo.toml"), "[native]\nprofile = \"..\"\n");
    waldo(&dir.join("mine/deep"), "config show").exits(4);
    std::fs::remove_file(dir.join("mine/waldo.toml")).unwrap();
    std::fs::remove_dir_all(dir.join("mine/deep")).unwrap();
    write(dir.join("waldo.toml"), "[native]\nprofile = \"./mine\"\n");
    // Another command is another trust.
    let file = dir.join("mine/profile.toml");
    let data = text_in(&file);
    write(&file, data.replace("hook.py", "other.py"));
    play("q", "").expect_code(4).warns("other.py");
}

#[test]
fn addresses_and_keys_of_a_found_file_need_trust_but_those_of_this_machine() {
    let dir = tempdir();
    let show = |text: &str, named: bool| {
        write(dir.join("waldo.toml"), text);
        let waldo = waldo(&dir, "config show");
        if named { waldo.env("WALDO_CONFIG", "waldo.toml").run() } else { waldo.run() }
    };
    for (text, field) in [
        ("[model]\nbase-url = \"https://u:hunter22@models.example.org/v1\"\n", "model.base-url"),
        ("[model]\napi-key-env = \"SOME_KEY\"\n", "model.api-key-env = SOME_KEY"),
        ("[planner]\ngrounder-base-url = \"http://10.0.0.1/v1\"\n", "planner.grounder-base-url"),
        ("[planner]\ngrounder = \"http=http://10.0.0.1/g\"\n", "planner.grounder"),
        ("[browser]\nbrowser = \"./a-program\"\n", "browser.browser = ./a-program"),
        ("[browser]\ncdp = \"ws://10.0.0.1:9222\"\n", "browser.cdp"),
        ("[browser]\ncdp = \"ws://127.0.0.1:9222/devtools/browser/1\"\n", "browser.cdp"),
        (
            "[model.extra-body]\ntools = [{ type = \"mcp\", server_url = \"https://elsewhere.invalid\" }]\n",
            "model.extra-body",
        ),
        ("[contestant.a]\nagent = \"appagent\"\nextra-body = { n = 2 }\n", "contestant.a.extra-body"),
        (
            "[device]\ndevice = \"bridge:https://elsewhere.invalid\"\n[guard]\nallow = [\"*\"]\n",
            "device.device",
        ),
        ("[device]\ndevice = \"tcp:10.0.0.1:5555\"\n", "device.device"),
        ("[device]\ndevice = \"phone=simphone,desk=vnc://10.0.0.1:5900\"\n", "device.device"),
        ("[guard]\nallow = [\"*\"]\n", "guard.allow = *"),
        ("[guard]\ndeny = []\n", "guard.deny = nothing"),
        ("[guard]\nask = []\n", "guard.ask = nothing"),
        (
            "[contestant.a]\nagent = \"appagent\"\nbase-url = \"http://10.0.0.1/v1\"\n",
            "contestant.a.base-url",
        ),
    ] {
        show(text, false).expect_code(4).stderr.says(field).says("waldo config trust").lacks("hunter22");
        show(text, true).expect_code(0);
    }
    let local = "[model]\nbase-url = \"http://127.0.0.1:8000/v1\"\napi-key-env = \"SOME_KEY\"\nmodel = \"m\"\n\
                 extra-body = { top_p = 0.5 }\n\
                 [planner]\ngrounder = \"model=x\"\n[native]\nprofile = \"ui-tars\"\n\
                 [device]\ndevice = \"simphone\"\n[guard]\ndeny = [\"shell\"]\n";
    show(local, false).expect_code(0);
    let text = "[model]\nbase-url = \"https://models.example.org/v1\"\n";
    show(text, false).expect_code(4);
    let told = waldo(&dir, "config trust --json").json();
    assert_eq!(told["trusted"][0], "model.base-url = https://models.example.org/v1");
    show(&format!("{text}model = \"m\"\n"), false).expect_code(0);
    show(&text.replace("models", "other"), false).expect_code(4);
}
