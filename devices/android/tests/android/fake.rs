//! An adb server with one phone of a hundred lines.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use waldo_android::{AdbOptions, AndroidDevice, AndroidOptions, PhoneTarget};
use waldo_devices::{AppRule, Deadline, Device, GuardPolicy, ResetTo};
use waldo_simphone::wire::HeldPort;

pub const SIZE: (u32, u32) = (108, 240);
pub const APP: &str = "com.fake.notes";

#[derive(Default)]
pub struct World {
    pub commands: Vec<String>,
    /// The component in front, and what lies under it.
    pub stack: Vec<String>,
    pub grey: u8,
    pub text: String,
    pub extra: String,
    pub offline: bool,
    /// Commands that hold this never end.
    pub hang: Option<String>,
    pub never_idle: bool,
    pub has_keyboard_app: bool,
    pub ime: String,
    pub opens: Option<String>,
    pub reconnects: u32,
    pub deaf: bool,
    /// What the server calls it; it forgot it where it is empty.
    pub serial: String,
    /// Addresses that the server was told to connect to, and to forget.
    pub connects: Vec<String>,
}

impl World {
    fn connect(&mut self, address: &str) {
        self.connects.push(format!("connect {address}"));
        (self.serial, self.offline) = (address.to_owned(), false);
    }

    fn forget(&mut self, address: &str) {
        self.connects.push(format!("disconnect {address}"));
        self.serial.clear();
    }

    fn front(&self) -> String {
        self.stack.last().cloned().unwrap_or_else(|| "com.fake.launcher/.Home".to_owned())
    }

    fn xml(&self) -> String {
        format!(
            "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\"><node index=\"0\" text=\"\" resource-id=\"\" class=\"android.widget.FrameLayout\" package=\"{APP}\" content-desc=\"\" bounds=\"[0,0][108,240]\"><node index=\"0\" text=\"{}\" resource-id=\"{APP}:id/body\" class=\"android.widget.EditText\" clickable=\"true\" focusable=\"true\" focused=\"true\" enabled=\"true\" bounds=\"[0,20][108,60]\" /><node index=\"1\" text=\"Save\" resource-id=\"{APP}:id/save\" class=\"android.widget.Button\" clickable=\"true\" focusable=\"true\" enabled=\"true\" bounds=\"[0,100][50,130]\" />{}</node></hierarchy>",
            self.text, self.extra
        )
    }

    fn run(&mut self, command: &str) -> (Vec<u8>, String, u8) {
        self.commands.push(command.to_owned());
        let ok = |text: &str| (text.as_bytes().to_vec(), String::new(), 0);
        if command.starts_with("getprop") {
            return ok("Fake\nPhone\n14\n34\nfake/1\nPhysical size: 108x240\nPhysical density: 160\n");
        }
        if command.starts_with("dumpsys window") {
            let front = self.front();
            return ok(&format!(
                "init=108x240 160dpi cur=108x240\nmCurrentFocus=Window{{1 u0 {front}}}\nmFocusedApp=ActivityRecord{{2 u0 {front} t1}}\nmInputShown=false\n"
            ));
        }
        if command == "screencap" {
            let (w, h) = SIZE;
            let mut bytes: Vec<u8> = [w, h, 1, 0].into_iter().flat_map(u32::to_le_bytes).collect();
            bytes.resize(16 + (w * h * 4) as usize, self.grey);
            return (bytes, String::new(), 0);
        }
        if command.contains("uiautomator dump") {
            if self.never_idle {
                return (Vec::new(), "ERROR: could not get idle state.\n".to_owned(), 1);
            }
            let xml = self.xml();
            return ok(&format!("UI hierchary dumped to: /x.xml\n{xml}"));
        }
        if command.contains("category.HOME") {
            return ok("priority=0\ncom.fake.launcher/.Home\n");
        }
        if command.contains("query-activities") {
            return ok("com.fake.notes/.Main\ncom.fake.shop/.Main\n");
        }
        if command.starts_with("settings get global") {
            return ok("1.0\nnull\n0.5\n");
        }
        if command.contains("default_input_method") {
            return ok(&format!("{}\n", self.ime));
        }
        if command.starts_with("ime list") {
            let adb = if self.has_keyboard_app { "com.android.adbkeyboard/.AdbIME\n" } else { "" };
            let adb = if command.contains("-a") { adb } else { "" };
            return ok(&format!("com.fake.keys/.Ime\n{adb}"));
        }
        if let Some(at) = command.rfind("ime set ") {
            self.ime = command[at + 8..].split(';').next().unwrap_or_default().trim().to_owned();
            return ok("selected\n");
        }
        if let Some(encoded) = command.strip_prefix("am broadcast -a ADB_INPUT_B64 --es msg ") {
            use base64::Engine as _;
            let bytes = base64::engine::general_purpose::STANDARD.decode(encoded.trim_matches('\'')).unwrap();
            self.text.push_str(&String::from_utf8(bytes).unwrap());
            return ok("Broadcast completed: result=0\n");
        }
        if let Some(component) = command.strip_prefix("am start -n ") {
            self.stack.push(component.trim_matches('\'').to_owned());
            self.grey = self.grey.wrapping_add(40);
            return ok("Starting: Intent\n");
        }
        if command.starts_with("exit ") {
            return (b"out\n".to_vec(), "no such thing".to_owned(), 3);
        }
        for call in command.split(" && ") {
            if self.deaf && call.starts_with("input text ") {
                continue;
            } else if let Some(text) = call.strip_prefix("input text ") {
                let text = text.strip_prefix('\'').and_then(|t| t.strip_suffix('\'')).unwrap_or("UNQUOTED");
                self.text.push_str(&text.replace(r"'\''", "'").replace("%s", " "));
                self.grey = self.grey.wrapping_add(1);
            } else if call.starts_with("input tap") {
                self.grey = self.grey.wrapping_add(50);
                self.stack.extend(self.opens.take());
            } else if call.contains("keyevent KEYCODE_BACK") || call.ends_with("keyevent 4") {
                self.stack.pop();
                self.grey = self.grey.wrapping_add(30);
            } else if call.contains("keycombination 113 29") {
                self.text.clear();
            }
        }
        ok("")
    }
}

/// The server. Dropping it ends it.
pub struct Fake {
    port: HeldPort,
    pub world: Arc<Mutex<World>>,
    serving: Option<JoinHandle<()>>,
    pub locks: PathBuf,
}

impl Fake {
    pub async fn start() -> Self {
        let world = World {
            grey: 100,
            ime: "com.fake.keys/.Ime".to_owned(),
            serial: "fake".to_owned(),
            ..World::default()
        };
        static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let nth = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let locks = std::env::temp_dir().join(format!("waldo-fake-{}-{nth}", std::process::id()));
        std::fs::create_dir_all(&locks).unwrap();
        let mut fake = Self {
            port: HeldPort::take(([127, 0, 0, 1], 0).into()).unwrap(),
            world: Arc::new(Mutex::new(world)),
            serving: None,
            locks,
        };
        fake.serve().await;
        fake
    }

    /// Listens, on the same port each time.
    pub async fn serve(&mut self) {
        let listener = self.port.listen().unwrap();
        let world = Arc::clone(&self.world);
        self.serving = Some(tokio::spawn(async move {
            let mut open = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                open.spawn(answer(stream, Arc::clone(&world)));
            }
        }));
    }

    pub async fn kill(&mut self) {
        if let Some(serving) = self.serving.take() {
            serving.abort();
            let _ = serving.await;
        }
    }

    pub fn address(&self) -> SocketAddr {
        self.port.addr()
    }

    pub fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap()
    }

    pub fn ran(&self, part: &str) -> usize {
        self.world().commands.iter().filter(|c| c.contains(part)).count()
    }

    pub fn options(&self) -> AndroidOptions {
        AndroidOptions {
            target: PhoneTarget::Serial(self.world().serial.clone()),
            adb: AdbOptions { server: self.address(), program: "false".into(), key: None },
            locks: waldo_android::Locks::Folder(self.locks.clone()),
            settle: Duration::from_millis(500),
            picture: Some(waldo_android::PictureWay::Raw),
            ..AndroidOptions::default()
        }
    }

    pub async fn open(&self) -> AndroidDevice {
        AndroidDevice::open(self.options(), soon()).await.unwrap()
    }

    pub async fn reset(&self, device: &mut AndroidDevice, apps: &[&str]) {
        let apps = apps.iter().map(|app| AppRule((*app).to_owned())).collect();
        let policy = GuardPolicy { apps, ..GuardPolicy::default() };
        device.reset(&ResetTo { start: APP.to_owned(), policy, ..ResetTo::default() }, soon()).await.unwrap();
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.locks);
    }
}

pub fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(10))
}

async fn request(stream: &mut TcpStream) -> Option<String> {
    let mut digits = [0; 4];
    stream.read_exact(&mut digits).await.ok()?;
    let length = usize::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?;
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes).await.ok()?;
    String::from_utf8(bytes).ok()
}

async fn answer(mut stream: TcpStream, world: Arc<Mutex<World>>) -> Option<()> {
    let said = |text: &str| format!("OKAY{:04x}{text}", text.len());
    let list = |world: &Mutex<World>| {
        let world = world.lock().unwrap();
        match world.serial.as_str() {
            "" => String::new(),
            serial => format!("{serial}\t{}\n", if world.offline { "offline" } else { "device" }),
        }
    };
    let what = request(&mut stream).await?;
    if what == "host:track-devices" {
        stream.write_all(said(&list(&world)).as_bytes()).await.ok()?;
        let mut before = list(&world);
        loop {
            tokio::time::sleep(Duration::from_millis(10)).await;
            let now = list(&world);
            if now != before {
                stream.write_all(format!("{:04x}{now}", now.len()).as_bytes()).await.ok()?;
                before = now;
            }
        }
    }
    if let Some(address) = what.strip_prefix("host:connect:") {
        world.lock().unwrap().connect(address);
        return stream.write_all(said(&format!("connected to {address}")).as_bytes()).await.ok();
    }
    if let Some(address) = what.strip_prefix("host:disconnect:") {
        world.lock().unwrap().forget(address);
        return stream.write_all(said(&format!("disconnected {address}")).as_bytes()).await.ok();
    }
    let serial = world.lock().unwrap().serial.clone();
    let what = match serial.as_str() {
        "" => what,
        serial => what.replace(serial, "fake"),
    };
    let reply = match what.as_str() {
        "host:version" => said("0029"),
        "host:devices-l" => said(&list(&world)),
        "host-serial:fake:features" => said("shell_v2,cmd"),
        "host-serial:fake:reconnect" => {
            let mut world = world.lock().unwrap();
            world.reconnects += 1;
            world.offline = false;
            "OKAY".to_owned()
        }
        "host:transport:fake" if !serial.is_empty() && !world.lock().unwrap().offline => "OKAY".to_owned(),
        _ => {
            let why = "device offline";
            format!("FAIL{:04x}{why}", why.len())
        }
    };
    stream.write_all(reply.as_bytes()).await.ok()?;
    if !what.starts_with("host:transport") {
        return None;
    }
    let service = request(&mut stream).await?;
    stream.write_all(b"OKAY").await.ok()?;
    let command = service.strip_prefix("shell,v2,raw:")?;
    let hangs = world.lock().unwrap().hang.clone().is_some_and(|part| command.contains(&part));
    if hangs {
        world.lock().unwrap().commands.push(command.to_owned());
        std::future::pending::<()>().await;
    }
    let (out, err, code) = world.lock().unwrap().run(command);
    for (id, bytes) in [(1u8, out.as_slice()), (2, err.as_bytes()), (3, &[code][..])] {
        for part in bytes.chunks(32 << 10) {
            let head = [&[id][..], &(part.len() as u32).to_le_bytes()].concat();
            stream.write_all(&head).await.ok()?;
            stream.write_all(part).await.ok()?;
        }
    }
    stream.shutdown().await.ok()
}
