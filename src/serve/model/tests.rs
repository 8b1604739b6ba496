use serde_json::Value;

use super::*;

async fn server(registry: Registry) -> (ReferenceModel, reqwest::Client) {
    let server = ReferenceModel::own(registry).await.unwrap();
    (server, waldo_agents::http::builder().no_proxy().build().unwrap())
}

async fn ask(server: &ReferenceModel, http: &reqwest::Client, body: String) -> (u16, Value) {
    let url = format!("{}/chat/completions", server.base_url());
    let reply = http.post(url).body(body).send().await.unwrap();
    (reply.status().as_u16(), reply.json().await.unwrap())
}

fn prompt(goal: &str) -> String {
    format!("You operate a browser.\n\n# Task\n\n{goal}\n\n# So far\n\nNothing yet.\n\nWhat next?")
}

fn chat_body(messages: &[&str]) -> String {
    let messages: Vec<Value> =
        messages.iter().map(|text| json!({ "role": "user", "content": text })).collect();
    json!({ "model": "some-name", "messages": messages, "max_tokens": 100 }).to_string()
}

fn steps(value: Value) -> Vec<Step> {
    serde_json::from_value(value).unwrap()
}

#[tokio::test]
async fn a_known_goal_is_answered_in_the_agents_format() {
    let registry = Registry::default();
    let (server, http) = server(registry.clone()).await;
    registry.add(None, "Say  hello", &steps(json!([{ "do": "answer", "text": "hello" }])));
    let (status, reply) = ask(&server, &http, chat_body(&[&prompt("Say hello")])).await;
    assert_eq!(status, 200, "{reply}");
    let text = reply["choices"][0]["message"]["content"].as_str().unwrap();
    assert!(text.contains("Action: ") && text.contains("hello"), "{text}");
    assert_eq!((&reply["model"], &reply["usage"]), (&json!("some-name"), &Value::Null));
}

#[tokio::test]
async fn the_prompt_is_found_before_a_second_question() {
    let registry = Registry::default();
    registry.add(None, "Say hello", &steps(json!([{ "do": "answer", "text": "hello" }])));
    let (server, http) = server(registry).await;
    let (status, _) =
        ask(&server, &http, chat_body(&[&prompt("Say hello"), "That was not an action."])).await;
    assert_eq!(status, 200);
}

#[tokio::test]
async fn what_cannot_be_answered_is_refused_with_the_reason() {
    let (server, http) = server(Registry::default()).await;
    for (body, expected, says) in [
        (chat_body(&[&prompt("Buy milk")]), 422, "no solution is known for the goal \"Buy milk\" (0 goals"),
        (chat_body(&["hello"]), 422, "no message is a prompt"),
        ("{}".to_owned(), 400, "model"),
    ] {
        let (status, reply) = ask(&server, &http, body).await;
        assert_eq!(status, expected, "{reply}");
        assert_eq!(reply["error"]["type"], "invalid_request_error");
        assert!(reply["error"]["message"].as_str().unwrap().contains(says), "{reply}");
    }
}

#[tokio::test]
async fn models_are_listed_and_other_paths_say_what_there_is() {
    let (server, http) = server(Registry::default()).await;
    let get = async |path: &str| {
        let reply = http.get(format!("{}{path}", server.base_url())).send().await.unwrap();
        (reply.status().as_u16(), reply.json::<Value>().await.unwrap())
    };
    let (status, list) = get("/models").await;
    assert_eq!((status, &list["data"][0]["id"]), (200, &json!("reference")));
    let (status, error) = get("/embeddings").await;
    assert!(status == 404 && error["error"]["message"].as_str().unwrap().contains("/v1/chat"), "{error}");
}

#[test]
fn instances_with_the_same_goal_are_told_apart_by_their_origin() {
    let registry = Registry::default();
    let answer = |text: &str| steps(json!([{ "do": "answer", "text": text }]));
    registry.add(Some("http://e1-a.localhost:5"), "Say it", &answer("one"));
    registry.add(Some("http://e2-b.localhost:5"), "Say it", &answer("two"));
    let found = registry.get(None, "Say it", "address: http://e2-b.localhost:5/x").unwrap();
    assert_eq!(found.steps, answer("two"));
    assert_eq!(registry.get(None, "Say it", "no address"), Err(Unsolved::Ambiguous));
    assert_eq!(registry.get(None, "Say that", ""), Err(Unsolved::Unknown));
    registry.add(None, "Once", &answer("x"));
    registry.add(None, "Once", &answer("x"));
    assert_eq!(registry.get(None, "Once", "").unwrap().steps, answer("x"));
    registry.add(None, "Never", &[]);
    assert_eq!(registry.get(None, "Never", ""), Err(Unsolved::Unknown));
}

#[tokio::test]
async fn instances_with_the_same_words_are_told_apart_by_the_address() {
    let registry = Registry::default();
    let (server, http) = server(registry.clone()).await;
    for (place, text) in [("e1", "one"), ("e2", "two")] {
        let solution = steps(json!([{ "do": "answer", "text": text }]));
        registry.add(None, "Say it", &solution);
        registry.settle(place, "Say it", &solution);
    }
    let said = async |place: &str| {
        let url = format!("{}/chat/completions", server.base_url_at(place));
        let reply = http.post(url).body(chat_body(&[&prompt("Say it")])).send().await.unwrap();
        reply.json::<Value>().await.unwrap().to_string()
    };
    assert!(said("e1").await.contains("one") && said("e2").await.contains("two"));
    assert!(said("e3").await.contains("several solutions"));
    registry.leave("e1");
    assert!(said("e1").await.contains("several solutions"));
}
