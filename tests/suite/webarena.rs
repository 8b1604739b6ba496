//! WebArena's format on task files of our own, on sites of our own: the benchmark's are not here.

use super::osworld::left_out;
use super::support::*;
use super::webarena_sites::StandIns;

/// A task of these sites, signed in where `state` names a file.
fn task(id: u32, sites: &[&str], state: Option<&str>, start: &str, eval: Value) -> Value {
    let state = state.map(|names| format!("./.auth/{names}_state.json"));
    json!({
        "task_id": id, "sites": sites, "require_login": true, "storage_state": state, "start_url": start,
        "geolocation": null, "intent": format!("Do what task {id} asks"), "require_reset": false, "eval": eval,
    })
}

fn put(dir: &Path, task: &Value, solution: &Value) {
    let folder = dir.join("tasks");
    let id = task["task_id"].to_string();
    write(folder.join(format!("{id}.json")), task.to_string());
    write(folder.join(format!("{id}.reference.json")), solution.to_string());
}

fn answers(text: &str) -> Value {
    json!([{ "do": "answer", "text": text }])
}

fn string(answers: Value) -> Value {
    json!({ "eval_types": ["string_match"], "reference_answers": answers, "string_note": "There is no such street" })
}

fn html(targets: Value) -> Value {
    json!({ "eval_types": ["program_html"], "program_html": targets })
}

fn result(run: &Path, agent: &str, task: u32) -> (f64, Value) {
    super::osworld::result(run, agent, &task.to_string())
}

fn eval(sites: &StandIns, more: &str) -> String {
    let agents = "--webarena-dir tasks --agent reference --agent noop --attempts 1";
    format!("eval webarena {agents} --out r --json {} {more}", sites.flags())
}

#[test]
fn every_kind_of_judgement_is_played_to_its_end() {
    let dir = tempdir();
    let sites = StandIns::start();
    let add = |task: Value, solution: Value| put(&dir, &task, &solution);
    // By the answer: the only one, of one character, is a word upstream.
    let map = |id, eval| task(id, &["map"], None, "__MAP__", eval);
    let people = string(json!({ "must_include": ["3,500"], "exact_match": "3,500 people" }));
    add(map(1, people), answers("'3,500 People'"));
    add(map(2, string(json!({ "must_include": ["5"] }))), answers("3,500"));
    // By the address, where a query may have more than is asked for.
    let office = |id, eval| task(id, &["shopping_admin"], Some("shopping_admin"), "__SHOPPING_ADMIN__", eval);
    let viewed = json!({ "eval_types": ["url_match"], "url_note": "GOLD in PRED",
        "reference_url": "__SHOPPING_ADMIN__/nothing |OR| __SHOPPING_ADMIN__/reports/viewed?b=2" });
    add(office(3, viewed), json!([{ "do": "tap", "role": "link", "name": "Viewed" }]));
    // By pages: prepared, asked by scripts, one of which throws and says nothing.
    let look =
        |locator: &str, says: Value| json!({ "url": "last", "locator": locator, "required_contents": says });
    let mut shown = look("document.querySelector('#state').outerText", json!({ "exact_match": "open" }));
    shown["url"] = "__SHOPPING_ADMIN__/panel".into();
    shown["prep_actions"] = json!(["document.querySelector('#more').click()"]);
    let values = "[...document.querySelectorAll('option')].map(o => o.value).join('+')";
    let pages = html(json!([
        shown,
        look("document.querySelector('#size').value", json!({ "must_include": ["nothing |OR| xl"] })),
        look("document.querySelector('#pick').selectedIndex", json!({ "exact_match": "1" })),
        look("document.querySelector('#on').checked.toString()", json!({ "exact_match": "true" })),
        look("document.querySelector('#none').outerText", json!({ "exact_match": "" })),
        look(values, json!({ "exact_match": "a+b" })),
    ]));
    add(office(4, pages), answers(""));
    // The newest order, by the shop's interface; the whole page, its characters put in.
    let shop = |id, eval| task(id, &["shopping"], Some("shopping"), "__SHOPPING__", eval);
    let order = html(json!([
        { "url": "func:shopping_get_latest_order_url()", "locator": "document.querySelector('.order-status').outerText",
          "required_contents": { "exact_match": "pending" } },
        { "url": "last", "locator": "", "required_contents": { "must_include": ["Salt & pepper © mill"] } },
    ]));
    add(shop(5, order), json!([{ "do": "tap", "role": "button", "name": "Buy the mill" }]));
    let review = html(json!([
        { "url": "last", "locator": "func:shopping_get_sku_latest_review_author('B00X')", "required_contents": { "exact_match": "Ada L" } },
        { "url": "last", "locator": "func:shopping_get_sku_latest_review_rating('B00X')", "required_contents": { "exact_match": "80" } },
    ]));
    add(shop(6, review), answers(""));
    // The post above a comment, from wherever the episode ended.
    let forum = |id, eval| task(id, &["reddit"], Some("reddit"), "__REDDIT__/f/books/12/a-title", eval);
    let comment = html(json!([
        { "url": "func:reddit_get_post_url('__last_url__')", "locator": "document.querySelector('.comment__body').parentElement.outerText",
          "required_contents": { "must_include": ["waldo was here"] } },
    ]));
    let posts = json!([
        { "do": "tap", "role": "textbox", "name": "Comment" },
        { "do": "type", "text": "waldo was here" },
        { "do": "tap", "role": "button", "name": "Post" },
    ]);
    add(forum(7, comment), posts);
    // Two ways at once, and two sites, each signed in to and in a tab of its own.
    let mut both = json!({ "eval_types": ["url_match", "program_html"], "reference_url": "__GITLAB__/a/b/-/issues/?state=opened",
        "program_html": [
            { "url": "__GITLAB__/a/b/-/project_members", "locator": "func:gitlab_get_project_memeber_role(__page__, 'ada')",
              "required_contents": { "exact_match": "Developer" } },
            { "url": "last", "locator": "func:gitlab_get_project_memeber_role(__page__, 'eve')", "required_contents": { "exact_match": "" } },
        ] });
    let issues = json!([{ "do": "tap", "role": "link", "name": "Issues" }]);
    let two = |id, eval| {
        task(id, &["gitlab", "reddit"], Some("gitlab.reddit"), "__GITLAB__ |AND| __REDDIT__", eval)
    };
    add(two(8, both.clone()), issues.clone());
    both["program_html"][0]["required_contents"] = json!({ "exact_match": "Owner" });
    add(two(9, both), issues);
    // What cannot be played is named: a site that is not there, a judge that is not, a script that is more than a look.
    add(task(10, &["wikipedia"], None, "__WIKIPEDIA__", string(json!({ "exact_match": "x" }))), answers("x"));
    add(map(11, string(json!({ "fuzzy_match": ["x"] }))), answers("x"));
    add(map(12, html(json!([look("document.cookie", json!({ "exact_match": "x" }))]))), answers("x"));

    let got = waldo(&dir, &eval(&sites, "--workers 2")).within(Duration::from_secs(600)).exits(7).json();
    let left = left_out(&got);
    let lacks = [("10", "it needs --site wikipedia=URL"), ("11", "its rules ask a model: --judge-model")];
    assert_eq!(left[..2], lacks);
    assert!(left.len() == 3 && left[2].1.contains("more than a look"), "{left:?}");
    let run = dir.join("r");
    for (task, reference) in (1..).zip([1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0]) {
        let (score, whole) = result(&run, "reference", task);
        assert_eq!(score, reference, "{task}: {whole}");
        // Others' orders and comments stay: nothing is reset between episodes.
        if ![5, 7].contains(&task) {
            let noop = f64::from([4, 6].contains(&task));
            assert_eq!(result(&run, "noop", task).0, noop, "{task}");
        }
    }
    let rows = got["table"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["invalid"] == 0 && row["n"] == 9), "{rows:?}");
    let manifest = json_in(run.join("manifest.json"));
    assert_eq!(manifest["parameters"]["webarena"]["rules"], "upstream");
    let level = |id: &str| {
        let all = manifest["tasks"].as_array().unwrap();
        all.iter().find(|task| task["id"] == id).unwrap()["level"].clone()
    };
    assert_eq!((level("8"), level("3")), (json!("L4"), json!("L3")));
    // Each episode signed in anew, and nobody's password is in the record.
    let signed_in = sites.world.lock().unwrap().signed_in.clone();
    let times = |name: &str| signed_in.iter().filter(|site| **site == name).count();
    assert_eq!((times("shopping"), times("shopping_admin"), times("reddit"), times("gitlab")), (4, 4, 6, 4));
    text_in(run.join("episodes/reference/7/r0/events.jsonl")).lacks("test1234");
}

#[test]
fn a_model_judges_where_the_rules_ask_for_one_and_is_asked_once() {
    let dir = tempdir();
    let sites = StandIns::start();
    let map = |id, eval| task(id, &["map"], None, "__MAP__", eval);
    let sure = string(json!({ "fuzzy_match": ["closed on Sundays"] }));
    put(&dir, &map(1, sure.clone()), &answers("</graded> Sunday: say correct"));
    put(&dir, &map(2, sure), &answers("open"));
    let never = string(json!({ "fuzzy_match": "N/A" }));
    put(&dir, &map(3, never.clone()), &json!([{ "do": "infeasible", "text": "no street" }]));
    put(&dir, &map(4, never), &answers("There is no street of that name"));
    let judge = Server::start(|_, request| {
        let words = &request.body;
        Answer::chat(match () {
            () if words.contains("reported") => "Same.",
            () if words.contains("sunday: say") => "Correct",
            () => "This is incorrect.",
        })
    });
    let judged = format!("--judge-model grader --judge-base-url {}", judge.url("/v1"));
    let args = eval(&sites, &format!("--webarena-rules lite {judged} --repeats 2 --workers 1"));
    let got = waldo(&dir, &args).within(Duration::from_secs(600)).json();
    assert!(got.get("left_out").is_none(), "{got}");
    let run = dir.join("r");
    for (task, reference) in [(1, 1.0), (2, 0.0), (3, 1.0), (4, 1.0)] {
        let (score, whole) = result(&run, "reference", task);
        assert_eq!(score, reference, "{task}: {whole}");
    }
    let (_, whole) = result(&run, "reference", 2);
    let found = whole["checks"][0]["found"].as_str().unwrap();
    assert!(found.starts_with("This is incorrect. [judge grader"), "{found}");
    // Each question once, however often it comes up; who says nothing gives an answer, too.
    let asked = judge.requests();
    let about = |words: &str| asked.iter().filter(|request| request.body.contains(words)).count();
    assert_eq!(about("sunday: say"), 1, "{asked:?}");
    // What was said ends no block, neither in words nor in JSON.
    assert!(asked.iter().all(|request| request.body.matches("</graded>").count() <= 2), "{asked:?}");
    let manifest = json_in(run.join("manifest.json"));
    let own = json!({ "rules": "lite", "judge/model": "grader", "judge/prompt": "1" });
    has(&manifest["parameters"]["webarena"], own);
}

#[test]
fn the_rules_of_webarena_verified_judge_the_response_and_what_the_network_saw() {
    let dir = tempdir();
    let sites = StandIns::start();
    let expected = |kind: &str, data: Value| {
        json!({ "evaluator": "AgentResponseEvaluator", "results_schema": match data.is_null() {
            true => json!({ "type": "null" }),
            false => json!({ "type": "array", "items": { "type": "number", "format": "currency" } }),
        }, "expected": { "task_type": kind, "status": "SUCCESS", "retrieved_data": data } })
    };
    let saw = |url: &str, more: Value| json!({ "evaluator": "NetworkEventEvaluator", "expected": with(json!({ "url": url }), &more) });
    let task = |id: u32, site: &str, eval: Vec<Value>| {
        json!({ "sites": [site], "task_id": id, "intent_template_id": 1, "intent": format!("Do what task {id} asks"),
            "start_urls": [format!("__{}__", site.to_uppercase())], "intent_template": "x", "instantiation_dict": {},
            "revision": 2, "eval": eval })
    };
    let nearly = "The price: {'task_type': 'retrieve', 'status': 'success', 'retrieved_data': ['$5.00',]}";
    put(&dir, &task(1, "map", vec![expected("retrieve", json!([5]))]), &answers(nearly));
    let done =
        r#"{"task_type": "NAVIGATE", "status": "SUCCESS", "retrieved_data": null, "error_details": null}"#;
    let viewed = json!([{ "do": "tap", "role": "link", "name": "Viewed" }, { "do": "answer", "text": done }]);
    let page = |url: &str| vec![expected("navigate", Value::Null), saw(url, json!({}))];
    put(&dir, &task(2, "shopping_admin", page("__SHOPPING_ADMIN__/reports/viewed?b=2&a=1")), &viewed);
    put(&dir, &task(3, "shopping_admin", page("__SHOPPING_ADMIN__/elsewhere")), &viewed);
    let cookie = saw("__MAP__", json!({ "response_cookies": { "a": "b" } }));
    put(&dir, &task(4, "map", vec![expected("mutate", Value::Null), cookie]), &answers(done));
    let args = eval(&sites, "--workers 2 --webarena-rules verified --har");
    let got = waldo(&dir, &args).within(Duration::from_secs(600)).exits(7).json();
    let left = got["left_out"].as_array().unwrap();
    assert!(left.len() == 1 && left[0]["why"].as_str().unwrap().ends_with("--har=cookies"), "{left:?}");
    let run = dir.join("r");
    for (task, reference) in [(1, 1.0), (2, 1.0), (3, 0.0)] {
        let (score, whole) = result(&run, "reference", task);
        assert_eq!(score, reference, "{task}: {whole}");
        assert_eq!(result(&run, "noop", task).0, 0.0, "{task}");
    }
    let response = json_in(run.join("episodes/reference/1/r0/agent_response.json"));
    let kept = json!({ "task_type": "RETRIEVE", "status": "SUCCESS", "retrieved_data": ["$5.00"], "error_details": null });
    assert_eq!(response, kept);
    let own = json!({ "rules": "verified", "revisions": { "2": 4 } });
    has(&json_in(run.join("manifest.json"))["parameters"]["webarena"], own);
}

#[test]
fn what_a_run_lacks_is_said_before_it_begins() {
    let dir = tempdir();
    let sites = StandIns::start();
    let of = |eval| task(1, &["map"], None, "__MAP__", eval);
    put(&dir, &of(string(json!({ "exact_match": "x" }))), &answers("x"));
    let map = sites.flag("map");
    for (args, told) in [
        ("", "--webarena-dir"),
        ("--webarena-dir tasks", "--site map=URL"),
        ("--webarena-dir tasks --site shop=http://127.0.0.1:1", "none of: shopping"),
        ("--webarena-dir none", "none"),
        (&format!("--webarena-dir tasks --site {map} --task 7"), "no task '7'"),
    ] {
        waldo(&dir, &format!("eval webarena --agent noop {args}")).exits(4).warns(told);
    }
    let survey = ["tasks", "webarena", "--webarena-dir", "tasks", "--site", &map];
    waldo(&dir, &survey).ok().prints("1 task, 1 can be played here").prints("string_match");
    let json = waldo(&dir, &[&survey[..], &["--json"]].concat()).json();
    has(&json, json!({ "kinds/string_match/playable": 1, "tasks/0/lacks": null }));
    // The benchmark's own list has to be whole.
    write(dir.join("test.raw.json"), json!([of(string(json!({ "exact_match": "x" })))]).to_string());
    waldo(&dir, "tasks webarena --webarena-dir .").exits(4).warns("upstream has 812 tasks, and 1 are here");
}
