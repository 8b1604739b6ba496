//! One browser process that many devices share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::json;
use tokio_util::task::AbortOnDropHandle;

use super::blank::Blank;
use super::cdp::{Cdp, text};
use super::options::{BrowserOptions, Viewport};
use super::{cdp, process, unproxied};
use waldo_devices::peer::{PeerCheck, PeerRule};
use waldo_devices::{Deadline, DeviceError, Result};

/// A browser; cheap to clone. It ends with its last clone and its last device, together with all of
/// its processes and its profile.
#[derive(Clone)]
pub struct Browser {
    inner: Arc<Inner>,
}

struct Inner {
    cdp: Cdp,
    version: String,
    pid: Option<u32>,
    spoilt: AtomicBool,
    /// Whose connections the guard's proxies serve.
    peers: Arc<PeerCheck>,
    /// Switches that the guard needs and that it was not started with.
    lacking: Vec<&'static str>,
    process: Mutex<Option<process::Process>>,
    /// Held while the storage of a profile is read; none where it was started without one.
    profile: Option<tokio::sync::Mutex<()>>,
    /// The context of whoever is next, made or in the making.
    ahead: Mutex<Option<Ahead>>,
}

/// A context that nobody has asked for yet. It keeps the connection, and so not the browser, alive.
type Ahead = (Viewport, AbortOnDropHandle<Result<Blank>>);

/// Whose connections are served for the browser whose DevTools port is at `ws_url`: those of the process that has the port.
async fn peers_at(ws_url: String) -> PeerRule {
    let found = tokio::task::spawn_blocking(move || {
        let addresses = url::Url::parse(&ws_url).ok()?.socket_addrs(|| None).ok()?;
        addresses.into_iter().find(|address| address.ip().is_loopback()).map(PeerRule::listener)
    });
    // A browser on another machine comes through somebody's tunnel.
    found.await.ok().flatten().unwrap_or(PeerRule::Anybody)
}

/// How long a context that is made ahead may take.
const AHEAD_WITHIN: Duration = Duration::from_secs(20);

impl Browser {
    /// Starts a browser. Needs a tokio runtime.
    ///
    /// # Errors
    /// [`DeviceError::Start`] when no program is found or it does not answer by the deadline.
    pub async fn launch(options: &BrowserOptions, deadline: Deadline) -> Result<Self> {
        let program = process::find(options)?;
        let (process, reader, writer) = process::Process::spawn(&program, options)?;
        let pid = process.pid();
        let cdp = Cdp::start(reader, writer);
        Self::greet(cdp, Some(process), Some((pid, options)), PeerRule::Tree(pid), deadline).await.map_err(
            |error| DeviceError::Start {
                what: program.display().to_string(),
                message: error.to_string(),
                hint: "run it by hand with --headless=new --dump-dom about:blank to see its complaint"
                    .to_owned(),
            },
        )
    }

    /// Joins a browser that runs already, at its `webSocketDebuggerUrl` (`ws://…/devtools/browser/…`).
    /// It must be able to reach this host's loopback, where the guard's proxy listens. One that was started
    /// without the switches that the guard needs opens pages only where [`crate::WebOptions::unproxied`] accepts that.
    ///
    /// # Errors
    /// [`DeviceError::Start`] when nothing answers there.
    pub async fn connect(ws_url: &str, deadline: Deadline) -> Result<Self> {
        let (reader, writer) = cdp::connect(ws_url, deadline).await?;
        let peers = peers_at(ws_url.to_owned()).await;
        Self::greet(Cdp::start(reader, writer), None, None, peers, deadline).await
    }

    async fn greet(
        cdp: Cdp,
        process: Option<process::Process>,
        started: Option<(u32, &BrowserOptions)>,
        peers: PeerRule,
        deadline: Deadline,
    ) -> Result<Self> {
        let call = async |method, params| {
            cdp.call(None, method, params, deadline).await.map_err(|error| error.on(method))
        };
        // Sent in one go; the browser keeps their order. Every new page, popups included, waits until its guard stands.
        let attach = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true });
        let (version, _, _) = tokio::try_join!(
            call("Browser.getVersion", json!({})),
            call("Target.setDiscoverTargets", json!({ "discover": true })),
            call("Target.setAutoAttach", attach),
        )?;
        let lacking = match process {
            Some(_) => Vec::new(),
            None => unproxied::lacking(&cdp, text(&version, "product"), deadline).await,
        };
        let product = text(&version, "product").replace("HeadlessChrome/", "Chrome/").replace('/', " ");
        let process = Mutex::new(process);
        let pid = started.map(|(pid, _)| pid);
        let profile = started.and_then(|(_, options)| options.profile.as_ref()).map(|_| Default::default());
        Ok(Self {
            inner: Arc::new(Inner {
                cdp,
                version: product,
                pid,
                spoilt: AtomicBool::new(false),
                peers: Arc::new(PeerCheck::new("the guard's proxy", peers)),
                lacking,
                process,
                profile,
                ahead: Mutex::default(),
            }),
        })
    }

    /// Product and version, such as `Chrome 156.0.8078.79`.
    pub fn version(&self) -> &str {
        &self.inner.version
    }

    pub fn is_alive(&self) -> bool {
        self.inner.cdp.is_open()
    }

    /// Whether it can be given to further devices: it runs, and none of its lasting processes has ended.
    pub fn is_whole(&self) -> bool {
        self.is_alive() && !self.inner.spoilt.load(Ordering::Relaxed)
    }

    pub(crate) fn spoil(&self) {
        self.inner.spoilt.store(true, Ordering::Relaxed);
    }

    /// The process and process group, when this started it.
    pub fn pid(&self) -> Option<u32> {
        self.inner.pid
    }

    /// Ends the browser for every device that uses it.
    ///
    /// # Errors
    /// None that a caller could do anything about: what does not end by itself is killed.
    pub async fn close(&self, deadline: Deadline) -> Result<()> {
        if self.inner.pid.is_none() {
            return Ok(());
        }
        let polite = deadline.at_most(Duration::from_secs(2));
        if self.inner.cdp.call(None, "Browser.close", json!({}), polite).await.is_ok() {
            let _ = tokio::time::timeout_at(polite.instant(), self.inner.cdp.gone()).await;
        }
        let process = self.inner.process.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(process);
        Ok(())
    }

    /// The switches that the guard needs and that this browser, which somebody else started, was not given.
    pub fn lacking(&self) -> &[&'static str] {
        &self.inner.lacking
    }

    /// Held by whoever reads the storage of somebody's profile; none where it was started without one.
    pub(crate) fn profile(&self) -> Option<&tokio::sync::Mutex<()>> {
        self.inner.profile.as_ref()
    }

    /// Begins to make a context for whoever is next, unless there is one.
    pub(crate) fn make_ahead(&self, viewport: Viewport) {
        let mut ahead = self.inner.ahead.lock().unwrap_or_else(PoisonError::into_inner);
        if ahead.as_ref().is_none_or(|(own, _)| *own != viewport) {
            let (cdp, peers) = (self.cdp().clone(), self.inner.peers.clone());
            let made = tokio::spawn(async move {
                Blank::make(&cdp, peers, viewport, Deadline::after(AHEAD_WITHIN)).await
            });
            *ahead = Some((viewport, AbortOnDropHandle::new(made)));
        }
    }

    /// A context with an empty page: the one that was made ahead, if it fits.
    pub(crate) async fn blank(&self, viewport: Viewport, deadline: Deadline) -> Result<Blank> {
        let ahead = self.inner.ahead.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((own, made)) = ahead
            && own == viewport
            && let Ok(Ok(Ok(blank))) = tokio::time::timeout_at(deadline.instant(), made).await
            && blank.front().is_some()
        {
            return Ok(blank);
        }
        Blank::make(self.cdp(), self.inner.peers.clone(), viewport, deadline).await
    }

    pub(crate) fn cdp(&self) -> &Cdp {
        &self.inner.cdp
    }
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::os::fd::OwnedFd;
    use std::process::{Command, Stdio};

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use waldo_devices::guard::GuardPolicy;

    use super::*;
    use crate::current::Current;
    use crate::proxy::{Blocked, Proxy};

    /// What a proxy that keeps to `rule` answers this process, and what it took for blocked.
    async fn answer(rule: PeerRule) -> (String, Vec<String>) {
        let blocked = Blocked::default();
        let peers = Arc::new(PeerCheck::new("a test", rule));
        let policy = Current::new(GuardPolicy::default());
        let proxy = Proxy::start(policy, blocked.clone(), peers).await.unwrap();
        let address = proxy.server().replace("http://", "");
        let mut client = tokio::net::TcpStream::connect(address).await.unwrap();
        let mut said = Vec::new();
        // One that is refused is closed at any moment.
        let _ = client.write_all(b"GET http://a.test/ HTTP/1.1\r\nhost: a.test\r\n\r\n").await;
        let _ = client.read_to_end(&mut said).await;
        (String::from_utf8_lossy(&said).into_owned(), blocked.take())
    }

    #[tokio::test]
    async fn the_process_that_has_the_devtools_port_is_served_and_no_other() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("ws://{}/devtools/browser/1", listener.local_addr().unwrap());
        let own = peers_at(url.clone()).await;
        assert_eq!(own, PeerRule::Tree(std::process::id()));
        let (said, blocked) = answer(own).await;
        assert!(said.contains("403") && blocked == ["http://a.test:80"], "{said} {blocked:?}");
        // The port goes over to another process, as that of a browser that somebody started.
        let port = Stdio::from(OwnedFd::from(listener));
        let mut other = Command::new("sleep").arg("60").stdin(port).spawn().unwrap();
        let rule = peers_at(url.clone()).await;
        let refused = answer(rule).await;
        other.kill().unwrap();
        other.wait().unwrap();
        assert_eq!(rule, PeerRule::Tree(other.id()));
        assert_eq!(refused, (String::new(), Vec::new()));
        // Nothing of this machine listens there: it is somebody's tunnel, or another machine's.
        for far in [url.as_str(), "ws://192.0.2.1:9222/devtools/browser/1", "no address"] {
            assert_eq!(peers_at(far.to_owned()).await, PeerRule::Anybody, "{far}");
        }
    }
}
