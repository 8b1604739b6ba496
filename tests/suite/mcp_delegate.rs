//! `waldo mcp`: goals for waldo's agents, questions to the person at the client, resources.

use super::mcp_client::{Client, called};
use super::support::*;

fn site() -> Server {
    Server::start(|_, request| match request.path.as_str() {
        "/" => Answer::page(
            "<!doctype html><title>Pad</title><button onclick=\"fetch('/launched');document.title='Gone'\">Launch</button>",
        ),
        _ => Answer::ok(),
    })
}

fn launches(site: &Server) -> usize {
    site.requests().iter().filter(|request| request.path == "/launched").count()
}

#[test]
fn a_goal_is_pursued_with_progress_and_the_session_goes_on() {
    let dir = tempdir();
    let site = site();
    let url = site.url("/");
    let args = ["--url", &url, "--agent", "baseline", "--max-steps", "3", "--out", "r"];
    let mut client = Client::start(&dir, &args);
    assert!(client.tools().iter().any(|tool| tool["name"] == "delegate"));
    let params = json!({ "name": "delegate", "arguments": { "goal": "press \"Launch\"" },
        "_meta": { "progressToken": "p1" } });
    let id = client.ask("tools/call", params);
    let done = called(client.answer(id));
    assert!(done.text.starts_with("finished after 2 steps"), "{}", done.text);
    assert_eq!(done.whole["structuredContent"]["outcome"], "finished");
    assert_eq!(launches(&site), 1);
    let of_goal =
        |n: &&Value| n["method"] == "notifications/progress" && n["params"]["progressToken"] == "p1";
    let progress = client.notifications.iter().filter(of_goal);
    let progress: Vec<f64> = progress.map(|n| n["params"]["progress"].as_f64().unwrap()).collect();
    assert_eq!(progress, [1.0, 2.0]);
    assert!(client.call("delegate", json!({ "goal": " " })).refused().contains("the goal is empty"));
    let launch = client.number("\"Launch\"");
    client.call("tap", json!({ "element": launch })).ok();
    until("the second launch", 10, || launches(&site) == 2);

    let listed = client.request("resources/list", json!({}))["result"]["resources"].clone();
    let uris: Vec<&str> = listed.as_array().unwrap().iter().map(|r| r["uri"].as_str().unwrap()).collect();
    let mut read = |uri: &str| client.request("resources/read", json!({ "uri": uri }));
    let trajectory = read(uris[0])["result"]["contents"][0]["text"].as_str().unwrap().to_owned();
    assert!(trajectory.starts_with("<screen-text untrusted>\n"), "{trajectory}");
    assert!(trajectory.contains("\"do\":\"tap\""), "{trajectory}");
    read(uris[1])["result"]["contents"][0]["text"].as_str().unwrap().to_owned().says("report.html");
    assert!(read("file:///etc/passwd")["error"].is_object());
    client.end();
    // What the agent did is in the session's own record.
    assert_eq!(events_of(&dir.join("r"), "acted").len(), 2);
}

#[test]
fn a_goal_has_bounds_and_can_be_cancelled() {
    let dir = tempdir();
    let (site, model) = (site(), Server::start(|_, _| Answer::Silence));
    let (url, address) = (site.url("/"), model.url("/v1"));
    let mut args = filled("--url {} --out r --agent appagent --model m --base-url {}", &[&url, &address]);
    let mut client = Client::start(&dir, &args);
    let goal = client.begin("delegate", json!({ "goal": "wait for ever" }));
    until("the model is asked", 30, || !model.requests().is_empty());
    let cancelled =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": goal } });
    client.send(&cancelled);
    assert!(client.call("observe", json!({})).ok().contains("Launch"), "the session goes on");
    client.end();

    let dir = tempdir();
    args.extend(["--max-time", "1"]);
    let mut client = Client::start(&dir, &args);
    let late = client.call("delegate", json!({ "goal": "wait for ever" })).refused();
    assert!(late.starts_with("time_limit after 0 steps"), "{late}");
    client.end();

    // A model that costs: one reply is more than the goal may.
    let dir = tempdir();
    let model = Server::start(|_, _| {
        let usage = json!({ "prompt_tokens": 1000, "completion_tokens": 1000 });
        Answer::counted("Observation: o\nThought: t\nAction: swipe(1, \"up\", \"short\")\nSummary: s", usage)
    });
    write(dir.join("prices.json"), r#"{"m": {"prompt": 1000, "completion": 1000}}"#);
    let address = model.url("/v1");
    let line = "--url {} --out r --agent appagent --model m --base-url {} --prices prices.json --max-cost 1";
    let args = filled(line, &[&url, &address]);
    let mut client = Client::start(&dir, &args);
    let dear = client.call("delegate", json!({ "goal": "look around" })).refused();
    assert!(dear.starts_with("cost_limit after 1 step and 2000 tokens"), "{dear}");
    client.end();
}

#[test]
fn the_person_at_the_client_is_asked() {
    let site = site();
    let url = site.url("/");
    let can = json!({ "elicitation": {} });
    for (says, launched) in [("accept", 1), ("decline", 1), ("cancel", 1)] {
        let dir = tempdir();
        let args = ["--url", &url, "--ask", "tap", "--out", "r"];
        let mut client = Client::start_with(&dir, &args, &[], can.clone());
        client.answers = Some(match says {
            "accept" => |question| {
                let message = question["params"]["message"].as_str().unwrap();
                assert_eq!(question["method"], "elicitation/create");
                assert!(message.contains("it would: press") && message.contains("\"Launch\""), "{message}");
                json!({ "action": "accept", "content": {} })
            },
            "decline" => |_| json!({ "action": "decline" }),
            _ => |_| json!({ "action": "cancel" }),
        });
        let launch = client.number("\"Launch\"");
        let done = client.call("tap", json!({ "element": launch }));
        assert_eq!(done.is_error, says != "accept", "{says}: {}", done.text);
        assert!(says == "accept" || done.text.contains("was not approved"), "{}", done.text);
        client.end();
        until("launches", 10, || launches(&site) == launched);
    }
    // A client that cannot ask anybody is a no.
    let dir = tempdir();
    let mut client = Client::start(&dir, &["--url", &url, "--ask", "tap", "--out", "r"]);
    let launch = client.number("\"Launch\"");
    client.call("tap", json!({ "element": launch })).refused().says("was not approved");
    client.end();
    assert_eq!(launches(&site), 1);
}

/// From protocol 2026-07-28 on the question is the result of the call, which is made again with the answer.
#[test]
fn a_client_of_the_newer_protocol_answers_by_calling_again() {
    let site = site();
    let url = site.url("/");
    let dir = tempdir();
    let mut client = Client::open(&dir, &["--url", &url, "--ask", "tap", "--out", "r"], &[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
    });
    let mut call = |tool: &str, arguments: Value, more: Value| {
        let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
        client.request("tools/call", with(params, &more))["result"].clone()
    };
    let listed = call("observe", json!({}), json!({}));
    let launch = super::mcp_client::number_in(listed["content"][0]["text"].as_str().unwrap(), "\"Launch\"");
    let tap = json!({ "element": launch });
    let asked = call("tap", tap.clone(), json!({}));
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let message = asked["inputRequests"]["approval"]["params"]["message"].as_str().unwrap();
    message.says("carry out tap").says("\"Launch\"");
    let answer = |action: &str, state: &Value| json!({ "inputResponses": { "approval": { "action": action } }, "requestState": state });
    let declined = call("tap", tap.clone(), answer("decline", &asked["requestState"]));
    assert_eq!(declined["isError"], true, "{declined}");
    let other = call("tap", tap.clone(), answer("accept", &json!("of another question")));
    assert_eq!(other["resultType"], "input_required", "{other}");
    assert_eq!(launches(&site), 0);
    let accepted = call("tap", tap, answer("accept", &asked["requestState"]));
    assert_eq!(accepted["isError"], false, "{accepted}");
    until("the launch", 10, || launches(&site) == 1);
    client.end();
}
