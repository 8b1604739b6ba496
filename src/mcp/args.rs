//! Arguments of the tools that are not actions.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use waldo_devices::catalogue::unknown_parameter;
use waldo_tasks::suite::problem;

use super::observing::LONGEST;

/// Of `observe`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Observe {
    /// Whether the picture with the numbers is wanted, too.
    pub picture: bool,
    /// Whether what was told before is left out.
    pub changes_only: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WaitFor {
    /// Text that the screen shows somewhere.
    pub text: Option<String>,
    /// An element's name, or a part of it.
    pub element: Option<String>,
    /// How long at the most.
    pub seconds: Option<f64>,
}

impl WaitFor {
    /// Time at the most.
    pub fn within(&self) -> Result<std::time::Duration, String> {
        let seconds = self.seconds.unwrap_or(10.0);
        #[expect(clippy::cast_precision_loss, reason = "it is small")]
        let most = LONGEST as f64;
        if (0.0..=most).contains(&seconds) {
            return Ok(std::time::Duration::from_secs_f64(seconds));
        }
        Err(format!("seconds must be from 0 to {LONGEST}, not {seconds}"))
    }
}

/// Of `read`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReadFrom {
    /// The first character, from 0.
    pub from: usize,
}

/// Of `extract`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtractBy {
    /// What is to be filled, a JSON schema.
    pub schema: Value,
}

/// Of `delegate`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DelegateTo {
    /// What is to be reached.
    pub goal: String,
}

/// Of `finish`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Answer {
    pub answer: Option<String>,
}

/// Of `infeasible` and `give_up`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    pub reason: String,
}

/// Of tools that take nothing.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

pub fn read<T: DeserializeOwned>(tool: &str, arguments: Map<String, Value>) -> Result<T, String> {
    let arguments = Value::Object(arguments);
    T::deserialize(&arguments).map_err(|error| {
        let error = error.to_string();
        // The names stand between grave accents: first the one that is wrong.
        let mut names = error.split('`').skip(1).step_by(2);
        match names.next() {
            Some(unknown) if error.starts_with("unknown field") => {
                unknown_parameter(tool, unknown, &names.collect::<Vec<_>>())
            }
            Some(missing) if error.starts_with("missing field") => {
                format!("{tool} needs the parameter {missing}")
            }
            // A value of another type: which one it is, its path tells.
            _ => match problem::read::<T>(&arguments) {
                Err(problem) => format!("{tool}: {}: {}", problem.path, problem.message),
                Ok(_) => format!("{tool}: {error}"),
            },
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn arguments(value: Value) -> Map<String, Value> {
        let Value::Object(map) = value else { panic!("no object") };
        map
    }

    #[test]
    fn what_is_unknown_or_out_of_range_is_refused() {
        let refused = read::<Observe>("observe", arguments(json!({ "pictures": true }))).unwrap_err();
        assert_eq!(refused, "observe has no parameter 'pictures'; it has picture, changes_only");
        let refused = read::<Observe>("observe", arguments(json!({ "picture": "yes" }))).unwrap_err();
        assert_eq!(refused, "observe: picture: it has to be true or false, and is string \"yes\"");
        let refused = read::<Nothing>("devices", arguments(json!({ "all": true }))).unwrap_err();
        assert_eq!(refused, "devices has no parameters, and 'all' is given");
        let refused = read::<DelegateTo>("delegate", arguments(json!({}))).unwrap_err();
        assert_eq!(refused, "delegate needs the parameter goal");
        let wait = |seconds: f64| WaitFor { seconds: Some(seconds), ..WaitFor::default() }.within();
        assert!(wait(30.0).is_ok() && wait(0.0).is_ok());
        for bad in [-1.0, 30.5, f64::NAN, f64::INFINITY] {
            assert!(wait(bad).is_err(), "{bad}");
        }
    }
}
