//! Setting up again what somebody began by hand.

use serde_json::Value;
use waldo_devices::Platform;
use waldo_tasks::Goal;

use super::super::by_hand::{ByHand, NamedStart, Starts, checks, several};
use super::super::start::at_page;
use super::super::{CliError, Result, run};
use super::Args;
use super::source::{ByHandStart, ReplaySource};
use crate::screens::{DeviceArgs, DeviceSpec, family};

/// Screens of which each start makes a new one.
const NOBODYS: [&str; 3] = ["web", "simphone", "desktop"];

/// Takes the kind of screen that the record was made on, where none is named. What is somebody's is not taken unasked.
pub(super) fn as_recorded(device: &mut DeviceArgs, platform: Platform, product: &str) -> Result<()> {
    if let (None, Some(spec)) = (&device.device, family(platform).nobodys(product)) {
        eprintln!("on {spec}, as it was recorded; --device names another");
        device.device = Some(spec.parse().map_err(CliError::Input)?);
    }
    Ok(())
}

fn take_device(device: &mut DeviceArgs, platform: Platform, begun: &ByHandStart) -> Result<()> {
    if device.device.is_none() {
        match &begun.device {
            None => as_recorded(device, platform, &begun.product)?,
            Some(named) => {
                let spec: DeviceSpec = named.parse().map_err(CliError::Input)?;
                if !spec.screens().iter().all(|screen| NOBODYS.contains(&screen.as_str())) {
                    return Err(CliError::Input(format!(
                        "it was recorded on {named}, which waldo cannot start again: say with --device where to play it"
                    )));
                }
                if !family(platform).has_origins() {
                    eprintln!("on {named}, as it was recorded; --device names another");
                }
                device.device = Some(spec);
            }
        }
    }
    if device.platform() != platform {
        let on = family(platform).played_on(device.spec().as_str());
        return Err(CliError::Input(format!("it is played {on}")));
    }
    Ok(())
}

pub(super) fn only_by_hand(args: &Args) -> Result<()> {
    let guard = &args.guard;
    let guarded = !guard.allow.is_empty() || !guard.allow_app.is_empty() || guard.allow_shell;
    let asked = !guard.deny.is_empty() || !guard.ask.is_empty();
    if guarded || asked || args.url.is_some() || args.open.is_some() || !args.checks.is_empty() {
        return Err(CliError::Input(
            "it is a task of a suite, which says itself where it starts, what may be touched and what is checked: leave \
             out --url, --open, --check and the flags of the guard"
                .to_owned(),
        ));
    }
    Ok(())
}

/// The task that a start by hand is, and what its checks are in words.
pub(super) fn by_hand(
    args: &mut Args,
    source: &ReplaySource,
    begun: &ByHandStart,
) -> Result<(ByHand, Vec<String>)> {
    let platform = source.platform();
    take_device(&mut args.device, platform, begun)?;
    let on = args.device.spec().parts.to_vec();
    let lines = if args.checks.is_empty() { judged_again(&begun.checks) } else { args.checks.clone() };
    let task = ByHand {
        checks: checks(&lines, platform, &on)?,
        entry: source.entry.clone(),
        goal: Goal { text: source.goal.clone(), ..Goal::default() },
        starts: if on.is_empty() { one(args, source, begun)? } else { all(args, begun)? },
    };
    Ok((task, lines))
}

/// Checks of a record. A command that somebody else may have written is not run unasked.
fn judged_again(recorded: &[String]) -> Vec<String> {
    let runs = |line: &&String| {
        let check = line.split_once(": ").map_or(line.as_str(), |(_, check)| check);
        [line.as_str(), check].iter().any(|text| text.trim_start().starts_with("shell"))
    };
    for line in recorded.iter().filter(runs) {
        let line = crate::out::plain(line, 300);
        eprintln!("not checked, for it runs a command that the record names: give it with --check '{line}'");
    }
    recorded.iter().filter(|line| !runs(line)).cloned().collect()
}

fn one(args: &Args, source: &ReplaySource, begun: &ByHandStart) -> Result<Starts> {
    args.device.starts_with(args.url.as_deref(), args.open.as_deref())?;
    let recorded = begun.start.as_str();
    if args.device.family().has_origins() {
        let url = args.url.as_deref().or(recorded).ok_or_else(|| {
            CliError::Input("the record does not say on which page it began: give --url".to_owned())
        })?;
        return Ok(Starts::One(Box::new(at_page(url, &args.guard)?)));
    }
    let family = args.device.family();
    // By the name that people know it by: the record's first screen tells which app that is.
    let package = source.place.split('/').next().filter(|package| !package.is_empty());
    let named = recorded.filter(|open| family.names_app(open)).and(package);
    let open = args.open.as_deref().or(named).or(recorded);
    if let (Some(open), None) = (open, &args.open) {
        eprintln!("starting {}, as it was recorded; --open names another", crate::out::plain(open, 200));
    }
    Ok(Starts::One(Box::new(family.start(open, args.guard.policy(None))?)))
}

fn all(args: &Args, begun: &ByHandStart) -> Result<Starts> {
    if args.url.is_some() || args.open.is_some() {
        return Err(CliError::Input("each of several screens starts as it was recorded".to_owned()));
    }
    let lines = begun.start.as_array().into_iter().flatten().filter_map(Value::as_str);
    let starts: Vec<NamedStart> = lines.map(str::parse).collect::<Result<_, _>>().map_err(CliError::Input)?;
    for start in &starts {
        eprintln!("starting {}, as it was recorded", crate::out::plain(&start.to_string(), 200));
    }
    several(&args.device.spec().parts, &starts, &args.guard)
}

/// What of a start goes into the manifest of a kept replay, so that it can be replayed itself.
pub(super) fn parameters(args: &Args, source: &ReplaySource, begun: &ByHandStart, lines: &[String]) -> Value {
    let given = args.url.as_ref().or(args.open.as_ref()).map(|given| Value::from(given.as_str()));
    let mut parameters = serde_json::json!({
        "goal": source.goal,
        "start": given.unwrap_or_else(|| begun.start.clone()),
        "device": args.device.spec().to_string(),
        "replayed": source.key.to_string(),
    });
    if !lines.is_empty() {
        parameters["checks"] = lines.into();
    }
    parameters
}

pub(super) fn hash(lines: &[String]) -> String {
    if lines.is_empty() { String::new() } else { run::hash(lines) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_of_a_record_is_not_run_unasked() {
        let lines = ["text contains \"Saved\"", "shell \"id\" equals 0", "phone: shell \"id\" equals 0"];
        let lines = lines.map(str::to_owned);
        assert_eq!(judged_again(&lines), lines[..1]);
    }
}
