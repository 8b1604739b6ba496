//! Fingers: taps, holds, double taps, scrolling with a fling that soon settles, sliders, swipes, the shade.

use std::collections::VecDeque;

use super::{Shade, TouchPhase, World, compose::WindowLayer};
use crate::ui::{
    geometry::Rect,
    laid::Laid,
    node::{Axis, Kind, On, UiEvent, UiEventKind},
};

const LONG_PRESS_MS: u64 = 500;
const DOUBLE_TAP_MS: u64 = 300;
const FLING_MS: u64 = 320;
/// Below this distance, in dp, two fingers are not taken for a pinch: Android's 27 mm.
const PINCH_SPAN_DP: f32 = 170.0;
/// By so much their distance must change before a pinch begins, in dp: twice the touch slop.
const PINCH_SLOP_DP: f32 = 16.0;

#[derive(Debug, Clone)]
struct Press {
    on: On,
    rect: Rect,
    field: Option<String>,
    enabled: bool,
}

#[derive(Debug, Clone)]
struct Scroller {
    id: String,
    axis: Axis,
    offset: i32,
    max: i32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Mode {
    Pending,
    Scrolling(usize),
    Sliding,
    Drawing,
    Swiping,
    Shade,
    Two(Pair),
    Done,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pair {
    pointer: u32,
    last: (i32, i32),
    /// Their distance when the pinch began; before it, when the second one came.
    span: i32,
    begun: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Gesture {
    layer: WindowLayer,
    pointer: u32,
    start: (i32, i32),
    last: (i32, i32),
    began: u64,
    mode: Mode,
    press: Option<Press>,
    scrollers: Vec<Scroller>,
    slider: Option<(On, Rect, i32, String)>,
    draw: Option<(String, Rect)>,
    later: Option<(String, Rect)>,
    swipe: Option<String>,
    pinch: Option<(String, Rect)>,
    trail: VecDeque<(u64, i32, i32)>,
}

#[derive(Debug, Clone)]
pub(crate) struct Fling {
    layer: WindowLayer,
    id: String,
    from: i32,
    to: i32,
    began: u64,
}

impl Gesture {
    fn of(layer: WindowLayer, laid: &Laid, pointer: u32, at: (i32, i32), now: u64) -> Self {
        let mut g = Self {
            layer,
            pointer,
            start: at,
            last: at,
            began: now,
            mode: Mode::Pending,
            press: None,
            scrollers: Vec::new(),
            slider: None,
            draw: None,
            later: None,
            swipe: None,
            pinch: None,
            trail: VecDeque::from([(now, at.0, at.1)]),
        };
        let Some(hit) = laid.touched(at.0, at.1) else { return g };
        for item in laid.up(hit).filter_map(|i| laid.items.get(i)) {
            let n = &item.node;
            if g.press.is_none()
                && let Some(on) = &n.on.drag
            {
                g.draw.get_or_insert((on.clone(), item.rect));
            }
            if g.press.is_none() && (n.clickable() || n.on.long.is_some() || n.on.double.is_some()) {
                g.press = Some(Press {
                    on: n.on.clone(),
                    rect: item.seen(),
                    field: n.is_field().then(|| n.id.clone()),
                    enabled: n.enabled,
                });
            }
            if let Kind::Slider(_, max) = n.kind
                && n.enabled
            {
                g.slider = Some((n.on.clone(), item.rect, max, n.id.clone()));
            }
            if g.press.is_some()
                && let Some(on) = &n.on.drag
            {
                g.later.get_or_insert((on.clone(), item.rect));
            }
            if let Some(on) = &n.on.pinch {
                g.pinch.get_or_insert((on.clone(), item.rect));
            }
            if let Some(on) = &n.on.dismiss {
                g.swipe.get_or_insert(on.clone());
            }
            if let Some(s) = item.scroll.filter(|s| s.max > 0) {
                g.scrollers.push(Scroller { id: n.id.clone(), axis: s.axis, offset: s.offset, max: s.max });
            }
        }
        g
    }
}

/// The distance of two fingers, in pixels.
fn span((ax, ay): (i32, i32), (bx, by): (i32, i32)) -> i32 {
    f64::from(ax - bx).hypot(f64::from(ay - by)).round() as i32
}

impl World {
    /// A finger's event, in pixels of the present rotation, at an uptime.
    pub fn touch(&mut self, phase: TouchPhase, pointer: u32, x: i32, y: i32, uptime_ms: u64) {
        self.now_ms = self.now_ms.max(uptime_ms);
        if !self.interactive {
            return;
        }
        match phase {
            TouchPhase::Down => self.finger_down(pointer, x, y, uptime_ms),
            TouchPhase::Move => self.finger_move(pointer, x, y, uptime_ms),
            TouchPhase::Up => self.finger_up(pointer, x, y, uptime_ms),
            TouchPhase::Cancel => self.gesture = None,
        }
    }

    fn finger_down(&mut self, pointer: u32, x: i32, y: i32, now: u64) {
        if let Some(g) = &mut self.gesture
            && g.pointer != pointer
        {
            // A second finger ends what the first was about; a third is one too many.
            let alone = !matches!(g.mode, Mode::Two(_) | Mode::Done);
            g.mode = match g.pinch {
                Some(_) if alone => {
                    let span = span(g.last, (x, y));
                    Mode::Two(Pair { pointer, last: (x, y), span, begun: false })
                }
                _ => Mode::Done,
            };
            return;
        }
        self.finish_fling();
        let scene = self.scene();
        let Some(window) = scene.at(x, y) else { return };
        let mut g = Gesture::of(window.layer, &window.laid, pointer, (x, y), now);
        if window.layer == WindowLayer::Status {
            g.mode = Mode::Shade;
        }
        let drawing = g.draw.clone();
        if drawing.is_some() {
            g.mode = Mode::Drawing;
        }
        let layer = g.layer;
        self.gesture = Some(g);
        self.drag(layer, drawing.as_ref(), (x, y), TouchPhase::Down);
    }

    fn drag(
        &mut self,
        layer: WindowLayer,
        on: Option<&(String, Rect)>,
        (x, y): (i32, i32),
        phase: TouchPhase,
    ) {
        if let Some((on, rect)) = on {
            let kind = UiEventKind::Drag(self.dp(x - rect.l), self.dp(y - rect.t), phase);
            self.deliver(layer, &UiEvent { on: on.clone(), kind });
        }
    }

    fn dp(&self, px: i32) -> i32 {
        (px as f32 / self.display.scale()).round() as i32
    }

    fn px(&self, dp: f32) -> i32 {
        (dp * self.display.scale()).round() as i32
    }

    fn finger_move(&mut self, pointer: u32, x: i32, y: i32, now: u64) {
        self.hold(now);
        if self.pinch_move(pointer, (x, y)) {
            return;
        }
        let slop = self.px(8.0);
        let Some(mut g) = self.gesture.take_if(|g| g.pointer == pointer) else { return };
        g.last = (x, y);
        g.trail.push_back((now, x, y));
        while g.trail.len() > 2 && g.trail.front().is_some_and(|(t, ..)| t + 100 < now) {
            g.trail.pop_front();
        }
        let (dx, dy) = (x - g.start.0, y - g.start.1);
        if g.mode == Mode::Pending && dx.abs().max(dy.abs()) > slop {
            let axis = if dx.abs() > dy.abs() { Axis::X } else { Axis::Y };
            let scroller = g.scrollers.iter().position(|s| s.axis == axis);
            if g.slider.is_some() && axis == Axis::X {
                g.mode = Mode::Sliding;
            } else if g.swipe.is_some() && axis == Axis::X {
                g.mode = Mode::Swiping;
            } else if let Some(i) = scroller {
                g.mode = Mode::Scrolling(i);
            } else if g.layer == WindowLayer::Shade && dy < 0 {
                g.mode = Mode::Shade;
            } else if g.later.is_some() {
                // The drag began on something that takes taps: only now is it known to be none.
                g.draw = g.later.take();
                g.mode = Mode::Drawing;
                self.drag(g.layer, g.draw.as_ref(), g.start, TouchPhase::Down);
            } else if g.press.as_ref().is_none_or(|p| !p.rect.has(x, y)) {
                g.mode = Mode::Done;
            }
        }
        match g.mode.clone() {
            Mode::Scrolling(i) => {
                if let Some(s) = g.scrollers.get(i) {
                    let by = if s.axis == Axis::X { dx } else { dy };
                    self.set_scroll(g.layer, &s.id, (s.offset - by).clamp(0, s.max));
                }
            }
            Mode::Sliding => self.slide(&g, x),
            Mode::Drawing => self.drag(g.layer, g.draw.as_ref(), (x, y), TouchPhase::Move),
            _ => {}
        }
        self.gesture = Some(g);
    }

    /// Moves one of two fingers; whether it was one of two.
    fn pinch_move(&mut self, pointer: u32, to: (i32, i32)) -> bool {
        let (least, slop) = (self.px(PINCH_SPAN_DP), self.px(PINCH_SLOP_DP));
        let Some(g) = &mut self.gesture else { return false };
        let Mode::Two(mut pair) = g.mode else { return false };
        if pointer == g.pointer {
            g.last = to;
        } else if pointer == pair.pointer {
            pair.last = to;
        }
        let now = span(g.last, pair.last);
        let begins = !pair.begun && now >= least && (now - pair.span).abs() > slop;
        if begins {
            (pair.begun, pair.span) = (true, now);
        }
        g.mode = Mode::Two(pair);
        if pair.begun {
            self.pinched(if begins { TouchPhase::Down } else { TouchPhase::Move });
        }
        true
    }

    /// Lifts one of two fingers, which ends what the two were about; whether it was one of two.
    fn pinch_up(&mut self, pointer: u32) -> bool {
        let Some(g) = &self.gesture else { return false };
        let Mode::Two(pair) = g.mode else { return false };
        if pair.begun {
            self.pinched(TouchPhase::Up);
        }
        if let Some(g) = &mut self.gesture {
            // The other one is still there, and is about nothing any more.
            g.pointer = if pointer == g.pointer { pair.pointer } else { g.pointer };
            g.mode = Mode::Done;
        }
        true
    }

    fn pinched(&mut self, phase: TouchPhase) {
        let Some(g) = &self.gesture else { return };
        let (Mode::Two(pair), Some((on, rect))) = (&g.mode, g.pinch.clone()) else { return };
        let thousandths = i64::from(span(g.last, pair.last)) * 1000 / i64::from(pair.span.max(1));
        let (x, y) = ((g.last.0 + pair.last.0) / 2 - rect.l, (g.last.1 + pair.last.1) / 2 - rect.t);
        let layer = g.layer;
        let thousandths = i32::try_from(thousandths).unwrap_or(i32::MAX);
        let kind = UiEventKind::Pinch(phase, thousandths, self.dp(x), self.dp(y));
        self.deliver(layer, &UiEvent { on, kind });
    }

    fn slide(&mut self, g: &Gesture, x: i32) {
        let Some((on, rect, max, _)) = g.slider.clone() else { return };
        let knob = self.px(10.0);
        let (l, r) = (rect.l + knob, (rect.r - knob).max(rect.l + knob + 1));
        let value = ((x - l) * max + (r - l) / 2).div_euclid(r - l).clamp(0, max);
        if let Some(on) = on.change {
            self.deliver(g.layer, &UiEvent { on, kind: UiEventKind::Value(value) });
        }
    }

    fn finger_up(&mut self, pointer: u32, x: i32, y: i32, now: u64) {
        self.finger_move(pointer, x, y, now);
        if self.pinch_up(pointer) {
            return;
        }
        let Some(g) = self.gesture.take_if(|g| g.pointer == pointer) else { return };
        let (dx, dy) = (x - g.start.0, y - g.start.1);
        match g.mode {
            Mode::Pending => self.tap(&g, x, y, now),
            Mode::Scrolling(i) => self.fling_off(&g, i, now),
            Mode::Drawing => self.drag(g.layer, g.draw.as_ref(), (x, y), TouchPhase::Up),
            Mode::Swiping => {
                if dx.abs() > self.px(90.0)
                    && let Some(on) = g.swipe
                {
                    self.deliver(g.layer, &UiEvent { on, kind: UiEventKind::Dismiss });
                }
            }
            Mode::Shade => {
                if g.layer == WindowLayer::Status && dy > self.px(40.0) {
                    self.set_shade(Shade::Open);
                } else if g.layer == WindowLayer::Shade && dy < -self.px(40.0) {
                    self.dismiss_keyguard();
                    self.set_shade(Shade::Closed);
                }
            }
            Mode::Sliding | Mode::Two(_) | Mode::Done => {}
        }
    }

    fn tap(&mut self, g: &Gesture, x: i32, y: i32, now: u64) {
        if g.slider.is_some() {
            return self.slide(g, x);
        }
        let Some(press) = &g.press else {
            let scene = self.scene();
            let beside = scene.window(WindowLayer::Overlay).is_some_and(|w| !w.frame.has(x, y));
            if g.layer == WindowLayer::Overlay && beside {
                self.close_overlay();
            }
            return;
        };
        if !press.enabled {
            return;
        }
        if let Some(id) = press.field.clone() {
            let caret = self.caret_at(g.layer, &id, x, y);
            return self.focus(&id, caret);
        }
        let twice = self.last_tap.is_some_and(|(t, px, py)| {
            now.saturating_sub(t) < DOUBLE_TAP_MS && (px - x).abs().max((py - y).abs()) < self.px(48.0)
        });
        self.last_tap = Some((now, x, y));
        if let Some(on) = press.on.double.clone()
            && twice
        {
            self.last_tap = None;
            return self.deliver(g.layer, &UiEvent { on, kind: UiEventKind::Double });
        }
        if let Some(on) = press.on.tap.clone() {
            let kind = UiEventKind::Tap(self.dp(x - press.rect.l), self.dp(y - press.rect.t));
            self.deliver(g.layer, &UiEvent { on, kind });
        }
    }

    fn caret_at(&mut self, layer: WindowLayer, id: &str, x: i32, y: i32) -> usize {
        let scene = self.scene();
        let item = scene
            .window(layer)
            .and_then(|w| w.laid.items.iter().find(|i| i.node.is_field() && i.node.id == id));
        let Some(item) = item.filter(|i| !i.hinted) else { return 0 };
        let (left, top) = (item.rect.l + self.px(item.node.pad.l), item.rect.t + self.px(item.node.pad.t));
        let high = crate::ui::text::TextFaces::line_height(item.face).max(1);
        let row =
            usize::try_from(((y - top) / high).max(0)).unwrap_or(0).min(item.lines.len().saturating_sub(1));
        item.lines.get(row).map_or(0, |l| l.start + self.text.caret_at(&l.text, item.face, x - left))
    }

    pub(crate) fn hold(&mut self, now: u64) {
        let Some(g) = &mut self.gesture else { return };
        if g.mode != Mode::Pending || now.saturating_sub(g.began) < LONG_PRESS_MS {
            return;
        }
        let Some(press) = g.press.clone().filter(|p| p.enabled) else { return };
        let layer = g.layer;
        if let Some(id) = press.field {
            g.mode = Mode::Done;
            self.focus(&id, 0);
            self.key(29, 0x1000);
        } else if let Some(on) = press.on.long {
            g.mode = Mode::Done;
            self.deliver(layer, &UiEvent { on, kind: UiEventKind::Long });
        }
    }

    fn set_scroll(&mut self, layer: WindowLayer, id: &str, offset: i32) {
        let kept = if layer == WindowLayer::Shade { Some(&mut self.shade_state) } else { self.top_mut() };
        if let Some(kept) = kept {
            kept.scroll.insert(id.to_owned(), offset);
        }
        self.changed();
    }

    fn fling_off(&mut self, g: &Gesture, scroller: usize, now: u64) {
        let Some(s) = g.scrollers.get(scroller) else { return };
        let along = |x: i32, y: i32| if s.axis == Axis::X { x } else { y };
        let (start, last) = (along(g.start.0, g.start.1), along(g.last.0, g.last.1));
        let from = (s.offset - (last - start)).clamp(0, s.max);
        let Some((t, x, y)) = g.trail.front().copied() else { return };
        let took = i64::try_from(now.saturating_sub(t)).unwrap_or(0).max(1);
        // How far it would go in 180 ms at its last speed, which is where the brake brings it to rest.
        let more = i64::from(along(x, y) - last) * 180 / took;
        let rests = g.trail.back().is_some_and(|(b, ..)| now.saturating_sub(*b) > 80);
        if rests || more.abs() < i64::from(self.px(12.0)) {
            return;
        }
        let to = (i64::from(from) + more).clamp(0, i64::from(s.max));
        let to = i32::try_from(to).unwrap_or(from);
        self.fling = Some(Fling { layer: g.layer, id: s.id.clone(), from, to, began: now });
    }

    /// Brings a running list to where it is now.
    pub(crate) fn run_fling(&mut self) {
        let Some(f) = self.fling.clone() else { return };
        let t = self.now_ms.saturating_sub(f.began).min(FLING_MS);
        let left = i64::try_from(FLING_MS - t).unwrap_or(0);
        let span = i64::try_from(FLING_MS).unwrap_or(1);
        // Ease out: what is left shrinks with the square of the time left.
        let rest = i64::from(f.to - f.from) * left * left / (span * span);
        let offset = f.to - i32::try_from(rest).unwrap_or(0);
        self.set_scroll(f.layer, &f.id, offset);
        if t >= FLING_MS {
            self.fling = None;
        }
    }

    fn finish_fling(&mut self) {
        self.run_fling();
        self.fling = None;
    }
}
