//! How the episodes are played, and what of it the manifest keeps.

use std::time::Duration;

use waldo_devices::Platform;
use waldo_tasks::episode::Timeouts;
use waldo_tasks::runner::{Limits as OwnLimits, Options};
use waldo_tasks::widgets;

use super::Args;
use super::choice::Chosen;
use super::rows::{self, Own, Row};
use crate::cli::CliError;
use crate::cli::label::Style;
use crate::cli::osworld::OSWORLD;

/// How long preparing or judging one of OSWorld's tasks may take: downloads, an office program's start, pauses.
const OSWORLD_SET_UP: Duration = Duration::from_secs(300);

/// Timeouts, attempts and budget, as the command line says.
pub(super) fn options(args: &Args) -> Options {
    let mut timeouts = timeouts(args.device.platform());
    if args.suite == OSWORLD {
        timeouts.set_up = OSWORLD_SET_UP;
    }
    let usual = Options::default();
    let limits = |own: &Own| {
        let longer = own.model.timeouts(timeouts);
        // Whoever grants a step more time grants the episode more.
        let share = longer.decide.as_secs_f64() / timeouts.decide.as_secs_f64().max(1.0);
        let watchdog = usual.watchdog.mul_f64(share.max(1.0));
        OwnLimits { budget: own.budget(), timeouts: longer, watchdog }
    };
    let own = args.rows.iter().map(|row| (row.contestant.name.clone(), limits(&row.own))).collect();
    Options {
        timeouts,
        workers: usize::from(args.workers),
        attempts: args.attempts,
        style: args.style.map(Into::into),
        own,
        ..usual
    }
}

/// An office program on a fresh HOME takes its time to start, the more so beside others.
fn timeouts(platform: Platform) -> Timeouts {
    let usual = Timeouts::default();
    match platform {
        Platform::Desktop => Timeouts { set_up: usual.set_up * 2, ..usual },
        Platform::Web | Platform::Android => usual,
    }
}

/// What changes results beside what the manifest names by itself.
///
/// # Errors
/// When documentation, prices or templates cannot be read.
pub(super) fn parameters(args: &Args, chosen: &Chosen) -> Result<serde_json::Value, CliError> {
    let mut parameters = serde_json::json!({
        "model": args.model.parameters(),
        "style": format!("{:?}", args.style.unwrap_or(Style::Boxes)).to_lowercase(),
        "max_tokens_total": args.max_tokens_total,
        "max_cost": args.max_cost,
        "max_time": args.max_time,
        "miniwob_timer": (args.suite == "miniwob").then(|| args.miniwob_timer.to_string()),
        "widgets_control": (args.suite == widgets::SUITE).then(|| args.widgets_control.to_string()),
        "viewport": args.browser.viewport,
        "scale": args.browser.scale,
    });
    if args.style.is_none() && args.model.compat && args.device.platform() == Platform::Android {
        // AppAgent's own, for those who play by its numbers.
        parameters["style"] = serde_json::Value::Null;
    }
    if args.device.platform() != Platform::Web
        && let Some(all) = parameters.as_object_mut()
    {
        // Phones and desktops have screens of their own.
        all.retain(|name, _| name != "viewport" && name != "scale");
    }
    if args.device.platform() == Platform::Desktop {
        let (width, height) = args.device.screen.unwrap_or((1280, 800));
        parameters["screen"] = format!("{width}x{height}").into();
    }
    if args.suite == OSWORLD {
        parameters["osworld"] = serde_json::json!({
            "set": chosen.set,
            "shell": args.documents.allow_shell,
            "left_out": chosen.left_out,
        });
    }
    if args.suite != OSWORLD && !chosen.left_out.is_empty() {
        parameters["left_out"] = serde_json::json!(chosen.left_out);
    }
    if !args.secrets.secrets.is_empty() {
        parameters["secrets"] = args.secrets.names().into();
    }
    if args.rows.iter().any(|row| !row.defined && row.contestant.agent == "planner") {
        parameters["planner"] = args.planner.parameters();
    }
    // A planner hands widgets to the same scripts.
    let scripts = |row: &Row| !row.defined && matches!(row.contestant.agent.as_str(), "frames" | "planner");
    if args.rows.iter().any(scripts) {
        parameters["frames"] = args.frames.parameters();
    }
    if args.docs.docs.is_some() {
        parameters["docs"] = args.docs.parameters()?;
    }
    if !chosen.budgets.is_empty() {
        // For whoever makes the tables again.
        parameters["budgets"] = chosen.budgets.as_slice().into();
    }
    if args.rows.iter().any(|row| row.defined) {
        parameters["contestants"] = rows::parameters(&args.rows)?;
    }
    Ok(parameters)
}
