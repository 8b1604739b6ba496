//! Puts every item to every contestant.

use std::collections::HashMap;
use std::sync::Arc;

use futures::{StreamExt as _, stream};
use tokio_util::sync::CancellationToken;
use waldo_devices::count::count;

use super::LevelError;
use super::answers::{Answer, Answers, LevelManifest};
use super::bench::Bench;
use super::players::LevelPlayer;
use crate::progress_bar::ProgressBar;

/// Answers after which a line is written where there is no terminal.
const LINE: u64 = 50;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Played {
    pub kept: usize,
    pub asked: usize,
    /// Answers that are missing, for the run was stopped.
    pub missing: usize,
}

/// Asks for what is missing, `workers` items at once.
pub async fn play(
    manifest: &LevelManifest,
    bench: &Bench,
    players: &HashMap<String, LevelPlayer>,
    answers: &Answers,
    workers: usize,
    stop: &CancellationToken,
) -> Result<Played, LevelError> {
    let missing = answers.missing(manifest, bench);
    let turns: usize = (0..bench.len()).map(|at| bench.turns(at)).sum();
    let all = turns * manifest.contestants.len();
    let bar = ProgressBar::new(missing.len());
    let mut played = Played { kept: all - missing.len(), ..Played::default() };
    let one = |(contestant, at, turn): (&str, usize, usize)| {
        let contestant = contestant.to_owned();
        async move {
            if stop.is_cancelled() {
                return Ok(None);
            }
            let Some(player) = players.get(&contestant) else { return Ok(None) };
            let picture = if player.looks() { Some(Arc::new(bench.picture(at)?)) } else { None };
            let asked = (contestant.as_str(), bench, at, turn);
            Ok(Some(player.answer(asked, picture.as_deref(), manifest.seed).await))
        }
    };
    let mut answered = stream::iter(missing.iter().copied().map(one)).buffer_unordered(workers.max(1));
    let mut invalid = 0_u64;
    while let Some(answer) = answered.next().await {
        let answer: Result<Option<Answer>, LevelError> = answer;
        let Some(answer) = answer? else {
            played.missing += 1;
            continue;
        };
        played.asked += 1;
        if let Some(error) = &answer.error {
            invalid += 1;
            if invalid <= 3 {
                let said = crate::report::cut(error, 300);
                bar.suspend(|| eprintln!("{} on {}: invalid: {said}", answer.contestant, answer.item));
            }
        }
        answers.keep(answer)?;
        bar.advance(&if invalid > 0 { format!("{invalid} invalid") } else { String::new() });
        if bar.hidden && bar.position().is_multiple_of(LINE) {
            eprintln!("{} of {}", bar.position(), count(missing.len(), "answer"));
        }
    }
    bar.clear();
    Ok(played)
}
