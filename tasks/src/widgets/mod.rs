//! The suite `widgets`: seeded archetypes of small interactive widgets, on pages of waldo's own.
//!
//! Duty: draw an [`Instance`] of an archetype from a seed: what the page needs to show it, and apart from
//! that the truth, which stays here. A page reports the raw end state that its user handed in, and only
//! [`Truth`] says whether that is right.
//!
//! Invariants: an instance is a function of archetype and seed, the same on every machine; nothing of the
//! truth is in what a page gets beyond what its picture shows; the first state that is handed in counts.

mod cycle;
mod dice;
mod drag;
mod play;
mod point;
mod select;
mod slide;
mod smooth;
mod standin;
mod style;
mod svg;
mod task;
mod text;
mod truth;

use std::path::Path;
use std::sync::Arc;

use data_encoding::HEXLOWER;
use include_dir::{Dir, include_dir};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use waldo_agents::reference::Step;
use waldo_devices::Platform;

use crate::error::{Result, TaskError};
use crate::record::TaskEntry;
use crate::suite::{SiteFiles, SiteHost};
use crate::task::Task;

use dice::Dice;
use play::StageArea;
use style::WidgetStyle;

pub use play::{Pick, Play, WidgetAnswer, WidgetEnd};
pub use standin::StandIn;
pub use truth::{Case, Truth};

pub const SUITE: &str = "widgets";

static FILES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/suites/widgets");

struct DrawnWidget {
    ask: String,
    size: [f64; 2],
    /// Which of the page's hands it takes.
    kind: &'static str,
    svg: String,
    data: Value,
    truth: Truth,
    play: Play,
    answer: WidgetAnswer,
}

type Generator = fn(&mut Dice, &WidgetStyle) -> DrawnWidget;

/// What each archetype is drawn by. The order of the suite is that of `widgets.toml`.
const GENERATORS: [(&str, Generator); 43] = [
    ("slider-value", slide::value),
    ("slider-fit", slide::fit),
    ("slider-rotate", slide::rotate),
    ("level-fill", slide::fill),
    ("slider-align", slide::align),
    ("arrows-sum", cycle::sum),
    ("arrows-count", cycle::count),
    ("arrows-orient", cycle::orient),
    ("stepper-month", cycle::month),
    ("select-all", select::all),
    ("select-odd", select::odd),
    ("select-ref", select::reference),
    ("select-order", select::order),
    ("toggle-pattern", select::pattern),
    ("chart-max", select::chart),
    ("point-odd", point::odd),
    ("point-described", point::described),
    ("point-path-end", point::path_end),
    ("drag-slot", drag::slot),
    ("drag-bin", drag::bin),
    ("drag-reorder", drag::reorder),
    ("draw-path", point::corridor),
    ("swap-line", drag::line),
    ("swap-picture", drag::picture),
    ("transcribe", text::transcribe),
    ("compute", text::compute),
    ("form-fields", text::form),
    ("colour-swatch", text::colour),
    ("range-handles", slide::range),
    ("carousel", cycle::carousel),
    ("sortable-table", text::table),
    ("smooth-blur", smooth::blur),
    ("smooth-fade", smooth::fade),
    ("smooth-shade", smooth::shade),
    ("smooth-volume", smooth::volume),
    ("linked-pair", smooth::pair),
    ("linked-meet", smooth::meet),
    ("linked-sizes", smooth::sizes),
    ("late-follow", smooth::follow),
    ("knob-number", smooth::number),
    ("knob-letter", smooth::letter),
    ("map-pins", smooth::pins),
    ("map-falling", smooth::falling_pins),
];

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Archetype {
    pub id: String,
    /// What there is to be seen and done, for people; no page and no prompt shows it.
    pub about: String,
    pub kind: String,
    /// The share of instances that chance solves, at most.
    pub chance: f64,
    pub max_steps: u32,
    /// Whether it is kept out of every prompt and of every helper's tests, to measure generality.
    #[serde(default)]
    pub held_out: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SuiteFile {
    title: String,
    level: String,
    widget: Vec<Archetype>,
}

/// Who plays the reference solution's part: what `--agent reference` carries out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Control {
    /// The solution, from the truth. Solves everything, if the suite and the devices are right.
    #[default]
    Oracle,
    /// An end state that is drawn at random from those that can be chosen.
    Random,
    /// The solution of another instance of the archetype: what one answers who sees nothing but knows what
    /// is usually right. Above chance only when instances are too much alike.
    Blind,
}

waldo_devices::named!(Control { Oracle = "oracle", Random = "random", Blind = "blind" });

#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    pub ask: String,
    pub render: Value,
    pub facts: Value,
    /// Physical pixels for each CSS pixel.
    pub pixel_ratio: f64,
    pub truth: Truth,
    pub play: Play,
    /// How the right end state is chosen.
    pub answer: WidgetAnswer,
    seed: u64,
    archetype: String,
    ground: StageArea,
}

pub fn generate(archetype: &str, seed: u64) -> Result<Instance> {
    let place = GENERATORS.iter().position(|(id, _)| *id == archetype);
    let place =
        place.ok_or_else(|| TaskError::UnknownTask { name: archetype.into(), suite: SUITE.into() })?;
    // Looks have a stream of their own, so that a change of one widget does not dress all others anew.
    let style = WidgetStyle::draw(&mut Dice::new(&format!("{archetype}/style"), seed));
    let made = GENERATORS[place].1(&mut Dice::new(archetype, seed), &style);
    let DrawnWidget { ask, size, kind, svg, data, truth, play, answer } = made;
    let render = json!({
        "title": format!("Widget test {:02}", place + 1),
        "ask": ask,
        "button": style.button,
        "style": style.page(),
        "stage": size,
        "kind": kind,
        "svg": svg,
        "data": data,
    });
    Ok(Instance {
        ask,
        render,
        facts: style.facts(),
        pixel_ratio: style.ratio,
        truth,
        play,
        answer,
        seed,
        archetype: archetype.to_owned(),
        ground: StageArea { size, button: style.button },
    })
}

impl Instance {
    /// What is asked of an agent: the page's words, and how to hand in.
    pub fn goal(&self) -> String {
        format!("{} Then press \"{}\".", self.ask, self.ground.button)
    }

    pub fn steps(&self, control: Control) -> Result<Vec<Step>> {
        let answer = match control {
            Control::Oracle => self.answer.clone(),
            Control::Random => {
                self.play.random(&mut Dice::new(&format!("{}/random", self.archetype), self.seed))
            }
            Control::Blind => generate(&self.archetype, !self.seed)?.answer,
        };
        self.play.steps(&self.ground, &answer)
    }
}

#[derive(Clone, Debug)]
pub struct Widgets {
    pub title: String,
    level: String,
    pub archetypes: Vec<Archetype>,
    pub files: SiteFiles,
    hash: String,
    control: Control,
}

impl Widgets {
    pub fn open(control: Control) -> Result<Self> {
        let bad = |message: String| TaskError::Definition {
            file: "widgets/widgets.toml".into(),
            line: 0,
            field: String::new(),
            message,
        };
        let (mut site, mut hash) = (Vec::new(), Sha256::new());
        let mut files: Vec<_> = Vec::new();
        collect(&FILES, &mut files);
        files.sort_by(|a, b| a.0.cmp(&b.0));
        for (path, content) in &files {
            for part in [path.as_bytes(), content] {
                hash.update((part.len() as u64).to_be_bytes());
                hash.update(part);
            }
            if let Some(below) = path.strip_prefix("site/") {
                site.push((below.to_owned(), Arc::from(*content)));
            }
        }
        // What is drawn counts as the suite too: a change of a generator must show.
        for (id, _) in GENERATORS {
            for seed in 0..3 {
                hash.update(generate(id, seed)?.render.to_string());
            }
        }
        let text =
            FILES.get_file("widgets.toml").and_then(include_dir::File::contents_utf8).unwrap_or_default();
        let file: SuiteFile = toml::from_str(text).map_err(|e| bad(e.to_string()))?;
        if let Some(unknown) = file.widget.iter().find(|a| !GENERATORS.iter().any(|(id, _)| *id == a.id)) {
            return Err(bad(format!("nothing draws '{}'", unknown.id)));
        }
        Ok(Self {
            title: file.title,
            level: file.level,
            archetypes: file.widget,
            files: SiteFiles::new(site),
            hash: HEXLOWER.encode(&hash.finalize()),
            control,
        })
    }

    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Its tasks as manifest and report know them: one for each archetype; a repeat is another seed.
    pub fn entries(&self) -> Vec<TaskEntry> {
        self.archetypes.iter().enumerate().map(|(n, archetype)| self.entry(n, archetype)).collect()
    }

    fn entry(&self, n: usize, archetype: &Archetype) -> TaskEntry {
        TaskEntry {
            id: archetype.id.clone(),
            title: format!("Widget test {:02}", n + 1),
            category: archetype.kind.clone(),
            level: self.level.clone(),
            platform: Platform::Web,
            suite: None,
            screens: Vec::new(),
            infeasible: false,
            max_steps: archetype.max_steps,
        }
    }

    pub fn tasks(&self, host: &Arc<dyn SiteHost>) -> Vec<Arc<dyn Task>> {
        let entries = self.entries().into_iter();
        entries
            .map(|entry| {
                let (files, host) = (self.files.clone(), host.clone());
                Arc::new(task::WidgetTask { entry, files, host, control: self.control }) as Arc<dyn Task>
            })
            .collect()
    }
}

fn collect(dir: &'static Dir<'static>, files: &mut Vec<(String, &'static [u8])>) {
    for file in dir.files() {
        let name = |path: &Path| path.to_string_lossy().replace('\\', "/");
        files.push((name(file.path()), file.contents()));
    }
    for dir in dir.dirs() {
        collect(dir, files);
    }
}

#[cfg(test)]
mod tests;
