//! Actions.

#![warn(clippy::wildcard_enum_match_arm, reason = "a new action has to be named by every driver")]

use std::borrow::Cow;
use std::time::{Duration, Instant};

use super::device::WebDevice;
use super::effect::{Ignore, not_as_asked};
use super::events::TABS_MAX;
use super::input::Input;
use super::keys::WebChord;
use super::live::{BrowserSession, PageAnswer};
use super::navigate::PageMove;
use super::state::{ContextState, Front, HeldButton};
use serde_json::{Value, json};
use waldo_devices::guard::shown_origin;
use waldo_devices::{
    Action, ActionReport, Button, Clicks, Deadline, DeviceError, DialogReply, Effect, Logical, Modifiers,
    Physical, Point, RefusalKind, Result, TabIndex,
};

const WAIT_MAX: Duration = Duration::from_secs(10);

/// How long a tab may take to close before it is asked again.
const CLOSES_WITHIN: Duration = Duration::from_millis(500);

pub(super) fn bad(what: &str, message: impl Into<String>) -> DeviceError {
    DeviceError::BadArgument { what: what.to_owned(), message: message.into() }
}

impl WebDevice {
    pub(crate) async fn act(&mut self, action: &Action, deadline: Deadline) -> Result<ActionReport> {
        let began = Instant::now();
        let effect = self.effect_of(action, deadline).await?;
        Ok(ActionReport { effect, took: began.elapsed() })
    }

    async fn effect_of(&self, action: &Action, deadline: Deadline) -> Result<Effect> {
        let live = self.live()?;
        if let Some(effect) = self.own_hands_effect(live, action, deadline).await? {
            return Ok(effect);
        }
        let front = &live.front(deadline).await?;
        let held_up = || live.tab(front, |tab| tab.dialog.is_some());
        // Tabs that share the page's process would not answer to a change of tabs.
        if !passes_dialogs(action) && held_up().unwrap_or_default() {
            return Err(bad("dialog", "a dialog holds up the page: answer it first"));
        }
        // What can be wrong with the arguments is found before anything is touched.
        let hand = match action {
            Action::Dialog { reply } => return live.answer_dialog(front, reply, deadline).await,
            Action::Wait { ms } => {
                let left = deadline.left().saturating_sub(Duration::from_millis(50));
                tokio::time::sleep(Duration::from_millis(*ms).min(WAIT_MAX).min(left)).await;
                return Ok(Effect::Unverifiable);
            }
            Action::NewTab { url } => return self.new_tab(live, url.as_deref(), deadline).await,
            Action::SwitchTab { tab } => return self.switch_tab(live, front, *tab, deadline).await,
            Action::CloseTab => return self.leave_tab(live, front, deadline).await,
            Action::Navigate { url } => return live.go(front, PageMove::To(url), deadline).await,
            Action::Back => return live.go(front, PageMove::Back, deadline).await,
            Action::Forward => return live.go(front, PageMove::Forward, deadline).await,
            Action::Reload => return live.go(front, PageMove::Reload, deadline).await,
            Action::Clear { element } => {
                return self.field(live, front, element, deadline)?.clear().await;
            }
            Action::Select { element, option } => {
                return self.field(live, front, element, deadline)?.select(option).await;
            }
            Action::Upload { element, files } => {
                return self.field(live, front, element, deadline)?.upload(files).await;
            }
            Action::Fill { element, text } => {
                let field = self.field(live, front, element, deadline)?;
                if let Some(effect) = field.set_whole(text).await? {
                    return Ok(effect);
                }
                let cleared = field.clear().await?;
                if held_up().unwrap_or(true) || text.is_empty() {
                    return Ok(cleared);
                }
                let typed = InputOp::Type(Cow::Borrowed(text));
                let effect = self.with_hands(live, front, typed, Ignore::Nothing, deadline).await?;
                if held_up().unwrap_or(true) {
                    return Ok(effect);
                }
                return field.compared(text, effect).await;
            }
            Action::Tap { at, clicks, button } => {
                InputOp::Tap(self.logical(*at)?, *clicks, *button, Modifiers::default())
            }
            Action::TapAt { at, clicks, button, modifiers } => {
                InputOp::Tap(self.logical(*at)?, *clicks, *button, *modifiers)
            }
            Action::LongPress { at } => InputOp::LongPress(self.logical(*at)?),
            Action::Hover { at } => match held(live, front) {
                Some(held) => InputOp::Move(held, self.logical(*at)?),
                None => InputOp::Hover(self.logical(*at)?),
            },
            Action::PointerDown { at, button } => InputOp::Press(self.logical(*at)?, *button),
            Action::PointerMove { at } => {
                InputOp::Move(held(live, front).ok_or_else(not_held)?, self.logical(*at)?)
            }
            Action::PointerUp { at } => {
                InputOp::Release(held(live, front).ok_or_else(not_held)?, self.logical(*at)?)
            }
            Action::Scroll { at, by, modifiers } => InputOp::Scroll(self.logical(*at)?, *by, *modifiers),
            Action::Drag { path, button, modifiers } => {
                if path.len() < 2 {
                    return Err(bad("drag", "a path needs two points or more"));
                }
                let path = path.iter().map(|at| self.logical(*at)).collect::<Result<_, _>>()?;
                InputOp::Drag(path, *button, *modifiers)
            }
            Action::Swipe { from, to, .. } => InputOp::Drag(
                vec![self.logical(*from)?, self.logical(*to)?],
                Button::Left,
                Modifiers::default(),
            ),
            Action::Type { text } => InputOp::Type(Cow::Borrowed(text)),
            Action::TypeSecret { name } => InputOp::Type(self.options.secrets.typed(name)?),
            Action::Key { chord } => InputOp::Key(WebChord::parse_all(chord)?),
            Action::Pinch { .. }
            | Action::Home
            | Action::Recents
            | Action::OpenApp { .. }
            | Action::StopApp { .. }
            | Action::FocusWindow { .. }
            | Action::CloseWindow { .. }
            | Action::Shell { .. }
            | Action::AskUser { .. }
            | Action::CallTool { .. }
            | Action::Paste { .. }
            | Action::Rotate { .. }
            | Action::SwitchScreen { .. } => {
                return Err(DeviceError::unsupported("web", action.name()));
            }
        };
        // A single click moves the caret wherever it lands.
        let moves_caret = matches!(hand, InputOp::Tap(_, Clicks::Single, ..));
        let ignore = if moves_caret { Ignore::Selection } else { Ignore::Nothing };
        self.with_hands(live, front, hand, ignore, deadline).await
    }

    fn logical(&self, at: Point<Physical>) -> Result<Point<Logical>> {
        let geometry = self.geometry();
        geometry.check(at)?;
        Ok(geometry.to_logical(at))
    }

    async fn with_hands(
        &self,
        live: &BrowserSession,
        front: &Front,
        hand: InputOp<'_>,
        ignore: Ignore,
        deadline: Deadline,
    ) -> Result<Effect> {
        live.shared().update(|state| {
            if let Some(tab) = state.tab(&front.target) {
                tab.chooser = None;
            }
        });
        let switch =
            if let InputOp::Tap(at, Clicks::Single, Button::Left, _) = &hand { Some(at) } else { None };
        let (before, switches) = tokio::join!(live.before(front, &self.places, deadline), async {
            let at = switch?;
            let script = format!("__waldo.switchAt({}, {})", at.x, at.y);
            live.ask_top(front, &script, deadline).await.filter(|is_switch| *is_switch == Value::Bool(true))
        });
        let input = Input::new(live, front, deadline);
        // Keys and the wheel leave a held pointer as it is; whatever presses needs it free.
        if matches!(hand, InputOp::Tap(..) | InputOp::LongPress(_) | InputOp::Drag(..) | InputOp::Press(..)) {
            input.let_go().await?;
        }
        let done = match &hand {
            InputOp::Tap(at, clicks, button, held) => input.tap(*at, *clicks, *button, *held).await,
            InputOp::LongPress(at) => input.long_press(*at).await,
            InputOp::Hover(at) => input.hover(*at).await,
            InputOp::Press(at, button) => input.press_down(*at, *button).await,
            InputOp::Move(from, to) => input.move_held(from, *to).await,
            InputOp::Release(from, to) => input.release(from, *to).await,
            InputOp::Scroll(at, by, held) => input.scroll(*at, *by, *held).await,
            InputOp::Drag(path, button, held) => input.drag(path, *button, *held).await,
            InputOp::Type(text) => input.type_text(text).await,
            InputOp::Key(chords) => input.press_all(chords).await,
        };
        match done {
            Ok(PageAnswer::Done(())) => {}
            Ok(PageAnswer::Dialog) => {
                return Ok(Effect::Confirmed { evidence: "a dialog opened".to_owned() });
            }
            // The tab closed under the hand.
            Err(DeviceError::Call { .. }) if live.has_closed(front, deadline).await => {
                return Ok(Effect::Confirmed { evidence: "the tab closed".to_owned() });
            }
            Err(error) => return Err(error),
        }
        let effect = live.effect(&before, ignore, deadline).await;
        // Where another page or a dialog came, the switch is not what is asked about any more.
        if switches.is_some()
            && let Some(found) = live.ask_top(front, "__waldo.turnedBack()", deadline).await
            && let Some(other) = not_as_asked(&found)
        {
            return Ok(other);
        }
        // A style that answers to the pointer cannot be told from none.
        Ok(match (hand, effect) {
            (InputOp::Hover(_) | InputOp::Press(..), Effect::SuspectedNoop) => Effect::Unverifiable,
            (_, effect) => effect,
        })
    }

    async fn new_tab(&self, live: &BrowserSession, url: Option<&str>, deadline: Deadline) -> Result<Effect> {
        if live.shared().with(|state| state.tabs.len()) >= TABS_MAX {
            return Err(bad("new_tab", format!("{TABS_MAX} tabs are open: close one first")));
        }
        if let Some(url) = url {
            live.check_url(url)?;
        }
        let tab = live.open_tab(deadline).await?;
        match url {
            Some(url) => live.go(&tab, PageMove::To(url), deadline).await,
            None => Ok(Effect::Confirmed { evidence: "a tab opened".to_owned() }),
        }
    }

    async fn switch_tab(
        &self,
        live: &BrowserSession,
        front: &Front,
        tab: TabIndex,
        deadline: Deadline,
    ) -> Result<Effect> {
        let (found, count) = live
            .shared()
            .with(|state| (state.tabs.get(tab.0).map(|tab| tab.target.clone()), state.tabs.len()));
        let target = found.ok_or_else(|| {
            bad("tab", format!("there is no tab {}; tabs are 0 to {}", tab.0, count.saturating_sub(1)))
        })?;
        if target == front.target {
            return Ok(Effect::SuspectedNoop);
        }
        live.shared().update(|state| state.active = Some(target));
        live.front(deadline).await?;
        Ok(Effect::Confirmed { evidence: "another tab is in front".to_owned() })
    }

    async fn leave_tab(&self, live: &BrowserSession, front: &Front, deadline: Deadline) -> Result<Effect> {
        if live.shared().with(|state| state.tabs.len()) < 2 {
            return Err(bad("close_tab", "the last tab cannot be closed"));
        }
        live.close_tab(front, deadline).await?;
        live.front(deadline).await?;
        Ok(Effect::Confirmed { evidence: "the tab closed".to_owned() })
    }
}

/// Whether a dialog that is open does not keep it from being carried out.
pub(crate) fn passes_dialogs(action: &Action) -> bool {
    matches!(action, Action::Dialog { .. } | Action::Wait { .. } | Action::NewTab { .. } | Action::CloseTab)
}

fn held(live: &BrowserSession, front: &Front) -> Option<HeldButton> {
    live.shared().with(|state| state.held.clone()).filter(|held| held.tab == front.target)
}

fn not_held() -> DeviceError {
    bad("pointer", "it is not held pressed: press it first")
}

enum InputOp<'a> {
    Tap(Point<Logical>, Clicks, Button, Modifiers),
    LongPress(Point<Logical>),
    Hover(Point<Logical>),
    Press(Point<Logical>, Button),
    Move(HeldButton, Point<Logical>),
    Release(HeldButton, Point<Logical>),
    Scroll(Point<Logical>, waldo_devices::action::ScrollNotches, Modifiers),
    Drag(Vec<Point<Logical>>, Button, Modifiers),
    Type(Cow<'a, str>),
    Key(Vec<WebChord>),
}

impl BrowserSession {
    /// Whether the guard lets `url` be opened.
    pub(crate) fn check_url(&self, url: &str) -> Result<()> {
        if self.policy().allows_url(url) {
            return Ok(());
        }
        self.blocked().record(url);
        let reason = format!("{} is not an allowed origin", shown_origin(url));
        Err(DeviceError::Refused { kind: RefusalKind::Origin, reason })
    }

    /// Closes a tab and waits until it is gone.
    pub(crate) async fn close_tab(&self, front: &Front, deadline: Deadline) -> Result<()> {
        let waited = deadline.left();
        let method = "Target.closeTarget";
        // The browser forgets a request to close that meets a page being exchanged: it is asked again.
        while !deadline.passed() {
            let params = json!({ "targetId": front.target });
            let asked = self.cdp().call(None, method, params, deadline).await;
            let gone = self.shared().until(deadline.at_most(CLOSES_WITHIN).instant(), |state| {
                (!state.tabs.iter().any(|tab| tab.target == front.target)).then_some(())
            });
            if gone.await.is_some() {
                return Ok(());
            }
            asked.map_err(|error| error.on(method))?;
        }
        Err(DeviceError::Timeout { what: "a tab to close".to_owned(), after: waited })
    }

    pub(crate) async fn answer_dialog(
        &self,
        front: &Front,
        reply: &DialogReply,
        deadline: Deadline,
    ) -> Result<Effect> {
        if !self.tab(front, |tab| tab.dialog.is_some()).unwrap_or_default() {
            return Err(bad("dialog", "no dialog is open"));
        }
        let params = match reply {
            DialogReply::Accept { text: Some(text) } => json!({ "accept": true, "promptText": text }),
            DialogReply::Accept { text: None } => json!({ "accept": true }),
            DialogReply::Dismiss => json!({ "accept": false }),
        };
        let count =
            |state: &ContextState| state.tabs.iter().find(|t| t.target == front.target).map(|t| t.dialogs);
        let before = self.shared().with(count);
        let method = "Page.handleJavaScriptDialog";
        let answer = self.cdp().call(Some(&front.session), method, params, deadline);
        answer.await.map_err(|error| error.on(method))?;
        self.shared().update(|state| {
            // The page may have opened the next one already.
            if count(state) == before {
                state.dialog_closed(&front.session);
            }
        });
        Ok(Effect::Confirmed { evidence: "the dialog closed".to_owned() })
    }
}
