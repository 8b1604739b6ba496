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
mod view;

use std::collections::BTreeSet;

use crate::apps::prelude::*;

messages! {
    /// What its widgets send.
    enum Msg {
        Open(id: i64) = "open",
        /// An option of the grid is turned on or off.
        Option(name: String) = "option",
        /// The caption changes between title and day.
        Caption = "caption",
        /// A mark is put on the picture or taken off.
        Mark(name: String) = "mark",
        /// The picture is turned by so many quarters.
        Turn(quarters: u8) = "turn",
        /// All of the picture is shown.
        Whole = "whole",
        /// Two taps or two fingers change the zoom.
        Zoom = "zoom",
    }
}

/// The package of this app.
pub const PACKAGE: &str = "com.waldo.photos";
/// A picture at its own size, in thousandths.
const WHOLE: i32 = 1_000;
/// The nearest that a picture can be brought.
const NEAREST: i32 = 8_000;

/// What can be done to a picture and undone again: its name, its tool's sign, and what the strip then offers.
const MARKS: [(&str, Icon, &str); 7] = [
    ("favourite", Icon::Heart, "No longer a favourite"),
    ("archived", Icon::Archive, "Back from the archive"),
    ("mono", Icon::Moon, "Back to colours"),
    ("locked", Icon::Lock, "Unlock it"),
    ("reminder", Icon::Bell, "Forget the reminder"),
    ("place", Icon::Globe, "Hide the place"),
    ("wallpaper", Icon::Image, "No longer the wallpaper"),
];

/// What can be done to the grid.
const OPTIONS: [(&str, Icon, &str); 3] = [
    ("oldest", Icon::Sort, "Newest on top again"),
    ("large", Icon::Square, "Back to small tiles"),
    ("dates", Icon::Calendar, "Hide the dates"),
];

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Photos {
    pictures: Vec<Photo>,
    /// What of [`OPTIONS`] is in force.
    options: BTreeSet<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Photo {
    id: i64,
    title: String,
    scene: u8,
    taken: i64,
    /// What of [`MARKS`] it has.
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

fn flip(set: &mut BTreeSet<String>, name: &str) {
    if !set.remove(name) {
        set.insert(name.to_owned());
    }
}

impl Photos {
    fn picture_mut(&mut self, at: &Activity) -> Option<&mut Photo> {
        let id = picture_id(at);
        self.pictures.iter_mut().find(|p| p.id == id)
    }

    fn has(&self, option: &str) -> bool {
        self.options.contains(option)
    }
}

fn picture_id(at: &Activity) -> i64 {
    at.extra_int("id").unwrap_or(0)
}

impl App for Photos {
    fn manifest() -> Manifest {
        Manifest {
            activities: &[".MainActivity", ".PictureActivity"],
            authorities: &["photos"],
            tables: &["photos/pictures", "photos/options"],
            ..Manifest::user(PACKAGE, "Photos", Icon::Image, Tone::Rgb(0x7b, 0x3f, 0x98))
        }
    }

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

    fn view(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        match at.name() {
            "PictureActivity" => self.one(at, cx),
            _ => self.grid(cx),
        }
    }

    fn on_event(&mut self, at: &mut Activity, ev: &UiEvent, sys: &mut Sys<'_>) {
        match ev.message() {
            Some(Msg::Open(id)) => sys.open(".PictureActivity", &[("id", &id)]),
            Some(Msg::Option(name)) => flip(&mut self.options, &name),
            Some(Msg::Caption) => {
                let shown = at.local("caption") == "yes";
                at.set_local("caption", if shown { "no" } else { "yes" });
            }
            Some(message) => {
                let size = view::canvas_size(sys.canvas_size());
                if let Some(picture) = self.picture_mut(at) {
                    on_picture(picture, &message, &ev.kind, size);
                }
            }
            None => {}
        }
    }

    fn rows(&self, table: &str) -> Option<Vec<ProviderRow>> {
        let picture = |p: &Photo| {
            let row = row! { _id: p.id, title: &p.title, zoom: p.zoom, turned: u32::from(p.turned) };
            MARKS.iter().fold(row, |row, (mark, ..)| row.with(mark, p.has(mark)))
        };
        let options =
            || OPTIONS.iter().fold(row! { _id: 1 }, |row, (name, ..)| row.with(name, self.has(name)));
        match table {
            "photos/pictures" => Some(self.pictures.iter().map(picture).collect()),
            "photos/options" => Some(vec![options()]),
            _ => None,
        }
    }
}

/// What a finger does to a picture whose canvas is so large, in dp.
fn on_picture(picture: &mut Photo, message: &Msg, kind: &UiEventKind, (w, h): (f32, f32)) {
    let share = |at: i32, whole: f32| (at as f32 / whole.max(1.0) * 1_000.0) as i32;
    match (message, kind) {
        (Msg::Mark(name), _) => flip(&mut picture.marks, name),
        (Msg::Turn(quarters), _) => picture.turned = (picture.turned + quarters % 4) % 4,
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
