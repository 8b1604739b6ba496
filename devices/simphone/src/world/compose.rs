//! From the state to windows, and from windows to a picture and a tree. Both are kept until something changes.

use std::sync::Arc;

use image::RgbaImage;

use super::{
    DumpError, Shade, WindowInfo, World,
    app::{AppScreen, Cx, TaskCard},
    ime,
    stack::Activity,
    system_ui,
};
use crate::{
    fault::PhoneFault,
    options::ColorScheme,
    ui::{
        canvas::Canvas,
        dump,
        geometry::Rect,
        laid::Laid,
        layout::{LayoutContext, lay, measure, whole_height},
        markup::Overlay,
        node::{Axis, Edges, Kind, Node},
        paint::Painter,
        theme::Tone,
    },
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WindowLayer {
    App,
    Overlay,
    Ime,
    Toast,
    Status,
    Nav,
    Shade,
}

#[derive(Debug, Clone)]
pub(crate) struct LaidWindow {
    pub(crate) layer: WindowLayer,
    pub(crate) laid: Laid,
    pub(crate) frame: Rect,
}

/// All windows, the hindmost first.
#[derive(Debug, Clone)]
pub(crate) struct WindowStack {
    pub(crate) windows: Vec<LaidWindow>,
    pub(crate) ground: Tone,
    pub(crate) dim: bool,
    /// What the screen does at Back, as its widgets say what they do.
    pub(crate) back: Option<String>,
}

impl WindowStack {
    pub(crate) fn window(&self, layer: WindowLayer) -> Option<&LaidWindow> {
        self.windows.iter().find(|w| w.layer == layer)
    }

    pub(crate) fn at(&self, x: i32, y: i32) -> Option<&LaidWindow> {
        // A window over the app takes all touches, also those beside it.
        self.windows
            .iter()
            .rev()
            .find(|w| w.layer != WindowLayer::Toast && (w.frame.has(x, y) || w.layer == WindowLayer::Overlay))
    }
}

fn decor(content: Node, top: f32, bottom: f32, ground: Tone) -> Node {
    let margin = Edges { t: top, b: bottom, ..Edges::default() };
    let frame = Node { id: "android:id/content".to_owned(), margin, ..Node::stack(vec![content]) };
    let linear = Node::whole(Kind::Column, "android.widget.LinearLayout", vec![frame]);
    Node { bg: Some(ground), ..Node::stack(vec![linear]) }
}

impl World {
    pub(crate) fn scene(&mut self) -> Arc<WindowStack> {
        if let Some((generation, scene)) = &self.scene
            && *generation == self.generation
        {
            return Arc::clone(scene);
        }
        let mut scene = self.compose();
        if self.reveal {
            self.reveal = false;
            if self.reveal_focus(&scene) {
                scene = self.compose();
            }
        }
        // What the layout made of the offsets is what they are.
        if let Some(app) = scene.window(WindowLayer::App) {
            let offsets = app.laid.offsets();
            if let Some(top) = self.top_mut() {
                top.scroll.extend(offsets);
            }
        }
        let scene = Arc::new(scene);
        self.scene = Some((self.generation, Arc::clone(&scene)));
        scene
    }

    /// Width and height of the room between the system's bars, in dp.
    pub(crate) fn room_dp(&self) -> (f32, f32) {
        let scale = self.display.scale();
        let (w, h) = self.display.logical();
        let dp = |v: u32| v as f32 / scale;
        (dp(w), dp(h) - system_ui::STATUS_DP - system_ui::NAV_DP)
    }

    fn screen_of(&self, top: &Activity) -> Option<(AppScreen, Node, Node, Node)> {
        let (width, height) = self.room_dp();
        let tasks: Vec<TaskCard> = self
            .tasks
            .iter()
            .rev()
            .filter_map(|t| Some(TaskCard { id: t.id, app: self.installed.manifest(&t.package)?.clone() }))
            .filter(|t| t.app.package != super::LAUNCHER)
            .collect();
        let cx = Cx {
            now: self.wall(),
            now_ms: self.now_ms,
            width,
            height,
            settings: &self.settings,
            installed: &self.installed.manifests,
            tasks: &tasks,
            files: &self.files,
            props: &self.props,
        };
        let app = self.installed.apps.get(top.component.package.as_str())?;
        let shade = match (self.lock(), self.shade) {
            (Some(lock), _) => system_ui::keyguard(&cx, lock),
            (None, Shade::Open) => system_ui::shade(&cx, &self.notifications),
            (None, Shade::Closed) => Node::stack(vec![]),
        };
        Some((
            app.view(top, &cx),
            system_ui::status_bar(&cx, &self.notifications),
            system_ui::nav_bar(),
            shade,
        ))
    }

    fn compose(&mut self) -> WindowStack {
        let (w, h) = self.display.logical();
        let (w, h) = (i32::try_from(w).unwrap_or(0), i32::try_from(h).unwrap_or(0));
        let scale = self.display.scale();
        let font_scale = self.font_scale();
        let full = Rect::new(0, 0, w, h);
        let mut windows = Vec::new();
        let top = self.top().cloned();
        let Some((top, (screen, status, nav, shade))) = top.and_then(|t| {
            let s = self.screen_of(&t)?;
            Some((t, s))
        }) else {
            return WindowStack { windows, ground: Tone::Surface, dim: false, back: None };
        };
        let ink = ink_on(screen.ground, self.look());
        let (status, nav) = (inked(status, ink), inked(nav, ink));
        let (status_dp, nav_dp) = (system_ui::STATUS_DP, system_ui::NAV_DP);
        let row_dp = if w > h { 38.0 } else { 54.0 };
        let ime_dp = match (self.ime_shown(), self.ime_current == ime::LATIN_IME) {
            (false, _) => 0.0,
            (true, true) => row_dp * 4.0 + 12.0,
            (true, false) => 44.0,
        };
        let mut frame =
            LayoutContext { text: &mut self.text, scale, font_scale, state: Some(top.input_state()) };
        let nav_px = frame.px(nav_dp);
        let root = decor(screen.root, status_dp, nav_dp + ime_dp, screen.ground);
        windows.push(LaidWindow { layer: WindowLayer::App, laid: lay(root, full, &mut frame), frame: full });
        let dim = matches!(screen.overlay, Some(Overlay::Dialog(_) | Overlay::Sheet(_)));
        if let Some(over) = screen.overlay {
            let room = Rect::new(0, frame.px(status_dp), w, h - nav_px - frame.px(ime_dp));
            let (rect, node) = place_overlay(over, room, &mut frame);
            windows.push(LaidWindow {
                layer: WindowLayer::Overlay,
                laid: lay(Node::stack(vec![node]), rect, &mut frame),
                frame: rect,
            });
        }
        let bar = Rect::new(0, 0, w, frame.px(status_dp));
        windows.push(LaidWindow {
            layer: WindowLayer::Status,
            laid: lay(status, bar, &mut frame),
            frame: bar,
        });
        if ime_dp > 0.0 {
            let node = if self.ime_current == ime::LATIN_IME {
                system_ui::keyboard(self.keys, row_dp)
            } else {
                system_ui::adb_keyboard()
            };
            let rect = Rect::new(0, h - nav_px - frame.px(ime_dp), w, h - nav_px);
            windows.push(LaidWindow {
                layer: WindowLayer::Ime,
                laid: lay(node, rect, &mut frame),
                frame: rect,
            });
        }
        if let Some((message, _)) = &self.toast {
            let node = system_ui::toast(message);
            let high = measure(&node, w, h, &mut frame).1;
            let bottom = h - nav_px - frame.px(ime_dp) - frame.px(28.0);
            let rect = Rect::new(0, bottom - high, w, bottom);
            windows.push(LaidWindow {
                layer: WindowLayer::Toast,
                laid: lay(node, rect, &mut frame),
                frame: rect,
            });
        }
        if self.shade == Shade::Open || self.lock().is_some() {
            let mut frame = LayoutContext {
                text: &mut self.text,
                scale,
                font_scale,
                state: Some(self.shade_state.input_state()),
            };
            windows.push(LaidWindow {
                layer: WindowLayer::Shade,
                laid: lay(shade, full, &mut frame),
                frame: full,
            });
        }
        let mut frame = LayoutContext { text: &mut self.text, scale, font_scale, state: None };
        let bar = Rect::new(0, h - nav_px, w, h);
        windows.push(LaidWindow { layer: WindowLayer::Nav, laid: lay(nav, bar, &mut frame), frame: bar });
        WindowStack { windows, ground: screen.ground, dim, back: screen.back }
    }

    fn font_scale(&self) -> f32 {
        let kept = self.settings.real(super::Namespace::System, "font_scale").unwrap_or(1.0);
        kept.clamp(0.5, 2.5) as f32
    }

    /// Scrolls so that the focused field is seen above the keyboard. Tells whether anything moved.
    fn reveal_focus(&mut self, scene: &WindowStack) -> bool {
        let Some(app) = scene.window(WindowLayer::App) else { return false };
        let laid = &app.laid;
        let Some(at) = laid.items.iter().position(|i| i.editing.is_some()) else { return false };
        let Some(item) = laid.items.get(at) else { return false };
        let below = item.rect.b - item.clip.b;
        if below <= 0 {
            return false;
        }
        let holder = laid.up(at).filter_map(|i| laid.items.get(i)).find_map(|i| {
            let s = i.scroll.filter(|s| s.axis == Axis::Y)?;
            Some((i.node.id.clone(), s.offset))
        });
        let Some((id, offset)) = holder else { return false };
        if let Some(top) = self.top_mut() {
            top.scroll.insert(id, offset + below + 24);
        }
        true
    }

    /// What is on the screen now, in the present rotation. Shared: cheap to clone.
    pub fn frame(&mut self) -> Arc<RgbaImage> {
        let scene = self.scene();
        if let Some((generation, picture)) = &self.picture
            && *generation == self.generation
        {
            return Arc::clone(picture);
        }
        let (w, h) = self.display.logical();
        let black = [0, 0, 0, 255];
        let secure = self.faults.has("secure-screen");
        let look = self.look();
        let picture = if !self.interactive || secure {
            Canvas::new(w, h, black).done()
        } else {
            let mut canvas = Canvas::new(w, h, scene.ground.rgba(look));
            self.paint(&scene, look, &mut canvas);
            canvas.done()
        };
        let picture = Arc::new(picture);
        self.picture = Some((self.generation, Arc::clone(&picture)));
        picture
    }

    fn paint(&mut self, scene: &WindowStack, look: ColorScheme, canvas: &mut Canvas) {
        let full = scene.windows.first().map(|w| w.frame).unwrap_or_default();
        for window in &scene.windows {
            canvas.clip_to(full);
            match window.layer {
                WindowLayer::Overlay if scene.dim => canvas.fill(full, Tone::Shade(45).rgba(look)),
                WindowLayer::Shade => canvas.fill(full, Tone::Shade(50).rgba(look)),
                WindowLayer::Ime => {
                    canvas.fill(Rect::new(0, window.frame.t, full.r, full.b), Tone::Card.rgba(look))
                }
                _ => {}
            }
            Painter {
                canvas,
                text: &mut self.text,
                signs: &mut self.signs,
                look,
                scale: self.display.scale(),
            }
            .paint(&window.laid);
        }
    }

    fn active<'a>(&self, scene: &'a WindowStack) -> Option<(&'a LaidWindow, String)> {
        if let Some(shade) = scene.window(WindowLayer::Shade) {
            return Some((shade, "com.android.systemui".to_owned()));
        }
        let package = self.foreground().package;
        let window = scene.window(WindowLayer::Overlay).or_else(|| scene.window(WindowLayer::App))?;
        Some((window, package))
    }

    /// The active window's tree as `uiautomator dump` writes it, without waiting for quiet.
    pub fn dump(&mut self) -> Result<String, DumpError> {
        if self.take_fault(|f| *f == PhoneFault::NullRoot).is_some() || !self.interactive {
            return Err(DumpError::NullRoot);
        }
        if self.last_dump.is_some() && self.take_fault(|f| *f == PhoneFault::StaleDump).is_some() {
            return self.last_dump.clone().ok_or(DumpError::NullRoot);
        }
        let scene = self.scene();
        let (window, package) = self.active(&scene).ok_or(DumpError::NullRoot)?;
        let mut xml = dump::dump(&window.laid, &package, self.display.rotation.index());
        if self.take_fault(|f| *f == PhoneFault::HugeDump).is_some() {
            let filler =
                "<node index=\"0\" text=\"filler\" class=\"android.view.View\" bounds=\"[0,0][1,1]\" />";
            let end = xml.rfind("</hierarchy>").unwrap_or(xml.len());
            xml.insert_str(end, &filler.repeat(10_000_000 / filler.len()));
        }
        self.last_dump = Some(xml.clone());
        if self.take_fault(|f| *f == PhoneFault::CutDump).is_some() {
            let mut at = xml.len() / 2;
            while !xml.is_char_boundary(at) {
                at -= 1;
            }
            xml.truncate(at);
        }
        Ok(xml)
    }

    pub fn windows(&mut self) -> Vec<WindowInfo> {
        let scene = self.scene();
        let front = self.active(&scene).map(|(w, _)| w.layer);
        let component = self.foreground();
        scene
            .windows
            .iter()
            .rev()
            .map(|w| {
                let (title, package) = match w.layer {
                    WindowLayer::App | WindowLayer::Overlay => {
                        (component.to_string(), component.package.clone())
                    }
                    WindowLayer::Ime => {
                        let owner = self.ime_current.split('/').next().unwrap_or_default().to_owned();
                        ("InputMethod".to_owned(), owner)
                    }
                    WindowLayer::Toast => ("Toast".to_owned(), "com.android.systemui".to_owned()),
                    WindowLayer::Status => ("StatusBar".to_owned(), "com.android.systemui".to_owned()),
                    WindowLayer::Nav => ("NavigationBar0".to_owned(), "com.android.systemui".to_owned()),
                    WindowLayer::Shade => ("NotificationShade".to_owned(), "com.android.systemui".to_owned()),
                };
                let r = w.frame;
                WindowInfo { title, package, frame: [r.l, r.t, r.r, r.b], focused: Some(w.layer) == front }
            })
            .collect()
    }
}

fn ink_on(ground: Tone, look: ColorScheme) -> Option<Tone> {
    let [r, g, b, _] = ground.rgba(look);
    let light = u32::from(r) * 3 + u32::from(g) * 6 + u32::from(b);
    (light < 1280 && look == ColorScheme::Light).then_some(Tone::Rgb(0xf4, 0xf6, 0xfc))
}

fn inked(mut node: Node, ink: Option<Tone>) -> Node {
    if let Some(tone) = ink {
        node.tone = tone;
        node.children = node.children.into_iter().map(|c| inked(c, ink)).collect();
    }
    node
}

fn place_overlay(over: Overlay, room: Rect, frame: &mut LayoutContext<'_>) -> (Rect, Node) {
    match over {
        Overlay::Dialog(node) => {
            let wide = (room.w() - frame.px(48.0)).min(frame.px(400.0));
            let most = room.h() - frame.px(32.0);
            let whole = whole_height(&node, wide, frame);
            let (node, high) =
                if whole > most { (scrolling(node), most.max(0)) } else { (node, whole.min(room.h())) };
            let (cx, cy) = room.centre();
            (Rect::new(cx - wide / 2, cy - high / 2, cx + wide - wide / 2, cy + high - high / 2), node)
        }
        Overlay::Sheet(node) => {
            let high = measure(&node, room.w(), room.h(), frame).1.min(room.h());
            (Rect::new(room.l, room.b - high, room.r, room.b), node)
        }
        Overlay::Menu(node) => {
            let (wide, high) = measure(&node, room.w(), room.h(), frame);
            let (right, top) = (room.r - frame.px(10.0), room.t + frame.px(8.0));
            (Rect::new(right - wide, top, right, top + high.min(room.b - top)), node)
        }
    }
}

pub(super) const DIALOG_SCROLL: &str = "android:id/scrollView";

/// A dialog with more in it than there is room for: what is between its title and its buttons scrolls.
fn scrolling(mut dialog: Node) -> Node {
    let is = |node: Option<&Node>, id: &str| node.is_some_and(|node| node.id.ends_with(id));
    let mut body = std::mem::take(&mut dialog.children);
    let buttons = if is(body.last(), "buttonPanel") { body.pop() } else { None };
    let title = is(body.first(), "alertTitle").then(|| body.remove(0));
    dialog.children.extend(title);
    let scroll = Node::whole(Kind::Scroll(Axis::Y, 1), "android.widget.ScrollView", body);
    dialog.children.push(Node { id: DIALOG_SCROLL.to_owned(), ..scroll });
    dialog.children.extend(buttons);
    dialog
}
