//! How a run by hand ends: what is written, printed and returned.

use tokio_util::sync::CancellationToken;
use waldo_devices::Device;
use waldo_devices::count::count;
use waldo_tasks::episode::EpisodeSpec;
use waldo_tasks::runner::invalid;
use waldo_tasks::{EpisodeResult, Outcome, RunFolder, TaskError};

use super::super::{CliError, Result, hand_over, print_json, unread};
use super::Args;
use crate::exit;
use crate::report::{self, ReportFiles};

pub(super) struct RunEnding<'a> {
    pub(super) args: &'a Args,
    pub(super) spec: &'a EpisodeSpec,
    pub(super) folder: &'a RunFolder,
}

impl RunEnding<'_> {
    /// Writes the record of a run that a person goes on with, and waits for the person where the device is in view.
    pub(super) async fn hand_over(
        &self,
        result: &EpisodeResult,
        device: &mut dyn Device,
        cancel: &CancellationToken,
    ) -> Result<()> {
        self.folder.episode(&self.spec.key).complete(result)?;
        if let Err(error) = report::write(self.folder, self.folder.path()) {
            eprintln!("{}", report::warning(self.folder, &error));
        }
        let reason = result.claim.as_deref().unwrap_or_default();
        if self.args.device.is_in_view(&self.args.browser) {
            hand_over::wait(device, reason, cancel).await;
        } else {
            hand_over::tell(device, reason).await;
        }
        Ok(())
    }

    pub(super) fn stopped(&self) -> u8 {
        let files = report::write(self.folder, self.folder.path());
        eprintln!("stopped; the record so far is in {}", self.folder.path().display());
        match files {
            Ok(files) => eprintln!("report so far: {}", files.html.display()),
            Err(error) => eprintln!("{}", report::warning(self.folder, &error)),
        }
        eprintln!("play it again with: {}", crate::stop::command_line());
        exit::STOPPED
    }

    /// Keeps what there is of a run that could not be played to its end.
    pub(super) fn failed(&self, error: TaskError) -> CliError {
        // The record says why it has no end; what cannot be written now tells itself below.
        let result = invalid(self.spec, error.to_string());
        let kept = self.folder.episode(&self.spec.key).complete(&result).is_ok();
        eprintln!("the record so far is in {}", self.folder.path().display());
        match report::write(self.folder, self.folder.path()) {
            Ok(files) if kept => eprintln!("report: {}", files.html.display()),
            Ok(_) => {}
            Err(error) => eprintln!("{}", report::warning(self.folder, &error)),
        }
        eprintln!("once this is fixed, play it again with: {}", crate::stop::command_line());
        error.into()
    }

    pub(super) fn finished(&self, result: &EpisodeResult) -> Result<u8> {
        if result.outcome != Outcome::HandedOver {
            self.folder.episode(&self.spec.key).complete(result)?;
        }
        // The result is on disk; what is made of it may fail without taking anything from it.
        let files = report::write(self.folder, self.folder.path());
        for line in unread::lines(&self.folder.manifest, std::slice::from_ref(result)) {
            eprintln!("{line}");
        }
        let judged = !self.args.checks.is_empty();
        let code = match exit_code(&result.outcome) {
            exit::OK | exit::INFEASIBLE if judged && !result.is_solved() => exit::FAILED,
            code => code,
        };
        self.print_outcome(judged, result, files.as_ref().ok())?;
        if let Err(error) = files {
            eprintln!("{}", report::warning(self.folder, &error));
        }
        Ok(code)
    }

    fn print_outcome(&self, judged: bool, result: &EpisodeResult, files: Option<&ReportFiles>) -> Result<()> {
        if self.args.json {
            print_json(&serde_json::json!({
                "judged": judged, "result": result, "run": self.folder.path(),
                "report": files.map(|files| &files.html),
            }))?;
        } else {
            let claim = result.claim.as_deref().map(|c| format!(": {}", crate::out::plain(c, 4000)));
            let claim = claim.unwrap_or_default();
            println!("{} after {}{claim}", result.outcome.name(), count(result.steps, "step"));
            for check in &result.checks {
                let found = crate::out::plain(&check.found, 200);
                match check.passed {
                    true => println!("  ok   {}", crate::out::plain(&check.what, 200)),
                    false => println!("  FAIL {}; found: {found}", crate::out::plain(&check.what, 200)),
                }
            }
            match (judged, result.is_solved()) {
                (false, _) if exit_code(&result.outcome) == exit::NOT_DONE => println!("nothing was checked"),
                (false, _) => println!("that is the agent's own word: nothing was checked"),
                (true, true) => println!("success: all checks hold"),
                (true, false) => println!("no success"),
            }
            if let Some(files) = files {
                println!("report: {}", files.html.display());
            }
        }
        Ok(())
    }
}

/// 0 only where the agent says that it is done.
pub(super) fn exit_code(outcome: &Outcome) -> u8 {
    match outcome {
        Outcome::Finished | Outcome::EndedByPage => exit::OK,
        Outcome::DeclaredInfeasible => exit::INFEASIBLE,
        Outcome::HandedOver => exit::HANDED_OVER,
        // A limit, a give-up, and what is not known here.
        _ => exit::NOT_DONE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_agents_own_end_is_an_exit_of_zero() {
        assert_eq!([Outcome::Finished, Outcome::DeclaredInfeasible].map(|o| exit_code(&o)), [0, 11]);
        let stopped = [
            Outcome::GaveUp,
            Outcome::StepLimit,
            Outcome::TokenLimit,
            Outcome::CostLimit,
            Outcome::TimeLimit,
            Outcome::Invalid { reason: String::new() },
        ];
        for outcome in stopped {
            assert!(!outcome.may_succeed());
            assert_eq!(exit_code(&outcome), exit::NOT_DONE, "{outcome:?}");
        }
        assert_eq!(exit_code(&Outcome::HandedOver), exit::HANDED_OVER);
    }
}
