//! Contestants that a configuration defines: several models in one run.

use std::collections::BTreeSet;

use super::support::*;

const PAGE: &str = "<title>Page</title><button onclick=\"document.title='Done'\">Go</button>";
const CHECK: &str = "[[check]]\nkind = \"js\"\nexpr = \"document.title\"\nequals = \"Done\"";
const TAP: &str = "Observation: a page\nThought: on\nAction: tap(1)\nSummary: tapped";
pub const DONE: &str = "Observation: a page\nThought: enough\nAction: FINISH\nSummary: done";

/// An endpoint that counts tokens: a million of the request.
fn model(replies: &'static [&'static str]) -> Server {
    Server::start(move |n, _| {
        let usage = json!({ "prompt_tokens": 1_000_000, "completion_tokens": 0 });
        Answer::counted(replies[n % replies.len()], usage)
    })
}

fn define(dir: &Path, text: &str) {
    write(dir.join("waldo.toml"), text);
}

fn eval(dir: &Path, more: &str, keys: &[(&str, &str)]) -> Ended {
    let args = format!("eval ./s --workers 1 --no-report --json {more}");
    keys.iter().fold(waldo(dir, &args), |waldo, (name, value)| waldo.env(name, value)).run()
}

fn fields(server: &Server, name: &str) -> BTreeSet<String> {
    let body = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    server.requests().iter().map(|request| body(&request.body)[name].to_string()).collect()
}

fn keys(server: &Server) -> BTreeSet<String> {
    server.requests().into_iter().map(|request| request.authorization).collect()
}

#[test]
fn two_models_stand_in_one_table_each_asked_as_it_is_defined() {
    let dir = tempdir();
    suite(&dir, "s", &[("one", PAGE, CHECK)]);
    let (able, idle) = (model(&[TAP, DONE]), model(&[DONE]));
    for (name, model, price) in [("a.json", "model-a", 1.0), ("b.json", "model-b", 20.0)] {
        let table = json!({ model: { "prompt": price, "completion": 0.0 } });
        write(dir.join(name), table.to_string());
    }
    let define = |temperature: &str, words: &str| {
        write(dir.join("mine/appagent/deploy.md.j2"), words);
        let text = format!(
            "[contestant.able]\nagent = \"appagent\"\nmodel = \"model-a\"\nbase-url = \"{}\"\n\
             api-key-env = \"KEY_A\"\nprices = \"a.json\"\nmax-tokens = 100\n\
             [contestant.idle]\nagent = \"appagent\"\nmodel = \"model-b\"\nbase-url = \"{}\"\n\
             prices = \"b.json\"\nmax-tokens = 200\ntemperature = {temperature}\nprompts = \"mine\"\n",
            able.url("/v1"),
            idle.url("/v1")
        );
        define(&dir, &text);
    };
    define("0.25", "{# #}Just say FINISH.");
    let both = "--agent noop --contestant able --contestant idle --out r";
    let set = [("KEY_A", "the-key-of-a"), ("OPENAI_API_KEY", "the-key-of-nobody")];
    let got = eval(&dir, both, &set).expect_code(0).json();
    for (at, name, agent, model, sr) in [
        (0, "noop", "noop", json!(null), 0.0),
        (1, "able", "appagent", json!("model-a"), 1.0),
        (2, "idle", "appagent", json!("model-b"), 0.0),
    ] {
        let wanted = json!({ "sr": sr, "contestant/name": name, "contestant/agent": agent, "contestant/model": model });
        has(&got["table"][at], wanted);
    }
    // Each is asked at its own address, with its own key or none, parameters and templates.
    let only = |text: &str| BTreeSet::from([text.to_owned()]);
    assert_eq!((fields(&able, "model"), fields(&idle, "model")), (only("\"model-a\""), only("\"model-b\"")));
    assert_eq!((fields(&able, "max_tokens"), fields(&idle, "max_tokens")), (only("100"), only("200")));
    assert_eq!((fields(&able, "temperature"), fields(&idle, "temperature")), (only("0.0"), only("0.25")));
    assert_eq!((keys(&able), keys(&idle)), (only("Bearer the-key-of-a"), only("")));
    let told = |server: &Server| server.requests()[0].body.contains("Just say FINISH.");
    assert_eq!((told(&able), told(&idle)), (false, true));
    // And costs what it costs.
    for (name, cost) in [("able", 2_000_000), ("idle", 20_000_000)] {
        let result = json_in(dir.join(format!("r/episodes/{name}/one/r0/result.json")));
        assert_eq!(result["usage"]["micro_usd"], cost, "{name}");
    }
    let asked = || able.requests().len() + idle.requests().len();
    let before = asked();
    eval(&dir, both, &set).expect_code(0);
    assert_eq!(asked(), before, "it was all there");
    // What changes results makes another run, and is named.
    define("0.5", "{# #}Just say FINISH.");
    eval(&dir, both, &set).expect_code(4).warns("contestants.idle.temperature was 0.25, now 0.5");
    define("0.25", "{# #}Say something else.");
    eval(&dir, both, &set).expect_code(4).warns("contestants.idle.prompts.appagent/deploy was");
    assert_eq!(asked(), before);
    waldo(&dir, "report r").ok().prints("able: appagent with model-a").prints("idle: appagent with model-b");
}

#[test]
fn what_is_wrong_with_a_contestant_is_told_before_anybody_is_asked() {
    let dir = tempdir();
    suite(&dir, "s", &[("one", PAGE, CHECK)]);
    let server = Server::start_bare(|_, _| Answer::new("401 Unauthorized", "application/json", "{}"));
    let base = server.url("/v1");
    let two = format!(
        "[contestant.alpha]\nagent = \"appagent\"\nmodel = \"m\"\nbase-url = \"{base}\"\napi-key-env = \"KEY_A\"\n\
         [contestant.beta]\nagent = \"planner\"\nmodel = \"m\"\nbase-url = \"{base}\"\napi-key-env = \"KEY_B\"\n"
    );
    let refused = |text: &str, names: &str| {
        define(&dir, text);
        let named: String = words(names).iter().map(|name| format!("--contestant {name} ")).collect();
        eval(&dir, &named, &[]).expect_code(4).stderr
    };
    refused(&two, "alpha beta").says("KEY_A (contestant alpha), KEY_B (contestant beta)");
    refused(&two, "gamma").says("no contestant 'gamma'").says("alpha, beta");
    refused("", "gamma").says("[contestant.gamma]");
    let a = |more: &str| refused(&format!("[contestant.a]\nagent = {more}\n"), "a");
    a("\"appagent\"\nmodle = \"m\"").says("waldo.toml:3").says("did you mean 'model'?");
    a("\"appagent\"\nfrobnicate = 1").says("known are agent, model, wire, base-url, api-key-env");
    a("\"apagent\"").says("contestant.a.agent").says("appagent, planner");
    a("\"appagent\"\nmax-steps = 5").says("applies to all rows").says("move it under [eval]");
    refused("[contestant.a]\nmodel = \"m\"\n", "a").says("names no agent");
    a("\"appagent\"").says("contestant.a (appagent) needs --model");
    define(&dir, "[contestant.noop]\nagent = \"random\"\n");
    let twice = eval(&dir, "--agent noop --contestant noop", &[]);
    twice.expect_code(4).warns("two rows would be named 'noop'");
    assert_eq!(server.requests().len(), 0);
    // One short question, and what it needs is named but for the key itself.
    define(&dir, &two.replace("KEY_B", "KEY_A").replace("planner", "appagent"));
    let both = "--contestant alpha --contestant beta --browser /no/such/browser";
    eval(&dir, both, &[("KEY_A", "a-secret-key")])
        .expect_code(6)
        .warns(format!("the model 'm' at {base} (key: KEY_A) cannot be used"))
        .never_warns("a-secret-key");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn one_endpoint_is_tested_once_for_all_who_ask_there() {
    let dir = tempdir();
    suite(&dir, "s", &[("one", PAGE, CHECK)]);
    let server = Server::start_bare(|_, _| Answer::chat(DONE));
    let one = |name: &str, temperature: &str| {
        let model = format!("model = \"m\"\nbase-url = \"{}\"", server.url("/v1"));
        format!("[contestant.{name}]\nagent = \"appagent\"\n{model}\ntemperature = {temperature}\n")
    };
    define(&dir, &[one("cold", "0.0"), one("warm", "1.0")].concat());
    waldo(&dir, "config show").ok().prints("contestant.warm.temperature");
    eval(&dir, "--contestant cold --contestant warm --out r", &[]).expect_code(0);
    let is_test = |request: &&Request| request.body.contains("This only tests the connection.");
    let tests = server.requests().iter().filter(is_test).count();
    // Whether it answers, whether it reads WebP, and a step of each.
    assert_eq!((tests, server.requests().len()), (2, 4));
}

#[test]
fn the_variable_of_a_contestants_key_is_in_no_environment() {
    let dir = tempdir();
    suite(&dir, "s", &[("one", PAGE, CHECK)]);
    let server = Server::start(|_, _| Answer::Silence);
    // One of the variables that programs get otherwise.
    let model = format!("model = \"m\"\nbase-url = \"{}\"", server.url("/v1"));
    define(&dir, &format!("[contestant.a]\nagent = \"appagent\"\n{model}\napi-key-env = \"LC_NUMERIC\"\n"));
    let args = "eval ./s --contestant a --no-report --out r";
    let mut child = waldo(&dir, args).env("LC_NUMERIC", "a-secret-key").start();
    until("the model to be asked", 60, || !server.requests().is_empty());
    let environ = std::fs::read(format!("/proc/{}/environ", child.id()));
    kill(&mut child);
    // Nobody but root can look.
    let environ = environ.unwrap_or_default();
    String::from_utf8_lossy(&environ).lacks("a-secret-key");
    assert_eq!(keys(&server), BTreeSet::from(["Bearer a-secret-key".to_owned()]));
}
