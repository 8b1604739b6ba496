//! A connection: a task that reads updates and asks for more, and what is sent beside it.
//!
//! Invariants: the next update is asked for once the last is painted, fifty times a second at most, so that a server
//! cannot keep the processor busy; every wait has a deadline; a message is sent whole, or the connection is given up.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncWriteExt as _, ReadHalf, WriteHalf, split};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::error::RfbError;
use super::handshake::{ServerInit, greet};
use super::link::{LinkOptions, RfbLink};
use super::pixels::{PaintProgress, SharedPicture};
use super::updates::{ServerMessage, Updates, encodings};
use crate::address::VncAddress;
use crate::options::{PASSWORD, VncEncoding, VncOptions};
use crate::screen::{Shot, VncTraffic};
use waldo_devices::{Deadline, DeviceError, Result};

/// The least time between two updates.
const PACE: Duration = Duration::from_millis(20);
/// The longest that a server may take to answer a question: it is given up then.
const ANSWERS_WITHIN: Duration = Duration::from_secs(10);

/// Pixels of four bytes: red, green, blue, and one that says nothing.
const FORM: [u8; 20] = [0, 0, 0, 0, 32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 0, 8, 16, 0, 0, 0];

/// A connection to a server. Dropping it ends it.
pub(crate) struct RfbClient {
    /// What the server calls it: untrusted text.
    pub(crate) name: String,
    shared: Arc<SharedPicture>,
    to: Arc<Mutex<WriteHalf<RfbLink>>>,
    reader: JoinHandle<()>,
}

impl Drop for RfbClient {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

impl RfbClient {
    /// Connects, and asks for the picture.
    pub(crate) async fn connect(
        address: &VncAddress,
        options: &VncOptions,
        deadline: Deadline,
    ) -> Result<Self> {
        let within = deadline.left();
        let timeout = |_| DeviceError::timeout(format!("the connection to {address}"), within);
        let stream = timeout_at(deadline.instant(), connect(address)).await;
        let stream = stream.map_err(timeout)?.map_err(|error| DeviceError::Absent {
            what: format!("no VNC server answers at {address} ({error})"),
            hint: "start one on that machine (x11vnc, or its system's screen sharing), and name its port"
                .to_owned(),
        })?;
        let password = options.secrets.value(PASSWORD);
        let link = LinkOptions {
            host: address.parts().0,
            password: password.as_deref(),
            clear: options.may_be_clear(address),
            trust: &options.trust,
        };
        let greeted = timeout_at(deadline.instant(), greet(stream, &link)).await;
        let (display, stream) = greeted.map_err(timeout)?.map_err(|error| not_let_in(address, &error))?;
        let (from, to) = split(stream);
        let client = Self::of(display, from, to);
        let begun = async {
            client.send(&FORM, deadline).await?;
            client.send(&asked(options.encoding), deadline).await?;
            client.send(&request(false, client.shared.size()), deadline).await
        };
        begun.await?;
        Ok(client)
    }

    fn of(display: ServerInit, from: ReadHalf<RfbLink>, to: WriteHalf<RfbLink>) -> Self {
        let shared = Arc::new(SharedPicture::new(display.size));
        let to = Arc::new(Mutex::new(to));
        let reader = tokio::spawn(read(from, to.clone(), shared.clone()));
        Self { name: display.name, shared, to, reader }
    }

    fn gone(why: &str) -> DeviceError {
        DeviceError::Gone { reason: why.to_owned() }
    }

    async fn send(&self, message: &[u8], deadline: Deadline) -> Result<()> {
        if let Some(why) = self.shared.lost() {
            return Err(Self::gone(&why));
        }
        let sent = async { say(&self.to, message).await };
        match timeout_at(deadline.instant(), sent).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => {
                let error = RfbError::from(error).to_string();
                self.shared.lose(&error);
                Err(Self::gone(&error))
            }
            // Half of it may be sent.
            Err(_) => {
                self.shared.lose("the VNC server takes no more input");
                Err(Self::gone("the VNC server takes no more input"))
            }
        }
    }

    /// Waits until progress is `there`; `None` once the time is up.
    async fn until<T>(
        &self,
        end: Deadline,
        there: impl Fn(&PaintProgress) -> Option<T>,
    ) -> Result<Option<T>> {
        let mut watch = self.shared.watch();
        loop {
            {
                let progress = watch.borrow_and_update();
                if let Some(found) = there(&progress) {
                    return Ok(Some(found));
                }
                if let Some(why) = &progress.lost {
                    return Err(Self::gone(why));
                }
            }
            match timeout_at(end.instant(), watch.changed()).await {
                Ok(Ok(())) => {}
                // Its sender lives as long as this does.
                Ok(Err(_)) => return Err(Self::gone("the connection is closed")),
                Err(_) => return Ok(None),
            }
        }
    }

    /// What it means that a server did not answer by `end`: one that had its time is given up.
    fn silent(&self, what: &str, asked: Instant, deadline: Deadline) -> DeviceError {
        if deadline.passed() {
            return DeviceError::Timeout { what: what.to_owned(), after: asked.elapsed() };
        }
        let why = format!("the VNC server gave no answer to {what} within {} s", ANSWERS_WITHIN.as_secs());
        self.shared.lose(&why);
        Self::gone(&why)
    }
}

/// Sends a message, out of what TLS keeps as well.
async fn say(to: &Mutex<WriteHalf<RfbLink>>, message: &[u8]) -> std::io::Result<()> {
    let mut to = to.lock().await;
    to.write_all(message).await?;
    to.flush().await
}

async fn connect(address: &VncAddress) -> std::io::Result<RfbLink> {
    #[cfg(unix)]
    if let Some(socket) = address.socket() {
        return Ok(Box::new(tokio::net::UnixStream::connect(socket).await?));
    }
    let stream = tokio::net::TcpStream::connect(address.parts()).await?;
    let _ = stream.set_nodelay(true);
    Ok(Box::new(stream))
}

fn not_let_in(address: &VncAddress, error: &RfbError) -> DeviceError {
    let hint = match error {
        RfbError::WantsPassword => format!("give it: --secret {PASSWORD}=VARIABLE, where the variable holds it"),
        RfbError::Refused(_) => format!("see that --secret {PASSWORD}=VARIABLE holds the server's password"),
        RfbError::NoWayIn(_) => {
            "have it ask for VNC's own password, or for none, by TLS with a certificate (TigerVNC: -SecurityTypes X509Vnc), \
             or in the clear and through a tunnel (ssh -L): waldo supports no other method"
                .to_owned()
        }
        RfbError::InTheClear(_) => {
            "use a tunnel to this machine (ssh -L 5900:127.0.0.1:5900), or have the server speak TLS with a certificate \
             (TigerVNC: -SecurityTypes X509Vnc -X509Cert FILE -X509Key FILE); --insecure without --tls-ca connects without encryption"
                .to_owned()
        }
        RfbError::Anonymous => {
            "give the server a certificate (TigerVNC: -SecurityTypes X509Vnc -X509Cert FILE -X509Key FILE), or have it ask for \
             VNC's own password and use a tunnel (ssh -L)"
                .to_owned()
        }
        RfbError::Unverified(_) => {
            "name who vouches for it by --tls-ca FILE (PEM): its authority, or its own certificate, which you copy from that \
             machine; where only the name differs, write the certificate's name into --device, or the server's own certificate into FILE"
                .to_owned()
        }
        RfbError::Tls(_) => {
            "see the server's log and its certificate; --tls-ca FILE names who vouches for it".to_owned()
        }
        RfbError::Io(_) | RfbError::Broken(_) => "see that a VNC server is at that port".to_owned(),
    };
    DeviceError::Start { what: format!("the screen at {address}"), message: error.to_string(), hint }
}

fn asked(only: Option<VncEncoding>) -> Vec<u8> {
    let encodings = encodings(only);
    let mut message = vec![2, 0];
    message.extend((encodings.len() as u16).to_be_bytes());
    message.extend(encodings.iter().flat_map(|encoding| encoding.to_be_bytes()));
    message
}

/// Asks for a picture of this size: what is new in it, or all of it.
fn request(incremental: bool, (width, height): (u32, u32)) -> [u8; 10] {
    // A screen's sides are of two bytes.
    let [_, _, w1, w2] = width.to_be_bytes();
    let [_, _, h1, h2] = height.to_be_bytes();
    [3, u8::from(incremental), 0, 0, 0, 0, w1, w2, h1, h2]
}

async fn read(from: ReadHalf<RfbLink>, to: Arc<Mutex<WriteHalf<RfbLink>>>, shared: Arc<SharedPicture>) {
    let mut updates = Updates::new(from, shared.clone());
    let error = loop {
        let began = Instant::now();
        match updates.next().await {
            Ok(ServerMessage::Other) => {}
            Ok(ServerMessage::Update { resized }) => {
                sleep_until(began + PACE).await;
                let message = request(!resized, shared.size());
                if let Err(error) = say(&to, &message).await {
                    break error.into();
                }
            }
            Err(error) => break error,
        }
    };
    shared.lose(&error.to_string());
}

/// The screen, its pointer and its keys. Errors are `DeviceError::Gone` once the connection is lost, and
/// `DeviceError::Timeout`.
impl RfbClient {
    /// Width and height in pixels, as they are now.
    pub(crate) fn size(&self) -> (u32, u32) {
        self.shared.size()
    }

    pub(crate) fn lost(&self) -> Option<String> {
        self.shared.lost().map(|why| why.to_string())
    }

    pub(crate) fn traffic(&self) -> VncTraffic {
        self.shared.counts.all()
    }

    /// The picture, once it is whole.
    pub(crate) async fn shot(&self, deadline: Deadline) -> Result<Shot> {
        let asked = Instant::now();
        let end = deadline.at_most(ANSWERS_WITHIN);
        let shot = self.until(end, |_| self.shared.shot()).await?;
        let (picture, revision) = shot.ok_or_else(|| self.silent("a picture", asked, deadline))?;
        Ok(Shot { picture, revision })
    }

    /// Waits for an update after `revision`, and tells whether one came by `end`.
    pub(crate) async fn changed(&self, revision: u64, end: Deadline) -> Result<bool> {
        let newer = |progress: &PaintProgress| (progress.revision > revision).then_some(());
        Ok(self.until(end, newer).await?.is_some())
    }

    /// Waits until the server has answered something that it was asked after all that was sent before.
    pub(crate) async fn sync(&self, deadline: Deadline) -> Result<()> {
        let asked = Instant::now();
        let revision = self.shared.watch().borrow().revision;
        self.send(&request(false, (1, 1)), deadline).await?;
        match self.changed(revision, deadline.at_most(ANSWERS_WITHIN)).await? {
            true => Ok(()),
            false => Err(self.silent("a look", asked, deadline)),
        }
    }

    /// Where the pointer is, in pixels, and which buttons are down: bit 0 is the first.
    pub(crate) async fn pointer(&self, at: (u16, u16), buttons: u8, deadline: Deadline) -> Result<()> {
        let ([x1, x2], [y1, y2]) = (at.0.to_be_bytes(), at.1.to_be_bytes());
        self.send(&[5, buttons, x1, x2, y1, y2], deadline).await
    }

    pub(crate) async fn key(&self, keysym: u32, down: bool, deadline: Deadline) -> Result<()> {
        let [a, b, c, d] = keysym.to_be_bytes();
        self.send(&[4, u8::from(down), 0, 0, a, b, c, d], deadline).await
    }
}
