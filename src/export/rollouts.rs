//! Episodes as rollouts to train a policy on: a line for each reply of the model, with its tokens and the episode's reward.
//!
//! Invariants: a line is what the policy was given and what it sampled, whether the agent could use it or not; an episode that
//! says nothing about the policy (not carried out, not judged, helped by a person) has no lines.

use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};
use waldo_agents::Exchange;
use waldo_tasks::EpisodeResult;

use super::error::ExportError;
use super::messages::completion;
use super::taken::RecordedEpisode;

/// One reply of the model. Every line has every field; what the endpoint did not give is null.
#[derive(Serialize)]
struct RolloutTurn<'a> {
    /// What attempts of one policy at one instance have in common: `CONTESTANT/TASK/SEED`.
    group: &'a str,
    contestant: &'a str,
    task: &'a str,
    repeat: u32,
    /// The seed of the task's instance, as text: who reads tables takes numbers above 2^63 for fractions.
    seed: String,
    /// Which of the episode's replies it is, from 0.
    turn: usize,
    turns: usize,
    /// The step of the episode, from 1.
    step: u32,
    /// What the model was asked for: `decide`, `re-ask`, `ground`, `reflect`.
    purpose: &'a str,
    accepted: bool,
    /// Messages with what was new in the request; what it was whole only the ids say.
    prompt: Value,
    completion: Value,
    /// Paths of the pictures that went along, as seen from this file.
    images: Vec<String>,
    prompt_ids: Option<&'a [u32]>,
    completion_ids: Option<&'a [u32]>,
    /// 1 for each token that the policy sampled, which are all of the reply's.
    completion_mask: Option<Vec<u8>>,
    /// Natural logarithms of the probabilities that the tokens were sampled with.
    logprobs: Option<&'a [f64]>,
    /// The success of the episode, 0 to 1.
    reward: f64,
    checks_passed: Option<f64>,
    /// Whether a limit ended the episode.
    truncated: bool,
}

pub(super) fn lines(taken: &RecordedEpisode, home: &Path) -> Result<Result<String, String>, ExportError> {
    let (result, reward) = match of_the_policy(taken.result.as_ref()) {
        Ok(judged) => judged,
        Err(why) => return Ok(Err(why.to_owned())),
    };
    let key = &taken.key;
    let group = format!("{}/{}/{}", key.contestant, key.task, taken.seed);
    let asked: Vec<_> =
        taken.exchanges().filter(|(_, one)| one.dropped.is_none() && one.asked_a_model()).collect();
    let mut lines = String::new();
    for (turn, (step, one)) in asked.iter().enumerate() {
        let sampled = one.sampled.as_deref();
        if let Some(why) = sampled.and_then(|sampled| sampled.mismatch()) {
            return Ok(Err(format!("the endpoint gave {why} for one reply")));
        }
        let ids = sampled.map(|sampled| sampled.ids.as_slice()).filter(|ids| !ids.is_empty());
        let image = taken.picture_of_request(step, one, home);
        let line = RolloutTurn {
            group: &group,
            contestant: &key.contestant,
            task: &key.task,
            repeat: key.repeat,
            seed: taken.seed.to_string(),
            turn,
            turns: asked.len(),
            step: step.number,
            purpose: &one.purpose,
            accepted: is_accepted(one),
            // TRL and verl take pictures from a column of their own, and know no `image_url` in a message.
            prompt: json!([{ "role": "user", "content": one.prompt }]),
            completion: json!([completion(one)]),
            images: image.into_iter().collect(),
            prompt_ids: sampled.map(|sampled| sampled.prompt_ids.as_slice()).filter(|ids| !ids.is_empty()),
            completion_ids: ids,
            completion_mask: ids.map(|ids| vec![1; ids.len()]),
            logprobs: sampled.map(|sampled| sampled.logprobs.as_slice()).filter(|all| !all.is_empty()),
            reward,
            checks_passed: result.credit(),
            truncated: result.outcome.is_limit(),
        };
        lines.push_str(&serde_json::to_string(&line)?);
        lines.push('\n');
    }
    Ok(Ok(lines))
}

/// The result and its success where the policy alone earned it.
fn of_the_policy(result: Option<&EpisodeResult>) -> Result<(&EpisodeResult, f64), &'static str> {
    let result = result.ok_or("it has not ended")?;
    if result.is_invalid() {
        return Err("it could not be carried out");
    }
    if result.assisted {
        return Err("a person took part in it");
    }
    result.success.map(|success| (result, success)).ok_or("nothing was checked, so there is no reward")
}

fn is_accepted(asked: &Exchange) -> bool {
    asked.rejected.is_none() && asked.unread.is_none()
}
