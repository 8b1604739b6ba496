//! Learning from a demonstration: each step becomes a note on the element that it was done to.

use std::io::Write as _;

use serde::Serialize;
use serde_json::json;
use waldo_agents::Exchange;
use waldo_agents::appagent::docs::keys;
use waldo_agents::appagent::docs::logs::{LogLine, Recorded, write_log};
use waldo_agents::appagent::learn::{self, Demonstrated, Explorer};
use waldo_agents::appagent::{Slot, TextLayer};
use waldo_agents::model::Usage;
use waldo_devices::{Deadline, Tag, foreign};

use super::read::{Demo, DemoStep};
use crate::docs::{DocsStore, ElementNote, NoteOutcome, ScreenSighting};
use crate::episode::Timeouts;
use crate::error::{Result, TaskError};

/// What is done about an element that was documented on another occasion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refine {
    /// The model is shown the earlier note and writes one in place of both.
    Yes,
    /// The earlier note stays and nothing is asked, as AppAgent does by default.
    No,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum LearnOutcome {
    Documented {
        text: String,
    },
    Refined {
        text: String,
    },
    /// It was learnt from earlier; nothing was asked.
    Already,
    Skipped {
        why: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lesson {
    pub step: u32,
    /// The element's key; empty for a step that is about none.
    pub key: String,
    pub slot: Option<Slot>,
    #[serde(flatten)]
    pub how: LearnOutcome,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Learned {
    pub lessons: Vec<Lesson>,
    pub documented: u32,
    pub refined: u32,
    pub already: u32,
    pub model_calls: u32,
    pub usage: Usage,
}

pub struct Learning<'a> {
    pub demo: &'a Demo,
    pub explorer: &'a Explorer,
    pub store: &'a mut DocsStore,
    pub refine: Refine,
    pub timeouts: Timeouts,
    pub tell: &'a (dyn Fn(&Lesson) + Sync),
}

impl Learning<'_> {
    /// Learns from every step that was not learnt from yet.
    ///
    /// # Errors
    /// When the model cannot be asked or the disk refuses; what was learnt so far is kept.
    pub async fn run(&mut self) -> Result<Learned> {
        let demo = self.demo;
        let mut learned = Learned::default();
        for step in &demo.steps {
            let lesson = self.step(step, &mut learned).await?;
            match &lesson.how {
                LearnOutcome::Documented { .. } => learned.documented += 1,
                LearnOutcome::Refined { .. } => {
                    learned.documented += 1;
                    learned.refined += 1;
                }
                LearnOutcome::Already => learned.already += 1,
                LearnOutcome::Skipped { .. } => {}
            }
            (self.tell)(&lesson);
            learned.lessons.push(lesson);
        }
        Ok(learned)
    }

    async fn step(&mut self, step: &DemoStep, learned: &mut Learned) -> Result<Lesson> {
        let lesson = |key: &str, slot: Option<Slot>, how: LearnOutcome| Lesson {
            step: step.step,
            key: key.to_owned(),
            slot,
            how,
        };
        let skipped = |why: &str| LearnOutcome::Skipped { why: why.to_owned() };
        let Some((recorded, slot)) = step.recorded.as_ref().and_then(|r| Some((r, r.slot()?))) else {
            return Ok(lesson("", None, skipped(&format!("{} is about no element", step.call))));
        };
        let (tag, uid, detail) = about(recorded);
        let seen = step.before.view()?;
        let element = seen.as_ref().and_then(|view| view.element(tag));
        let mode = self.explorer.options().mode;
        // The record has AppAgent's key; what the element is called beside that is on the screen before.
        let is_same = element.is_some_and(|e| e.uid.as_deref() == Some(uid));
        let own = seen.as_ref().filter(|_| is_same).and_then(|view| {
            let at = view.tagged.iter().position(|tagged| tagged.tag == tag)?;
            keys(view, mode).into_iter().nth(at)
        });
        let key = own.as_deref().unwrap_or(uid);
        let run = self.demo.info.id();
        let doc = self.store.own(key);
        let before = |c: &crate::docs::TextChange| {
            c.run.as_deref() == Some(&run)
                && c.step == Some(step.step)
                && c.slot == slot
                && c.layer == TextLayer::Demo
        };
        if doc.is_some_and(|doc| doc.history.iter().any(before)) {
            return Ok(lesson(key, Some(slot), LearnOutcome::Already));
        }
        let there = doc.is_some_and(|doc| !doc.layers.demo.get(slot).is_empty());
        if there && self.refine == Refine::No {
            return Ok(lesson(key, Some(slot), skipped("documented on another occasion")));
        }
        let Some(after) = &step.after else {
            return Ok(lesson(key, Some(slot), skipped("the screen after it was not recorded")));
        };
        let pictures = [step.before.png()?.into(), after.png()?.into()];
        let next = after.view()?;
        let old = self.store.text(key, slot).filter(|_| self.refine == Refine::Yes).map(str::to_owned);
        let shown = Demonstrated {
            platform: self.demo.info.platform,
            goal: &self.demo.info.goal,
            tag,
            element,
            slot,
            detail,
            old_doc: old.as_deref(),
            pictures,
            screens: seen.as_ref().zip(next.as_ref()).map(|(a, b)| [a, b]),
            deadline: Deadline::after(self.timeouts.decide),
        };
        let described = self.explorer.describe(&shown).await?;
        count(learned, &described.exchanges);
        let Some(text) = described.text else {
            self.log(step, key, slot, None, &described.exchanges)?;
            return Ok(lesson(key, Some(slot), skipped("the model's reply was empty")));
        };
        if let Some(view) = &seen
            && let Some(png) = learn::crop(view, tag)?
        {
            self.store.picture(key, &png)?;
        }
        let note = ElementNote {
            key: key.to_owned(),
            uid: if own.is_some() { uid.to_owned() } else { String::new() },
            slot,
            layer: TextLayer::Demo,
            text: text.clone(),
            role: element.map(|e| e.role.as_str().to_owned()).unwrap_or_default(),
            name: element.map(|e| e.name.clone()).unwrap_or_default(),
            seen: seen.as_ref().map(|view| ScreenSighting {
                place: learn::place(view),
                title: view.observation.context.title.chars().take(80).collect(),
            }),
            run: Some(run),
            step: Some(step.step),
            why: "demonstrated".to_owned(),
        };
        let written = self.store.document(&note)?;
        self.log(step, key, slot, Some(&text), &described.exchanges)?;
        let how = match written {
            NoteOutcome::New => LearnOutcome::Documented { text },
            NoteOutcome::Refined => LearnOutcome::Refined { text },
            NoteOutcome::Already => LearnOutcome::Already,
        };
        Ok(lesson(key, Some(slot), how))
    }

    /// Keeps what was asked, and AppAgent's log of it.
    fn log(
        &self,
        step: &DemoStep,
        key: &str,
        slot: Slot,
        text: Option<&str>,
        exchanges: &[Exchange],
    ) -> Result<()> {
        let info = &self.demo.info;
        let ours = json!({
            "at": jiff::Timestamp::now(), "step": step.step, "key": key, "slot": slot, "text": text,
            "exchanges": exchanges,
        });
        self.append("learn.jsonl", &format!("{ours}\n"))?;
        let Some(last) = exchanges.last() else { return Ok(()) };
        // Lines and pictures of AppAgent's record: it has none for a step that is about no element.
        let before = self.demo.steps.iter().take_while(|s| s.step <= step.step);
        let n = before.filter(|s| s.recorded.is_some()).count();
        let fields = [
            ("step", json!(n)),
            ("prompt", json!(last.prompt)),
            ("image_before", json!(format!("{}_{n}.png", info.name))),
            ("image_after", json!(format!("{}_{}.png", info.name, n + 1))),
            ("response", json!(last.reply)),
        ];
        let line: LogLine = fields.into_iter().map(|(k, v)| (k.to_owned(), v)).collect();
        let app: String = info.app.chars().map(|c| if "/\\\0".contains(c) { '-' } else { c }).collect();
        self.append(&format!("log_{app}_{}.txt", info.name), &write_log(&[line]))
    }

    fn append(&self, name: &str, text: &str) -> Result<()> {
        let path = self.demo.path.join(name);
        let file = foreign::append(&self.demo.path, &path);
        file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(TaskError::io("write", &path))
    }
}

/// The element of a line, and more about what was done to it.
fn about(recorded: &Recorded) -> (Tag, &str, Option<String>) {
    match recorded {
        Recorded::Tap { tag, uid } | Recorded::LongPress { tag, uid } => (Tag(*tag), uid, None),
        Recorded::Text { tag, text, uid } => (Tag(*tag), uid, Some(format!("the words \"{text}\""))),
        Recorded::Swipe { tag, direction, uid } => (Tag(*tag), uid, Some(direction.clone())),
        Recorded::Stop => (Tag(0), "", None),
    }
}

fn count(learned: &mut Learned, exchanges: &[Exchange]) {
    for exchange in exchanges {
        learned.model_calls += 1;
        learned.usage += exchange.usage;
    }
}
