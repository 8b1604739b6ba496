use std::path::Path;
use std::sync::Arc;

use waldo_agents::AgentError;
use waldo_agents::native::{Hook, Profile, ProfileUse, names, of_model};

use crate::profiles;

/// Flags of the agent.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Native")]
pub struct NativeArgs {
    /// The profile of the agent native's model: a name of `waldo models list`, or a folder [default: by the model's
    /// name].
    #[arg(long, value_name = "PROFILE", value_hint = clap::ValueHint::AnyPath)]
    pub profile: Option<String>,
}

impl NativeArgs {
    pub fn profile(&self, model: &str) -> Result<Profile, AgentError> {
        let setup = |message: String| AgentError::Setup { agent: "native", message };
        let profile = match &self.profile {
            Some(named) => profiles::open(named).map_err(|error| setup(error.to_string()))?,
            None => of_model(model, ProfileUse::Agent).ok_or_else(|| {
                let known: Vec<&str> = agents().map(|(name, _)| name).collect();
                let known = known.join(", ");
                setup(format!("no profile is known for the model '{model}': give --profile, one of {known}"))
            })?,
        };
        if profile.used_as() != ProfileUse::Agent {
            return Err(setup(format!(
                "the profile '{}' is a grounder's: use it with --agent planner --grounder model=NAME --grounder-profile {0}",
                profile.name()
            )));
        }
        Ok(profile)
    }
}

impl NativeArgs {
    /// The program of a profile, which runs in its folder.
    pub fn hook(&self, profile: &Profile) -> Option<Arc<Hook>> {
        let (rule, dir) = (profile.hook()?, self.profile.as_deref()?);
        Some(Arc::new(Hook::new(rule.clone(), Path::new(dir))))
    }
}

pub fn agents() -> impl Iterator<Item = (&'static str, Profile)> {
    let all = names().into_iter().filter_map(|name| Some((name, profiles::open(name).ok()?)));
    all.filter(|(_, profile)| profile.used_as() == ProfileUse::Agent)
}
