//! The adb server: found, started when it is missing, asked for devices.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::sync::Mutex;

use super::devices::{AdbDevice, AdbState, parse};
use super::{gone, socket, within};
use waldo_devices::{Deadline, DeviceError, Result, child};

const PORT: u16 = 5037;
const STARTS_WITHIN: Duration = Duration::from_secs(15);
/// How long the server of another who started it may take.
const ANOTHERS: Duration = Duration::from_secs(3);

/// How long it may take to answer, and to connect to a phone by its port.
const ANSWERS_WITHIN: Duration = Duration::from_secs(5);
const CONNECTS_WITHIN: Duration = Duration::from_secs(15);

/// How the message about a missing program starts.
const MISSING: &str = "not installed";

/// Held while a server is started.
static STARTING: Mutex<()> = Mutex::const_new(());

#[derive(Clone, Debug)]
pub struct AdbOptions {
    pub server: SocketAddr,
    /// The `adb` program; looked for in `PATH` when it is a bare name.
    pub program: PathBuf,
    /// The private key that phones know this computer by, for the direct route; made when it is
    /// missing. `None` is a new key for each run, which a phone has to be told to trust each time.
    pub key: Option<PathBuf>,
}

impl Default for AdbOptions {
    fn default() -> Self {
        Self {
            server: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), PORT),
            program: PathBuf::from("adb"),
            key: None,
        }
    }
}

impl AdbOptions {
    /// The same with the server at `address`: a port of this computer (what `ANDROID_ADB_SERVER_PORT`
    /// holds) or `HOST:PORT` with a numeric host.
    pub fn with_server(mut self, address: &str) -> Result<Self> {
        let address = address.trim();
        self.server = match address.parse::<u16>() {
            Ok(port) => SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port),
            Err(_) => {
                let numeric = address.replace("localhost", "127.0.0.1");
                numeric.strip_prefix("tcp:").unwrap_or(&numeric).parse().map_err(|_| {
                    DeviceError::BadArgument {
                        what: format!("adb server '{address}'"),
                        message: "write a port, or an address and a port such as 127.0.0.1:5037".to_owned(),
                    }
                })?
            }
        };
        Ok(self)
    }
}

/// Whether a serial is the address that the server connects to: `HOST:PORT`.
pub(crate) fn by_port(serial: &str) -> bool {
    serial.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok())
}

/// An adb server. Cheap to clone; holds no connection.
#[derive(Clone, Debug, Default)]
pub struct Adb {
    pub(crate) options: AdbOptions,
}

impl Adb {
    /// The server that `options` name; nothing is started yet.
    pub fn new(options: AdbOptions) -> Self {
        Self { options }
    }

    /// The devices that the server knows, in its order. Starts the server when none answers.
    pub async fn devices(&self, deadline: Deadline) -> Result<Vec<AdbDevice>> {
        self.ensure(deadline).await?;
        let list = self.ask("adb devices", "host:devices-l", deadline).await?;
        Ok(parse(&list))
    }

    /// Has the server connect to a phone's TCP port, `HOST:PORT`.
    pub async fn connect(&self, address: &str, deadline: Deadline) -> Result<()> {
        self.ensure(deadline).await?;
        let (server, what) = (self.options.server, format!("host:connect:{address}"));
        let bound = deadline.at_most(CONNECTS_WITHIN);
        let said = within("adb connect", bound, socket::query(server, &what)).await?;
        // The server says OKAY to the question, and in words whether it came of it.
        if said.starts_with("connected to") || said.starts_with("already connected") {
            return Ok(());
        }
        if said.contains("authenticate") {
            let hint = "unlock it and allow USB debugging for this computer";
            return Err(DeviceError::start(format!("the phone at {address}"), said.trim(), hint));
        }
        Err(gone(said.trim()))
    }

    /// Has the server forget a phone that it was connected to by [`Self::connect`].
    pub async fn disconnect(&self, address: &str, deadline: Deadline) -> Result<()> {
        self.ask("adb disconnect", &format!("host:disconnect:{address}"), deadline).await.map(drop)
    }

    /// Asks the server itself. It has every answer at hand, so silence is not waited for as long as the call may.
    async fn ask(&self, name: &str, what: &str, deadline: Deadline) -> Result<String> {
        within(name, deadline.at_most(ANSWERS_WITHIN), socket::query(self.options.server, what)).await
    }

    pub(crate) async fn ensure(&self, deadline: Deadline) -> Result<()> {
        let server = self.options.server;
        let alive = self.ask("adb server", "host:version", deadline).await;
        let Err(DeviceError::Gone { reason }) = alive else { return alive.map(drop) };
        if !server.ip().is_loopback() {
            let hint = "start it on that computer: adb -a nodaemon server";
            return Err(DeviceError::start(format!("the adb server at {server}"), reason, hint));
        }
        // Two that start a server at the same time hinder each other: here one waits for the other.
        let _turn = within("adb start-server", deadline, async { Ok(STARTING.lock().await) }).await?;
        if self.answers(deadline).await {
            return Ok(());
        }
        let Err(error) = self.start(deadline.at_most(STARTS_WITHIN)).await else { return Ok(()) };
        if matches!(&error, DeviceError::Start { message, .. } if message.starts_with(MISSING)) {
            return Err(error);
        }
        // Another process may have been the first: then its server answers, if a little later.
        let bound = deadline.at_most(ANOTHERS);
        while !bound.passed() {
            if self.answers(deadline).await {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(100).min(bound.left())).await;
        }
        Err(error)
    }

    async fn answers(&self, deadline: Deadline) -> bool {
        self.ask("adb server", "host:version", deadline).await.is_ok()
    }

    async fn start(&self, deadline: Deadline) -> Result<()> {
        let failed = |message: String, hint: &str| {
            DeviceError::start(self.options.program.display().to_string(), message, hint)
        };
        let mut command = Command::from(child::command(&self.options.program));
        let port = self.options.server.port().to_string();
        // The server outlives us and would hold on to our pipes, hence none.
        command.args(["-P", &port, "start-server"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.process_group(0).kill_on_drop(true);
        let status = match tokio::time::timeout_at(deadline.instant(), command.status()).await {
            Err(_) => return Err(failed("start-server did not end".to_owned(), "try: adb kill-server")),
            Ok(status) => status,
        };
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(failed(
                format!("start-server ended with {status}"),
                "run `adb start-server` by hand to see why",
            )),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(failed(
                format!("{MISSING}, and no adb server runs"),
                "install it (Debian, Ubuntu: sudo apt install adb), or reach the phone without it: tcp:HOST:PORT",
            )),
            Err(error) => Err(failed(error.to_string(), "set the path of adb")),
        }
    }

    /// Waits until the server lists `serial` as ready.
    pub(crate) async fn wait_for(&self, serial: &str, deadline: Deadline) -> Result<()> {
        within(&format!("device {serial}"), deadline, async {
            let mut stream = socket::dial(self.options.server).await?;
            socket::request(&mut stream, "host:track-devices").await?;
            loop {
                let list = socket::text(&mut stream).await?;
                match parse(&list).into_iter().find(|device| device.serial == serial) {
                    Some(device) if device.state == AdbState::Device => return Ok(()),
                    found => {
                        if let Some(error) = found.and_then(|device| device.state.trouble(serial)) {
                            return Err(error);
                        }
                    }
                }
            }
        })
        .await
    }

    /// The state of one device; `None` when the server does not know it.
    pub(crate) async fn state(&self, serial: &str, deadline: Deadline) -> Result<Option<AdbState>> {
        let devices = self.devices(deadline).await?;
        Ok(devices.into_iter().find(|device| device.serial == serial).map(|device| device.state))
    }

    pub(crate) async fn reconnect(&self, serial: &str, deadline: Deadline) -> Result<()> {
        let what = format!("host-serial:{serial}:reconnect");
        within("adb reconnect", deadline.at_most(ANSWERS_WITHIN), async {
            let mut stream = socket::dial(self.options.server).await?;
            socket::request(&mut stream, &what).await
        })
        .await
    }

    pub(crate) async fn features(&self, serial: &str, deadline: Deadline) -> Result<String> {
        let what = format!("host-serial:{serial}:features");
        self.ask("adb features", &what, deadline).await
    }

    pub(crate) async fn only(&self, deadline: Deadline) -> Result<String> {
        let devices = self.devices(deadline).await?;
        let ready: Vec<&str> =
            devices.iter().filter(|d| d.state == AdbState::Device).map(|d| d.serial.as_str()).collect();
        match ready.as_slice() {
            [one] => Ok((*one).to_owned()),
            [] if devices.is_empty() => Err(gone(
                "adb knows no device: plug in a phone with USB debugging on, or `adb connect HOST:PORT`",
            )),
            [] => {
                let states: Vec<String> =
                    devices.iter().map(|d| format!("{} ({})", d.serial, d.state.words())).collect();
                let trouble = devices.iter().find_map(|device| device.state.trouble(&device.serial));
                Err(trouble.unwrap_or_else(|| gone(format!("no device is ready: {}", states.join(", ")))))
            }
            many => Err(DeviceError::BadArgument {
                what: "device".to_owned(),
                message: format!("there are several, name one: {}", many.join(", ")),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn a_server_that_goes_silent_after_its_okay_is_not_waited_for_as_long_as_the_call_may_take() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = listener.local_addr().unwrap();
        tokio::spawn(async move {
            let mut held = Vec::new();
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut asked = [0; 16];
                let _ = stream.read(&mut asked).await;
                let _ = stream.write_all(b"OKAY").await;
                held.push(stream);
            }
        });
        let adb = Adb::new(AdbOptions { server, ..AdbOptions::default() });
        let error = adb.devices(Deadline::after(Duration::from_secs(600))).await.unwrap_err();
        assert!(matches!(&error, DeviceError::Timeout { after, .. } if *after <= ANSWERS_WITHIN), "{error}");
    }
}
