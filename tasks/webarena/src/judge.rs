//! Judging: the product over all ways to judge, and within each over all it asks for.

use async_trait::async_trait;
use serde_json::Value;
use waldo_devices::Deadline;

use crate::fault::{Result, WebarenaFault};
use crate::interface::Shop;
use crate::judgement::{Judgement, JudgementPart};
use crate::locator::{Locator, LocatorScript, PageLocation};
use crate::question::{Examiner, Grading, JudgeQuestion};
use crate::rules::Rules;
use crate::task::{JudgedBy, NOT_AVAILABLE, PageTarget, Requirement, WebTask};
use crate::text::{entities, excludes, includes, includes_any, is_same, number, python};
use crate::{text, url};

/// The pages of an episode after its end.
#[async_trait]
pub trait Pages: Send {
    async fn address(&mut self) -> Result<String>;

    /// Opens an address and waits until the page is at rest.
    async fn open(&mut self, url: &str) -> Result<()>;

    async fn markup(&mut self) -> Result<String>;

    /// What a script gives there; `None` where it throws.
    async fn look(&mut self, script: &LocatorScript) -> Result<Option<Value>>;

    /// The role that a project's list of members tells of an account; empty where it tells none.
    async fn role(&mut self, account: &str) -> Result<String>;
}

pub struct JudgeContext<'a> {
    pub pages: &'a mut dyn Pages,
    pub interface: Option<&'a Shop<'a>>,
    pub judge: Option<&'a dyn Examiner>,
    pub deadline: Deadline,
}

/// Judges an episode that ended with this answer; none is an empty one.
pub async fn judge(task: &WebTask, answer: &str, world: &mut JudgeContext<'_>) -> Result<Judgement> {
    let mut judging = Judging { task, world, holds: true, parts: Vec::new() };
    for kind in &task.eval.kinds {
        match kind {
            JudgedBy::String => judging.answer(answer).await?,
            JudgedBy::Url => judging.address().await?,
            JudgedBy::Html => {
                for target in &task.eval.targets {
                    judging.target(target).await?;
                }
            }
        }
    }
    Ok(Judgement { score: if judging.holds { 1.0 } else { 0.0 }, parts: judging.parts })
}

struct Judging<'a, 'w> {
    task: &'a WebTask,
    world: &'a mut JudgeContext<'w>,
    holds: bool,
    parts: Vec<JudgementPart>,
}

/// What an answer is to the rules: they make a number of it where they ask for one.
enum GivenAnswer {
    Text(String),
    Number(i64),
    Nothing,
}

impl<'w> Judging<'_, 'w> {
    fn rules(&self) -> Rules {
        self.task.rules
    }

    fn part(&mut self, what: impl Into<String>, holds: bool, found: &str) {
        self.holds &= holds;
        self.tell(what, holds, found);
    }

    fn tell(&mut self, what: impl Into<String>, holds: bool, found: &str) {
        self.parts.push(JudgementPart::new(what, holds, found));
    }

    async fn answer(&mut self, answer: &str) -> Result<()> {
        let rules = self.rules();
        let before = std::mem::replace(&mut self.holds, true);
        let mut said = GivenAnswer::Text(text::clean(rules, answer));
        for need in &self.task.eval.answers {
            match (need, &said) {
                (Requirement::Exact(right), said) => {
                    let said = match said {
                        GivenAnswer::Text(text) => text.clone(),
                        GivenAnswer::Number(number) => number.to_string(),
                        GivenAnswer::Nothing => {
                            return Err(WebarenaFault::raised("no number is held against a text"));
                        }
                    };
                    self.part(format!("the answer is '{right}'"), is_same(rules, right, &said), answer);
                }
                (Requirement::Values(bounds), GivenAnswer::Text(text)) => {
                    let number = number::whole(text)?;
                    self.values(bounds, number, answer, "the answer")?;
                    said = number.map_or(GivenAnswer::Nothing, GivenAnswer::Number);
                }
                (_, GivenAnswer::Number(_) | GivenAnswer::Nothing) => {
                    return Err(WebarenaFault::raised("a number is held against a text"));
                }
                (Requirement::NotAvailable, GivenAnswer::Text(text)) => {
                    let text = text.clone();
                    self.not_available(&text, answer).await?;
                }
                (need, GivenAnswer::Text(text)) => {
                    let text = text.clone();
                    self.text(need, &text, "the answer").await?;
                }
            }
        }
        self.holds &= before;
        Ok(())
    }

    fn values(&mut self, bounds: &[String], number: Option<i64>, found: &str, whose: &str) -> Result<()> {
        let Some(number) = number else {
            self.part(format!("{whose} is a whole number"), false, found);
            return Ok(());
        };
        for bound in bounds {
            self.part(format!("{whose} is {bound}"), number::is_any(number, bound)?, found);
        }
        Ok(())
    }

    /// That it cannot be done: said in so many words, or else for the right reason; that replaces what was judged before.
    async fn not_available(&mut self, said: &str, answer: &str) -> Result<()> {
        let is = is_same(self.rules(), NOT_AVAILABLE, said);
        self.part("the answer is 'N/A'", is, answer);
        if self.holds {
            return Ok(());
        }
        let reason = self.task.eval.reason.clone().unwrap_or_default();
        let question = self.question(Grading::Reason, reason, said);
        let (same, by) = self.ask(&question).await?;
        self.holds = same;
        self.tell(
            "the reason why it cannot be done is the right one (in place of what stands above)",
            same,
            &by,
        );
        Ok(())
    }

    async fn text(&mut self, need: &Requirement, said: &str, whose: &str) -> Result<()> {
        let rules = self.rules();
        match need {
            Requirement::Exact(right) => {
                self.part(format!("{whose} is '{right}'"), is_same(rules, right, said), said);
            }
            Requirement::Include(all) => {
                for one in all {
                    let holds = match rules {
                        // Only in answers is a single character a word; only there are alternatives none.
                        Rules::Upstream | Rules::Verified => includes(rules, one, said, all.len() == 1)?,
                        Rules::Lite | Rules::V2 => includes_any(rules, one, said)?,
                    };
                    self.part(format!("{whose} includes '{one}'"), holds, said);
                }
            }
            Requirement::Exclude(all) => {
                for one in all {
                    self.part(format!("{whose} excludes '{one}'"), excludes(rules, one, said)?, said);
                }
            }
            Requirement::OneOf(all) => {
                let any = all.iter().any(|one| said.contains(&text::clean(rules, one)));
                self.part(format!("{whose} includes one of {}", all.join(", ")), any, said);
            }
            Requirement::Values(bounds) => self.values(bounds, number::whole(said)?, said, whose)?,
            Requirement::Fuzzy(all) => {
                let references = match rules {
                    Rules::Upstream | Rules::Verified => all.clone(),
                    Rules::Lite | Rules::V2 => vec![all.join(", ")],
                };
                for reference in references {
                    self.fuzzy(reference, said, whose).await?;
                }
            }
            Requirement::NotAvailable => return Err(WebarenaFault::raised("'N/A' is asked of a page")),
        }
        Ok(())
    }

    async fn fuzzy(&mut self, reference: String, said: &str, whose: &str) -> Result<()> {
        let what = format!("{whose} means '{reference}'");
        if self.rules() == Rules::V2 && said.is_empty() {
            self.part(what, false, "nothing was said");
            return Ok(());
        }
        if !self.holds {
            // It cannot change the product any more.
            self.tell(what, false, "not asked: it fails already");
            return Ok(());
        }
        let question = self.question(Grading::Meaning, reference, said);
        let (same, by) = self.ask(&question).await?;
        self.part(what, same, &by);
        Ok(())
    }

    fn interface(&self) -> Result<&'w Shop<'w>> {
        let lacks = || WebarenaFault::World("the shop's API is not available".to_owned());
        self.world.interface.ok_or_else(lacks)
    }

    fn question(&self, grading: Grading, reference: String, said: &str) -> JudgeQuestion {
        JudgeQuestion { grading, intent: self.task.intent.clone(), reference, said: said.to_owned() }
    }

    async fn ask(&mut self, question: &JudgeQuestion) -> Result<(bool, String)> {
        let lacks = || WebarenaFault::World("it needs a judge model: --judge-model".to_owned());
        let judge = self.world.judge.ok_or_else(lacks)?;
        let graded = judge.ask(question, self.world.deadline).await?;
        let holds = question.read(self.rules(), &graded.reply)?;
        Ok((holds, format!("{} [{}] of '{}'", graded.reply.trim(), graded.by, question.said)))
    }

    async fn address(&mut self) -> Result<()> {
        let eval = &self.task.eval;
        let address = self.world.pages.address().await?;
        let there = url::is_there(self.rules(), &address, &eval.reference_url, eval.url_note.as_deref())?;
        self.part(format!("it ends at {}", eval.reference_url), there, &address);
        Ok(())
    }

    async fn target(&mut self, target: &PageTarget) -> Result<()> {
        match &target.place {
            PageLocation::Last => {}
            PageLocation::Address(url) => self.world.pages.open(url).await?,
            PageLocation::Post => {
                let url = url::post_of(&self.world.pages.address().await?)?;
                self.world.pages.open(&url).await?;
            }
            PageLocation::LatestOrder => {
                let url = self.interface()?.latest_order(self.world.deadline).await?;
                self.world.pages.open(&url).await?;
            }
        }
        let found = match &target.locator {
            Locator::Page => self.world.pages.markup().await?,
            Locator::Script(script) => {
                for preparing in &target.preparing {
                    if self.world.pages.look(preparing).await?.is_none() {
                        break;
                    }
                }
                let value = self.world.pages.look(script).await?;
                value.map(|value| python::str_of(&value)).unwrap_or_default()
            }
            Locator::Role(account) => self.world.pages.role(account).await?,
            Locator::ReviewAuthor(sku) => self.interface()?.review_author(sku, self.world.deadline).await?,
            Locator::ReviewRating(sku) => self.interface()?.review_rating(sku, self.world.deadline).await?,
        };
        self.contents(&target.need, &found).await
    }

    /// Holds what a page says against what is needed of it.
    async fn contents(&mut self, need: &Requirement, found: &str) -> Result<()> {
        if self.rules() != Rules::Upstream {
            return self.text(need, found, "the page").await;
        }
        // Only upstream puts in what references of characters stand for.
        let readings = entities::unescape(found);
        match need {
            Requirement::Exact(right) => {
                let holds = agreed(&readings, right, |said| Ok(is_same(Rules::Upstream, right, said)))?;
                self.part(format!("the page has '{right}'"), holds, found);
            }
            Requirement::Include(all) => {
                for one in all {
                    let holds = agreed(&readings, one, |said| includes_any(Rules::Upstream, one, said))?;
                    self.part(format!("the page includes '{one}'"), holds, found);
                }
            }
            _ => return Err(WebarenaFault::raised("a page is held against what the rules do not know")),
        }
        Ok(())
    }
}

fn agreed(readings: &[String], reference: &str, holds: impl Fn(&str) -> Result<bool>) -> Result<bool> {
    let mut answers = Vec::new();
    for reading in readings {
        answers.push(holds(reading)?);
    }
    let first = answers.first().copied().unwrap_or_default();
    let open = answers.iter().any(|answer| *answer != first) || (answers.len() > 1 && !reference.is_ascii());
    if open {
        return Err(WebarenaFault::refused("the page names a character that is not known here"));
    }
    Ok(first)
}
