//! Programs with hands of their own: what their address tells of the browser.

use std::sync::Arc;

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};
use waldo_devices::{Action, Button, Effect, OwnHands};
use waldo_web::{Browser, BrowserOptions, WebDevice};

use super::support::{Device as _, address, open, soon};

struct Client {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    asked: u64,
    events: Vec<Value>,
}

impl Client {
    async fn at(url: &str) -> Self {
        let (socket, _) = tokio_tungstenite::connect_async(url).await.unwrap();
        Self { socket, asked: 0, events: Vec::new() }
    }

    async fn of(hands: &Arc<dyn OwnHands>) -> Self {
        Self::at(&hands.address().replacen("http", "ws", 1)).await
    }

    async fn send(&mut self, method: &str, params: Value, session: Option<&str>) {
        self.asked += 1;
        let mut message = json!({ "id": self.asked, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        self.socket.send(Message::text(message.to_string())).await.unwrap();
    }

    /// The answer to the last call: its result, or its error's words.
    async fn answer(&mut self) -> Result<Value, String> {
        loop {
            let message = self.socket.next().await.unwrap().unwrap();
            let mut said: Value = serde_json::from_str(message.to_text().unwrap()).unwrap();
            if said["id"] == self.asked {
                return match said["error"]["message"].as_str() {
                    Some(why) => Err(why.to_owned()),
                    None => Ok(said["result"].take()),
                };
            }
            self.events.push(said);
        }
    }

    async fn call(&mut self, method: &str, params: Value) -> Result<Value, String> {
        self.send(method, params, None).await;
        self.answer().await
    }

    async fn targets(&mut self) -> Vec<String> {
        let all = self.call("Target.getTargets", json!({ "filter": [{}] })).await.unwrap();
        let ids = all["targetInfos"].as_array().unwrap().iter();
        ids.map(|info| info["targetId"].as_str().unwrap().to_owned()).collect()
    }
}

async fn served(device: &mut WebDevice) -> Arc<dyn OwnHands> {
    let hands = device.own_hands().await.unwrap();
    hands.admit(std::process::id());
    hands
}

#[tokio::test]
async fn a_client_is_told_of_its_own_context_alone_and_reaches_no_other() {
    let options =
        BrowserOptions { args: vec!["--remote-debugging-port=0".to_owned()], ..BrowserOptions::default() };
    let browser = Browser::launch(&options, soon()).await.unwrap();
    let (_site, mut own) = open(&browser, "<title>own</title>").await;
    let (_other_site, mut other) =
        open(&browser, "<title>other</title><iframe src=about:blank></iframe>").await;
    let (own_hands, other_hands) = (served(&mut own).await, served(&mut other).await);
    let (mut client, mut stranger) = (Client::of(&own_hands).await, Client::of(&other_hands).await);
    let (mine, theirs) = (client.targets().await, stranger.targets().await);
    assert!(!mine.is_empty() && !theirs.is_empty());
    assert!(!mine.iter().any(|target| theirs.contains(target)), "{mine:?} {theirs:?}");
    // The same browser shows both to whoever has its own port.
    let all = Client::at(&address(&browser)).await.targets().await;
    assert!(mine.iter().chain(&theirs).all(|target| all.contains(target)), "{all:?}");
    for target in &theirs {
        for method in ["attachToTarget", "getTargetInfo", "closeTarget", "activateTarget"] {
            let said = client.call(&format!("Target.{method}"), json!({ "targetId": target })).await;
            assert!(said.is_err_and(|why| why.contains("No target")), "{method}");
        }
    }
    // Sessions of others, such as the driver's own, are none of its sessions.
    let attached = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true });
    stranger.call("Target.setAutoAttach", attached.clone()).await.unwrap();
    let session = |client: &Client| {
        let come = client.events.iter().find(|event| event["method"] == "Target.attachedToTarget").unwrap();
        assert_eq!(come["params"]["waitingForDebugger"], false);
        come["params"]["sessionId"].as_str().unwrap().to_owned()
    };
    let foreign = session(&stranger);
    client.send("Runtime.evaluate", json!({ "expression": "document.title" }), Some(&foreign)).await;
    assert!(client.answer().await.is_err_and(|why| why.contains("Session with given id")));
    // Nor does it hear of pages that come there.
    client.call("Target.setDiscoverTargets", json!({ "discover": true })).await.unwrap();
    client.call("Target.setAutoAttach", attached).await.unwrap();
    let known = client.events.len();
    other.perform(&Action::NewTab { url: None }, soon()).await.unwrap();
    assert_eq!(client.targets().await, mine);
    assert_eq!(client.events.len(), known, "{:?}", client.events);
    let own_session = session(&client);
    client.send("Runtime.evaluate", json!({ "expression": "document.title" }), Some(&own_session)).await;
    assert_eq!(client.answer().await.unwrap()["result"]["value"], "own");
}

#[tokio::test]
async fn an_input_waits_for_the_action_that_it_is() {
    let browser = super::support::launch().await;
    let page = "<button style='position:fixed;left:0;top:0;width:90px;height:40px' onclick='document.title += 1'>b</button>";
    let (_site, mut device) = open(&browser, page).await;
    let hands = served(&mut device).await;
    let mut client = Client::of(&hands).await;
    let targets = client.call("Target.getTargets", json!({})).await.unwrap();
    let at = json!({ "targetId": targets["targetInfos"][0]["targetId"], "flatten": true });
    let attached = client.call("Target.attachToTarget", at).await;
    let session = attached.unwrap()["sessionId"].as_str().unwrap().to_owned();
    let event = |kind: &str| json!({ "type": kind, "x": 20, "y": 20, "button": "left", "clickCount": 1 });
    let click = async |client: &mut Client| {
        client.send("Input.dispatchMouseEvent", event("mousePressed"), Some(&session)).await;
        client.answer().await.unwrap();
        client.send("Input.dispatchMouseEvent", event("mouseReleased"), Some(&session)).await;
    };
    click(&mut client).await;
    let wanted = hands.next().await.unwrap();
    assert!(matches!(wanted.action, Action::Tap { button: Button::Left, .. }), "{wanted:?}");
    assert_eq!(hands.next().await, Some(wanted.clone()), "asked again, it is the same");
    // What is refused is not carried out, nor by another action.
    hands.answer(Some("it is denied".to_owned()));
    assert!(client.answer().await.is_err_and(|why| why.contains("denied")));
    let title = async |client: &mut Client| {
        client.send("Runtime.evaluate", json!({ "expression": "document.title" }), Some(&session)).await;
        client.answer().await.unwrap()["result"]["value"].as_str().unwrap().to_owned()
    };
    assert_eq!(title(&mut client).await, "");
    click(&mut client).await;
    let wanted = hands.next().await.unwrap();
    let done = device.perform(&wanted.action, soon()).await.unwrap();
    assert!(matches!(done.effect, Effect::Confirmed { .. }), "{done:?}");
    hands.answer(None);
    client.answer().await.unwrap();
    assert_eq!(title(&mut client).await, "1");
    // The end answers what waits.
    click(&mut client).await;
    hands.next().await.unwrap();
    hands.end("the episode is over");
    assert!(client.answer().await.is_err_and(|why| why.contains("over")));
}
