//! A double of WebDriverAgent on a phone with a home screen and two apps. It is no phone: it says so as its device's name.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Cursor, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::{ImageFormat, Rgb, RgbImage};
use serde_json::{Value, json};

/// Points of the screen, upright; two pixels each.
const SCREEN: (u32, u32) = (200, 400);
const SCALE: u32 = 2;
const HOME: &str = "com.apple.springboard";

/// What the phone is.
pub struct Phone {
    pub session: Option<String>,
    pub sessions: u32,
    pub front: String,
    pub running: BTreeSet<String>,
    pub field: String,
    pub pin: String,
    pub focus: Option<&'static str>,
    pub saved: Vec<String>,
    pub wifi: bool,
    pub scrolled: i64,
    pub locked: bool,
    pub needs_code: bool,
    pub own_alert: bool,
    pub system_alert: bool,
    pub turned: bool,
    pub tells_apps: bool,
    pub zoomed: u32,
    /// Method and path of every call.
    pub calls: Vec<String>,
    /// Calls that no route of WebDriverAgent's takes.
    pub unknown: Vec<String>,
}

struct Node {
    kind: &'static str,
    id: &'static str,
    label: String,
    value: Value,
    rect: (i64, i64, i64, i64),
}

fn node(kind: &'static str, id: &'static str, label: &str, value: Value, rect: (i64, i64, i64, i64)) -> Node {
    Node { kind, id, label: label.to_owned(), value, rect }
}

impl Phone {
    fn size(&self) -> (u32, u32) {
        if self.turned { (SCREEN.1, SCREEN.0) } else { SCREEN }
    }

    /// What is in front shows, from bottom to top.
    fn nodes(&self) -> Vec<Node> {
        let none = || Value::Null;
        let mut all = match self.front.as_str() {
            HOME => vec![
                node("Icon", "Notes", "Notes", none(), (10, 40, 50, 50)),
                node("Icon", "Other", "Other", none(), (70, 40, 50, 50)),
            ],
            "org.example.notes" => {
                let or = |text: &str, empty: &str| if text.is_empty() { json!(empty) } else { json!(text) };
                let bullets = "•".repeat(self.pin.chars().count());
                let mut all = vec![
                    node("StaticText", "", &format!("{} saved", self.saved.len()), none(), (10, 10, 100, 20)),
                    node("TextField", "note", "", or(&self.field, "Your note"), (10, 40, 120, 30)),
                    node("SecureTextField", "pin", "PIN", or(&bullets, ""), (10, 80, 120, 30)),
                    node("Button", "save", "Save", none(), (140, 40, 50, 30)),
                    node(
                        "Switch",
                        "wifi",
                        "Wi-Fi",
                        json!(if self.wifi { "1" } else { "0" }),
                        (140, 80, 50, 30),
                    ),
                    node("Button", "open", "Open other", none(), (10, 120, 80, 30)),
                    node("Button", "ask", "Ask", none(), (100, 120, 40, 30)),
                    node("Button", "permit", "Permit", none(), (145, 120, 50, 30)),
                ];
                for row in 0..30_i64 {
                    let y = 160 + row * 40 - self.scrolled;
                    if (160..self.size().1.into()).contains(&y) {
                        all.push(node("Cell", "", &format!("Row {row}"), none(), (0, y, 200, 40)));
                    }
                }
                all
            }
            _ => vec![node("StaticText", "", "Another app", none(), (10, 10, 100, 20))],
        };
        if self.own_alert {
            all.push(node("Alert", "", "Sure?", none(), (20, 150, 160, 100)));
            all.push(node("Button", "", "Yes", none(), (30, 210, 60, 30)));
        }
        all
    }

    fn tree(&self) -> Value {
        let (w, h) = self.size();
        let all = self.nodes().into_iter().map(|node| {
            let (x, y, w, h) = node.rect;
            let visible = !self.own_alert || matches!(node.kind, "Alert" | "Button" if node.id.is_empty());
            json!({
                "type": node.kind, "rawIdentifier": if node.id.is_empty() { Value::Null } else { json!(node.id) },
                "name": if node.label.is_empty() { node.id } else { &node.label }, "label": node.label,
                "value": node.value, "rect": { "x": x, "y": y, "width": w, "height": h },
                "frame": format!("{{{{{x}, {y}}}, {{{w}, {h}}}}}"), "isEnabled": "1",
                "isVisible": if visible { "1" } else { "0" }, "isAccessible": "1",
                "isFocused": if self.focus == Some(node.id) { "1" } else { "0" },
                "placeholderValue": if node.id == "note" { json!("Your note") } else { Value::Null },
            })
        });
        let mut all: Vec<Value> = all.collect();
        if self.focus.is_some() {
            all.push(json!({
                "type": "Keyboard", "rect": { "x": 0, "y": 300, "width": 200, "height": 100 }, "isVisible": "1",
                "children": [{ "type": "Key", "label": "q", "isVisible": "1",
                               "rect": { "x": 0, "y": 300, "width": 20, "height": 30 } }],
            }));
        }
        json!({
            "type": "Application", "label": self.front, "name": self.front, "isVisible": "1", "isEnabled": "1",
            "rect": { "x": 0, "y": 0, "width": w, "height": h }, "children": all,
        })
    }

    fn picture(&self) -> Vec<u8> {
        let (w, h) = self.size();
        let mut picture = RgbImage::from_pixel(w * SCALE, h * SCALE, Rgb([250; 3]));
        let mut fill = |(x, y, w, h): (i64, i64, i64, i64), salt: &str| {
            let sum = salt.bytes().fold(7_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
            let color = Rgb([sum as u8, (sum >> 8) as u8, (sum >> 16) as u8]);
            for (x, y) in (x * 2..(x + w) * 2).flat_map(|x| (y * 2..(y + h) * 2).map(move |y| (x, y))) {
                if let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y))
                    && x < picture.width()
                    && y < picture.height()
                {
                    picture.put_pixel(x, y, color);
                }
            }
        };
        for node in self.nodes() {
            fill(node.rect, &format!("{}{}{}{:?}", node.label, node.value, self.zoomed, self.focus));
        }
        if self.system_alert {
            fill((20, 150, 160, 100), "alert");
        }
        let mut bytes = Vec::new();
        picture.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).unwrap();
        bytes
    }

    fn open(&mut self, bundle: &str) {
        self.front = bundle.to_owned();
        self.running.insert(bundle.to_owned());
        (self.focus, self.own_alert) = (None, false);
    }

    fn tap(&mut self, x: i64, y: i64) {
        if self.system_alert {
            self.system_alert = false;
            return;
        }
        let hit = |node: &Node| {
            let (left, top, w, h) = node.rect;
            (left..left + w).contains(&x) && (top..top + h).contains(&y)
        };
        let Some(node) = self.nodes().into_iter().rev().find(hit) else { return };
        match (node.id, node.label.as_str()) {
            ("Notes", _) => self.open("org.example.notes"),
            ("Other", _) | ("open", _) => self.open("org.example.other"),
            ("note", _) => self.focus = Some("note"),
            ("pin", _) => self.focus = Some("pin"),
            ("save", _) => {
                let note = std::mem::take(&mut self.field);
                self.saved.push(note);
                self.focus = None;
            }
            ("wifi", _) => self.wifi = !self.wifi,
            ("ask", _) => self.own_alert = true,
            ("permit", _) => self.system_alert = true,
            (_, "Yes") => self.own_alert = false,
            _ => {}
        }
    }

    /// Carries fingers out as the protocol says them.
    fn actions(&mut self, body: &Value) -> Result<(), &'static str> {
        let fingers = body["actions"].as_array().ok_or("no actions")?;
        let mut ends = Vec::new();
        for finger in fingers {
            if finger["type"] != "pointer"
                || finger["parameters"]["pointerType"] != "touch"
                || finger["id"].is_null()
            {
                return Err("Only pointer type 'touch' is supported");
            }
            let (mut at, mut down, mut held) = (None, None, 0);
            for item in finger["actions"].as_array().ok_or("no actions of a finger")? {
                match item["type"].as_str() {
                    Some("pointerMove") => {
                        let place = item["x"].as_f64().zip(item["y"].as_f64()).ok_or("no place")?;
                        let (w, h) = self.size();
                        let inside = (0.0..=f64::from(w)).contains(&place.0)
                            && (0.0..=f64::from(h)).contains(&place.1);
                        if !inside || item["origin"] != "viewport" {
                            return Err("out of the viewport");
                        }
                        at = Some(place);
                    }
                    Some("pointerDown") => (down, held) = (Some(at.ok_or("down before a move")?), 0),
                    Some("pause") => held += item["duration"].as_u64().ok_or("no duration")?,
                    Some("pointerUp") => {
                        let (from, to) =
                            (down.take().ok_or("up before down")?, at.ok_or("up before a move")?);
                        ends.push((from, to, held));
                    }
                    _ => return Err("unknown action item"),
                }
            }
        }
        if fingers.len() == 2 {
            let apart = |n: usize| (ends[0].0.0 - ends[1].0.0).abs().max(1.0) * n as f64;
            self.zoomed = ((ends[0].1.0 - ends[1].1.0).abs() / apart(1) * 100.0).round() as u32;
            return Ok(());
        }
        for (from, to, held) in ends {
            let (dx, dy) = (to.0 - from.0, to.1 - from.1);
            if dx.abs() < 4.0 && dy.abs() < 4.0 {
                if held < 900 {
                    self.tap(from.0 as i64, from.1 as i64);
                }
            } else if from.1 >= f64::from(self.size().1) - 2.0 {
                self.open(HOME);
            } else {
                self.scrolled = (self.scrolled - dy as i64).clamp(0, 900);
            }
        }
        Ok(())
    }

    fn keys(&mut self, text: &str) -> bool {
        let Some(focus) = self.focus else { return false };
        let field = if focus == "pin" { &mut self.pin } else { &mut self.field };
        for c in text.chars() {
            match c {
                '\u{8}' => drop(field.pop()),
                '\n' => self.focus = None,
                c => field.push(c),
            }
        }
        true
    }

    /// The value, or a status with an error and its message.
    fn answer(
        &mut self,
        method: &str,
        path: &str,
        body: &Value,
    ) -> Result<Value, (u16, &'static str, String)> {
        let error = |code, name, message: &str| Err((code, name, message.to_owned()));
        let (path, own) = match path.strip_prefix("/session/") {
            None => (path.to_owned(), false),
            Some(rest) => {
                let (id, route) = rest.split_once('/').unwrap_or((rest, ""));
                if self.session.as_deref() != Some(id) {
                    return error(404, "invalid session id", "Session does not exist");
                }
                (format!("/{route}"), true)
            }
        };
        let bundle = || body["bundleId"].as_str().unwrap_or_default().to_owned();
        let text =
            || body["value"].as_array().map(|all| all.iter().filter_map(Value::as_str).collect::<String>());
        Ok(match (method, path.as_str(), own) {
            ("GET", "/status", false) => json!({
                "ready": true, "message": "a double of WebDriverAgent, no phone", "state": "success",
                "os": { "name": "iOS", "version": "17.4" }, "device": "iphone", "build": { "version": "8.0.0 (a double)" },
            }),
            ("POST", "/session", false) => {
                if !body["capabilities"].is_object() {
                    return error(
                        500,
                        "session not created",
                        "'capabilities' is mandatory to create a new session",
                    );
                }
                self.sessions += 1;
                let id = format!("5E55-{}", self.sessions);
                self.session = Some(id.clone());
                json!({ "sessionId": id, "capabilities": { "device": "iphone" } })
            }
            ("GET", "/", true) => json!({ "sessionId": self.session }),
            ("DELETE", "/", true) => {
                self.session = None;
                Value::Null
            }
            ("GET", "/wda/screen", _) => {
                let (w, h) = self.size();
                json!({ "screenSize": { "width": w, "height": h }, "statusBarSize": { "width": w, "height": 20 }, "scale": SCALE })
            }
            ("GET", "/screenshot", _) => json!(STANDARD.encode(self.picture())),
            ("GET", "/source?format=json", _) => self.tree(),
            ("GET", "/wda/activeAppInfo", _) => match self.tells_apps {
                true => {
                    json!({ "pid": 7, "bundleId": self.front, "name": "", "processArguments": { "args": [], "env": {} } })
                }
                false => json!({ "pid": 7, "bundleId": "unknown", "name": "" }),
            },
            ("GET", "/wda/locked", _) => json!(self.locked),
            ("POST", "/wda/unlock", _) => {
                self.locked = self.needs_code;
                Value::Null
            }
            ("POST", "/wda/homescreen", false) => {
                self.open(HOME);
                Value::Null
            }
            ("GET", "/alert/text", _) => match (self.system_alert, self.own_alert) {
                (true, _) => json!("Notes would like to find devices"),
                (_, true) => json!("Sure?"),
                _ => {
                    return error(
                        404,
                        "no such alert",
                        "An attempt was made to operate on a modal dialog when one was not open",
                    );
                }
            },
            ("POST", "/alert/accept" | "/alert/dismiss", _) => {
                (self.system_alert, self.own_alert) = (false, false);
                Value::Null
            }
            ("POST", "/wda/apps/launch" | "/wda/apps/activate", true) => {
                self.open(&bundle());
                Value::Null
            }
            ("POST", "/wda/apps/terminate", true) => {
                let ran = self.running.remove(&bundle());
                if self.front == bundle() {
                    self.front = HOME.to_owned();
                }
                json!(ran)
            }
            ("POST", "/wda/apps/state", true) => {
                match (self.front == bundle(), self.running.contains(&bundle())) {
                    (true, _) => json!(4),
                    (_, true) => json!(3),
                    _ => json!(1),
                }
            }
            ("POST", "/orientation", true) => {
                self.turned = body["orientation"].as_str().unwrap_or_default().contains("LANDSCAPE");
                Value::Null
            }
            ("POST", "/actions", true) => match self.actions(body) {
                Ok(()) => Value::Null,
                Err(message) => return error(400, "invalid argument", message),
            },
            ("POST", "/wda/keys", true) => {
                let Some(text) = text() else { return error(400, "invalid argument", "value is no list") };
                if !self.keys(&text) {
                    return error(
                        400,
                        "invalid element state",
                        "The on-screen keyboard must be present to send keys",
                    );
                }
                Value::Null
            }
            ("GET", "/element/active", true) => match self.focus {
                Some(id) => json!({ "ELEMENT": id, "element-6066-11e4-a52e-4f735466cecf": id }),
                None => return error(404, "no such element", "no element is active"),
            },
            ("POST", "/element/note/clear", true) => {
                self.field.clear();
                Value::Null
            }
            ("POST", "/element/pin/clear", true) => {
                self.pin.clear();
                Value::Null
            }
            ("GET", "/element/note/attribute/value", true) => match self.field.as_str() {
                "" => json!("Your note"),
                text => json!(text),
            },
            ("GET", "/element/pin/attribute/value", true) => json!("•".repeat(self.pin.chars().count())),
            ("GET", "/element/note/attribute/placeholderValue", true) => json!("Your note"),
            ("GET", "/element/pin/attribute/placeholderValue", true) => Value::Null,
            _ => {
                self.unknown.push(format!("{method} {path}"));
                return error(404, "unknown command", "Unhandled endpoint");
            }
        })
    }
}

/// The double; it serves until the test ends.
pub struct Double {
    pub address: String,
    pub phone: Arc<Mutex<Phone>>,
}

impl Double {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let phone = Arc::new(Mutex::new(Phone {
            session: None,
            sessions: 0,
            front: HOME.to_owned(),
            running: BTreeSet::new(),
            field: String::new(),
            pin: String::new(),
            focus: None,
            saved: Vec::new(),
            wifi: false,
            scrolled: 0,
            locked: false,
            needs_code: false,
            own_alert: false,
            system_alert: false,
            turned: false,
            tells_apps: true,
            zoomed: 100,
            calls: Vec::new(),
            unknown: Vec::new(),
        }));
        let of = phone.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let phone = of.clone();
                std::thread::spawn(move || serve(stream, &phone));
            }
        });
        Self { address, phone }
    }

    /// Locks the phone, by a code.
    pub fn locks_itself(&self) {
        let mut phone = self.phone.lock().unwrap();
        (phone.locked, phone.needs_code) = (true, true);
    }

    /// Every call so far.
    pub fn calls(&self) -> Vec<String> {
        self.phone.lock().unwrap().calls.clone()
    }

    /// Calls that the real one would not have known.
    pub fn unknown(&self) -> Vec<String> {
        self.phone.lock().unwrap().unknown.clone()
    }
}

/// A request: its method, path and body.
pub fn request(stream: &TcpStream) -> Option<(String, String, Vec<u8>)> {
    let mut read = BufReader::new(stream);
    let mut head = String::new();
    read.read_line(&mut head).ok()?;
    let mut words = head.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let mut length = 0;
    loop {
        let mut line = String::new();
        read.read_line(&mut line).ok()?;
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    read.read_exact(&mut body).ok()?;
    Some((method, path, body))
}

fn serve(mut stream: TcpStream, phone: &Mutex<Phone>) {
    let Some((method, path, body)) = request(&stream) else { return };
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let mut phone = phone.lock().unwrap();
    phone.calls.push(format!("{method} {path}"));
    let (status, value) = match phone.answer(&method, &path, &body) {
        Ok(value) => (200, value),
        Err((status, error, message)) => {
            (status, json!({ "error": error, "message": message, "traceback": "" }))
        }
    };
    let answer = json!({ "value": value, "sessionId": phone.session }).to_string();
    let _ = write!(
        stream,
        "HTTP/1.1 {status} X\r\ncontent-type: application/json;charset=UTF-8\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{answer}",
        answer.len()
    );
}
