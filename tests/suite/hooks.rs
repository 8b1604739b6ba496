//! Programs of profiles, and the trust that a project's file needs to name one.

use super::native::{HIT, page};
use super::support::*;

/// All stages in a program: no endpoint is asked.
const PROGRAM: &str = include_str!("hooks.py");

fn profile(dir: &Path) {
    waldo(dir, &["models", "new", "mine", "--from", "ui-tars"]).run().expect_code(0);
    let file = dir.join("mine/profile.toml");
    let data = std::fs::read_to_string(&file).unwrap();
    let stages = "[\"build_prompt\", \"preprocess\", \"generate\", \"postprocess\", \"parse_response\"]";
    std::fs::write(&file, format!("{data}\n[hook]\nexec = [\"python3\", \"hook.py\"]\nstages = {stages}\n"))
        .unwrap();
    std::fs::write(dir.join("mine/hook.py"), PROGRAM).unwrap();
    waldo(dir, &["models", "check", "./mine"]).run().expect_code(0);
}

#[test]
fn a_program_plays_without_any_endpoint_and_needs_trust_where_a_found_file_names_it() {
    let dir = tempfile::tempdir().unwrap();
    suite(dir.path(), "s", &[("middle", &page(611, 402), HIT)]);
    profile(dir.path());
    let base =
        ["eval", "./s", "--agent", "native", "--model", "local", "--no-report", "--json", "--attempts", "1"];
    let play = |out: &str, more: &[&str]| {
        let args = [&base[..], more, &["--viewport", "1280x800", "--out", out]].concat();
        waldo(dir.path(), &args).env("A_KEY", "a-secret-of-a-test").run()
    };
    let got = play("r", &["--profile", "./mine"]).expect_code(0).json();
    assert_eq!(got["table"][0]["sr"], 1.0, "{got}");
    let all = events(&dir.path().join("r"));
    let decided = all.iter().find(|event| event["event"] == "decided").unwrap();
    let exchange = &decided["decision"]["exchanges"][0];
    assert!(
        exchange["prompt"].as_str().unwrap().contains("TASK Leave middle alone. PREPROCESSED"),
        "{exchange}"
    );
    assert_eq!((&exchange["usage"]["prompt"], &exchange["reply"]), (&7.into(), &"raw press".into()));
    // What it printed is in the record of that exchange, or of the next where it came late.
    let printed = |event: &Value| event["decision"]["exchanges"].to_string().contains("at generate");
    assert!(all.iter().filter(|event| event["event"] == "decided").any(printed), "{exchange}");
    assert_eq!(decided["decision"]["thought"], "I see it.");

    // Named by a file that was found, it needs a person's trust, once.
    std::fs::write(dir.path().join("waldo.toml"), "[native]\nprofile = \"./mine\"\n").unwrap();
    let refused = play("q", &[]).expect_code(4).stderr;
    assert!(refused.contains("waldo config trust") && refused.contains("hook.py"), "{refused}");
    let trusted = waldo(dir.path(), &["config", "trust"]).run().expect_code(0).stdout;
    assert!(trusted.contains("native.profile = ./mine runs"), "{trusted}");
    assert_eq!(play("q", &[]).expect_code(0).json()["table"][0]["sr"], 1.0);
    // It covers the bytes of what runs: another program in the same place is another trust, and the first one is the first.
    let program = dir.path().join("mine/hook.py");
    std::fs::write(&program, format!("{PROGRAM}# and more\n")).unwrap();
    let refused = play("p", &[]).expect_code(4).stderr;
    assert!(refused.contains("waldo config trust"), "{refused}");
    std::fs::write(&program, PROGRAM).unwrap();
    assert_eq!(play("p", &[]).expect_code(0).json()["table"][0]["sr"], 1.0);
    // However its folder is named.
    for named in ["mine", "mine/", "../mine"] {
        let inner = dir.path().join("inner");
        std::fs::create_dir_all(&inner).unwrap();
        let home = if named == "../mine" { inner } else { dir.path().to_owned() };
        let text = format!(
            "[native]\nprofile = \"{named}\"\n[contestant.x]\nagent = \"native\"\nprofile = \"{named}\"\n"
        );
        std::fs::write(home.join("waldo.toml"), text).unwrap();
        let refused = waldo(&home, &["config", "show"]).run().expect_code(4).stderr;
        assert!(
            refused.contains("native.profile") && refused.contains("contestant.x.profile"),
            "{named}: {refused}"
        );
    }
    std::fs::write(dir.path().join("mine/waldo.toml"), "[native]\nprofile = \".\"\n").unwrap();
    waldo(&dir.path().join("mine"), &["config", "show"]).run().expect_code(4);
    std::fs::create_dir_all(dir.path().join("mine/deep")).unwrap();
    std::fs::write(dir.path().join("mine/deep/waldo.toml"), "[native]\nprofile = \"..\"\n").unwrap();
    waldo(&dir.path().join("mine/deep"), &["config", "show"]).run().expect_code(4);
    std::fs::remove_file(dir.path().join("mine/waldo.toml")).unwrap();
    std::fs::remove_dir_all(dir.path().join("mine/deep")).unwrap();
    std::fs::write(dir.path().join("waldo.toml"), "[native]\nprofile = \"./mine\"\n").unwrap();
    // Another command is another trust.
    let file = dir.path().join("mine/profile.toml");
    let data = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, data.replace("hook.py", "other.py")).unwrap();
    assert!(play("q", &[]).expect_code(4).stderr.contains("other.py"));
}

#[test]
fn addresses_and_keys_of_a_found_file_need_trust_but_those_of_this_machine() {
    let dir = tempfile::tempdir().unwrap();
    let show = |text: &str, named: bool| {
        std::fs::write(dir.path().join("waldo.toml"), text).unwrap();
        let waldo = waldo(dir.path(), &["config", "show"]);
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
        let said = show(text, false).expect_code(4).stderr;
        assert!(
            said.contains(field) && said.contains("waldo config trust") && !said.contains("hunter22"),
            "{said}"
        );
        show(text, true).expect_code(0);
    }
    let local = "[model]\nbase-url = \"http://127.0.0.1:8000/v1\"\napi-key-env = \"SOME_KEY\"\nmodel = \"m\"\n\
                 extra-body = { top_p = 0.5 }\n\
                 [planner]\ngrounder = \"model=x\"\n[native]\nprofile = \"ui-tars\"\n\
                 [device]\ndevice = \"simphone\"\n[guard]\ndeny = [\"shell\"]\n";
    show(local, false).expect_code(0);
    let text = "[model]\nbase-url = \"https://models.example.org/v1\"\n";
    show(text, false).expect_code(4);
    let told = waldo(dir.path(), &["config", "trust", "--json"]).run().expect_code(0).json();
    assert_eq!(told["trusted"][0], "model.base-url = https://models.example.org/v1");
    show(&format!("{text}model = \"m\"\n"), false).expect_code(0);
    show(&text.replace("models", "other"), false).expect_code(4);
}
