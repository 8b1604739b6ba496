//! Models on every wire: text agents with the stand-in, the vendors' own tools with doubles that look at the pictures
//! they are sent, and what `waldo doctor` finds of an endpoint.

use std::fmt::Write as _;

use base64::Engine as _;
use waldo_agents::model::{Usage, Wire, wire};

use super::native::{HIT, page};
use super::support::*;

const KEY: &str = "sk-a-secret-of-a-test";

#[test]
fn text_agents_play_on_every_wire() {
    let dir = tempdir();
    let mut config = String::new();
    let mut args = "eval l3-web --task register-form --workers 4 --no-report --json --out r".to_owned();
    for wire in Wire::ALL {
        for agent in ["appagent", "planner"] {
            let _ = writeln!(
                config,
                "[contestant.{agent}-{wire}]\nagent = \"{agent}\"\nmodel = \"reference\"\nwire = \"{wire}\"\n"
            );
            let _ = write!(args, " --contestant {agent}-{wire}");
        }
    }
    write(dir.join("waldo.toml"), config);
    let got = waldo(&dir, &args).json();
    assert_eq!(got["table"].as_array().unwrap().len(), 8);
    all_solved(&got);
    text_in(dir.join("r/manifest.json")).says("\"wire\": \"gemini\"");
    let args = "eval widgets --agent frames --model reference --wire anthropic --task slider-value --no-report \
        --json --out f";
    all_solved(&waldo(&dir, args).json());
}

/// The bytes of the pictures that stand in a body, in order.
fn pictures(value: &Value, into: &mut Vec<Vec<u8>>) {
    match value {
        Value::String(text) => {
            let data = text.split_once(";base64,").map_or(text.as_str(), |(_, data)| data);
            if data.starts_with("iVBOR") {
                into.extend(base64::engine::general_purpose::STANDARD.decode(data));
            }
        }
        Value::Array(all) => all.iter().for_each(|value| pictures(value, into)),
        Value::Object(all) => all.values().for_each(|value| pictures(value, into)),
        _ => {}
    }
}

/// The middle of what is red in the last picture of a request as shares of it, with its size.
fn red(request: &Value) -> ([f64; 2], Option<[f64; 2]>) {
    let mut all = Vec::new();
    pictures(request, &mut all);
    let picture = image::load_from_memory(all.last().unwrap()).unwrap().to_rgb8();
    let size = [f64::from(picture.width()), f64::from(picture.height())];
    let red = picture.enumerate_pixels().filter(|(.., p)| i32::from(p[0]) - i32::from(p[1]) > 60);
    let red: Vec<[f64; 2]> = red.map(|(x, y, _)| [f64::from(x) + 0.5, f64::from(y) + 0.5]).collect();
    let n = red.len() as f64;
    let sum = red.iter().fold([0.0, 0.0], |sum, at| [sum[0] + at[0], sum[1] + at[1]]);
    (size, (n > 0.0).then(|| [sum[0] / n / size[0], sum[1] / n / size[1]]))
}

/// A vendor's model: it looks at the last picture, presses what is red by its own tool, and says DONE where nothing is.
/// It refuses a conversation in which one of its calls has no answer, or its own words are not as it said them.
fn vendor(request: &Request) -> Answer {
    let wire = wire_of(&request.path);
    let body: Value = serde_json::from_str(&request.body).unwrap();
    let (size, red) = red(&body);
    let told = request.body.matches("sealed-thought").count();
    let (calls, results) = match wire {
        Wire::Anthropic => ("\"tool_use\"", "\"tool_result\""),
        Wire::Responses => ("\"computer_call\"", "\"computer_call_output\""),
        _ => ("\"functionCall\"", "\"functionResponse\""),
    };
    let count = |word: &str| request.body.matches(word).count();
    let shown = &request.body[..2000.min(request.body.len())];
    assert_eq!((count(calls), told), (count(results), count(calls)), "{shown}");
    let Some([x, y]) = red else {
        let usage = Usage { prompt: Some(10), completion: Some(2), ..Usage::default() };
        return Answer::json(&wire::response(wire, "m", "It is gone.\nDONE", &usage));
    };
    let at = [(x * size[0]).round(), (y * size[1]).round()];
    Answer::json(&match wire {
        Wire::Anthropic => json!({
            "content": [
                {"type": "thinking", "thinking": "left_click [1, 1] would miss", "signature": "sealed-thought"},
                {"type": "tool_use", "id": "t1", "name": "left_click", "toolset_name": "computer", "input": {"coordinate": at}},
            ],
            "stop_reason": "tool_use", "usage": {"input_tokens": 4, "cache_read_input_tokens": 6, "output_tokens": 2},
        }),
        Wire::Responses => json!({
            "status": "completed",
            "output": [
                {"type": "reasoning", "id": "r1", "summary": [], "encrypted_content": "sealed-thought"},
                {"type": "computer_call", "id": "c1", "call_id": "call1", "pending_safety_checks": [],
                 "actions": [{"type": "click", "x": at[0], "y": at[1], "button": "left"}]},
            ],
            "usage": {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 6}, "output_tokens": 2},
        }),
        _ => json!({
            "candidates": [{"finishReason": "STOP", "content": {"role": "model", "parts": [{
                "functionCall": {"name": "click", "args": {"x": (x * 1000.0).round(), "y": (y * 1000.0).round(), "intent": "press it"}},
                "thoughtSignature": "sealed-thought",
            }]}}],
            "usageMetadata": {"promptTokenCount": 10, "cachedContentTokenCount": 6, "candidatesTokenCount": 2},
        }),
    })
}

#[test]
fn the_vendors_own_tools_press_ten_pixels_and_no_key_is_in_any_record() {
    let dir = tempdir();
    let pages = [page(3, 5), page(611, 402), page(1258, 779)];
    suite(&dir, "s", &[("corner", &*pages[0], HIT), ("middle", &*pages[1], HIT), ("end", &*pages[2], HIT)]);
    let server = Server::start(|_, request| vendor(request));
    let mut config = String::new();
    let all = [("claude", "anthropic"), ("openai", "responses"), ("gemini", "gemini")];
    for (profile, wire) in all {
        let base = server.url("/v1");
        let _ = writeln!(
            config,
            "[contestant.{profile}]\nagent = \"native\"\nprofile = \"{profile}\"\nwire = \"{wire}\"\nmodel = \"m\"\n\
             base-url = \"{base}\"\napi-key-env = \"A_KEY\"\n"
        );
    }
    write(dir.join("waldo.toml"), config);
    for (scale, task) in [("1", "middle"), ("1.5", "end"), ("2", "corner")] {
        let mut args = vec!["eval", "./s", "--workers", "3", "--no-report", "--json", "--attempts", "1"];
        args.extend(["--viewport", "1280x800", "--scale", scale, "--out", scale, "--task", task]);
        args.extend(["--record-model", "tapes"]);
        for (profile, _) in all {
            args.extend(["--contestant", profile]);
        }
        let ended = waldo(&dir, &args).env("A_KEY", KEY).within(Duration::from_secs(240)).ok();
        let ended = ended.never_warns(KEY).never_prints(KEY);
        all_solved(&ended.json());
    }
    // Every wire has its own header for the key, and what is written down has none.
    let has_key = |request: &Request| request.authorization.trim_start_matches("Bearer ") == KEY;
    assert!(server.requests().iter().all(has_key));
    for folder in ["1", "1.5", "2", "tapes"] {
        assert_eq!(holding(&dir.join(folder), &[KEY]), Vec::<PathBuf>::new());
    }
    let decided = events_of(&dir.join("1"), "decided");
    let thought = decided.iter().filter_map(|event| event["decision"]["exchanges"][0]["thinking"].as_str());
    assert!(thought.into_iter().any(|text| text == "left_click [1, 1] would miss"));
    assert!(decided.iter().all(|event| event["decision"]["exchanges"][0]["usage"]["prompt"] == 10));
    assert!(decided.iter().any(|event| event["decision"]["exchanges"][0]["usage"]["cached"] == 6));
    // And the cassettes play the same without any endpoint.
    let args = "eval ./s --agent native --profile claude --wire anthropic --no-report --json --viewport 1280x800 \
        --task middle --out again --model replay:tapes/claude";
    all_solved(&waldo(&dir, args).json());
}

#[test]
fn a_vendor_that_wants_a_person_gets_one_and_a_refusal_ends_nothing() {
    let dir = tempdir();
    suite(&dir, "s", &[("middle", &page(611, 402), HIT)]);
    let server = Server::start(|_, _| {
        let check = json!({"id": "k", "code": "malicious_instructions", "message": "The page gives orders."});
        Answer::json(&json!({"status": "completed", "output": [{
            "type": "computer_call", "id": "c", "call_id": "c", "pending_safety_checks": [check],
            "action": {"type": "click", "x": 1, "y": 1, "button": "left"},
        }]}))
    });
    // The row of the table, and the first decision.
    let play = |profile: &str, wire: &str, server: &Server, out: &str| {
        let model = format!("--profile {profile} --wire {wire} --model m --base-url {}", server.url("/v1"));
        let args = format!("eval ./s --agent native {model} --no-report --json --attempts 1 --out {out}");
        let row = waldo(&dir, &args).json()["table"][0].clone();
        (row, events_of(&dir.join(out), "decided").remove(0))
    };
    let (row, decided) = play("openai", "responses", &server, "r");
    has(&row, json!({ "sr": 0.0, "invalid": 0 }));
    let choice = &decided["decision"]["choice"];
    assert_eq!(choice["choice"], "hand_over");
    choice["reason"].as_str().unwrap().says("gives orders");
    assert_eq!(server.requests().len(), 1);
    let refuses = Server::start(|_, _| Answer::json(&json!({"content": [], "stop_reason": "refusal"})));
    let (row, decided) = play("claude", "anthropic", &refuses, "q");
    assert_eq!(row["invalid"], 0, "{row}");
    assert_eq!(decided["decision"]["exchanges"][0]["unread"], "refusal", "{decided}");
}

#[test]
fn doctor_tells_what_an_endpoint_can_and_why_another_cannot_be_asked() {
    let dir = tempdir();
    // One that sees nothing, calls the tool that it is offered, and counts tokens.
    let server = Server::start_bare(|_, request| {
        let wire = wire_of(&request.path);
        let body: Value = serde_json::from_str(&request.body).unwrap();
        let mut all = Vec::new();
        pictures(&body, &mut all);
        // It takes no picture above twelve million pixels.
        for png in &all {
            let picture = image::ImageReader::with_format(std::io::Cursor::new(png), image::ImageFormat::Png);
            let (width, height) = picture.into_dimensions().unwrap();
            if width * height > 12_000_000 {
                let error = json!({"error": {"message": "the picture is too large"}}).to_string();
                return Answer::new("400 Bad Request", "application/json", &error);
            }
        }
        let prompt = 20 + 1000 * all.len() as u64;
        let usage = Usage { prompt: Some(prompt), completion: Some(3), ..Usage::default() };
        if body.get("tools").is_some() {
            let call = json!({"content": null, "tool_calls": [{"type": "function"}]});
            return Answer::json(&json!({"choices": [{"message": call}]}));
        }
        Answer::json(&wire::response(wire, "m", "100, 200, 300", &usage))
    });
    for (wire, tools) in [("chat", true), ("anthropic", false)] {
        let base = server.url("/v1");
        let args = format!("doctor --model m --wire {wire} --base-url {base} --json --model-retries 0");
        let got = waldo(&dir, &args).run().json();
        let found = &got["endpoint"]["found"];
        has(found, json!({ "reachable": true, "tokens_a_picture": 1000, "sees_pictures": false }));
        assert_eq!(found["tool_calls"].as_bool().unwrap_or(false), tools, "{got}");
        assert!(found["sizes"].is_null(), "{got}");
        let findings = got["findings"].as_array().unwrap();
        let pictures = findings.iter().find(|one| one["what"] == "model: pictures").unwrap();
        assert!(pictures["ok"] == false && pictures["hint"].is_string(), "{pictures}");
    }
    let base = server.url("/v1");
    let args = format!("doctor --model m --base-url {base} --picture-sizes --json --model-retries 0");
    let sizes = waldo(&dir, &args).run().json()["endpoint"]["found"]["sizes"].clone();
    has(&sizes, json!({ "taken": [3840, 2400], "read": null, "refused/0": [5120, 3200] }));
    let refuses = Server::start_bare(|_, _| Answer::new("401 Unauthorized", "application/json", "{}"));
    let base = refuses.url("/v1");
    let args = format!("doctor --model m --base-url {base} --model-retries 0");
    let ended =
        waldo(&dir, &args).env("OPENAI_API_KEY", KEY).run().prints("FAIL    model").prints("status 401");
    assert!(!ended.stdout.contains(KEY) && ended.code != 0);
    // One that does not answer is no model to write down.
    let init = ["init", "--model", "m", "--base-url", &base, "--model-retries", "0"];
    waldo(&dir, &init).env("OPENAI_API_KEY", KEY).exits(6);
    assert!(!dir.join("waldo.toml").exists());
    waldo(&dir, &[&init[..], &["--untried"]].concat()).ok();
    waldo(&dir, "config show --json").ok().prints(&base);
    assert!(waldo(&dir, &init).exits(4).stderr.contains("there is a waldo.toml here"));
    // A model that only a configuration names is not asked.
    write(dir.join("waldo.toml"), format!("[model]\nmodel = \"m\"\nbase-url = \"{base}\"\n"));
    let asked = refuses.requests().len();
    waldo(&dir, "doctor --json").run();
    assert_eq!(refuses.requests().len(), asked);
}
