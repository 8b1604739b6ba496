//! `--secret NAME=VARIABLE`: values that an agent types by name and never sees.

use std::str::FromStr;

use waldo_devices::{OneTimeCodes, SECRET_SHORTEST as SHORTEST, Secrets};

use super::{CliError, Result};

/// Secrets of a run.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Guard")]
pub struct SecretArgs {
    /// A value that the agent may type by this name, taken from an environment variable and masked wherever it shows
    /// up; may be given several times. With NAME=totp:VARIABLE the variable holds the key of a second factor (base32,
    /// or an otpauth address), and the current code is typed.
    #[arg(long = "secret", value_name = "NAME=VARIABLE")]
    pub secrets: Vec<NamedSecret>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedSecret {
    pub name: String,
    variable: String,
    kind: SecretKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SecretKind {
    Value,
    Codes,
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
        let (kind, variable) = match variable.strip_prefix("totp:") {
            Some(variable) => (SecretKind::Codes, variable),
            None => (SecretKind::Value, variable),
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let good = |text: &str| !text.is_empty() && text.chars().all(plain);
        if good(name) && good(variable) {
            Ok(Self { name: name.to_owned(), variable: variable.to_owned(), kind })
        } else {
            Err(wrong())
        }
    }
}

impl SecretArgs {
    pub fn names(&self) -> Vec<String> {
        self.secrets.iter().map(|secret| secret.name.clone()).collect()
    }

    /// The values, from the environment.
    ///
    /// # Errors
    /// When a variable is not set or too short to be masked; its value is never shown.
    pub fn read(&self) -> Result<Secrets> {
        let secrets = self.look_up(|variable| crate::environment::var(variable))?;
        crate::masking::know_also(&secrets);
        Ok(secrets)
    }

    fn look_up(&self, variable: impl Fn(&str) -> Option<String>) -> Result<Secrets> {
        let (mut found, mut codes, mut keys) = (Vec::new(), Vec::new(), Vec::new());
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
            match secret.kind {
                SecretKind::Value => found.push((secret.name.clone(), value)),
                SecretKind::Codes => {
                    let read = OneTimeCodes::parse(&value).map_err(|why| {
                        CliError::Input(format!("--secret {}: {}: {why}", secret.name, secret.variable))
                    })?;
                    codes.push((secret.name.clone(), read));
                    keys.push(value);
                }
            }
        }
        Ok(Secrets::new(found).and(&Secrets::hidden(keys)).with_codes(codes))
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
    fn a_second_factor_is_named_by_its_key() {
        let args = SecretArgs { secrets: vec!["otp=totp:MY_KEY".parse().unwrap()] };
        let secrets = args.look_up(|name| (name == "MY_KEY").then(|| "GEZD GNBV GY3T QOJQ".into())).unwrap();
        assert!(secrets.value("otp").is_some_and(|code| code.len() == 6));
        assert!(!secrets.mask("key GEZD GNBV GY3T QOJQ".into()).contains("GNBV"), "the key is masked");
        let refused = args.look_up(|_| Some("no key 189".into())).unwrap_err().to_string();
        assert!(refused.contains("base32") && !refused.contains("189"), "{refused}");
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
