//! From a reply to steps on a screen.

use waldo_devices::{DeviceInfo, Observation};
use waldo_native::{CallStage, InputState, Profile, Reply, Resolved, Scale};

use crate::agent::Choice;
use crate::planner::chord;

#[derive(Clone, Debug, PartialEq)]
pub struct CallStep {
    /// Its place in the reply, from 0.
    pub n: usize,
    pub call: String,
    pub choice: Choice,
}

impl CallStep {
    pub(super) fn passes(&self) -> bool {
        matches!(self.choice, Choice::Pass { .. })
    }
}

/// What the calls of a reply come to, in order and up to the first that ends the episode.
pub fn steps(
    profile: &Profile,
    reply: &Reply,
    (seen, device, scale): (&Observation, &DeviceInfo, Scale),
    hand: &mut InputState,
) -> Result<Vec<CallStep>, String> {
    hand.rest();
    let stage = CallStage { seen, device, scale, chord };
    let mut all = Vec::new();
    for (n, call) in reply.calls.iter().enumerate() {
        for resolved in profile.resolve(call, &stage, hand)? {
            let choice = match resolved {
                Resolved::Act(action) => Choice::Act { action },
                Resolved::Pass(reason) => Choice::Pass { reason },
                Resolved::Finish { answer } => Choice::Finish { answer },
                Resolved::Infeasible { reason } => Choice::Infeasible { reason },
                Resolved::HandOver { reason } => Choice::HandOver { reason },
            };
            let ends = !matches!(choice, Choice::Act { .. } | Choice::Pass { .. });
            all.push(CallStep { n, call: call.to_string(), choice });
            if ends {
                return Ok(all);
            }
        }
    }
    if all.is_empty() {
        let reason = "the keys that it holds are let go at its end".to_owned();
        let n = reply.calls.len().saturating_sub(1);
        let call = reply.calls.last().map(ToString::to_string).unwrap_or_default();
        all.push(CallStep { n, call, choice: Choice::Pass { reason } });
    }
    Ok(all)
}
