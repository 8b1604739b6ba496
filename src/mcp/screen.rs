//! A screen as a client knows it: with the session's numbers, in words, and as a picture.
//!
//! Invariant: text of the screen leaves this file inside the delimited block alone.

use std::sync::Arc;
use std::time::Instant;

use waldo_agents::View;
use waldo_devices::count::{count, either};
use waldo_devices::labels::{self, Layer};
use waldo_devices::screen_text::clean;
use waldo_devices::{DeviceError, LabelStyle, Settled, Tagged};
use waldo_prompts::screen_block;

/// Longest address, title or message in characters.
const LINE: usize = 300;

#[derive(Clone, Debug)]
pub struct NumberedScreen {
    /// What was seen; tags and list bear the session's numbers.
    pub view: View,
    pub at: Instant,
    /// The picture with the numbers that the record has; `None` where those differ from the session's.
    drawn: Option<Arc<[u8]>>,
}

impl NumberedScreen {
    pub fn new(view: &View, tagged: Vec<Tagged>) -> Self {
        let drawn = (tagged == view.tagged).then(|| view.png.clone());
        let observation = view.observation.clone();
        let list = labels::screen_list(&observation.elements, &tagged, &observation.texts);
        let view = View {
            observation,
            tagged,
            png: view.png.clone(),
            packing: view.packing,
            list,
            label_time: view.label_time,
        };
        Self { view, at: Instant::now(), drawn }
    }

    /// The lines that say where the device is and what it shows beside elements.
    pub fn header(&self) -> Vec<String> {
        let context = &self.view.observation.context;
        let mut lines =
            vec![format!("at {} \"{}\"", clean(&context.location, LINE), clean(&context.title, LINE))];
        if let Some(dialog) = &context.dialog {
            let words = clean(&dialog.message, LINE);
            lines.push(format!("a dialog holds up the page: \"{words}\" (answer it with dialog)"));
        }
        if context.tabs.len() > 1 {
            for (n, tab) in (1..).zip(&context.tabs) {
                let front = if tab.active { " (in front)" } else { "" };
                lines.push(format!(
                    "tab {n}{front}: {} \"{}\"",
                    clean(&tab.url, LINE),
                    clean(&tab.title, LINE)
                ));
            }
        }
        for (n, window) in (1..).zip(&context.windows) {
            lines.push(format!(
                "window {n}: {} \"{}\"",
                clean(&window.program, LINE),
                clean(&window.title, LINE)
            ));
        }
        for file in &context.downloads {
            let state = if file.done { "downloaded" } else { "downloading" };
            lines.push(format!("{state} \"{}\"", clean(&file.name, LINE)));
        }
        lines.extend(
            context.blocked.iter().map(|origin| format!("blocked by the guard: {}", clean(origin, LINE))),
        );
        lines.extend(context.notices.iter().map(|notice| clean(notice, LINE)));
        lines
    }

    /// What is said of it outside the block: nothing of it is text of the screen.
    pub fn remarks(&self) -> Vec<String> {
        let seen = &self.view.observation;
        let context = &seen.context;
        let mut remarks = Vec::new();
        match seen.settled {
            Settled::StillMoving => remarks.push("the screen is still moving".to_owned()),
            Settled::StillLoading => {
                remarks.push("the screen is still loading: wait_for says when it is quiet".to_owned())
            }
            Settled::Quiet | Settled::Dialog => {}
        }
        if let Some(scroll) = context.page_scroll.filter(|s| s.above > 0 || s.below > 0) {
            remarks.push(format!("out of view: {} px above, {} px below", scroll.above, scroll.below));
        }
        if context.truncated > 0 {
            let (elements, are) =
                (count(context.truncated, "element"), either(context.truncated, "is", "are"));
            remarks.push(format!("{elements} {are} left out: the screen holds too many"));
        }
        if context.secure {
            remarks.push("the screen forbids pictures".to_owned());
        }
        remarks
    }

    pub fn text(&self) -> String {
        let mut block = self.header();
        block.extend(self.view.list.lines().map(str::to_owned));
        let mut text = screen_block(&block.join("\n"));
        for remark in self.remarks() {
            text.push('\n');
            text.push_str(&remark);
        }
        text
    }

    /// The picture, packed as the session's are, with its numbers where they are wanted; empty where there is none.
    pub fn picture(&self, marks: Marks) -> Result<Arc<[u8]>, DeviceError> {
        let seen = &self.view.observation;
        if seen.picture.is_empty() {
            return Ok(Arc::from([]));
        }
        match (marks, &self.drawn) {
            (Marks::Numbers, Some(packed)) => Ok(packed.clone()),
            (Marks::Numbers, None) => {
                let tagged = self.view.tagged.clone();
                let drawn = labels::label(&seen.picture, &seen.elements, |_| tagged, LabelStyle::Boxes);
                Ok(drawn.picture.encode(self.view.packing)?.into())
            }
            (Marks::None, _) => Ok(Layer::over(seen.picture.raster()).encode(self.view.packing)?.into()),
        }
    }
}

/// What is drawn over a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    Numbers,
    None,
}

#[cfg(test)]
pub mod testing {
    //! Screens for tests.

    use serde_json::json;
    use waldo_agents::View;
    use waldo_devices::{
        Context, DeviceInfo, Geometry, LabelStyle, Observation, Picture, Platform, Rect, Settled, StaticText,
        Timings,
    };

    pub fn device(platform: Platform) -> DeviceInfo {
        let (product, capabilities) = (String::new(), platform.capabilities().to_vec());
        DeviceInfo { platform, product, geometry: Geometry::new(100.0, 100.0, 1.0), capabilities }
    }

    /// A view of elements (role and name) at `location`, with texts (words, and how many elements stand before).
    pub fn view(location: &str, elements: &[(&str, &str)], texts: &[(&str, usize)]) -> View {
        let element = |(n, (role, name)): (usize, &(&str, &str))| {
            serde_json::from_value(json!({
                "handle": format!("h{n}"), "role": role, "name": name, "affordances": ["click"],
                "bounds": {"x": 10.0, "y": 30.0 * n as f64, "w": 90.0, "h": 20.0},
                "hit": {"x": 20.0, "y": 30.0 * n as f64 + 5.0}
            }))
            .unwrap()
        };
        let observation = Observation {
            picture: Picture::empty(),
            elements: elements.iter().enumerate().map(element).collect(),
            texts: texts
                .iter()
                .map(|(text, before)| StaticText {
                    text: (*text).to_owned(),
                    bounds: Rect::new(200.0, 30.0 * *before as f64, 50.0, 20.0),
                    before: *before,
                })
                .collect(),
            dump: None,
            geometry: Geometry::new(1280.0, 800.0, 1.0),
            context: Context { location: location.to_owned(), title: "T".to_owned(), ..Context::default() },
            settled: Settled::Quiet,
            timings: Timings::default(),
        };
        View::new(observation, LabelStyle::Boxes).unwrap()
    }
}
