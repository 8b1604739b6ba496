//! The socket, and the sessions behind it.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{Mutex, Semaphore};
use tokio::task::JoinSet;
use waldo_agents::exec::PROTOCOL;
use waldo_devices::count::count;
use waldo_tasks::record::TaskEntry;
use waldo_tasks::suite::problem::suggest;

use super::desk::EpisodeDesk;
use super::wire::{EnvWire, SessionLink};
use crate::own_socket::OwnSocket;

/// What sessions are told of at first.
pub struct Offer {
    pub suite: String,
    pub tasks: Vec<TaskEntry>,
    /// Width and height in physical pixels.
    pub screen: (f64, f64),
    pub sessions: usize,
}

#[derive(Deserialize)]
#[serde(tag = "call", rename_all = "snake_case", deny_unknown_fields)]
enum Request {
    /// Begins an episode of a task; `seed` names the instance, as repeats of a run do.
    Reset {
        task: String,
        #[serde(default)]
        seed: u32,
        #[serde(default)]
        wants: Value,
    },
}

/// Serves sessions at `socket` for ever; they end with this.
pub async fn serve(socket: OwnSocket, offer: Offer, desk: EpisodeDesk) {
    let room = Arc::new(Semaphore::new(offer.sessions));
    let offer = Arc::new(offer);
    let mut sessions = JoinSet::new();
    loop {
        let stream = tokio::select! {
            stream = socket.accept() => stream,
            Some(_) = sessions.join_next() => continue,
        };
        let (offer, desk, room) = (offer.clone(), desk.clone(), room.clone());
        sessions.spawn(async move {
            let wire = Arc::new(Mutex::new(EnvWire::new(stream)));
            let ended = match room.try_acquire() {
                Ok(_held) => session(&wire, &offer, &desk).await,
                Err(_) => Err(format!(
                    "{} are open already: start the server with a larger --sessions",
                    count(offer.sessions, "session")
                )),
            };
            if let Err(why) = ended {
                // Whoever is gone does not hear it.
                let _ = wire.lock().await.write(&json!({ "call": "closed", "error": why })).await;
            }
        });
    }
}

/// One session, until its connection ends or says what cannot be read.
async fn session(wire: &Arc<Mutex<EnvWire>>, offer: &Offer, desk: &EpisodeDesk) -> Result<(), String> {
    let welcome = json!({
        "call": "welcome", "protocol": PROTOCOL, "server": env!("CARGO_PKG_VERSION"), "suite": offer.suite,
        "tasks": offer.tasks, "screen": [offer.screen.0, offer.screen.1],
    });
    wire.lock().await.write(&welcome).await?;
    loop {
        let message = wire.lock().await.read().await?;
        if message.get("call").is_none() {
            // An answer that came after its episode had ended.
            continue;
        }
        let said = match serde_json::from_value::<Request>(message) {
            Err(error) => json!({ "call": "refused", "error": error.to_string() }),
            Ok(Request::Reset { task, seed, wants }) => reset(wire, offer, desk, &task, (seed, wants)).await,
        };
        wire.lock().await.write(&said).await?;
    }
}

/// Has an episode played by the other end; what it hears in the end.
async fn reset(
    wire: &Arc<Mutex<EnvWire>>,
    offer: &Offer,
    desk: &EpisodeDesk,
    task: &str,
    (seed, wants): (u32, Value),
) -> Value {
    let known: Vec<&str> = offer.tasks.iter().map(|task| task.id.as_str()).collect();
    if !known.contains(&task) {
        let error = format!("the suite {} has no task '{task}'; {}", offer.suite, suggest(task, &known));
        return json!({ "call": "refused", "error": error });
    }
    let looks = !matches!(wants["picture"].as_str(), None | Some("none"));
    let link = Arc::new(SessionLink { wire: wire.clone(), wants });
    match desk.play(task, seed, (link, looks)).await {
        Ok(result) => {
            let folder = desk.folder(&result.key).map(|folder| folder.path().to_owned());
            json!({ "call": "result", "result": result, "folder": folder })
        }
        Err(why) => json!({ "call": "refused", "error": why }),
    }
}
