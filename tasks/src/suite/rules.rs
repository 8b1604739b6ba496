//! What must hold of a suite beyond its shape.

use serde_json::Value;
use waldo_agents::reference::{Step, Verb};
use waldo_devices::catalogue::ParamKind;
use waldo_devices::{Platform, Tool};

use super::check::Check;
use super::file::{SuiteFile, TaskFile};
use super::instance::{Instance, ScreenDef};
use super::problem::{Problem, join};
use super::site::SiteFiles;

/// Rules of `suite.toml`.
pub(super) fn suite(file: &SuiteFile, formats: std::ops::RangeInclusive<u32>) -> Result<(), Problem> {
    if !formats.contains(&file.format) {
        let (first, last) = formats.into_inner();
        let message = format!("this waldo reads formats {first} to {last}, not {}", file.format);
        return Err(Problem::new("format", message));
    }
    kebab("id", &file.id)?;
    filled("title", &file.title)?;
    level(&file.level)?;
    if !file.platform.is_staged() && !file.platform.has_several_screens() {
        return Err(Problem::new(
            "platform",
            "is web, android, desktop or devices: on others no task is set up",
        ));
    }
    if file.max_steps == 0 {
        return Err(Problem::new("max_steps", "at least one step is needed"));
    }
    if file.order.is_empty() {
        return Err(Problem::new("order", "a suite has at least one task"));
    }
    Ok(())
}

/// Levels of tasks: content understanding, grounding, automation, collaboration.
pub const LEVELS: [&str; 4] = ["L1", "L2", "L3", "L4"];

fn level(level: &str) -> Result<(), Problem> {
    if LEVELS.contains(&level) {
        return Ok(());
    }
    Err(Problem::new("level", format!("'{level}': the levels are {}", LEVELS.join(", "))))
}

/// Rules of a task file that need no drawing.
pub(super) fn task(file: &TaskFile, platform: Platform) -> Result<(), Problem> {
    kebab("id", &file.id)?;
    kebab("category", &file.category)?;
    filled("title", &file.title)?;
    filled("goal", &file.goal)?;
    if platform.has_several_screens() {
        return several(file);
    }
    if !file.screen.is_empty() {
        return Err(Problem::new("screen", "is for suites whose platform is devices"));
    }
    filled("start", &file.start)?;
    stage_of(file, platform)?;
    let (phone, desktop) = (platform.has_packages(), platform.has_programs());
    if (phone || desktop) && file.check.is_empty() {
        let message =
            "a task on a phone or desktop needs at least one [[check]], if only that nothing was changed";
        return Err(Problem::new("check", message));
    }
    if file.check.is_empty() && !file.infeasible {
        return Err(Problem::new("check", "a task needs at least one [[check]]"));
    }
    if file.reference.is_empty() {
        return Err(Problem::new("reference", "a task needs a solution: at least one [[reference]] step"));
    }
    Ok(())
}

/// Fields that say how a screen of this kind starts; each kind has its own.
fn stage_of(file: &TaskFile, platform: Platform) -> Result<(), Problem> {
    let phone = platform.has_packages();
    if phone && !file.state.is_empty() {
        return Err(Problem::new("state", "is what pages start from; a phone's stage is set by [[setup]]"));
    }
    let desktop = platform.has_programs();
    if desktop && !file.state.is_empty() {
        let message = "is what pages start from; a desktop's stage is set by [[file]] and [[program]]";
        return Err(Problem::new("state", message));
    }
    if !file.setup.is_empty() && !phone {
        return Err(Problem::new("setup", "is for suites whose platform is android"));
    }
    let of_desktops = [
        ("file", !file.file.is_empty()),
        ("program", !file.program.is_empty()),
        ("env", !file.env.is_empty()),
        ("shell", file.shell),
        ("ready", file.ready.is_some()),
    ];
    if let Some((field, _)) = of_desktops.into_iter().find(|(_, given)| *given && !desktop) {
        return Err(Problem::new(field, "is for suites whose platform is desktop"));
    }
    Ok(())
}

fn several(file: &TaskFile) -> Result<(), Problem> {
    if file.screen.len() < 2 {
        return Err(Problem::new("screen", "a task on several screens has at least two [[screen]]"));
    }
    let of_one = [
        ("start", !file.start.is_empty()),
        ("apps", !file.apps.is_empty()),
        ("file", !file.file.is_empty()),
        ("program", !file.program.is_empty()),
        ("env", !file.env.is_empty()),
        ("ready", file.ready.is_some()),
        ("shell", file.shell),
        ("setup", !file.setup.is_empty()),
    ];
    if let Some((field, _)) = of_one.into_iter().find(|(_, given)| *given) {
        return Err(Problem::new(field, "is a screen's: write it below its [[screen]]"));
    }
    if !file.state.is_empty() && !file.screen.iter().any(|screen| screen.platform.has_pages()) {
        return Err(Problem::new("state", "is what pages start from, and no screen is of the platform web"));
    }
    for (n, screen) in file.screen.iter().enumerate() {
        let path = format!("screen[{n}]");
        kebab("name", &screen.name).map_err(|problem| problem.below(&path))?;
        if file.screen.iter().take(n).any(|other| other.name == screen.name) {
            let message = format!("two screens have the name '{}'", screen.name);
            return Err(Problem::new(join(&path, "name"), message));
        }
        if !screen.platform.is_staged() {
            let message = "a screen is web, android or desktop";
            return Err(Problem::new(join(&path, "platform"), message));
        }
        filled("start", &screen.start).map_err(|problem| problem.below(&path))?;
        stage_of(&file.on_screen(screen), screen.platform).map_err(|problem| problem.below(&path))?;
    }
    let checks = file.check.len() + file.screen.iter().map(|screen| screen.check.len()).sum::<usize>();
    if checks == 0 {
        return Err(Problem::new("check", "a task needs at least one [[check]] or [[screen.check]]"));
    }
    if file.reference.is_empty() {
        return Err(Problem::new("reference", "a task needs a solution: at least one [[reference]] step"));
    }
    Ok(())
}

/// Rules of how a drawn instance starts and is checked.
pub(super) fn stage(instance: &Instance, site: &SiteFiles) -> Result<(), Problem> {
    // A suite of several screens has no start of its own: each screen has one.
    let platform = instance.platform;
    if platform.has_packages() {
        apps(instance)?;
    } else if platform.has_programs() {
        super::desktop::rules(instance)?;
    } else if platform.has_pages() && instance.apps.is_empty() {
        start(&instance.start_path, site)?;
    }
    for (n, event) in instance.events.iter().enumerate() {
        let fits = match event.screen {
            // Its screen's kind is looked at beside the screens.
            _ if platform.has_several_screens() => Ok(()),
            None => event.suits(platform, platform),
            Some(_) => Err(Problem::new("screen", "is for tasks on several screens")),
        };
        fits.map_err(|problem| problem.below(&format!("event[{n}]")))?;
    }
    match instance.checks.iter().position(|check| !check.suits(instance.platform)) {
        Some(n) => {
            let message = format!("there are no such checks on {}", instance.platform.as_str());
            Err(Problem::new(format!("check[{n}].kind"), message))
        }
        None => Ok(()),
    }
}

/// Each event of a task on several screens names the one where it happens.
pub(super) fn events_on(instance: &Instance, screens: &[ScreenDef]) -> Result<(), Problem> {
    for (n, event) in instance.events.iter().enumerate() {
        let find = |name: &String| screens.iter().find(|screen| screen.name == *name);
        let screen = event.screen.as_ref().and_then(find);
        let asked = event.when_screen.as_ref().map_or(screen, find);
        let known = || screens.iter().map(|screen| screen.name.as_str()).collect::<Vec<_>>().join(", ");
        let fits = match (screen, asked) {
            (Some(screen), Some(asked)) => event.suits(screen.def.platform, asked.def.platform),
            (Some(_), None) => Err(Problem::new("when_screen", format!("there are {}", known()))),
            (None, _) => {
                Err(Problem::new("screen", format!("name the screen where it happens: {}", known())))
            }
        };
        fits.map_err(|problem| problem.below(&format!("event[{n}]")))?;
    }
    Ok(())
}

pub(super) fn instance(instance: &Instance, site: &SiteFiles) -> Result<(), Problem> {
    stage(instance, site)?;
    let steps = &instance.reference;
    for (n, step) in steps.iter().enumerate() {
        let path = format!("reference[{n}]");
        if !can(instance.platform, step.verb) {
            let message = format!("{} cannot do this", instance.platform.as_str());
            return Err(Problem::new(join(&path, "do"), message));
        }
        step_rules(step, &instance.state).map_err(|problem| problem.below(&path))?;
        let ends = step.verb.ends();
        if ends && n + 1 < steps.len() {
            return Err(Problem::new(join(&path, "do"), "this ends the episode and can only come last"));
        }
    }
    let Some(last) = steps.last() else { return Ok(()) };
    let at = format!("reference[{}].do", steps.len() - 1);
    if instance.infeasible && last.verb != Verb::Infeasible {
        return Err(Problem::new(at, "the solution of an infeasible task ends in \"infeasible\""));
    }
    if !instance.infeasible && last.verb == Verb::Infeasible {
        return Err(Problem::new(at, "only an infeasible task ends like that; set infeasible = true"));
    }
    if instance.checks.iter().any(Check::wants_answer) && last.verb != Verb::Answer {
        return Err(Problem::new(at, "a task with an answer check ends in \"answer\""));
    }
    let finish = usize::from(!last.verb.ends());
    let needed = steps.len() + finish;
    let budget = usize::try_from(instance.max_steps).unwrap_or(usize::MAX);
    if budget <= needed {
        let message = format!("{budget} is not above the {needed} decisions of the reference solution");
        return Err(Problem::new("max_steps", message));
    }
    Ok(())
}

/// The app to start with, and those that may be touched.
fn apps(instance: &Instance) -> Result<(), Problem> {
    let part = |c: char| c.is_ascii_alphanumeric() || "._".contains(c);
    let package = |name: &str| name.contains('.') && name.chars().all(part);
    let start = &instance.start_path;
    if start != "home" && !package(start) {
        let message =
            format!("'{start}' is not a package such as com.android.settings; home is the home screen");
        return Err(Problem::new("start", message));
    }
    if let Some(n) = instance.apps.iter().position(|app| !package(app.strip_suffix('*').unwrap_or(app))) {
        let message =
            format!("'{}' is not a package, nor the beginning of some with a * behind", instance.apps[n]);
        return Err(Problem::new(format!("apps[{n}]"), message));
    }
    if start == "home" && instance.apps.is_empty() {
        return Err(Problem::new("apps", "where the home screen is the start, the apps must be named"));
    }
    match instance.setup.iter().position(|line| line.trim().is_empty()) {
        Some(n) => Err(Problem::new(format!("setup[{n}].run"), "is empty")),
        None => Ok(()),
    }
}

/// Whether screens of a kind can do what a step asks for.
fn can(platform: Platform, verb: Verb) -> bool {
    match verb {
        Verb::Do(Tool::Swipe) => platform.has_packages() || platform.has_several_screens(),
        // Which screen is in front then, nobody knows here.
        Verb::Do(_) if platform.has_several_screens() => true,
        Verb::Do(tool) => tool.spec().need.known_on(platform),
        Verb::Answer | Verb::Infeasible => true,
    }
}

fn start(start: &str, site: &SiteFiles) -> Result<(), Problem> {
    if !start.starts_with('/') || start.starts_with("//") {
        return Err(Problem::new("start", format!("'{start}' is not a path: write /folder/ or /page.html")));
    }
    let path = start.split(['?', '#']).next().unwrap_or_default();
    if site.get(path).is_none() {
        return Err(Problem::new("start", format!("site/ has no page '{path}'")));
    }
    Ok(())
}

/// Each verb with all that it needs.
fn step_rules(step: &Step, state: &Value) -> Result<(), Problem> {
    let needs = |given, field: &str| -> Result<(), Problem> {
        let message = || format!("\"do\" needs the field '{field}' here");
        if given { Ok(()) } else { Err(Problem::new("do", message())) }
    };
    let Verb::Do(tool) = step.verb else { return needs(step.text.is_some(), "text") };
    let spec = tool.spec();
    if let Some(name) = step.with.keys().find(|name| spec.position(name).is_none()) {
        return Err(Problem::new("with", format!("{} has no parameter '{name}'", spec.name)));
    }
    if tool == Tool::Scroll {
        needs(step.down != 0 || step.right != 0, "down' or 'right")?;
        // Agents scroll one way at a time, so one step of a solution must be one of theirs.
        if step.down != 0 && step.right != 0 {
            return Err(Problem::new("right", "a step scrolls one way: write two steps, one with 'down'"));
        }
    }
    let aimed = step.target().is_some();
    if tool == Tool::Drag {
        needs(aimed, "role' or 'name")?;
        needs(step.to.is_some() != step.path.is_some(), "to' or 'path")?;
    }
    for param in spec.params.iter().filter(|p| !p.optional && !step.with.contains_key(p.name)) {
        match (param.kind, param.name) {
            _ if tool == Tool::Drag => {}
            (kind, _) if kind.takes_area() => needs(aimed || step.at.is_some(), "role' or 'name")?,
            (kind, _) if kind.is_target() => needs(aimed, "role' or 'name")?,
            (ParamKind::Direction, _) => needs(step.towards.is_some() || tool == Tool::Scroll, "towards")?,
            (ParamKind::Tab, _) => needs(step.tab.is_some(), "tab")?,
            (ParamKind::Files, _) => files(step, state, needs)?,
            (ParamKind::Path, _) => needs(step.path.is_some(), "path")?,
            (ParamKind::Reply, _) => {}
            (_, "text") => needs(step.text.is_some(), "text")?,
            (_, "option") => needs(step.option.is_some(), "option")?,
            (_, "key") => needs(step.chord.is_some(), "key")?,
            (_, "url") => needs(step.url.is_some(), "url")?,
            (_, "app") => needs(step.app.is_some(), "app")?,
            (_, name) => needs(false, &format!("with.{name}"))?,
        }
    }
    let shares = step.at.iter().chain(step.path.iter().flatten()).chain(step.to.iter().flat_map(|to| &to.at));
    for share in shares.flatten() {
        if !(0.0..=1.0).contains(share) {
            return Err(Problem::new("", format!("{share} is not a share of an element: 0 to 1")));
        }
    }
    Ok(())
}

/// The files of a step, and that the task has them.
fn files(
    step: &Step,
    state: &Value,
    needs: impl Fn(bool, &str) -> Result<(), Problem>,
) -> Result<(), Problem> {
    needs(!step.files.is_empty(), "files")?;
    let text = |name: &String| state.get("uploads").and_then(|all| all.get(name)).and_then(Value::as_str);
    match step.files.iter().find(|name| text(name).is_none()) {
        Some(name) => Err(Problem::new("files", format!("state.uploads has no text for '{name}'"))),
        None => Ok(()),
    }
}

fn kebab(field: &str, text: &str) -> Result<(), Problem> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let good = !text.is_empty() && text.split('-').all(|part| !part.is_empty() && part.chars().all(plain));
    if good {
        return Ok(());
    }
    Err(Problem::new(field, format!("'{text}': use small letters and digits, joined by single hyphens")))
}

fn filled(field: &str, text: &str) -> Result<(), Problem> {
    if text.trim().is_empty() { Err(Problem::new(field, "is empty")) } else { Ok(()) }
}
