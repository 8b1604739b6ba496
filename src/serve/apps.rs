//! Instances of applications, each at an origin of its own: `a3-5c7a….localhost` on a port of its own.
//!
//! Invariants: what reaches the port is carried to the instance and nowhere else; only this process is served, which is
//! where the guard's proxy is; what ends an episode ends its instance.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tokio::net::{TcpListener, UnixStream};
use tokio_util::sync::{CancellationToken, DropGuard};
use waldo_devices::Deadline;
use waldo_devices::connections::next_connection;
use waldo_devices::peer::{PeerCheck, PeerRule};
use waldo_tasks::TaskError;
use waldo_tasks::apps::{AppInstance, Apps};
use waldo_tasks::state::Store;
use waldo_tasks::suite::{AppDef, RequestLog, Seed, SiteLease};

use super::http::cannot_listen;
use crate::environment::var_os;

/// How long an application may take to start, and to be asked what it keeps.
const STARTS_WITHIN: Duration = Duration::from_secs(60);
const READ_WITHIN: Duration = Duration::from_secs(30);
/// How long one of its pages may take: two thirds of the time in which a device has to answer, so that a page which comes
/// at the last moment can still be looked at.
const ANSWERS_WITHIN: Duration = Duration::from_secs(20);
/// What clients of package registries get beside what every program gets.
const HANDED: [&str; 12] = waldo_devices::word_list(
    "ALL_PROXY HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy PIP_CERT PIP_INDEX_URL \
     SSL_CERT_FILE NODE_EXTRA_CA_CERTS NPM_CONFIG_REGISTRY",
);

/// The applications of this user: in `waldo/apps` of the folder for caches.
pub fn apps() -> Result<Apps, TaskError> {
    let home = || Some(PathBuf::from(var_os("HOME")?).join(".cache"));
    let cache =
        var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute()).or_else(home);
    let nowhere = || TaskError::App {
        app: "applications".to_owned(),
        step: "find the folder of caches".to_owned(),
        message: "neither XDG_CACHE_HOME nor HOME is set".to_owned(),
        fix: "set one of them".to_owned(),
    };
    let handed = HANDED.into_iter().filter_map(|name| Some((name.into(), var_os(name)?)));
    Ok(Apps::new(cache.ok_or_else(nowhere)?.join("waldo/apps"), handed.collect()))
}

/// An instance and its origin; it runs from [`SiteLease::open`] on.
pub struct AppLease {
    app: Arc<AppDef>,
    origin: String,
    socket: Arc<OnceLock<PathBuf>>,
    instance: tokio::sync::Mutex<Option<AppInstance>>,
    state: Mutex<Value>,
    _stop: DropGuard,
}

impl AppLease {
    /// An origin whose host begins with `name`, for connections of whom `rule` names.
    pub async fn new(app: &Arc<AppDef>, name: &str, rule: PeerRule) -> Result<Self, TaskError> {
        apps()?.need(app)?;
        let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let listener = TcpListener::bind(any).await.map_err(cannot_listen(any))?;
        let port = listener.local_addr().map_err(cannot_listen(any))?.port();
        let socket = Arc::new(OnceLock::new());
        let stop = CancellationToken::new();
        tokio::spawn(stop.clone().run_until_cancelled_owned(carry(listener, rule, socket.clone())));
        Ok(Self {
            app: app.clone(),
            origin: format!("http://{name}.localhost:{port}"),
            socket,
            instance: tokio::sync::Mutex::new(None),
            state: Mutex::default(),
            _stop: stop.drop_guard(),
        })
    }
}

async fn carry(listener: TcpListener, rule: PeerRule, socket: Arc<OnceLock<PathBuf>>) {
    let peers = PeerCheck::new("an application", rule);
    loop {
        let (mut outside, peer) = next_connection(|| listener.accept()).await;
        let admitted = outside.local_addr().is_ok_and(|own| peers.admits(peer, own));
        let Some(socket) = socket.get().filter(|_| admitted).cloned() else { continue };
        tokio::spawn(async move {
            if let Ok(mut inside) = UnixStream::connect(socket).await {
                // Whichever side lets go ends it.
                let _ = tokio::io::copy_bidirectional(&mut outside, &mut inside).await;
            }
        });
    }
}

#[async_trait]
impl SiteLease for AppLease {
    async fn open(&self, seeds: &[Seed], deadline: Deadline) -> Result<(), TaskError> {
        let deadline = deadline.at_most(STARTS_WITHIN);
        let instance = AppInstance::start(&apps()?, &self.app, seeds, deadline).await?;
        let _ = self.socket.set(instance.socket());
        *self.instance.lock().await = Some(instance);
        Ok(())
    }

    async fn stores(&self) -> Result<BTreeMap<String, Store>, TaskError> {
        match self.instance.lock().await.as_ref() {
            Some(instance) => instance.stores(Deadline::after(READ_WITHIN)).await,
            None => Ok(BTreeMap::new()),
        }
    }

    async fn health(&self) -> Result<(), TaskError> {
        match self.instance.lock().await.as_ref() {
            Some(instance) => instance.health().await,
            None => Ok(()),
        }
    }

    async fn answers(&self) -> Result<(), TaskError> {
        match self.instance.lock().await.as_ref() {
            Some(instance) => instance.responds().await,
            None => Ok(()),
        }
    }

    fn answers_within(&self) -> Option<Duration> {
        Some(ANSWERS_WITHIN)
    }

    fn origin(&self) -> &str {
        &self.origin
    }

    fn other_origin(&self) -> &str {
        &self.origin
    }

    fn start(&self, _: u32, _: &Value, state: &Value) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone_from(state);
    }

    fn set(&self, _: &str, _: Value) -> bool {
        false
    }

    fn state(&self) -> Value {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn requests(&self) -> Vec<RequestLog> {
        Vec::new()
    }
}
