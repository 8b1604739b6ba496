use std::io::BufRead as _;
use std::path::Path;

use serde_json::json;

use super::doctor::{self, Measure};
use super::{CliError, Result, print_json};
use crate::agents::ModelArgs;
use crate::config::{self, PROJECT_FILE, StartEnvironment};
use crate::exit;

/// Write a waldo.toml for the model that you evaluate, once the model has answered.
///
/// What no flag says is asked for. The model gets the few short questions of waldo doctor; where it does not answer, nothing is
/// written. The file holds for every command in this folder and below it, and a flag wins over it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write the file without asking the model.
    #[arg(long)]
    untried: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    model: ModelArgs,
}

pub async fn run(mut args: Args) -> Result<u8> {
    let path = Path::new(PROJECT_FILE);
    if path.exists() {
        return Err(CliError::Input(format!(
            "there is a {PROJECT_FILE} here: edit it, and check the values in force with waldo config show"
        )));
    }
    if args.model.model.is_none() {
        let usual = args.model.address();
        let address = ask("--base-url", "Address of the endpoint, up to the version", &usual)?;
        args.model.base_url.get_or_insert(address);
        args.model.model = Some(ask("--model", "Name of the model there", "")?);
        let usual = args.model.key_variable().to_owned();
        let variable = ask("--api-key-env", "Environment variable that holds its key, - for none", &usual)?;
        args.model.api_key_env.get_or_insert(if variable == "-" { String::new() } else { variable });
    }
    let name = args.model.model.clone().unwrap_or_default();
    let findings = match args.untried {
        true => Vec::new(),
        false => doctor::examine_model(&args.model, &name, Measure::Nothing).await?.findings(),
    };
    if !args.json {
        findings.iter().for_each(doctor::print_finding);
    }
    if findings.iter().any(doctor::Finding::is_fault) {
        eprintln!("nothing was written: fix this, or write it anyway with --untried");
        return Ok(exit::MODEL);
    }
    std::fs::write(path, file(&args.model, &name))
        .map_err(|error| CliError::Input(format!("{PROJECT_FILE} cannot be written: {error}")))?;
    // Whoever writes it this way knows what it says.
    config::trust(&StartEnvironment::here())?;
    let next = "waldo eval l3-web --agent appagent --with-bounds --workers 4";
    if args.json {
        print_json(&json!({ "file": path, "findings": findings, "next": next }))?;
    } else {
        println!("wrote {PROJECT_FILE}; a first table: {next}");
    }
    Ok(exit::OK)
}

/// What somebody answers, on a terminal or from a pipe; nothing stands for `usual`.
fn ask(flag: &str, question: &str, usual: &str) -> Result<String> {
    let shown = if usual.is_empty() { String::new() } else { format!(" [{usual}]") };
    eprint!("{question}{shown}: ");
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    match (line.trim(), usual) {
        ("", "") => Err(CliError::Input(format!("no answer: give {flag}"))),
        _ if read.is_err() => Err(CliError::Input(format!("the answer cannot be read: give {flag}"))),
        ("", usual) => Ok(usual.to_owned()),
        (said, _) => Ok(said.to_owned()),
    }
}

fn file(model: &ModelArgs, name: &str) -> String {
    let wire = (model.wire != waldo_agents::model::Wire::default()).then(|| model.wire.as_str().to_owned());
    let fields = [
        ("model", Some(name.to_owned())),
        ("wire", wire),
        ("base-url", model.base_url.clone()),
        ("api-key-env", model.api_key_env.clone()),
    ];
    let lines = fields.into_iter().filter_map(|(field, value)| {
        // A string of JSON is one of TOML.
        Some(format!("{field} = {}\n", json!(value?)))
    });
    format!(
        "# Written by waldo init; waldo config show lists the values in force and their sources.\n[model]\n{}",
        lines.collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    #[derive(clap::Parser)]
    struct Only {
        #[command(flatten)]
        model: ModelArgs,
    }

    #[test]
    fn the_file_says_what_was_given_and_no_more() {
        let bare = Only::parse_from(["x"]).model;
        assert!(file(&bare, "a \"b\"\\c").ends_with("[model]\nmodel = \"a \\\"b\\\"\\\\c\"\n"));
        let full =
            Only::parse_from(["x", "--wire", "gemini", "--base-url", "http://h/v1", "--api-key-env", "K"]);
        let text = file(&full.model, "m");
        assert!(
            text.ends_with("wire = \"gemini\"\nbase-url = \"http://h/v1\"\napi-key-env = \"K\"\n"),
            "{text}"
        );
    }
}
