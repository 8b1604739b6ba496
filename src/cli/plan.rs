//! What `waldo eval` is about to do, for `--dry-run`.

use waldo_devices::count::{count, noun};
use waldo_tasks::{Contestant, EpisodeKey, RunFolder, Task};

use std::path::Path;
use std::sync::Arc;

#[derive(Debug, serde::Serialize)]
pub struct RunPlan {
    suite: String,
    tasks: usize,
    repeats: u32,
    contestants: Vec<ContestantShare>,
    /// Episodes in all, of this part of the run where it is a part.
    episodes: usize,
    complete: usize,
    run: std::path::PathBuf,
}

#[derive(Debug, serde::Serialize)]
struct ContestantShare {
    name: String,
    episodes: usize,
    steps_at_most: u64,
    /// The most model calls: one a step, and one more where a reply cannot be read.
    model_calls_at_most: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens_at_most: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usd_at_most: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct PlanLimits {
    pub tokens: Option<u64>,
    pub usd: Option<f64>,
    pub questions: u64,
}

impl RunPlan {
    /// Of the episodes `keys`, which are a run in `out` or will be; `max_steps` are in place of each task's own budget.
    pub fn of(
        suite: &str,
        tasks: &[Arc<dyn Task>],
        contestants: &[(&Contestant, PlanLimits)],
        keys: &[EpisodeKey],
        (repeats, max_steps): (u32, Option<u32>),
        out: &Path,
    ) -> Self {
        let entries: Vec<_> = tasks.iter().map(|task| task.entry()).collect();
        let steps = |key: &&EpisodeKey| {
            let own = entries.iter().find(|entry| entry.id == key.task).map_or(0, |entry| entry.max_steps);
            u64::from(max_steps.unwrap_or(own))
        };
        let lines = contestants.iter().map(|(contestant, limits)| {
            let own = || keys.iter().filter(|key| key.contestant == contestant.name);
            let (episodes, most) = (own().count(), own().map(|key| steps(&key)).sum::<u64>());
            let asks = contestant.model.is_some();
            ContestantShare {
                name: contestant.name.clone(),
                episodes,
                steps_at_most: most,
                model_calls_at_most: if asks { most * limits.questions } else { 0 },
                tokens_at_most: limits.tokens.filter(|_| asks).map(|n| n * episodes as u64),
                usd_at_most: limits.usd.filter(|_| asks).map(|usd| usd * episodes as f64),
            }
        });
        let found = RunFolder::open(out).ok();
        let done = |key: &&EpisodeKey| found.as_ref().is_some_and(|folder| folder.episode(key).is_done());
        Self {
            suite: suite.to_owned(),
            tasks: tasks.len(),
            repeats,
            contestants: lines.collect(),
            episodes: keys.len(),
            complete: keys.iter().filter(done).count(),
            run: out.to_owned(),
        }
    }

    pub fn print(&self) {
        println!(
            "{}: {} x {} x {} = {}",
            self.suite,
            count(self.tasks, "task"),
            count(self.repeats, "repeat"),
            count(self.contestants.len(), "contestant"),
            count(self.episodes, "episode")
        );
        for line in &self.contestants {
            print!(
                "  {:<28} {:>5} {}, at most {:>6} {}",
                line.name,
                line.episodes,
                noun(line.episodes, "episode"),
                line.steps_at_most,
                noun(line.steps_at_most, "step")
            );
            match line.model_calls_at_most {
                0 => print!(", no model"),
                calls => print!(" and {}", count(calls, "model call")),
            }
            if let Some(tokens) = line.tokens_at_most {
                print!(", {}", count(tokens, "token"));
            }
            if let Some(usd) = line.usd_at_most {
                print!(", {usd:.2} USD");
            }
            println!();
        }
        println!("run folder: {} ({} of {} complete)", self.run.display(), self.complete, self.episodes);
        println!("nothing was played; leave --dry-run out to play it");
    }
}
