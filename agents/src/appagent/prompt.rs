//! Fills in the contexts of the templates from a turn.

use waldo_devices::labels::{self, Grid};
use waldo_devices::{Capability, Observation, ScreenInfo, Settled};
use waldo_prompts::appagent::{self as prompts, ScreenPrompt, long_line, place_line};

use super::call::{PARTS, part_name};
use super::catalogue::{self, FunctionOffer};
use super::options::{AppAgentOptions, Mode};
use crate::agent::{Brief, Note, TAG_CAP, Turn, View};

/// What stands in the templates for the reply that ends a task.
pub(crate) const ENDINGS: &str = "FINISH when the task is complete";
/// The same where there is no other way to end.
const ENDINGS_COMPAT: &str = "FINISH when the task is complete or nothing is left to do";

#[derive(Clone, Debug, Default)]
pub(crate) struct TurnMemory {
    pub(crate) history: Option<String>,
    pub(crate) call: Option<String>,
    /// Whether the last turn did nothing to the device, which is not a failure of an action.
    pub(crate) passed: bool,
    /// Why the last reply could not be used.
    pub(crate) trouble: Option<String>,
}

pub(crate) fn deploy(
    brief: &Brief,
    turn: &Turn<'_>,
    memory: &TurnMemory,
    options: &AppAgentOptions,
) -> prompts::Deploy {
    let mode = options.mode;
    let tolerant = mode == Mode::Tolerant;
    let picture = !turn.view.observation.picture.is_empty();
    let offer = if tolerant { FunctionOffer::Elements } else { FunctionOffer::UpstreamElements };
    let mut functions = functions(brief, offer, options);
    if !picture {
        functions.retain(|f| f.signature != "grid()");
    }
    // AppAgent's own form has none of these.
    let (fitting, functions) = functions.into_iter().partition(|f| catalogue::is_rare(&f.signature));
    let fitting: Vec<prompts::Function> = fitting;
    let fitting =
        fitting.into_iter().filter(|f| catalogue::fits(&f.signature, &turn.view.observation)).collect();
    prompts::Deploy {
        machine: catalogue::machine(brief.device.platform).to_owned(),
        picture,
        functions,
        docs: options.docs.of(turn.view, mode),
        goal: brief.goal.trim().to_owned(),
        history: memory.history.clone(),
        note: if tolerant { note(brief, turn, memory) } else { None },
        steps_left: tolerant.then(|| steps_left(brief, turn)),
        screen: tolerant.then(|| {
            let mut screen = screen(turn.view);
            screen.place.extend(seen_after(turn.note));
            screen
        }),
        fitting,
        endings: if tolerant { ENDINGS } else { ENDINGS_COMPAT }.to_owned(),
    }
}

pub(crate) fn grid(
    brief: &Brief,
    turn: &Turn<'_>,
    memory: &TurnMemory,
    grid: &Grid,
    within: Option<u32>,
    options: &AppAgentOptions,
) -> prompts::Grid {
    let mode = options.mode;
    let tolerant = mode == Mode::Tolerant;
    let offer = if tolerant { FunctionOffer::Areas } else { FunctionOffer::UpstreamAreas };
    prompts::Grid {
        machine: catalogue::machine(brief.device.platform).to_owned(),
        within,
        rows: grid.rows,
        columns: grid.cols,
        parts: PARTS.into_iter().map(|p| part_name(p).to_owned()).collect(),
        functions: functions(brief, offer, options),
        goal: brief.goal.trim().to_owned(),
        history: memory.history.clone(),
        note: if tolerant { note(brief, turn, memory) } else { None },
        steps_left: tolerant.then(|| steps_left(brief, turn)),
        endings: if tolerant { ENDINGS } else { ENDINGS_COMPAT }.to_owned(),
    }
}

/// What the device can, and the secrets that may be typed; these only where waldo's own functions are.
pub(crate) fn functions(
    brief: &Brief,
    offer: FunctionOffer,
    options: &AppAgentOptions,
) -> Vec<prompts::Function> {
    let mut all = catalogue::functions(&brief.device, offer);
    if let Some(secret) = catalogue::secret(&options.secrets).filter(|_| options.mode == Mode::Tolerant) {
        let place = all.iter().position(|f| f.signature.starts_with("text(")).map_or(all.len(), |at| at + 1);
        all.insert(place, secret);
    }
    all
}

fn steps_left(brief: &Brief, turn: &Turn<'_>) -> u32 {
    brief.max_steps.saturating_sub(turn.step).saturating_add(1)
}

fn note(brief: &Brief, turn: &Turn<'_>, memory: &TurnMemory) -> Option<String> {
    let mut said = Vec::new();
    if let Some(words) = turn.person {
        said.push(format!("the person who set the task tells you: {words}"));
    }
    let call = memory.call.as_deref().unwrap_or("the action");
    // The numbers in it are those of the screen before; a model should not take them for these.
    match turn.note {
        Some(note @ Note::Refused { .. }) => {
            let reason = note.reason().unwrap_or_default();
            said.push(format!("{call}, by the numbers of the screen before, was refused: {reason}."));
        }
        // Looking through a grid was not an action that could fail; what was wrong with a reply is told below.
        Some(Note::Failed { .. }) if memory.passed => {}
        Some(note @ Note::Failed { .. }) => {
            let reason = note.reason().unwrap_or_default();
            said.push(format!(
                "{call}, by the numbers of the screen before, could not be carried out: {reason}."
            ));
        }
        Some(Note::NoChange) => {
            said.push(format!(
                "{call}, by the numbers of the screen before, changed nothing that could be seen."
            ));
        }
        Some(Note::Redrawn) => said.push(format!(
            "{call}, by the numbers of the screen before, changed only the focus, or how something is drawn."
        )),
        Some(Note::NotAsAsked { .. }) => {
            said.push(format!(
                "{call}, by the numbers of the screen before, left something else than it asked for: see the block of \
                 untrusted text."
            ));
        }
        // It stands in the block of untrusted text.
        Some(Note::Changed { .. } | Note::Printed { .. }) | None => {}
    }
    if let Some(trouble) = &memory.trouble {
        said.push(format!("your reply could not be used, so nothing was done: {trouble}."));
    }
    if turn.view.observation.context.dialog.is_some()
        && brief.device.capabilities.contains(&Capability::Dialogs)
    {
        said.push("A dialog is open and holds up the page: answer it with dialog(...) first.".to_owned());
    }
    (!said.is_empty()).then(|| said.join(" "))
}

/// What the last action printed, or what a tool that it called answered, as a line of the block of untrusted text.
pub(crate) fn printed(text: &str) -> String {
    long_line("printed or answered by your last action", text)
}

/// What was seen to come of the last action, or what the device said of it, as a line of the block of untrusted text.
pub(crate) fn seen_after(note: Option<&Note>) -> Option<String> {
    match note? {
        Note::Changed { text } => Some(place_line("seen after your last action", text)),
        Note::Printed { text } => Some(printed(text)),
        Note::NotAsAsked { found } => Some(place_line("what stands there after your last action", found)),
        note => note.quoted().map(|said| place_line("the device, of your last action", said)),
    }
}

pub(crate) fn screen(view: &View) -> ScreenPrompt {
    let observation = &view.observation;
    // What fell to the cap on numbers is left out of the list as well.
    let capped = match view.tagged.len() {
        n if n < TAG_CAP => 0,
        n => labels::select(&observation.elements, usize::MAX).len().saturating_sub(n),
    };
    let left_out = observation.context.truncated + capped;
    ScreenPrompt { place: place(observation), elements: view.list.clone(), left_out }
}

/// A screen among several, with what is in front there.
fn screen_line(screen: &ScreenInfo) -> String {
    let state = match (screen.front, screen.changed) {
        (true, _) => ", in front",
        (false, true) => ", changed since you last looked",
        (false, false) => "",
    };
    let label = format!("screen {} ({}{state})", screen.name, catalogue::machine(screen.platform));
    place_line(&label, &screen.showing)
}

fn place(observation: &Observation) -> Vec<String> {
    let context = &observation.context;
    let mut lines = Vec::new();
    if !context.location.is_empty() {
        lines.push(place_line("address", &context.location));
    }
    if !context.title.is_empty() {
        lines.push(place_line("title", &context.title));
    }
    for screen in &context.screens {
        lines.push(screen_line(screen));
    }
    if context.tabs.len() > 1 {
        for (i, tab) in context.tabs.iter().enumerate() {
            let front = if tab.active { " (in front)" } else { "" };
            lines.push(place_line(&format!("tab {}{front}", i + 1), &format!("{} | {}", tab.title, tab.url)));
        }
    }
    if let Some(dialog) = &context.dialog {
        lines.push(place_line(&format!("open dialog ({})", dialog.kind), &dialog.message));
        if let Some(default) = &dialog.default {
            lines.push(place_line("its text", default));
        }
    }
    for download in &context.downloads {
        let label = if download.done { "download (complete)" } else { "download (under way)" };
        lines.push(place_line(label, &download.name));
    }
    if let Some(scroll) = context.page_scroll.filter(|s| s.above > 0 || s.below > 0) {
        lines.push(format!("out of view: {} px above, {} px below", scroll.above, scroll.below));
    }
    if context.keyboard_shown == Some(true) {
        lines.push("an on-screen keyboard is shown".to_owned());
    }
    for origin in &context.blocked {
        lines.push(place_line("blocked request to", origin));
    }
    for notice in &context.notices {
        lines.push(place_line("notice", notice));
    }
    if context.texts_left_out > 0 {
        lines.push(format!("{} more texts of this screen are not in the list", context.texts_left_out));
    }
    if observation.settled == Settled::StillLoading {
        lines.push(
            "still loading: something may be missing; wait before anything is taken to be absent".to_owned(),
        );
    }
    lines
}
