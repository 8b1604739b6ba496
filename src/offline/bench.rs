use std::collections::BTreeMap;
use std::path::Path;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use waldo_devices::count::{count, either};
use waldo_offline::{
    BenchFolder, LetterRule, OfflineError, OfflinePlatform, PlaceItem, PointRule, Question, places, questions,
};

use super::LevelError;

/// Models that are named of those that rewrote instructions.
const MODELS: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    L1,
    L2,
}

impl Level {
    pub fn of(name: &str) -> Option<Self> {
        match name {
            "l1" => Some(Self::L1),
            "l2" => Some(Self::L2),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::L1 => "l1",
            Self::L2 => "l2",
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Self::L1 => "L1",
            Self::L2 => "L2",
        }
    }

    fn file(self) -> &'static str {
        match self {
            Self::L1 => "L1_annotations.json",
            Self::L2 => "L2_annotations.json",
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct ReplyRules {
    pub letters: LetterRule,
    /// Points of L2, of models that are asked by the benchmark's form.
    pub points: PointRule,
    /// Whether a question counts only where it is answered right whatever letter its right option has.
    pub circular: bool,
}

/// The items of a level, in the order of the benchmark's file.
#[derive(Clone, Debug)]
pub enum Items {
    L1(Vec<Question>),
    L2(Vec<PlaceItem>),
}

#[derive(Clone, Debug)]
pub struct Bench {
    pub level: Level,
    pub mode: String,
    pub folder: BenchFolder,
    pub items: Items,
    /// The SHA-256 of the file of records, in hexadecimal.
    pub hash: String,
    pub reading: ReplyRules,
}

impl Bench {
    pub fn open(level: Level, dir: &Path, mode: &str, reading: ReplyRules) -> Result<Self, LevelError> {
        let folder = BenchFolder::open(dir, level.file())?;
        let hash = HEXLOWER.encode(&Sha256::digest(folder.bytes(level.file())?));
        let items = match level {
            Level::L1 => Items::L1(questions(&folder, mode.parse().map_err(LevelError::Input)?)?),
            Level::L2 => Items::L2(places(&folder, mode.parse().map_err(LevelError::Input)?)?),
        };
        let bench = Self { level, mode: mode.to_owned(), folder, items, hash, reading };
        if bench.len() == 0 {
            return Err(LevelError::Input(format!("{} has no items of the mode {mode}", level.file())));
        }
        Ok(bench)
    }

    pub fn len(&self) -> usize {
        match &self.items {
            Items::L1(all) => all.len(),
            Items::L2(all) => all.len(),
        }
    }

    /// Whether there are as many items as the benchmark's own file has: of all, or of one part.
    pub fn is_the_benchmarks_own(&self) -> bool {
        match &self.items {
            Items::L1(all) => [1194, 3582].contains(&all.len()),
            // The paper's table and its percentages differ by 20.
            Items::L2(all) => [1787, 1807, 3574, 3594].contains(&all.len()),
        }
    }

    /// How many instructions stand in the words of which model, where a model was asked to say them anew.
    pub fn rewritten(&self) -> BTreeMap<&str, usize> {
        let mut all = BTreeMap::new();
        if let Items::L2(items) = &self.items {
            for by in items.iter().filter_map(|item| item.rewritten_by.as_deref()) {
                *all.entry(by).or_default() += 1;
            }
        }
        all
    }

    /// The same in words; none where all are as they were made.
    pub fn rewritten_line(&self) -> Option<String> {
        let all = self.rewritten();
        let most = all.iter().take(MODELS);
        let by: Vec<String> =
            most.map(|(model, n)| format!("{n} by {}", crate::out::plain(model, 80))).collect();
        let more = if all.len() > MODELS { ", and others" } else { "" };
        let n: usize = all.values().sum();
        (n > 0).then(|| {
            let (all, were) = (count(self.len(), "instruction"), either(n, "was", "were"));
            format!("{n} of {all} {were} rewritten by a model ({}{more})", by.join(", "))
        })
    }

    /// How often an item is put to a contestant: a question under the circular rule once for each option.
    pub fn turns(&self, at: usize) -> usize {
        match &self.items {
            Items::L1(all) if self.reading.circular => all[at].options.len(),
            _ => 1,
        }
    }

    pub fn id(&self, at: usize) -> &str {
        match &self.items {
            Items::L1(all) => &all[at].id,
            Items::L2(all) => &all[at].id,
        }
    }

    /// The number that the benchmark's result files have for an item, and what is asked.
    pub fn index(&self, at: usize) -> (u64, &str) {
        match &self.items {
            Items::L1(all) => (all[at].index, &all[at].question),
            Items::L2(all) => (all[at].index, &all[at].instruction),
        }
    }

    pub fn picture(&self, at: usize) -> Result<image::RgbImage, OfflineError> {
        self.folder.picture(match &self.items {
            Items::L1(all) => &all[at].picture,
            Items::L2(all) => &all[at].picture,
        })
    }

    /// The platforms of the items, in the order of the paper's tables.
    pub fn platforms(&self) -> Vec<OfflinePlatform> {
        let has = |platform: &OfflinePlatform| match &self.items {
            Items::L1(all) => all.iter().any(|item| item.platform == *platform),
            Items::L2(all) => all.iter().any(|item| item.platform == *platform),
        };
        OfflinePlatform::ALL.into_iter().filter(has).collect()
    }
}
