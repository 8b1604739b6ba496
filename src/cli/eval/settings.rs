//! How the episodes are played, and what of it the manifest keeps.

use waldo_tasks::Contestant;
use waldo_tasks::runner::{Limits as OwnLimits, Options};

use super::Args;
use super::chosen::Chosen;
use super::rows::{self, ContestantSettings};
use crate::agents::kind;
use crate::cli::CliError;
use crate::cli::label::Style;

/// Timeouts, attempts and budget, as the command line says.
pub(super) fn options(args: &Args, chosen: &Chosen, read_webp: bool) -> Options {
    let timeouts = chosen.timeouts();
    let usual = Options::default();
    let limits = |contestant: &Contestant, own: &ContestantSettings| {
        let longer = own.settings.timeouts(timeouts);
        // Whoever grants a step more time grants the episode more.
        let share = longer.decide.as_secs_f64() / timeouts.decide.as_secs_f64().max(1.0);
        let watchdog = usual.watchdog.mul_f64(share.max(1.0));
        OwnLimits {
            budget: own.budget(),
            timeouts: longer,
            watchdog,
            packing: args.picture.packing(contestant, read_webp),
        }
    };
    let rows = args.rows.iter();
    let own = rows.map(|row| (row.contestant.name.clone(), limits(&row.contestant, &row.own))).collect();
    Options {
        timeouts,
        workers: usize::from(args.workers),
        attempts: args.attempts,
        style: args.style.map(Into::into),
        pictures: args.picture.kept(),
        own,
        ..usual
    }
}

/// What changes results beside what the manifest names by itself.
pub(super) fn parameters(args: &Args, chosen: &Chosen) -> Result<serde_json::Value, CliError> {
    let mut parameters = serde_json::json!({
        "model": args.settings.model.parameters(),
        "style": format!("{:?}", args.style.unwrap_or(Style::Boxes)).to_lowercase(),
    });
    args.limits.add_parameters(&mut parameters);
    if args.style.is_none()
        && args.settings.model.compat
        && chosen.devices().any(|device| device.platform().has_packages())
    {
        // AppAgent's own, for those who play by its numbers.
        parameters["style"] = serde_json::Value::Null;
    }
    if let Some(all) = parameters.as_object_mut() {
        chosen.add_parameters(args, all);
        args.picture.add_parameters(all);
        args.device.add_parameters(all);
    }
    if !args.secrets.secrets.is_empty() {
        parameters["secrets"] = args.secrets.names().into();
    }
    if let Some(all) = parameters.as_object_mut() {
        for row in args.rows.iter().filter(|row| !row.defined) {
            if let Some(kind) = kind(&row.contestant.agent) {
                kind.add_parameters(&row.own.settings, all);
            }
        }
    }
    if args.docs.docs.is_some() {
        parameters["docs"] = args.docs.parameters()?;
    }
    if !chosen.budgets().is_empty() {
        // For whoever makes the tables again.
        parameters["budgets"] = chosen.budgets().into();
    }
    if args.rows.iter().any(|row| row.defined) {
        parameters["contestants"] = rows::parameters(&args.rows)?;
    }
    Ok(parameters)
}
