//! `--secret NAME=VARIABLE`: values that an agent types by name and never sees.

use std::str::FromStr;

use waldo_devices::{SECRET_SHORTEST as SHORTEST, Secrets};

use super::CliError;

/// Secrets of a run.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Guard")]
pub struct SecretArgs {
    /// A value that the agent may type by this name, taken from an environment variable and masked
    /// wherever it shows up; may be given several times.
    #[arg(long = "secret", value_name = "NAME=VARIABLE")]
    pub secrets: Vec<NamedSecret>,
}

/// A secret's name and the variable that holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedSecret {
    /// What the agent knows it by.
    pub name: String,
    variable: String,
}

impl FromStr for NamedSecret {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || {
            "write it like pin=MY_PIN: a name of letters, digits, - and _, then the environment variable \
             that holds the value (never the value itself)"
                .to_owned()
        };
        let (name, variable) = text.split_once('=').ok_or_else(wrong)?;
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let good = |text: &str| !text.is_empty() && text.chars().all(plain);
        if good(name) && good(variable) {
            Ok(Self { name: name.to_owned(), variable: variable.to_owned() })
        } else {
            Err(wrong())
        }
    }
}

impl SecretArgs {
    /// The names, for prompts and manifests.
    pub fn names(&self) -> Vec<String> {
        self.secrets.iter().map(|secret| secret.name.clone()).collect()
    }

    /// The values, from the environment.
    ///
    /// # Errors
    /// When a variable is not set or too short to be masked; its value is never shown.
    pub fn read(&self) -> Result<Secrets, CliError> {
        let secrets = self.look_up(|variable| crate::environment::var(variable))?;
        crate::masking::know(
            secrets.pairs().map(|(name, value)| (format!("secret {name}"), value.to_owned())),
        );
        Ok(secrets)
    }

    fn look_up(&self, variable: impl Fn(&str) -> Option<String>) -> Result<Secrets, CliError> {
        let mut found = Vec::new();
        for secret in &self.secrets {
            let value = variable(&secret.variable).filter(|value| !value.is_empty());
            let Some(value) = value else {
                return Err(CliError::Input(format!(
                    "--secret {}: the environment variable {} is not set; export it first",
                    secret.name, secret.variable
                )));
            };
            if value.chars().count() < SHORTEST {
                return Err(CliError::Input(format!(
                    "--secret {}: the value of {} has fewer than {SHORTEST} characters and could not be masked",
                    secret.name, secret.variable
                )));
            }
            found.push((secret.name.clone(), value));
        }
        Ok(Secrets::new(found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_named_and_never_written() {
        assert_eq!("pin=MY_PIN".parse::<NamedSecret>().unwrap().name, "pin");
        for bad in ["", "pin", "pin=", "=X", "p n=X", "pin=a b", "pin=se:cret"] {
            let message = bad.parse::<NamedSecret>().unwrap_err();
            assert!(message.contains("never the value itself"), "{bad}");
        }
    }

    #[test]
    fn what_is_missing_or_too_short_is_refused_without_its_value() {
        let args = SecretArgs { secrets: vec!["pin=MY_PIN".parse().unwrap()] };
        assert_eq!(args.look_up(|_| Some("hunter22".into())).unwrap().names().collect::<Vec<_>>(), ["pin"]);
        let refused = |value: Option<&str>| args.look_up(|_| value.map(Into::into)).unwrap_err().to_string();
        assert!(refused(None).contains("MY_PIN is not set"));
        assert!(refused(Some("")).contains("MY_PIN is not set"));
        let short = refused(Some("q7x"));
        assert!(short.contains("fewer than 4") && !short.contains("q7x"));
    }
}
