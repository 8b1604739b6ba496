use std::collections::BTreeMap;

use serde::Serialize;
use waldo_agents::model::Usage;
use waldo_offline::{
    L1Outcome, L1Scores, L2Outcome, L2Scores, PlaceItem, PlaceResult, Question, Scorer, Share, read_letter,
    read_point, score_l1, score_l2,
};
use waldo_tasks::Contestant;

use super::answers::{Answer, Answers, LevelManifest};
use super::bench::{Bench, Items, ReplyRules};

#[derive(Clone, Debug, Default, Serialize)]
pub struct LevelRow {
    pub contestant: Contestant,
    pub n: usize,
    pub hits: usize,
    /// Items that could not be asked, which no score counts.
    pub invalid: usize,
    /// Why, with how many, the commonest first.
    pub reasons: Vec<(String, usize)>,
    /// Replies of L1 in which no letter can be read; they count as wrong.
    pub unread: usize,
    /// Scores of L1, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l1: Option<L1Scores>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l1_weighted: Option<L1Scores>,
    /// Scores of L2, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l2: Option<L2Scores>,
    pub usage: Usage,
    pub median_seconds: f64,
}

impl LevelRow {
    /// The share of all scored items that were answered right, 0 to 1; `None` where nothing is scored.
    pub fn share(&self) -> Option<f64> {
        (self.n > 0).then(|| self.hits as f64 / self.n as f64)
    }
}

/// What became of a question: the letter that was read at each turn, and whether it counts as right.
#[derive(Clone, Debug)]
pub struct Judged<T> {
    pub answer: Answer,
    pub read: T,
    pub hit: bool,
}

/// What became of a question; `Err` says why it is invalid.
pub fn judged_question(
    question: &Question,
    contestant: &str,
    answers: &Answers,
    reading: ReplyRules,
) -> Result<Judged<Option<char>>, String> {
    let turns = if reading.circular { question.options.len() } else { 1 };
    let mut judged: Option<Judged<Option<char>>> = None;
    for turn in 0..turns {
        let answer = had(answers.get(contestant, &question.id, turn))?;
        let letter = read_letter(reading.letters, &answer.reply);
        let hit = letter.is_some_and(|letter| question.rotated(turn).is_answer(letter));
        match &mut judged {
            None => judged = Some(Judged { answer, read: letter, hit }),
            Some(judged) => judged.hit &= hit,
        }
    }
    judged.ok_or_else(|| "it has no options".to_owned())
}

/// What became of an item; `Err` says why it is invalid.
pub fn judged_place(
    item: &PlaceItem,
    contestant: &str,
    answers: &Answers,
    reading: ReplyRules,
) -> Result<Judged<(Option<Share>, PlaceResult)>, String> {
    let answer = had(answers.get(contestant, &item.id, 0))?;
    let point = match answer.located {
        Some(located) => located.at.map(|[x, y]| Share { x, y }),
        None => read_point(reading.points, &answer.reply, item.size),
    };
    let result = match point {
        None => PlaceResult::WrongFormat,
        Some(at) if item.holds(at) => PlaceResult::Hit,
        Some(_) => PlaceResult::Miss,
    };
    Ok(Judged { answer, read: (point, result), hit: result == PlaceResult::Hit })
}

fn had(answer: Option<Answer>) -> Result<Answer, String> {
    let answer = answer.ok_or_else(|| "not asked yet".to_owned())?;
    if let Some(error) = &answer.error { Err(error.clone()) } else { Ok(answer) }
}

pub fn scored(manifest: &LevelManifest, bench: &Bench, answers: &Answers) -> Vec<LevelRow> {
    manifest.contestants.iter().map(|contestant| row(contestant, bench, answers)).collect()
}

fn row(contestant: &Contestant, bench: &Bench, answers: &Answers) -> LevelRow {
    let name = contestant.name.as_str();
    let mut row = LevelRow { contestant: contestant.clone(), ..LevelRow::default() };
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let mut seconds = Vec::new();
    match &bench.items {
        Items::L1(all) => {
            let mut outcomes = Vec::new();
            for question in all {
                match judged_question(question, name, answers, bench.reading) {
                    Ok(judged) => {
                        row.unread += usize::from(judged.read.is_none());
                        outcomes.push(L1Outcome {
                            difficulty: question.difficulty,
                            platform: question.platform,
                            hit: judged.hit,
                            options: question.options.len(),
                        });
                    }
                    Err(reason) => *reasons.entry(reason).or_default() += 1,
                }
            }
            row.n = outcomes.len();
            row.hits = outcomes.iter().filter(|outcome| outcome.hit).count();
            row.l1 = Some(score_l1(&outcomes, Scorer::Normal));
            row.l1_weighted = Some(score_l1(&outcomes, Scorer::Weighted));
        }
        Items::L2(all) => {
            let mut outcomes = Vec::new();
            for item in all {
                match judged_place(item, name, answers, bench.reading) {
                    Ok(judged) => outcomes.push(L2Outcome {
                        grounding: item.grounding,
                        platform: item.platform,
                        kind: item.kind,
                        result: judged.read.1,
                    }),
                    Err(reason) => *reasons.entry(reason).or_default() += 1,
                }
            }
            row.n = outcomes.len();
            row.hits = outcomes.iter().filter(|outcome| outcome.result == PlaceResult::Hit).count();
            row.l2 = Some(score_l2(&outcomes));
        }
    }
    for at in 0..bench.len() {
        for turn in 0..bench.turns(at) {
            if let Some(answer) = answers.get(name, bench.id(at), turn) {
                row.usage += answer.usage;
                seconds.push(answer.seconds);
            }
        }
    }
    seconds.sort_by(f64::total_cmp);
    row.median_seconds = seconds.get(seconds.len() / 2).copied().unwrap_or_default();
    row.invalid = reasons.values().sum();
    row.reasons = reasons.into_iter().collect();
    row.reasons.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    row
}
