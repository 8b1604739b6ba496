//! Photos: a grid of pictures, and one picture by itself, with tools that are signs without names.
//!
//! What a tool does shows in what it did and nowhere else: a strip below the picture says what can be undone. Two
//! fingers on a picture bring it nearer, two taps do so by half.
//!
//! Providers: `content://photos/pictures` (`_id`, `title`, `zoom` in thousandths, `turned` in quarters, and a column
//! of 0 or 1 for each of `MARKS`) and `content://photos/options` (`_id` 1, a column for each of `OPTIONS`).

mod scene;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use crate::apps::prelude::*;

messages! {
    enum Msg {
        /// All of the picture is shown.
        Whole = "whole",
        /// Two taps or two fingers change the zoom.
        Zoom = "zoom",
    }
}

pub const PACKAGE: &str = "com.waldo.photos";
/// A picture at its own size, in thousandths.
const WHOLE: i32 = 1_000;
/// The nearest that a picture can be brought.
const NEAREST: i32 = 8_000;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Photos {
    pictures: Vec<Photo>,
    options: BTreeSet<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Photo {
    id: i64,
    title: String,
    scene: u8,
    taken: i64,
    marks: BTreeSet<String>,
    turned: u8,
    zoom: i32,
    /// What is in the middle, as thousandths of the picture's width and height.
    middle: (i32, i32),
    /// The zoom at which two fingers began.
    #[serde(skip)]
    from: i32,
}

impl Photo {
    fn has(&self, mark: &str) -> bool {
        self.marks.contains(mark)
    }

    /// Brings it nearer or away, keeping the point of the canvas that is meant (thousandths) where it is.
    fn bring(&mut self, zoom: i32, (x, y): (i32, i32)) {
        let new = zoom.clamp(WHOLE, NEAREST);
        let kept = |middle: i32, at: i32| {
            let point = middle + (at - 500) * WHOLE / self.zoom.max(1);
            let half = 500 * WHOLE / new;
            (point - (at - 500) * WHOLE / new).clamp(half, 1_000 - half)
        };
        self.middle = (kept(self.middle.0, x), kept(self.middle.1, y));
        self.zoom = new;
    }
}

/// Height of everything but the picture, in dp: bar, strip and tools.
const AROUND: f32 = 64.0 + 56.0 + 64.0;

/// Width and height of a picture's canvas, of the room between the system's bars, in dp.
fn canvas_size((w, h): (f32, f32)) -> (f32, f32) {
    (w, (h - AROUND).max(1.0))
}

impl App for Photos {
    fn fresh(seed: &mut Seed) -> Self {
        let all = contents::records("pictures");
        let titles = seed.sample(&all, all.len());
        let mut taken = seed.start;
        let pictures = titles.into_iter().zip(1..).map(|([title, scene], id)| {
            taken -= seed.int(20_000, 400_000);
            Photo {
                id,
                title: title.to_owned(),
                scene: scene.parse().unwrap_or(0),
                taken,
                marks: BTreeSet::new(),
                turned: 0,
                zoom: WHOLE,
                middle: (500, 500),
                from: WHOLE,
            }
        });
        Self { pictures: pictures.collect(), options: BTreeSet::new() }
    }

    fn draw(&self, canvas: &str, size: (f32, f32), at: &Activity, cx: &Cx<'_>) -> Vec<Shape> {
        let part = |thousandths: i32| thousandths as f32 / 10.0;
        let id = canvas.parse().ok().or_else(|| at.extra_int("id"));
        let Some(p) = self.pictures.iter().find(|p| Some(p.id) == id) else { return Vec::new() };
        let mut shown = scene::Shown {
            scene: p.scene,
            turned: p.turned,
            mono: p.has("mono"),
            zoom: p.zoom as f32 / WHOLE as f32,
            middle: (part(p.middle.0), part(p.middle.1)),
        };
        if canvas == "picture" {
            return scene::shapes(shown, canvas_size((cx.width, cx.height)));
        }
        (shown.zoom, shown.middle) = (1.0, (50.0, 50.0));
        scene::shapes(shown, size)
    }

    fn on_event(&mut self, at: &mut Activity, ev: &UiEvent, sys: &mut Sys<'_>) {
        let (id, size) = (at.extra_int("id"), canvas_size(sys.canvas_size()));
        let picture = self.pictures.iter_mut().find(|p| Some(p.id) == id);
        if let (Some(message), Some(picture)) = (ev.message(), picture) {
            on_picture(picture, &message, &ev.kind, size);
        }
    }
}

/// What a finger does to a picture whose canvas is so large, in dp.
fn on_picture(picture: &mut Photo, message: &Msg, kind: &UiEventKind, (w, h): (f32, f32)) {
    let share = |at: i32, whole: f32| (at as f32 / whole.max(1.0) * 1_000.0) as i32;
    match (message, kind) {
        (Msg::Whole, _) => picture.bring(WHOLE, (500, 500)),
        (Msg::Zoom, UiEventKind::Double) => {
            let new = if picture.zoom > WHOLE { WHOLE } else { 2 * WHOLE };
            picture.bring(new, (500, 500));
        }
        (Msg::Zoom, UiEventKind::Pinch(phase, thousandths, x, y)) => {
            if *phase == TouchPhase::Down {
                picture.from = picture.zoom;
            }
            let new = i64::from(picture.from) * i64::from(*thousandths) / 1_000;
            let new = i32::try_from(new).unwrap_or(NEAREST);
            picture.bring(new, (share(*x, w), share(*y, h)));
        }
        _ => {}
    }
}
