use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use image::RgbImage;
use waldo_agents::levels::{self, LevelAsker};
use waldo_agents::{Exchange, Result};
use waldo_devices::{Deadline, DeviceInfo, Geometry};
use waldo_offline::{OfflinePlatform, PlaceItem, Question, predictions};
use waldo_prompts::Prompts;
use waldo_prompts::levels::{QuestionOption, QuestionText};

use super::LevelError;
use super::answers::{Answer, FoundPoint};
use super::bench::{Bench, Items};
use super::blind::{Blind, commonest};
use crate::agents::PlaceFinder;

/// What the benchmark writes in place of a reply that it did not get.
const NO_REPLY: &str = "Failed to obtain answer via API.";

pub enum LevelPlayer {
    Blind(Blind),
    /// A model, asked by the benchmark's form.
    Asked {
        asker: LevelAsker,
        limit: Duration,
    },
    /// An agent that finds places in a way of its own.
    Finds {
        finder: PlaceFinder,
        prompts: Arc<Prompts>,
        limit: Duration,
    },
    /// What somebody else's run answered, by the items' ids.
    Recorded(HashMap<String, String>),
}

impl LevelPlayer {
    pub fn looks(&self) -> bool {
        matches!(self, Self::Asked { .. } | Self::Finds { .. })
    }

    /// Its answer to an item. What kept it from answering is said in the answer.
    pub async fn answer(
        &self,
        (contestant, bench, at, turn): (&str, &Bench, usize, usize),
        picture: Option<&RgbImage>,
        seed: u64,
    ) -> Answer {
        let started = Instant::now();
        let mut answer = Answer {
            contestant: contestant.to_owned(),
            item: bench.id(at).to_owned(),
            turn,
            reply: String::new(),
            located: None,
            error: None,
            usage: waldo_agents::model::Usage::default(),
            seconds: 0.0,
        };
        let blank = RgbImage::new(1, 1);
        let picture = picture.unwrap_or(&blank);
        let outcome = match &bench.items {
            Items::L1(all) => {
                let question = all[at].rotated(turn);
                self.letter(&question, all, picture, (seed, turn), &mut answer).await
            }
            Items::L2(all) => self.place(&all[at], picture, seed, &mut answer).await,
        };
        if let Err(error) = outcome {
            answer.error = Some(error.to_string());
        }
        answer.seconds = started.elapsed().as_secs_f64();
        answer
    }

    async fn letter(
        &self,
        question: &Question,
        all: &[Question],
        picture: &RgbImage,
        (seed, turn): (u64, usize),
        answer: &mut Answer,
    ) -> Result<()> {
        match self {
            Self::Blind(blind) => answer.reply = blind.letter(question, commonest(all), seed, turn),
            Self::Recorded(replies) => recorded(replies, answer),
            Self::Asked { asker, limit } => {
                let option =
                    |(letter, text): (&char, &String)| QuestionOption { letter: *letter, text: text.clone() };
                let text = QuestionText {
                    hint: question.hint.clone(),
                    question: question.question.clone(),
                    options: question.options.iter().map(option).collect(),
                };
                let exchange = asker.question(&text, picture, Deadline::after(*limit)).await?;
                take(&[exchange], answer);
            }
            Self::Finds { .. } => answer.error = Some("it finds places, and answers no questions".to_owned()),
        }
        Ok(())
    }

    async fn place(
        &self,
        item: &PlaceItem,
        picture: &RgbImage,
        seed: u64,
        answer: &mut Answer,
    ) -> Result<()> {
        match self {
            Self::Blind(blind) => {
                let point = blind.point(item, seed);
                answer.reply = point.map(|at| format!("({:.4}, {:.4})", at.x, at.y)).unwrap_or_default();
                answer.located = Some(FoundPoint { at: point.map(|at| [at.x, at.y]) });
            }
            Self::Recorded(replies) => recorded(replies, answer),
            Self::Asked { asker, limit } => {
                let exchange = asker.place(&item.instruction, picture, Deadline::after(*limit)).await?;
                take(&[exchange], answer);
            }
            Self::Finds { finder, prompts, limit } => {
                let deadline = Deadline::after(*limit);
                let mut log = Vec::new();
                let found = find(finder, prompts, item, picture, deadline, &mut log).await;
                take(&log, answer);
                answer.located = Some(FoundPoint { at: found? });
            }
        }
        Ok(())
    }
}

/// The place that an agent finds in a way of its own, as shares of the picture.
async fn find(
    finder: &PlaceFinder,
    prompts: &Prompts,
    item: &PlaceItem,
    picture: &RgbImage,
    deadline: Deadline,
    log: &mut Vec<Exchange>,
) -> Result<Option<[f64; 2]>> {
    let (PlaceFinder::Acts { numbered, .. } | PlaceFinder::Grounds { numbered, .. }) = finder;
    let view = levels::view(picture.clone(), *numbered)?;
    let what = item.instruction.as_str();
    let found = match finder {
        PlaceFinder::Acts { maker, .. } => {
            let mut agent = maker(None)?;
            let device = device(item.platform);
            levels::press(agent.as_mut(), what, (&device, prompts), &view, deadline, log).await?
        }
        PlaceFinder::Grounds { grounder, .. } => {
            levels::locate(grounder.as_ref(), what, &view, deadline, log).await?
        }
    };
    Ok(found.map(|at| [at.x, at.y]))
}

fn device(platform: OfflinePlatform) -> DeviceInfo {
    let kind = platform.screen();
    DeviceInfo {
        platform: kind,
        product: platform.title().to_owned(),
        geometry: Geometry::new(1.0, 1.0, 1.0),
        capabilities: kind.capabilities_but(&[]),
    }
}

/// Takes what a model said, and what it cost.
fn take(log: &[Exchange], answer: &mut Answer) {
    for exchange in log {
        answer.usage += exchange.usage;
    }
    if let Some(last) = log.last() {
        answer.reply.clone_from(&last.reply);
    }
}

/// A reply of a run that was played elsewhere. A missing reply counts as no answer.
fn recorded(replies: &HashMap<String, String>, answer: &mut Answer) {
    match replies.get(&answer.item) {
        None => answer.error = Some("the file has no prediction for it".to_owned()),
        Some(reply) if reply.trim() == NO_REPLY => {
            answer.error = Some("the file says that the model could not be asked".to_owned());
        }
        Some(reply) => answer.reply.clone_from(reply),
    }
}

/// A contestant that answers as a file of predictions says.
pub fn predicted(path: &Path, bench: &Bench) -> Result<LevelPlayer, LevelError> {
    if bench.reading.circular {
        return Err(LevelError::Input(
            "--circular asks questions again: it cannot be used with --predictions".into(),
        ));
    }
    let by_index: HashMap<u64, usize> = (0..bench.len()).map(|at| (bench.index(at).0, at)).collect();
    let mut replies = HashMap::new();
    for prediction in predictions(path)? {
        let bad = |what: String| LevelError::Input(format!("{}: {what}", path.display()));
        let index = prediction.index;
        let Some(at) = by_index.get(&index) else {
            return Err(bad(format!(
                "index {index} is not one of mode {}: numbers of two modes differ; give --mode as that run had it",
                bench.mode
            )));
        };
        let asked = bench.index(*at).1;
        if prediction.asked.as_deref().is_some_and(|other| other.trim() != asked.trim()) {
            return Err(bad(format!(
                "index {index} asks something else than the benchmark's file: it is of another mode or version; give --mode as that run had it"
            )));
        }
        replies.insert(bench.id(*at).to_owned(), prediction.text);
    }
    Ok(LevelPlayer::Recorded(replies))
}
