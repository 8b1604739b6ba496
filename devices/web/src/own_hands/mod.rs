//! Programs with hands of their own: an address of the DevTools protocol that serves one context.
//!
//! Invariants: a program is told of its own context alone, and names nothing of another; what is not named in [`policy`] is
//! refused; an input waits in a queue until the device performs the action that it comes to, and no other way leads to the
//! browser; connections of other processes, and those without the token, are closed before anything is done for them.

mod connection;
mod gestures;
mod policy;
mod server;
mod targets;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::task::AbortOnDropHandle;

pub(crate) use self::gestures::ClientCall;
use self::gestures::WholeInput;
use crate::cdp::Cdp;
use crate::state::SharedState;
use waldo_devices::action::Action;
use waldo_devices::error::DeviceError;
use waldo_devices::own_hands::{OwnHands, OwnInput};
use waldo_devices::peer::{PeerCheck, PeerRule};
use waldo_devices::random::token;

/// What came of a call: an answer, or why there is none.
pub(crate) type CallAnswer = Result<Value, String>;

/// An input that waits for the episode.
#[derive(Debug)]
struct WantedInput {
    input: WholeInput,
    /// The tab that it is made on, where it is made on one.
    tab: Option<String>,
    /// Gone once it was carried out.
    reply: Option<oneshot::Sender<CallAnswer>>,
}

/// What listener, connections and device share.
pub(crate) struct EndpointState {
    cdp: Cdp,
    /// The browser's name of the context.
    context: String,
    shared: Arc<SharedState>,
    /// Physical pixels for each logical one.
    scale: f64,
    address: SocketAddr,
    token: String,
    /// Gone once no new connections are taken.
    queue: Mutex<Option<mpsc::UnboundedSender<WantedInput>>>,
    under_way: Mutex<Option<WantedInput>>,
    peers: watch::Sender<Option<Arc<PeerCheck>>>,
    /// Why every connection ends.
    ended: watch::Sender<Option<String>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl EndpointState {
    /// Takes the input under way, where it comes to this action and was not carried out.
    pub(crate) fn take(&self, action: &Action) -> Option<(Vec<ClientCall>, Option<String>)> {
        let mut under_way = lock(&self.under_way);
        let wanted = under_way.as_mut().filter(|wanted| wanted.reply.is_some())?;
        let same = match (&wanted.input.action, action) {
            // Names of files have become those of this machine.
            (Action::Upload { element: own, .. }, Action::Upload { element, .. }) => own == element,
            (own, action) => own == action,
        };
        same.then(|| (std::mem::take(&mut wanted.input.calls), wanted.tab.clone()))
    }

    /// Answers the client the input under way.
    pub(crate) fn answer(&self, answer: CallAnswer) {
        if let Some(reply) = lock(&self.under_way).as_mut().and_then(|wanted| wanted.reply.take()) {
            // The client may have gone.
            let _ = reply.send(answer);
        }
    }

    pub(crate) fn end(&self, why: &str) {
        lock(&self.queue).take();
        self.ended.send_if_modified(|ended| {
            let first = ended.is_none();
            ended.get_or_insert_with(|| why.to_owned());
            first
        });
    }
}

/// The address of one program.
struct Endpoint {
    state: Arc<EndpointState>,
    url: String,
    wanted: tokio::sync::Mutex<mpsc::UnboundedReceiver<WantedInput>>,
    _listening: AbortOnDropHandle<()>,
}

/// Serves a program of the context `context`: what serves it, and its address.
pub(crate) async fn serve(
    cdp: Cdp,
    context: String,
    shared: Arc<SharedState>,
    scale: f64,
) -> Result<(Arc<EndpointState>, Arc<dyn OwnHands>), DeviceError> {
    let failed =
        |source| DeviceError::Io { what: "the address for a program's own hands".to_owned(), source };
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let (queue, wanted) = mpsc::unbounded_channel();
    let state = Arc::new(EndpointState {
        cdp,
        context,
        shared,
        scale,
        address,
        token: token().map_err(failed)?,
        queue: Mutex::new(Some(queue)),
        under_way: Mutex::default(),
        peers: watch::Sender::new(None),
        ended: watch::Sender::new(None),
    });
    let listening = AbortOnDropHandle::new(tokio::spawn(server::listen(listener, state.clone())));
    let url = format!("http://{address}/{}", state.token);
    let wanted = tokio::sync::Mutex::new(wanted);
    let served = Endpoint { state: state.clone(), url, wanted, _listening: listening };
    Ok((state, Arc::new(served)))
}

#[async_trait]
impl OwnHands for Endpoint {
    fn address(&self) -> &str {
        &self.url
    }

    fn admit(&self, process: u32) {
        let check = PeerCheck::new("the browser's address for a program", PeerRule::Tree(process));
        self.state.peers.send_replace(Some(Arc::new(check)));
    }

    fn leave(&self) {
        lock(&self.state.queue).take();
    }

    async fn next(&self) -> Option<OwnInput> {
        let told = |wanted: &WantedInput| OwnInput {
            action: wanted.input.action.clone(),
            call: wanted.input.call.clone(),
        };
        if let Some(wanted) = lock(&self.state.under_way).as_ref() {
            return Some(told(wanted));
        }
        let wanted = self.wanted.lock().await.recv().await?;
        let input = told(&wanted);
        *lock(&self.state.under_way) = Some(wanted);
        Some(input)
    }

    fn answer(&self, why: Option<String>) {
        self.state.answer(Err(why.unwrap_or_else(|| "it was not carried out".to_owned())));
        lock(&self.state.under_way).take();
    }

    fn end(&self, why: &str) {
        self.state.end(why);
    }
}
