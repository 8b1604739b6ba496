//! What the originals said to inputs of our own (`scripts/diff webarena`), and what this port says: the same, or nothing.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::time::Duration;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};
use waldo_devices::Deadline;

use crate::fault::{Result, WebarenaFault};
use crate::interface::{Http, Shop};
use crate::judge::{JudgeContext, Pages, judge};
use crate::locator::LocatorScript;
use crate::question::{Examiner, Graded, JudgeQuestion};
use crate::rules::Rules;
use crate::site::{Site, Sites};
use crate::task::WebTask;

#[derive(Deserialize)]
struct RecordedCases {
    sites: Vec<String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    task: Value,
    answer: String,
    url: String,
    pages: BTreeMap<String, RecordedPage>,
    replies: Vec<String>,
    orders: Value,
    reviews: Value,
    /// A number, or what the original raised.
    score: Value,
}

#[derive(Deserialize)]
struct RecordedPage {
    content: String,
    values: BTreeMap<String, Value>,
    members: Vec<String>,
    roles: Vec<String>,
}

struct Told<'a> {
    case: &'a Case,
    at: String,
}

impl Told<'_> {
    fn here(&self) -> Result<&RecordedPage> {
        self.case.pages.get(&self.at).ok_or_else(|| WebarenaFault::raised("no such page"))
    }
}

#[async_trait]
impl Pages for Told<'_> {
    async fn address(&mut self) -> Result<String> {
        Ok(self.at.clone())
    }

    async fn open(&mut self, url: &str) -> Result<()> {
        url.clone_into(&mut self.at);
        Ok(())
    }

    async fn markup(&mut self) -> Result<String> {
        Ok(self.here()?.content.clone())
    }

    async fn look(&mut self, script: &LocatorScript) -> Result<Option<Value>> {
        let Ok(page) = self.here() else { return Ok(None) };
        Ok(page.values.get(script.text()).filter(|value| value.get("throws").is_none()).cloned())
    }

    async fn role(&mut self, account: &str) -> Result<String> {
        let Ok(page) = self.here() else { return Ok(String::new()) };
        let at = page.members.iter().position(|member| *member == format!("@{account}"));
        Ok(at.and_then(|at| page.roles.get(at)).cloned().unwrap_or_default())
    }
}

struct Clerk<'a>(&'a Case);

#[async_trait]
impl Http for Clerk<'_> {
    async fn json(&self, url: &str, token: Option<&str>, _: Option<Value>, _: Deadline) -> Result<Value> {
        Ok(match token {
            None => json!("token"),
            Some(_) if url.contains("/orders") => json!({ "items": self.0.orders }),
            Some(_) => self.0.reviews.clone(),
        })
    }
}

struct Parrot<'a>(&'a Case);

#[async_trait]
impl Examiner for Parrot<'_> {
    async fn ask(&self, _: &JudgeQuestion, _: Deadline) -> Result<Graded> {
        let reply = self.0.replies.first().ok_or_else(|| WebarenaFault::raised("no reply"))?;
        Ok(Graded { reply: reply.clone(), by: "parrot".to_owned() })
    }
}

enum Said {
    Score(f64, /* a model was not asked, since it could not change the score */ bool),
    Raised(String),
    Refused(String),
}

async fn said(case: &Case, rules: Rules, sites: &Sites) -> Said {
    let task = match WebTask::parse(case.task.clone(), rules, sites) {
        Ok(task) => task,
        Err(error) => return Said::Refused(error),
    };
    if let Some(problem) = task.problems.first() {
        return Said::Refused(problem.clone());
    }
    let shop = Shop::new(sites.address(Site::Shopping).unwrap(), Clerk(case));
    let mut world = JudgeContext {
        pages: &mut Told { case, at: case.url.clone() },
        interface: Some(&shop),
        judge: Some(&Parrot(case)),
        deadline: Deadline::after(Duration::from_secs(60)),
    };
    match judge(&task, &case.answer, &mut world).await {
        Ok(found) => {
            let spared = found.parts.iter().any(|part| part.found.starts_with("not asked"));
            Said::Score(found.score, spared)
        }
        Err(WebarenaFault::Raised(why)) => Said::Raised(why),
        Err(other) => Said::Refused(other.to_string()),
    }
}

async fn compare(rules: Rules, packed: &[u8]) {
    let mut text = String::new();
    flate2::read::GzDecoder::new(packed).read_to_string(&mut text).unwrap();
    let RecordedCases { sites, cases } = serde_json::from_str(&text).unwrap();
    let sites: Vec<_> = sites.iter().map(|site| site.parse().unwrap()).collect();
    let sites = Sites::new(&sites).unwrap();
    let (mut equal, mut refused, mut reasons) = (0, 0, BTreeMap::<String, usize>::new());
    let mut different = Vec::new();
    for (at, case) in cases.iter().enumerate() {
        let said = said(case, rules, &sites).await;
        match (&said, case.score.as_f64()) {
            (Said::Score(ours, _), Some(theirs)) if *ours == theirs => equal += 1,
            (Said::Raised(_) | Said::Refused(_), None) => equal += 1,
            // A model that need not be asked gives no reply that cannot be read.
            (Said::Score(ours, true), None) if *ours == 0.0 && case.score == "raise AssertionError" => {
                equal += 1
            }
            (Said::Refused(why), Some(_)) => {
                refused += 1;
                *reasons.entry(why.chars().take(60).collect()).or_default() += 1;
            }
            (ours, _) => {
                let ours = match ours {
                    Said::Score(score, _) => score.to_string(),
                    Said::Raised(why) => format!("raised: {why}"),
                    Said::Refused(why) => format!("refused: {why}"),
                };
                different.push(format!(
                    "{rules} {at}: theirs {} ours {ours}\n  answer {:?} url {}\n  eval {}",
                    case.score, case.answer, case.url, case.task["eval"]
                ));
            }
        }
    }
    println!("{rules}: {} cases, {equal} equal, {refused} refused {reasons:?}", cases.len());
    assert!(
        different.is_empty(),
        "{} differ:\n{}",
        different.len(),
        different[..different.len().min(12)].join("\n")
    );
    assert!(cases.len() >= 1_000 && refused * 20 < cases.len(), "{refused} of {} refused", cases.len());
}

#[tokio::test]
async fn upstream_is_reproduced() {
    compare(Rules::Upstream, include_bytes!("recorded/upstream.json.gz")).await;
}

#[tokio::test]
async fn lite_is_reproduced() {
    compare(Rules::Lite, include_bytes!("recorded/lite.json.gz")).await;
}

#[tokio::test]
async fn v2_is_reproduced() {
    compare(Rules::V2, include_bytes!("recorded/v2.json.gz")).await;
}
