use std::path::Path;

use waldo_agents::replay::ReplayProgress;
use waldo_agents::replay::find::How;
use waldo_devices::count::{count, either};
use waldo_tasks::EpisodeResult;

use super::super::{CliError, Result, print_json};
use super::source::ReplaySource;
use crate::exit;
use crate::out::plain;

pub(super) struct ReplayEnd<'a> {
    pub(super) source: &'a ReplaySource,
    pub(super) result: &'a EpisodeResult,
    pub(super) progress: &'a ReplayProgress,
    pub(super) judged: bool,
    pub(super) stand_by: Option<&'a str>,
    pub(super) kept: Option<&'a Path>,
    pub(super) steps: usize,
}

impl ReplayEnd<'_> {
    fn by_agent(&self) -> usize {
        self.progress.drifts.iter().filter(|drift| drift.how == How::Agent).count()
    }

    /// Whether what was done has an outcome that an agent could be scored by.
    fn is_scored(&self) -> bool {
        self.judged && self.progress.drifted.is_none() && self.source.by_person == 0
    }

    pub(super) fn code(&self) -> u8 {
        let undone = !self.judged && !self.progress.not_done.is_empty();
        if self.progress.drifted.is_some() || undone {
            exit::NOT_DONE
        } else if self.judged && self.result.falls_short() {
            exit::FAILED
        } else {
            exit::OK
        }
    }

    pub(super) fn tell(&self, json: bool) -> Result<()> {
        if json {
            return self.tell_json();
        }
        self.tell_words();
        Ok(())
    }

    fn tell_json(&self) -> Result<()> {
        let mut said = serde_json::to_value(self.result)
            .map_err(|e| CliError::Internal(format!("the result as JSON: {e}")))?;
        said["drifted"] = self.progress.drifted.as_deref().into();
        said["drifts"] = serde_json::json!(&self.progress.drifts);
        said["not_done"] = serde_json::json!(&self.progress.not_done);
        said["passed_over"] = serde_json::json!(&self.source.passed_over);
        said["steps_by_person"] = self.source.by_person.into();
        said["recorded_steps"] = self.steps.into();
        said["replayed_steps"] = (self.progress.done - self.by_agent()).into();
        said["judged"] = self.judged.into();
        said["kept"] = serde_json::json!(self.kept);
        if !self.is_scored() {
            said["success"] = serde_json::Value::Null;
        }
        print_json(&said)
    }

    fn tell_words(&self) {
        let (progress, key) = (self.progress, &self.source.key);
        for drift in &progress.drifts {
            let [before, after] = [&drift.before, &drift.after].map(|text| plain(text, 160));
            println!("step {}: {before} is now {after}, found {}", drift.step, drift.how.words());
        }
        for undone in &progress.not_done {
            println!("step {}: not done: {}", undone.step, plain(&undone.reason, 300));
        }
        if let Some(words) = self.source.passed_over.words() {
            println!("passed over: {words}");
        }
        if let Some(missing) = &progress.drifted {
            let missing = plain(missing, 200);
            println!(
                "{key}: no score: the screen has drifted at step {}: {missing} is not there",
                progress.done + 1
            );
            if self.stand_by.is_none() {
                println!("an agent may do such a step: --fall-back AGENT");
            }
        } else {
            self.tell_end();
        }
        if let Some(kept) = self.kept {
            println!("kept: {}", kept.display());
        }
    }

    fn tell_end(&self) {
        let (result, key, source) = (self.result, &self.source.key, self.source);
        let steps = count(result.steps, "step");
        match (self.judged, source.by_person > 0) {
            (true, false) => match result.success {
                Some(success) => println!("{key}: success {success:.2} in {steps}"),
                None => println!("{key}: carried out again in {steps}; nothing was checked"),
            },
            (true, true) if result.is_solved() => println!("{key}: all checks hold after {steps}"),
            (true, true) => println!("{key}: not solved after {steps}"),
            (false, _) => println!("{key}: carried out again in {steps}; nothing was checked"),
        }
        for check in &result.checks {
            println!("  {} {}", if check.passed { "ok  " } else { "FAIL" }, check.what);
        }
        if source.by_person > 0 {
            let (actions, were) =
                (count(source.by_person, "action"), either(source.by_person, "was", "were"));
            println!("{actions} {were} done by hand: it does not count as an agent's score");
        }
        if self.by_agent() > 0 {
            let agent = self.stand_by.unwrap_or_default();
            let were = either(self.by_agent(), "was", "were");
            println!("{} of {} {were} done by {agent}", self.by_agent(), count(self.steps, "step"));
        }
    }
}
