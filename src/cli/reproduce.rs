//! `waldo reproduce`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::Stdio;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use waldo_devices::child;
use waldo_devices::count::count;

use super::{CliError, Result, print_json};
use crate::{environment, exit};

const RECIPES: &str = include_str!("reproduce/recipes.toml");

/// Play the recipe of a published result, and show both results.
///
/// Without a name the recipes are listed. A recipe is the command that plays the row here, with what the source says beside it;
/// flags after the name go to waldo eval, such as the benchmark's folder, the machine and the endpoint. Nothing is
/// started while one of them is missing.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// The recipe.
    name: Option<String>,
    /// Flags of waldo eval.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "FLAGS")]
    flags: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Recipes {
    recipe: Vec<Recipe>,
    needs: BTreeMap<String, Need>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Recipe {
    name: String,
    row: String,
    measure: String,
    percent: f64,
    /// How many tasks the published figure is of, where that is known.
    tasks: Option<u32>,
    repeats: u32,
    model: String,
    source: String,
    flags: Vec<String>,
    needs: Vec<String>,
    #[serde(default)]
    differences: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Need {
    flag: String,
    fix: String,
    #[serde(default)]
    differences: Vec<String>,
}

/// What this run measured, in percent.
struct Measured {
    percent: f64,
    interval: Option<(f64, f64)>,
    n: u64,
    invalid: u64,
    left_out: usize,
}

pub fn run(args: &Args) -> Result<u8> {
    let internal = |error: toml::de::Error| CliError::Input(format!("the recipes of this build: {error}"));
    let recipes: Recipes = toml::from_str(RECIPES).map_err(internal)?;
    let Some(name) = &args.name else { return list(&recipes, args.json) };
    let Some(recipe) = recipes.recipe.iter().find(|recipe| recipe.name == *name) else {
        let names: Vec<&str> = recipes.recipe.iter().map(|recipe| recipe.name.as_str()).collect();
        let message = format!("there is no recipe '{name}': there are {}", names.join(", "));
        return Err(CliError::Input(message));
    };
    let needs = || recipe.needs.iter().filter_map(|need| recipes.needs.get(need));
    let is_given = |flag: &str| args.flags.iter().any(|given| given.split('=').next() == Some(flag));
    let missing: Vec<&Need> = needs().filter(|need| !is_given(&need.flag)).collect();
    if !missing.is_empty() {
        let mut message = format!("{} cannot be played yet; give after its name", recipe.row);
        for need in missing {
            let _ = write!(message, "\n  {}: {}", need.flag, need.fix);
        }
        return Err(CliError::Input(message));
    }
    let mut command = vec!["eval".to_owned()];
    command.extend_from_slice(&recipe.flags);
    if !is_given("--model") {
        command.extend(["--model".to_owned(), recipe.model.clone()]);
    }
    command.extend_from_slice(&args.flags);
    let plan_only = is_given("--dry-run");
    if !plan_only && !is_given("--out") {
        command.extend(["--out".to_owned(), format!("runs/{name}")]);
    }
    if !is_given("--json") {
        command.push("--json".to_owned());
    }
    eprintln!("waldo {}", command.join(" "));
    let program = std::env::current_exe()
        .map_err(|source| CliError::Io { what: "cannot find waldo's own program".to_owned(), source })?;
    // It is this command carried out: it gets all that this one was given.
    let mut eval = child::bare(program);
    eval.args(&command).envs(environment::all());
    eval.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let cannot = |source| CliError::Io { what: "cannot start waldo eval".to_owned(), source };
    let played = eval.output().map_err(cannot)?;
    let code = played.status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(exit::FAILED);
    let said: Value = serde_json::from_slice(&played.stdout).unwrap_or_default();
    let mut differences: Vec<String> = recipe.differences.clone();
    differences.extend(needs().flat_map(|need| need.differences.iter().cloned()));
    let measured = if plan_only { None } else { measured(&said) };
    if let Some(measured) = &measured {
        differences.extend(measured.differences(recipe));
    }
    if args.json || is_given("--json") {
        print_json(&json!({
            "recipe": recipe, "command": command, "plan": plan_only.then_some(&said), "differences": differences,
            "measured": measured.map(|measured| json!({
                "percent": measured.percent, "interval": measured.interval, "n": measured.n,
                "invalid": measured.invalid, "left_out": measured.left_out,
            })),
        }))?;
    } else {
        print!("{}", table(recipe, measured.as_ref(), &differences));
        if plan_only {
            println!("\nThe plan of waldo eval, as JSON:\n{said:#}");
        }
    }
    Ok(code)
}

fn list(recipes: &Recipes, as_json: bool) -> Result<u8> {
    if as_json {
        print_json(&recipes.recipe)?;
        return Ok(exit::OK);
    }
    let width = recipes.recipe.iter().map(|recipe| recipe.name.len()).max().unwrap_or_default();
    for recipe in &recipes.recipe {
        println!("{:width$}  {:5.1} %  {}", recipe.name, recipe.percent, recipe.row);
    }
    println!(
        "\nNone of them has been measured with waldo. The figures are those of the sources: --json names them."
    );
    Ok(exit::OK)
}

/// The row of the first contestant, of a run on screens or of one on pictures.
fn measured(said: &Value) -> Option<Measured> {
    let left_out = said["left_out"].as_array().map_or(0, Vec::len);
    let row = said["table"].get(0).or_else(|| said["rows"].get(0))?;
    let number = |key: &str| row[key].as_u64().unwrap_or_default();
    let (percent, interval) = match row["l2"]["Average accuracy"].as_f64() {
        Some(percent) => (percent, None),
        None => {
            let bound = |at: usize| row["sr_ci"][at].as_f64().map(|share| share * 100.0);
            (row["sr"].as_f64()? * 100.0, bound(0).zip(bound(1)))
        }
    };
    Some(Measured { percent, interval, n: number("n"), invalid: number("invalid"), left_out })
}

impl Measured {
    fn differences(&self, recipe: &Recipe) -> Vec<String> {
        let mut all = Vec::new();
        let wanted = recipe.tasks.map(|tasks| u64::from(tasks) * u64::from(recipe.repeats));
        if let Some(wanted) = wanted.filter(|wanted| *wanted != self.n) {
            all.push(format!("{} episodes are scored here, and the published row is of {wanted}", self.n));
        }
        if self.invalid > 0 {
            all.push(format!("invalid here, and not scored: {}", count(self.invalid, "episode")));
        }
        if self.left_out > 0 {
            all.push(format!("left out, since they cannot be played here: {}", count(self.left_out, "task")));
        }
        all
    }
}

fn table(recipe: &Recipe, measured: Option<&Measured>, differences: &[String]) -> String {
    let mut text = format!("{}\nsource: {}\n\n", recipe.row, recipe.source);
    let _ = writeln!(text, "{:12} {:>8}  {:>16}  {:>8}", "", recipe.measure, "95 % interval", "episodes");
    let published = recipe.tasks.map(|tasks| (tasks * recipe.repeats).to_string()).unwrap_or_default();
    let width = recipe.measure.len().max(8);
    let _ = writeln!(text, "{:12} {:>width$.1}  {:>16}  {published:>8}", "published", recipe.percent, "");
    if let Some(here) = measured {
        let interval = here.interval.map(|(low, high)| format!("{low:.1} to {high:.1}")).unwrap_or_default();
        let _ = writeln!(text, "{:12} {:>width$.1}  {interval:>16}  {:>8}", "here", here.percent, here.n);
        if let Some((low, high)) = here.interval {
            let lies = if (low..=high).contains(&recipe.percent) { "lies within" } else { "lies outside" };
            let _ = writeln!(text, "\nThe published figure {lies} the interval of this run.");
        }
    }
    if !differences.is_empty() {
        text.push_str("\nKnown differences:\n");
        for difference in differences {
            let _ = writeln!(text, "- {difference}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    #[test]
    fn every_recipe_is_a_command_that_is_understood() {
        let recipes: Recipes = toml::from_str(RECIPES).unwrap();
        assert_eq!(recipes.recipe.len(), 10);
        for recipe in &recipes.recipe {
            let mut command = vec!["waldo", "eval", "--model", &recipe.model];
            command.extend(recipe.flags.iter().map(String::as_str));
            for need in &recipe.needs {
                let need = recipes.needs.get(need).unwrap_or_else(|| panic!("{}: {need}", recipe.name));
                let value = if need.flag == "--device" { "desktop" } else { "1" };
                command.extend([need.flag.as_str(), value]);
            }
            super::super::Cli::try_parse_from(command)
                .unwrap_or_else(|error| panic!("{}: {error}", recipe.name));
        }
    }

    #[test]
    fn both_rows_are_shown_with_what_differs() {
        let recipes: Recipes = toml::from_str(RECIPES).unwrap();
        let recipe = &recipes.recipe[1];
        let said = json!({ "left_out": ["a"], "table": [{ "sr": 0.25, "sr_ci": [0.2, 0.3], "n": 1080, "invalid": 3 }] });
        let here = measured(&said).unwrap();
        let text = table(recipe, Some(&here), &here.differences(recipe));
        for part in [
            "published",
            "26.6",
            "20.0 to 30.0",
            "lies within the interval",
            "1080 episodes are scored here, and the published row is of 1083",
            "invalid here, and not scored: 3 episodes",
            "cannot be played here: 1 task",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        let pictures = json!({ "rows": [{ "l2": { "Average accuracy": 70.0 }, "n": 9 }] });
        assert_eq!(measured(&pictures).map(|here| here.percent), Some(70.0));
        assert!(measured(&json!({})).is_none());
    }
}
