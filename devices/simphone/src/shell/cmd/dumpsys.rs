//! `dumpsys`: the parts of it that clients read, as `assets/texts/dumpsys.txt` has them.

use super::Ctx;
use super::media::PHYSICAL_DISPLAY;
use crate::fault::Lock;
use crate::world::World;
use crate::world::intent::Component;
use crate::world::second::{SECOND, SECOND_PHYSICAL};
use crate::world::settings::Namespace;
use minijinja::{Environment, syntax::SyntaxConfig};
use serde_json::{Value, json};
use std::sync::LazyLock;

const SERVICES: &str = "SurfaceFlinger display input input_method window";
const TEXT: &str = "dumpsys.txt";

static TEXTS: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut texts = Environment::new();
    // A tag's line is none of the text.
    if let Ok(syntax) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
        texts.set_syntax(syntax);
    }
    if let Err(error) = texts.add_template(TEXT, include_str!("../../../assets/texts/dumpsys.txt")) {
        tracing::error!("{error:#}");
    }
    texts
});

pub(super) fn dumpsys(ctx: &mut Ctx) -> u8 {
    let mut words: Vec<String> = ctx.words();
    // `-t SECONDS` is how long to wait for a service that hangs.
    if words.first().is_some_and(|w| w == "-t") {
        words.drain(..2.min(words.len()));
    }
    let rest: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    match words.first().map(String::as_str) {
        None | Some("-l") => {
            ctx.say("Currently running services:");
            SERVICES.split(' ').for_each(|name| ctx.say(format!("  {name}")));
        }
        Some(name) if SERVICES.split(' ').any(|service| service == name) => {
            let facts = ctx.phone.with(|w| facts(w, name, &rest));
            let facts = minijinja::value::Serde(&facts);
            let text = TEXTS.get_template(TEXT).and_then(|text| text.render(facts));
            ctx.out.extend(text.unwrap_or_default().into_bytes());
        }
        // The status is 0 here: only the text tells.
        Some(other) => ctx.warn(format!("Can't find service: {other}")),
    }
    0
}

/// A number that stands for an object, the same for the same name.
fn hash(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5_u32, |h, b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193)) >> 4
}

fn window(title: &str) -> String {
    format!("Window{{{:x} u0 {title}}}", hash(title))
}

fn record(app: &Component, task: u64) -> String {
    format!("ActivityRecord{{{:x} u0 {} t{task}}}", hash(&app.to_string()), app.short())
}

fn size((width, height): (u32, u32)) -> String {
    format!("{width}x{height}")
}

fn facts(w: &mut World, service: &str, rest: &[&str]) -> Value {
    let display = w.display.clone();
    let (width, height) = display.logical();
    let turn = display.rotation.index();
    let is_other = display.size_override.is_some() || display.density_override.is_some();
    let surface = display.size_override.unwrap_or(display.physical);
    let windows = w.windows();
    let focus = windows.iter().find(|info| info.focused).map(|info| window(&info.title));
    let windows = windows.iter().map(|info| {
        let [left, top, right, bottom] = info.frame;
        json!({
            "name": window(&info.title), "session": format!("Session{{{:x}}}", hash(&info.package)),
            "package": info.package, "frame": format!("[{left},{top}][{right},{bottom}]"),
        })
    });
    let windows: Vec<Value> = windows.collect();
    let null = || "null".to_owned();
    let second = w.second().map(|second| {
        let (screen, app) = (&second.screen, second.app.as_ref());
        json!({
            "id": SECOND, "physical": SECOND_PHYSICAL, "width": screen.width, "height": screen.height,
            "size": size((screen.width, screen.height)), "dpi": screen.density_dpi,
            "focus": app.map_or_else(null, |app| window(&app.to_string())),
            "record": app.map_or_else(null, |app| record(app, 99)),
        })
    });
    let front = w.foreground();
    let part = rest.first().copied().unwrap_or("all");
    // A template would write True and False.
    let word = |is: bool| if is { "true" } else { "false" };
    json!({
        "service": service, "part": part, "all": matches!(part, "all" | "-a"), "ids": rest.contains(&"--display-id"),
        "awake": word(w.interactive), "state": if w.interactive { "ON" } else { "OFF" }, "ime": w.ime(),
        "showing": word(w.lock().is_some()), "secure": word(w.lock() == Some(Lock::Pin)), "shown": word(w.ime().shown), "ime_window": window("InputMethod"),
        "width": width, "height": height, "size": size((width, height)), "narrow": width.min(height),
        "wide": width.max(height), "physical": size(display.physical), "surface": surface, "main": PHYSICAL_DISPLAY,
        "real": format!("{} x {}", display.physical.0, display.physical.1), "density": display.density,
        "dpi": display.dpi(), "turn": turn, "rotation": format!("ROTATION_{}", 90 * u32::from(turn)),
        "base": if is_other { format!(" base={} {}dpi", size(surface), display.dpi()) } else { String::new() },
        "free": w.settings.on(Namespace::System, "accelerometer_rotation"), "second": second,
        "windows": windows, "focus": focus.unwrap_or_else(null),
        "record": record(&front, w.stack().first().map_or(1, |task| task.id)), "front": front.to_string(),
        "client": format!("ClientState{{{:x} uid=10100 pid=4242 {}}}", hash(&front.package), front.package),
    })
}
