//! The windows of a screen: what they are, how they lie on each other, which has the keyboard.
//!
//! Invariants: the order is the server's own, so what is drawn on top comes last; a window's program is
//! asked of the server and the system, never taken from what the window says of itself, where they tell.

use std::collections::{HashMap, HashSet};

use x11rb::protocol::res::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConnectionExt as _, EventMask, GetPropertyReply, MapState, WindowClass,
};
use x11rb::wrapper::ConnectionExt as _;

use super::program::program_of;
use super::x::X;
use crate::window::shown_title;
pub(crate) use crate::window::{ClickTarget, Window};
use crate::x11::x::Answered as _;
use waldo_devices::{Physical, Point, Rect, Result};

/// Ancestors that are climbed to find the window that lies on the root.
const DEPTH_MAX: usize = 20;

struct Top {
    id: u32,
    override_redirect: bool,
    viewable: bool,
    frame: Rect<Physical>,
}

struct FoundWindow {
    id: u32,
    outer: u32,
    override_redirect: bool,
    minimised: bool,
    frame: Rect<Physical>,
}

/// All windows, bottom to top; those that are not on the screen come first.
pub(crate) fn stack(x: &X) -> Result<Vec<Window>> {
    let tops = tops(x)?;
    let clients = clients(x)?;
    let outer: HashMap<u32, u32> = clients.iter().map(|&id| (id, outermost(x, id).unwrap_or(id))).collect();
    let by_outer: HashMap<u32, u32> = outer.iter().map(|(&client, &outer)| (outer, client)).collect();
    let on_root: HashSet<u32> = tops.iter().map(|top| top.id).collect();
    let (width, height) = x.size()?;
    let screen = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
    let mut found = Vec::new();
    // Clients whose frame is not there at all are held back by their window manager.
    for &id in clients.iter().filter(|id| !on_root.contains(&outer[id])) {
        let frame = Rect::default();
        found.push(FoundWindow { id, outer: id, override_redirect: false, minimised: true, frame });
    }
    for top in &tops {
        let (outer, frame) = (top.id, top.frame);
        if let Some(&id) = by_outer.get(&top.id) {
            found.push(FoundWindow { id, outer, override_redirect: false, minimised: !top.viewable, frame });
            continue;
        }
        let seen = top.viewable && top.frame.intersect(&screen).is_some_and(|part| part.area() > 1.0);
        // Without a window manager every window lies on the root by itself.
        if seen && (top.override_redirect || clients.is_empty()) {
            let override_redirect = top.override_redirect;
            found.push(FoundWindow { id: top.id, outer, override_redirect, minimised: false, frame });
        }
    }
    found.sort_by_key(|window| !window.minimised);
    let focused = focused(x, &found)?;
    let pids = pids(x, &found.iter().map(|window| window.id).collect::<Vec<_>>());
    let mut programs: HashMap<u32, String> = HashMap::new();
    let mut windows = Vec::with_capacity(found.len());
    for FoundWindow { id, outer, override_redirect, minimised, frame } in found {
        // A window may go at any moment; what is gone is left out.
        let Ok(mut window) = describe(x, id) else { continue };
        window.pid = pids.get(&id).copied().or(window.pid);
        if let Some(pid) = window.pid {
            window.program = programs.entry(pid).or_insert_with(|| program_of(pid)).clone();
        }
        window.outer = outer;
        window.override_redirect = override_redirect;
        window.minimised = minimised || (window.minimised && !override_redirect);
        window.frame = if frame.area() > 0.0 { frame } else { window.client };
        window.focused = focused == Some(id);
        windows.push(window);
    }
    Ok(windows)
}

/// What would get a click at `at`: the topmost there.
pub(crate) fn under<'a>(x: &X, windows: &'a [Window], at: Point<Physical>) -> ClickTarget<'a> {
    #[expect(clippy::cast_possible_truncation, reason = "points are checked to be on the screen")]
    let (px, py) = (at.x.floor() as i16, at.y.floor() as i16);
    let asked =
        x.conn.translate_coordinates(x.root, x.root, px, py).ok().and_then(|asked| asked.reply().ok());
    let found = match asked.map(|reply| reply.child) {
        Some(x11rb::NONE) => return ClickTarget::Ground,
        // The server knows shapes too.
        Some(child) => match windows.iter().rev().find(|window| window.outer == child) {
            Some(window) => Some(window),
            None => {
                let pid = pids(x, &[child]).get(&child).copied();
                return ClickTarget::Unseen(pid.map(program_of).unwrap_or_default());
            }
        },
        None => windows.iter().rev().find(|window| !window.minimised && window.frame.contains(at)),
    };
    found.map_or(ClickTarget::Ground, ClickTarget::Window)
}

/// Asks the window manager to bring a window to the front and give it the keyboard.
pub(crate) fn focus(x: &X, id: u32) -> Result<()> {
    // Source 2: a pager's wish is not second-guessed.
    let message =
        ClientMessageEvent::new(32, id, x.atoms._NET_ACTIVE_WINDOW, [2, x11rb::CURRENT_TIME, 0, 0, 0]);
    to_manager(x, message)
}

pub(crate) fn close(x: &X, id: u32) -> Result<()> {
    if speaks(x, id, x.atoms.WM_DELETE_WINDOW) {
        let data = [x.atoms.WM_DELETE_WINDOW, x11rb::CURRENT_TIME, 0, 0, 0];
        let message = ClientMessageEvent::new(32, id, x.atoms.WM_PROTOCOLS, data);
        x.conn.send_event(false, id, EventMask::NO_EVENT, message).answered()?.check().answered()?;
        return Ok(());
    }
    let message =
        ClientMessageEvent::new(32, id, x.atoms._NET_CLOSE_WINDOW, [x11rb::CURRENT_TIME, 2, 0, 0, 0]);
    to_manager(x, message)
}

/// Whether a window says to understand a protocol of window managers.
pub(crate) fn speaks(x: &X, id: u32, protocol: u32) -> bool {
    let asked = x.conn.get_property(false, id, x.atoms.WM_PROTOCOLS, AtomEnum::ATOM, 0, 64);
    let reply = asked.ok().and_then(|asked| asked.reply().ok());
    reply.is_some_and(|reply| reply.value32().into_iter().flatten().any(|atom| atom == protocol))
}

pub(crate) fn to_manager(x: &X, message: ClientMessageEvent) -> Result<()> {
    let mask = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
    x.conn.send_event(false, x.root, mask, message).answered()?.check().answered()?;
    x.conn.sync().answered()
}

/// The windows that lie on the root, bottom to top, without those that only listen.
fn tops(x: &X) -> Result<Vec<Top>> {
    let children = x.conn.query_tree(x.root).answered()?.reply().answered()?.children;
    let asked: Vec<_> = children
        .iter()
        .map(|&id| {
            Ok((id, x.conn.get_window_attributes(id).answered()?, x.conn.get_geometry(id).answered()?))
        })
        .collect::<Result<_>>()?;
    Ok(asked
        .into_iter()
        .filter_map(|(id, attributes, geometry)| {
            let (attributes, geometry) = (attributes.reply().ok()?, geometry.reply().ok()?);
            let border = 2.0 * f64::from(geometry.border_width);
            (attributes.class == WindowClass::INPUT_OUTPUT).then(|| Top {
                id,
                override_redirect: attributes.override_redirect,
                viewable: attributes.map_state == MapState::VIEWABLE,
                frame: Rect::new(
                    f64::from(geometry.x),
                    f64::from(geometry.y),
                    f64::from(geometry.width) + border,
                    f64::from(geometry.height) + border,
                ),
            })
        })
        .collect())
}

fn clients(x: &X) -> Result<Vec<u32>> {
    for list in [x.atoms._NET_CLIENT_LIST_STACKING, x.atoms._NET_CLIENT_LIST] {
        if let Some(ids) = on_root(x, list, AtomEnum::WINDOW)? {
            return Ok(ids);
        }
    }
    Ok(Vec::new())
}

/// The numbers that the window manager keeps on the root under this name, if it does.
pub(crate) fn on_root(x: &X, name: u32, kind: AtomEnum) -> Result<Option<Vec<u32>>> {
    let reply = x.conn.get_property(false, x.root, name, kind, 0, 4096).answered()?.reply().answered()?;
    Ok(reply.value32().map(Iterator::collect))
}

/// The ancestor of a window that lies on the root; `None` when the window is gone.
fn outermost(x: &X, id: u32) -> Option<u32> {
    let mut at = id;
    for _ in 0..DEPTH_MAX {
        let tree = x.conn.query_tree(at).ok()?.reply().ok()?;
        if tree.parent == x.root || tree.parent == x11rb::NONE {
            return Some(at);
        }
        at = tree.parent;
    }
    None
}

/// The window that has the keyboard; `found` are windows with those that lie on the root for them.
fn focused(x: &X, found: &[FoundWindow]) -> Result<Option<u32>> {
    let focus = x.conn.get_input_focus().answered()?.reply().answered()?.focus;
    if found.iter().any(|window| window.id == focus) {
        return Ok(Some(focus));
    }
    // 0 is none, 1 is whatever lies under the pointer.
    if focus > 1
        && let Some(top) = outermost(x, focus)
        && let Some(window) = found.iter().find(|window| window.outer == top)
    {
        return Ok(Some(window.id));
    }
    let active =
        x.conn.get_property(false, x.root, x.atoms._NET_ACTIVE_WINDOW, AtomEnum::WINDOW, 0, 1).answered()?;
    let active = active.reply().answered()?.value32().and_then(|mut ids| ids.next());
    Ok(active.filter(|id| found.iter().any(|window| window.id == *id)))
}

/// The processes behind windows, as the server knows them.
fn pids(x: &X, windows: &[u32]) -> HashMap<u32, u32> {
    let specs: Vec<res::ClientIdSpec> = windows
        .iter()
        .map(|&client| res::ClientIdSpec { client, mask: res::ClientIdMask::LOCAL_CLIENT_PID })
        .collect();
    let asked = x.conn.res_query_client_ids(&specs).ok().and_then(|asked| asked.reply().ok());
    let Some(reply) = asked else { return HashMap::new() };
    // The answer names clients by the base of their numbers.
    let known: Vec<(u32, u32)> = reply
        .ids
        .iter()
        .filter(|id| id.spec.mask == res::ClientIdMask::LOCAL_CLIENT_PID)
        .filter_map(|id| id.value.first().map(|&pid| (id.spec.client, pid)))
        .collect();
    let base = !x11rb::connection::Connection::setup(&x.conn).resource_id_mask;
    windows
        .iter()
        .filter_map(|&id| {
            known.iter().find(|(client, _)| client & base == id & base).map(|&(_, pid)| (id, pid))
        })
        .collect()
}

fn describe(x: &X, id: u32) -> Result<Window> {
    let conn = &x.conn;
    let text = |atom: u32| conn.get_property(false, id, atom, AtomEnum::ANY, 0, 2048);
    let name = text(x.atoms._NET_WM_NAME).answered()?;
    let old_name = text(AtomEnum::WM_NAME.into()).answered()?;
    let class = text(AtomEnum::WM_CLASS.into()).answered()?;
    let pid = conn.get_property(false, id, x.atoms._NET_WM_PID, AtomEnum::CARDINAL, 0, 1).answered()?;
    let state = conn.get_property(false, id, x.atoms._NET_WM_STATE, AtomEnum::ATOM, 0, 64).answered()?;
    let kind = conn.get_property(false, id, x.atoms._NET_WM_WINDOW_TYPE, AtomEnum::ATOM, 0, 64).answered()?;
    let geometry = conn.get_geometry(id).answered()?;
    let place = conn.translate_coordinates(id, x.root, 0, 0).answered()?;
    let words = |reply: GetPropertyReply| String::from_utf8_lossy(&reply.value).into_owned();
    let title = match words(name.reply().answered()?) {
        name if name.is_empty() => words(old_name.reply().answered()?),
        name => name,
    };
    // Instance and class, each ended by a zero.
    let class = words(class.reply().answered()?).split('\0').nth(1).unwrap_or_default().to_owned();
    let (geometry, place) = (geometry.reply().answered()?, place.reply().answered()?);
    let holds = |reply: GetPropertyReply, wanted: u32| {
        reply.value32().into_iter().flatten().any(|atom| atom == wanted)
    };
    let hidden = holds(state.reply().answered()?, x.atoms._NET_WM_STATE_HIDDEN);
    let splash = holds(kind.reply().answered()?, x.atoms._NET_WM_WINDOW_TYPE_SPLASH);
    let client = Rect::new(
        f64::from(place.dst_x),
        f64::from(place.dst_y),
        f64::from(geometry.width),
        f64::from(geometry.height),
    );
    Ok(Window {
        id,
        outer: id,
        pid: pid.reply().answered()?.value32().and_then(|mut pids| pids.next()),
        class,
        title: shown_title(&title),
        frame: client,
        client,
        splash,
        minimised: hidden,
        ..Window::default()
    })
}
