//! `dumpsys`: the parts of it that clients read.

use super::Ctx;
use super::media::PHYSICAL_DISPLAY;
use crate::fault::Lock;
use crate::world::World;
use crate::world::second::{SECOND, SECOND_PHYSICAL};
use crate::world::settings::Namespace;
use std::fmt::Write as _;

const SERVICES: &str = "SurfaceFlinger display input input_method window";

pub(super) fn dumpsys(ctx: &mut Ctx) -> u8 {
    let mut words: Vec<String> = ctx.words();
    // `-t SECONDS` is how long to wait for a service that hangs.
    if words.first().is_some_and(|w| w == "-t") {
        words.drain(..2.min(words.len()));
    }
    let rest: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    let text = match words.first().map(String::as_str) {
        None | Some("-l") => {
            let mut text = "Currently running services:\n".to_owned();
            for name in SERVICES.split(' ') {
                let _ = writeln!(text, "  {name}");
            }
            text
        }
        Some("window") => ctx.phone.with(|w| window(w, &rest)),
        Some("input_method") => ctx.phone.with(input_method),
        Some("display") => ctx.phone.with(display),
        Some("SurfaceFlinger") => ctx.phone.with(|w| surface_flinger(w, &rest)),
        Some("input") => ctx.phone.with(input),
        Some(other) => {
            ctx.warn(format!("Can't find service: {other}"));
            // The status is 0 here: only the text tells.
            return 0;
        }
    };
    ctx.out.extend(text.into_bytes());
    0
}

/// A number that stands for an object, the same for the same name.
fn hash(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5_u32, |h, b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193)) >> 4
}

fn task_of(w: &World) -> u64 {
    w.stack().first().map_or(1, |t| t.id)
}

fn record(w: &World) -> String {
    let front = w.foreground();
    format!("ActivityRecord{{{:x} u0 {} t{}}}", hash(&front.to_string()), front.short(), task_of(w))
}

fn window(w: &mut World, rest: &[&str]) -> String {
    let mut text = String::new();
    let display = w.display().clone();
    let (width, height) = display.logical();
    let rotation = ["ROTATION_0", "ROTATION_90", "ROTATION_180", "ROTATION_270"]
        [usize::from(display.rotation.index() & 3)];
    let windows = w.windows();
    let focused = windows.iter().find(|i| i.focused);
    let name = |title: &str| format!("Window{{{:x} u0 {title}}}", hash(title));
    let part = rest.first().copied().unwrap_or("all");
    if matches!(part, "all" | "policy" | "p" | "-a") {
        let awake = w.interactive();
        let (showing, secure) = (w.lock().is_some(), w.lock() == Some(Lock::Pin));
        let _ = writeln!(
            text,
            "WINDOW MANAGER POLICY STATE (dumpsys window policy)\n    mAwake={awake} mScreenOnEarly={awake} mScreenOnFully={awake}\n    KeyguardServiceDelegate\n      showing={showing}\n      inputRestricted={showing}\n      occluded=false\n      secure={secure}\n      KeyguardStateMonitor\n        mIsShowing={showing}\n        mSimSecure=false"
        );
    }
    if matches!(part, "all" | "displays" | "d" | "-a") {
        let _ = writeln!(
            text,
            "WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)\n  Display: mDisplayId=0 (organized)"
        );
        let (iw, ih) = display.physical;
        let base = match (display.size_override, display.density_override) {
            (None, None) => String::new(),
            _ => {
                let (bw, bh) = display.size_override.unwrap_or(display.physical);
                format!(" base={bw}x{bh} {}dpi", display.dpi())
            }
        };
        let _ = writeln!(
            text,
            "    init={iw}x{ih} {}dpi{base} cur={width}x{height} app={width}x{height} rng={}x{}-{}x{}",
            display.density,
            width.min(height),
            width.min(height),
            width.max(height),
            width.max(height)
        );
        let _ = writeln!(
            text,
            "    deferred=false mLayoutNeeded=false\n  mDisplayRotation:\n    mCurrentRotation={rotation}(={})",
            display.rotation.index()
        );
        let _ = writeln!(
            text,
            "    mUserRotation={rotation} mUserRotationMode={}",
            if w.settings().on(Namespace::System, "accelerometer_rotation") {
                "USER_ROTATION_FREE"
            } else {
                "USER_ROTATION_LOCKED"
            }
        );
    }
    if let ("all" | "displays" | "d" | "-a", Some(second)) = (part, w.second()) {
        let (sw, sh, dpi) = (second.screen.width, second.screen.height, second.screen.density_dpi);
        let app = second.app.as_ref();
        let focus = app.map_or("null".to_owned(), |app| name(&app.to_string()));
        let record = app.map_or("null".to_owned(), |app| {
            format!("ActivityRecord{{{:x} u0 {} t99}}", hash(&app.to_string()), app.short())
        });
        let _ = writeln!(
            text,
            "  Display: mDisplayId={SECOND} (organized)\n    init={sw}x{sh} {dpi}dpi cur={sw}x{sh} app={sw}x{sh} rng={sw}x{sw}-{sh}x{sh}\n  mCurrentFocus={focus}\n  mFocusedApp={record}"
        );
    }
    if matches!(part, "all" | "windows" | "w" | "visible" | "-a") {
        text.push_str("WINDOW MANAGER WINDOWS (dumpsys window windows)\n");
        for (i, info) in windows.iter().enumerate() {
            let [left, top, right, bottom] = info.frame;
            let _ = writeln!(
                text,
                "  Window #{i} {}:\n    mDisplayId=0 mSession=Session{{{:x}}}\n    mOwnerUid=10100 showForAllUsers=false package={} appop=NONE\n    mAttrs={{(0,0)(fillxfill) sim={{adjust=resize}} fl=LAYOUT_IN_SCREEN}}\n    Frames: parent=[0,0][{width},{height}] display=[0,0][{width},{height}] frame=[{left},{top}][{right},{bottom}]\n    isOnScreen=true\n    isVisible=true",
                name(&info.title),
                hash(&info.package),
                info.package
            );
        }
    }
    if !matches!(part, "policy" | "p") {
        let focus = focused.map_or("null".to_owned(), |i| name(&i.title));
        let _ = writeln!(text, "  mCurrentFocus={focus}\n  mFocusedApp={}", record(w));
        if w.ime().shown {
            let _ = writeln!(text, "  mInputMethodWindow={}", name("InputMethod"));
        }
    }
    if matches!(part, "all" | "-a") {
        let _ = writeln!(
            text,
            "  mGlobalConfiguration={{1.0 {width}x{height} {}dpi}}\n  mRotation={}",
            display.dpi(),
            display.rotation.index()
        );
    }
    text
}

fn input_method(w: &mut World) -> String {
    let ime = w.ime();
    let mut text = "Current Input Method Manager state:\n  Input Methods:\n".to_owned();
    for (i, id) in ime.installed.iter().enumerate() {
        let _ = writeln!(text, "  InputMethod #{i}:\n    mId={id} mSettingsActivityName=null");
    }
    let client = w.foreground().package;
    let _ = writeln!(
        text,
        "  mCurMethodId={id}\n  mCurSeq=1 mCurClient=ClientState{{{hash:x} uid=10100 pid=4242 {client}}} mFocusedWindowName={front}\n  mCurId={id} mHaveConnection=true mBoundToMethod=true\n  mShowRequested={shown} mShowExplicitlyRequested=false mShowForced=false mInputShown={shown}\n  mSystemReady=true mInteractive={awake}",
        id = ime.current,
        hash = hash(&client),
        front = w.foreground(),
        shown = ime.shown,
        awake = w.interactive()
    );
    text
}

fn display(w: &mut World) -> String {
    let second = w.second().map_or_else(String::new, |second| {
        let (sw, sh, dpi) = (second.screen.width, second.screen.height, second.screen.density_dpi);
        format!(
            "  Display {SECOND}:\n    mDisplayId={SECOND}\n    mBaseDisplayInfo=DisplayInfo{{\"HDMI Screen\", displayId {SECOND}, real {sw} x {sh}, uniqueId \"local:{SECOND_PHYSICAL}\", rotation 0, density {dpi}, state ON}}\n"
        )
    });
    let d = w.display().clone();
    let (width, height) = d.logical();
    let (pw, ph) = d.physical;
    let state = if w.interactive() { "ON" } else { "OFF" };
    format!(
        "DISPLAY MANAGER (dumpsys display)\n  mDisplayId=0\nDisplay Devices: size=1\n  DisplayDeviceInfo{{\"Built-in Screen\": uniqueId=\"local:{PHYSICAL_DISPLAY}\", {pw} x {ph}, modeId 1, density {}, {}.0 x {}.0 dpi, state {state}, type INTERNAL}}\nLogical Displays: size=1\n  Display 0:\n    mDisplayId=0\n    mBaseDisplayInfo=DisplayInfo{{\"Built-in Screen\", displayId 0, real {pw} x {ph}, uniqueId \"local:{PHYSICAL_DISPLAY}\", rotation 0, density {}, state {state}}}\n    mOverrideDisplayInfo=DisplayInfo{{\"Built-in Screen\", displayId 0, real {width} x {height}, uniqueId \"local:{PHYSICAL_DISPLAY}\", rotation {turn}, density {}, state {state}}}\n{second}  mScreenState={state}\n  mCurrentOrientation={turn}\n  mViewports=[DisplayViewport{{type=INTERNAL, valid=true, isActive=true, displayId=0, uniqueId='local:{PHYSICAL_DISPLAY}', physicalPort=0, orientation={turn}, logicalFrame=Rect(0, 0 - {width}, {height}), physicalFrame=Rect(0, 0 - {width}, {height}), deviceWidth={width}, deviceHeight={height}}}]\n",
        d.density,
        d.density,
        d.density,
        d.density,
        d.dpi(),
        turn = d.rotation.index()
    )
}

fn surface_flinger(w: &World, rest: &[&str]) -> String {
    if rest.contains(&"--display-id") {
        let mut text = format!(
            "Display {PHYSICAL_DISPLAY} (HWC display 0): port=0 pnpId=WLD displayName=\"Built-in Screen\"\n"
        );
        if w.second().is_some() {
            let _ = writeln!(
                text,
                "Display {SECOND_PHYSICAL} (HWC display 1): port=1 pnpId=WLD displayName=\"HDMI Screen\""
            );
        }
        return text;
    }
    "Build configuration: [sf] [libui] [libgui]\n".to_owned()
}

/// The only place where width and height are those of the present rotation.
fn input(w: &mut World) -> String {
    let d = w.display().clone();
    let (width, height) = d.logical();
    let (pw, ph) = d.size_override.unwrap_or(d.physical);
    let turn = d.rotation.index();
    format!(
        "INPUT MANAGER (dumpsys input)\n\nInput Manager State:\n  Interactive: {}\n\nInput Reader State (Nums of device: 2):\n  Device 1: simphone-touch\n    Viewport INTERNAL: displayId=0, uniqueId=local:{PHYSICAL_DISPLAY}, port=0, orientation={turn}, logicalFrame=[0, 0, {width}, {height}], physicalFrame=[0, 0, {width}, {height}], deviceSize=[{width}, {height}], isActive=[1]\n    Touch Input Mapper (mode - DIRECT):\n      SurfaceWidth: {pw}px\n      SurfaceHeight: {ph}px\n      SurfaceOrientation: {turn}\n",
        w.interactive()
    )
}
