#![warn(clippy::wildcard_enum_match_arm, reason = "a new action has to be named by every driver")]

use std::time::Duration;

use super::device::DesktopDevice;
use super::display_state::DisplayState;
use super::effect::ScreenBefore;
use super::live::DisplaySession;
use super::process::signal;
use super::program::program_of;
use super::watch::wait_for;
use super::windows::{close, focus, stack, under};
use crate::chord::{Chord, Modifier};
use crate::display_thread::JobCaller;
use crate::effect::{ChangeScope, SHOWS_WITHIN, foreign, opened};
use crate::guard::WindowGuard;
use crate::hand::{DesktopAction, InputOp, bad, wait};
use crate::keysyms as key;
use crate::launch::{name_of, resolve};
use waldo_devices::{
    Action, Deadline, DeviceError, Effect, Element, ElementRef, Physical, Point, Result, Source, word_list,
};

/// How long after a key a button may do what it is for: GTK shows it pressed for 250 ms first.
const BUTTON_ACTIVATES: Duration = Duration::from_millis(320);
/// How long a window may take to come to the front or to close.
const WINDOWS_WITHIN: Duration = Duration::from_secs(2);
/// How long a program may take to fetch what is pasted.
const PASTES_WITHIN: Duration = Duration::from_secs(2);
/// How long the keyboard may be nobody's after a window closed, while text is typed.
const FOCUS_WITHIN: Duration = Duration::from_millis(500);
/// The pause between two looks at windows that are going.
const WINDOWS_LOOK: Duration = Duration::from_millis(50);
/// The pause between two looks at who has the keyboard.
const FOCUS_LOOK: Duration = Duration::from_millis(10);
/// How long an ended program may take to go.
const STOPS_WITHIN: Duration = Duration::from_secs(2);
/// The longest text of the clipboard, in bytes: what one property of a window can hold.
const PASTE_MAX: usize = 4 * 1024 * 1024;
/// How much of a command's output is told, in characters.
const OUTPUT_SHOWN: usize = 2_000;
const SHELL_MAX: Duration = Duration::from_secs(60);

/// Terminals in which Ctrl+V is a character, by program.
const TERMINALS: [&str; 9] = word_list(
    "gnome-terminal-server xfce4-terminal lxterminal mate-terminal qterminal konsole terminator tilix \
     alacritty",
);

impl InputOp {
    /// Does it, if the guard lets it, of the windows as they lie now.
    fn carry_out(
        self,
        s: &mut DisplayState,
        window_guard: &WindowGuard,
        caller: &JobCaller<'_>,
    ) -> Result<()> {
        let windows = stack(&s.x)?;
        if self.needs_free_pointer() {
            s.hands.let_go(&s.x)?;
        }
        self.places().iter().try_for_each(|at| window_guard.point(&under(&s.x, &windows, *at)))?;
        match self {
            Self::Tap(point, clicks, button, held) => {
                s.hands.tap(&s.x, point, clicks, button, &Modifier::of(held))
            }
            Self::LongPress(point) => s.hands.long_press(&s.x, point, caller),
            Self::Hover(point) => s.hands.hover(&s.x, point, caller),
            Self::Press(point, button) => s.hands.press(&s.x, point, button),
            Self::Release(point) => s.hands.release(&s.x, point, caller),
            Self::Scroll(point, by, held) => s.hands.scroll(&s.x, point, by, &Modifier::of(held)),
            Self::Drag(path, button, held) => {
                s.hands.drag(&s.x, &path, (button, &Modifier::of(held)), caller)
            }
            Self::Type(text) => {
                let mut had = false;
                s.hands.keyboard.type_text(&s.x, &text, caller, |x| {
                    let bound = caller.deadline().at_most(FOCUS_WITHIN);
                    loop {
                        let windows = stack(x)?;
                        let target = window_guard.keys(&windows)?.cloned();
                        // A window that closed leaves the keyboard to nobody for a moment.
                        if target.is_some() || !had || bound.passed() {
                            had |= target.is_some();
                            return Ok(target);
                        }
                        x.rest(FOCUS_LOOK)?;
                    }
                })
            }
            Self::Keys(chords) => {
                window_guard.chords(&chords)?;
                let target = window_guard.keys(&windows)?.cloned();
                s.hands.keyboard.press(&s.x, &chords, target.as_ref(), caller)
            }
        }
    }
}

impl DesktopDevice {
    pub(crate) async fn effect_of(&mut self, action: &Action, deadline: Deadline) -> Result<Effect> {
        let live = self.live()?;
        match DesktopAction::read(action, &live.geometry, &self.options.secrets, "desktop")? {
            DesktopAction::Hand(hand) => self.with_hand(hand, deadline).await,
            DesktopAction::Wait(ms) => Ok(wait(ms, deadline).await),
            DesktopAction::Focus(window) => self.on_window(window, false, deadline).await,
            DesktopAction::Close(window) => self.on_window(window, true, deadline).await,
            DesktopAction::Open(app) => self.open(app, deadline).await,
            DesktopAction::Stop(app) => self.stop(app, deadline).await,
            DesktopAction::Shell(command) => self.shell(command, deadline).await,
            DesktopAction::Paste(text) => self.paste(text, deadline).await,
            DesktopAction::Fill(element, "") => self.clear(element, deadline).await,
            DesktopAction::Fill(element, text) => self.fill(element, text, deadline).await,
        }
    }

    async fn with_hand(&mut self, hand: InputOp, deadline: Deadline) -> Result<Effect> {
        let judged = hand.judged();
        let live = self.live()?;
        let apart = match &live.access {
            Some(access) if hand.may_press_buttons() => {
                access.keys_press_buttons(&self.elements, deadline).await
            }
            _ => false,
        };
        let before = self.before(deadline).await?;
        if apart || (hand.may_press_default() && self.elements.iter().any(is_button)) {
            self.reactions.expect_later(BUTTON_ACTIVATES);
        }
        let live = self.live()?;
        // A program takes its time to show a window.
        let answers = matches!(&hand, InputOp::Keys(chords) if live.answers(chords));
        let (look, within) = if answers {
            (ChangeScope::Framed, self.options.launch)
        } else {
            (ChangeScope::All, SHOWS_WITHIN)
        };
        let window_guard = live.window_guard.clone();
        let job = move |s: &mut DisplayState, caller: &JobCaller<'_>| {
            s.hands.keyboard.apart = apart;
            let done = hand.carry_out(s, &window_guard, caller);
            s.hands.keyboard.apart = false;
            done
        };
        live.thread.ask_long("an action", deadline, job).await?;
        self.after(live, &before, look, within, deadline).await.map(judged)
    }

    async fn after(
        &self,
        live: &DisplaySession,
        before: &ScreenBefore,
        look: ChangeScope,
        within: Duration,
        deadline: Deadline,
    ) -> Result<Effect> {
        let mask = |text| self.options.secrets.mask(text);
        let reacts = self.reactions.wait();
        live.after(before, look, reacts, deadline.at_most(within), deadline, mask).await
    }

    async fn on_window(&mut self, id: u32, closes: bool, deadline: Deadline) -> Result<Effect> {
        let before = self.before(deadline).await?;
        let live = self.live()?;
        let window_guard = live.window_guard.clone();
        let job = move |s: &mut DisplayState| {
            let windows = stack(&s.x)?;
            window_guard.window(&windows, id)?;
            if closes { close(&s.x, id) } else { focus(&s.x, id) }
        };
        live.thread.ask("a window", deadline, job).await?;
        let was = before.windows.iter().find(|window| window.id == id);
        if !closes && was.is_some_and(|window| window.focused && !window.minimised) {
            // It may have lain below another all the same.
            return self.after(live, &before, ChangeScope::All, SHOWS_WITHIN, deadline).await;
        }
        self.after(live, &before, ChangeScope::Framed, WINDOWS_WITHIN, deadline).await
    }

    async fn open(&mut self, app: &str, deadline: Deadline) -> Result<Effect> {
        let program = resolve(app)?;
        let patience = self.options.launch;
        let live = self.live_mut()?;
        live.window_guard.program(&program.path)?;
        let (launched, guard) =
            (live.launch(&program, deadline.at_most(patience)).await, live.window_guard.clone());
        Ok(match opened(launched, &guard, &self.options.secrets)? {
            Ok(effect) => effect,
            Err(window) => {
                let members = self.live_mut()?.members();
                let started = window.pid.filter(|pid| members.contains(pid));
                if let Some(pid) = started {
                    signal(pid, rustix::process::Signal::KILL);
                }
                foreign(&window, if started.is_some() { "; that was ended" } else { "" })
            }
        })
    }

    async fn stop(&mut self, app: &str, deadline: Deadline) -> Result<Effect> {
        let name = name_of(&resolve(app)?.path);
        let live = self.live_mut()?;
        live.window_guard.program(std::path::Path::new(&name))?;
        let running = |live: &mut DisplaySession| -> Vec<u32> {
            live.members().into_iter().filter(|pid| program_of(*pid) == name).collect()
        };
        let all = running(live);
        if all.is_empty() {
            return Ok(Effect::SuspectedNoop);
        }
        for end in [rustix::process::Signal::TERM, rustix::process::Signal::KILL] {
            let bound = deadline.at_most(STOPS_WITHIN / 2);
            for pid in running(live) {
                signal(pid, end);
            }
            let mut signs = live.signs();
            while !running(live).is_empty() && !bound.passed() {
                let seen = signs.borrow_and_update().windows;
                let look = bound.at_most(Duration::from_millis(50));
                wait_for(&mut signs, look, |now| now.windows != seen || now.gone).await;
            }
        }
        // The server takes a moment to see that they are gone.
        let (mut signs, bound) = (live.signs(), deadline.at_most(STOPS_WITHIN / 2));
        while !bound.passed() {
            let seen = signs.borrow_and_update().windows;
            let windows = live.windows(deadline).await?;
            if !windows.iter().any(|window| window.pid.is_some_and(|pid| all.contains(&pid))) {
                break;
            }
            wait_for(&mut signs, bound.at_most(WINDOWS_LOOK), |now| now.windows != seen || now.gone).await;
        }
        Ok(match running(live).is_empty() {
            true => Effect::Confirmed { evidence: format!("no process of {name} runs") },
            false => Effect::SuspectedNoop,
        })
    }

    async fn shell(&mut self, command: &str, deadline: Deadline) -> Result<Effect> {
        let live = self.live()?;
        live.window_guard.shell()?;
        let mut line = live.command(std::path::Path::new("sh"));
        line.args(["-c", command]).current_dir(live.home());
        let left = deadline.left();
        let bound = deadline.at_most(SHELL_MAX.min(left.saturating_sub(left / 10)));
        let evidence = match super::shell::run(line, "the command", bound).await {
            Ok(ended) => {
                let code =
                    ended.code.map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"));
                // Masked before it is cut: the beginning of a secret would not be known as one.
                let said = self.options.secrets.mask(format!("{}{}", ended.out, ended.err));
                format!("it ended with {code}; it printed: {}", cut(said.trim_end(), OUTPUT_SHOWN))
            }
            Err(DeviceError::Timeout { after, .. }) => {
                format!("it did not end within {} s and was ended", after.as_secs())
            }
            Err(error) => return Err(error),
        };
        Ok(Effect::Confirmed { evidence: self.options.secrets.mask(evidence) })
    }

    async fn paste(&mut self, text: &str, deadline: Deadline) -> Result<Effect> {
        if text.len() > PASTE_MAX {
            return Err(bad("text", format!("the clipboard takes {PASTE_MAX} bytes at most")));
        }
        let before = self.before(deadline).await?;
        let live = self.live()?;
        let (window_guard, text) = (live.window_guard.clone(), text.to_owned());
        let job = move |s: &mut DisplayState, caller: &JobCaller<'_>| {
            let windows = stack(&s.x)?;
            let target = window_guard.keys(&windows)?.cloned();
            let clipboard = s.clipboard()?;
            clipboard.set(&text)?;
            let mut taken = clipboard.taken();
            taken.mark_unchanged();
            let chord = paste_chord(target.as_ref().map(|window| window.program.as_str()));
            s.hands.keyboard.press(&s.x, &[chord], target.as_ref(), caller)?;
            Ok(taken)
        };
        let mut taken = live.thread.ask_long("pasting", deadline, job).await?;
        let bound = deadline.at_most(PASTES_WITHIN);
        let fetched = tokio::time::timeout_at(bound.instant(), taken.changed()).await;
        let effect = self.after(live, &before, ChangeScope::All, SHOWS_WITHIN, deadline).await?;
        Ok(match (fetched, effect) {
            (Ok(Ok(())), Effect::Confirmed { evidence }) => {
                Effect::Confirmed { evidence: format!("the program fetched the text, {evidence}") }
            }
            (Ok(Ok(())), _) => Effect::Confirmed { evidence: "the program fetched the text".to_owned() },
            (_, effect) => effect,
        })
    }

    /// Presses a field, empties it and types into it.
    async fn by_hand(&mut self, hit: Point<Physical>, text: &str, deadline: Deadline) -> Result<Effect> {
        let before = self.before(deadline).await?;
        let live = self.live()?;
        let hands = InputOp::filling(hit, "ctrl+a Delete", text)?;
        let window_guard = live.window_guard.clone();
        let job = move |s: &mut DisplayState, caller: &JobCaller<'_>| {
            hands.into_iter().try_for_each(|hand| hand.carry_out(s, &window_guard, caller))
        };
        live.thread.ask_long("a field", deadline, job).await?;
        self.after(live, &before, ChangeScope::All, SHOWS_WITHIN, deadline).await
    }

    async fn fill(&mut self, handle: &ElementRef, text: &str, deadline: Deadline) -> Result<Effect> {
        let hit = handle.among(&self.elements)?.hit;
        self.by_hand(hit, text, deadline).await
    }

    async fn clear(&mut self, handle: &ElementRef, deadline: Deadline) -> Result<Effect> {
        let hit = handle.among(&self.elements)?.hit;
        let live = self.live()?;
        let window_guard = live.window_guard.clone();
        let job = move |s: &mut DisplayState| window_guard.point(&under(&s.x, &stack(&s.x)?, hit));
        live.thread.ask("the window there", deadline, job).await?;
        if let Some(access) = &live.access {
            let emptied = match access.set_text(handle, "", deadline).await {
                Ok(took) => took,
                Err(error @ DeviceError::StaleElement { .. }) => return Err(error),
                Err(_) => false,
            };
            let left = if emptied { access.value(handle, 10, deadline).await.ok().flatten() } else { None };
            // What is typed next goes there, as on pages.
            if left.as_deref() == Some("") && access.focus(handle, deadline).await.unwrap_or(false) {
                return Ok(Effect::Confirmed { evidence: "the field is empty".to_owned() });
            }
        }
        // By hand: all of it, away.
        self.by_hand(hit, "", deadline).await
    }
}

fn is_button(element: &Element) -> bool {
    element.source == Source::Tree && element.role.as_str() == "button"
}

fn paste_chord(program: Option<&str>) -> Chord {
    match program {
        Some("xterm" | "uxterm") => Chord { modifiers: vec![Modifier::Shift], key: Some(key::INSERT) },
        Some(terminal) if TERMINALS.contains(&terminal) => {
            Chord { modifiers: vec![Modifier::Control, Modifier::Shift], key: Some(u32::from(b'v')) }
        }
        _ => Chord { modifiers: vec![Modifier::Control], key: Some(u32::from(b'v')) },
    }
}

/// `text`, or as much of it as may be told.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{} ... ({} characters more)", &text[..at], text[at..].chars().count()),
        None => text.to_owned(),
    }
}
