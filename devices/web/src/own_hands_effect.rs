//! The device's part: a program's own events in place of the driver's hands.

use std::time::Duration;

use serde_json::{Value, json};

use crate::cdp::CdpError;
use crate::device::WebDevice;
use crate::effect::Ignore;
use crate::live::{BrowserSession, PageAnswer};
use crate::own_hands::ClientCall;
use crate::perform::{bad, passes_dialogs};
use crate::script::RawError;
use crate::state::{Front, HeldButton};
use waldo_devices::action::{Action, Clicks, Effect};
use waldo_devices::device::Deadline;
use waldo_devices::error::{DeviceError, rounded};

/// How long the browser may take to answer a page's opening; what comes later is seen by the next observation.
const OPENS_WITHIN: Duration = Duration::from_secs(10);

impl WebDevice {
    /// Carries out the program's input that comes to this action; `None` where none does.
    pub(crate) async fn own_hands_effect(
        &self,
        live: &BrowserSession,
        action: &Action,
        deadline: Deadline,
    ) -> Result<Option<Effect>, DeviceError> {
        let Some((calls, tab)) = live.own_hands.as_ref().and_then(|served| served.take(action)) else {
            return Ok(None);
        };
        // The place has to be on the screen, whoever's hand it is.
        action.clone().move_targets(&mut |at| self.geometry().check(*at).map(drop), &mut |_| Ok(()))?;
        if let Some(tab) = &tab
            && !matches!(action, Action::CloseTab | Action::Dialog { .. })
        {
            live.shared().update(|state| {
                if state.tabs.iter().any(|known| known.target == *tab) {
                    state.active = Some(tab.clone());
                }
            });
        }
        let front = live.front(deadline).await?;
        if !passes_dialogs(action) && live.tab(&front, |tab| tab.dialog.is_some()).unwrap_or_default() {
            return Err(bad("dialog", "a dialog holds up the page: answer it first"));
        }
        let (answer, effect) = self.carry_out(live, &front, action, calls, deadline).await?;
        if let Some(served) = &live.own_hands {
            served.answer(answer);
        }
        Ok(Some(effect))
    }

    async fn carry_out(
        &self,
        live: &BrowserSession,
        front: &Front,
        action: &Action,
        calls: Vec<ClientCall>,
        deadline: Deadline,
    ) -> Result<(Result<Value, String>, Effect), DeviceError> {
        let done = |effect| Ok((Ok(json!({})), effect));
        let named = |calls: &[ClientCall]| {
            calls.first().and_then(|call| call.params["targetId"].as_str()).map(str::to_owned)
        };
        match action {
            Action::Dialog { reply } => {
                return done(live.answer_dialog(front, reply, deadline).await?);
            }
            Action::CloseTab => {
                let target = named(&calls).unwrap_or_default();
                let tabs = live.shared().with(|state| state.tabs.len());
                if tabs < 2 {
                    return Err(bad("close_tab", "the last tab cannot be closed"));
                }
                live.close_tab(&Front { target, session: front.session.clone() }, deadline).await?;
                live.front(deadline).await?;
                return Ok((
                    Ok(json!({ "success": true })),
                    Effect::Confirmed { evidence: "the tab closed".to_owned() },
                ));
            }
            Action::SwitchTab { .. } => {
                live.shared().update(|state| state.active = named(&calls));
                live.front(deadline).await?;
                return done(Effect::Confirmed { evidence: "another tab is in front".to_owned() });
            }
            _ => {}
        }
        let before = live.before(front, &self.places, deadline).await;
        let opens =
            matches!(action, Action::Navigate { .. } | Action::Reload | Action::Back | Action::Forward);
        let deadline = if opens { deadline.at_most(OPENS_WITHIN) } else { deadline };
        let mut answer = Ok(json!({}));
        for ClientCall { session, method, mut params } in calls {
            if let Action::Upload { files, .. } = action {
                params["files"] = json!(files);
            }
            let call = live.cdp().call(Some(&session), &method, params, deadline);
            let said = match action {
                // No dialog of the page holds it up.
                Action::NewTab { .. } => call.await.map(PageAnswer::Done).map_err(RawError::Cdp),
                _ => live.watched(&front.target, &front.session, call, deadline).await,
            };
            match said {
                Ok(PageAnswer::Done(value)) => answer = Ok(value),
                Ok(PageAnswer::Dialog) => {
                    // By its answer the program has been told of the dialog, too.
                    let _ = live.cdp().call(None, "Browser.getVersion", json!({}), deadline).await;
                    return done(Effect::Confirmed { evidence: "a dialog opened".to_owned() });
                }
                // What the browser says against it is for the program.
                Err(RawError::Cdp(CdpError::Remote(message))) => {
                    let failed = DeviceError::Call { call: method, message: message.clone() };
                    tracing::debug!(%failed, "an input of a program");
                    return Ok((Err(message), Effect::Unverifiable));
                }
                Err(RawError::Cdp(CdpError::Timeout(after))) if opens => {
                    answer = Err(format!("the page did not answer within {}", rounded(after)));
                }
                Err(RawError::Cdp(error @ CdpError::Detached)) => {
                    if live.has_closed(front, deadline).await {
                        return done(Effect::Confirmed { evidence: "the tab closed".to_owned() });
                    }
                    return Ok((Err(error.to_string()), Effect::Unverifiable));
                }
                Err(RawError::Cdp(error)) => return Err(error.on(&method)),
                Err(RawError::Crashed(what)) => return Err(DeviceError::Crashed { what }),
            }
        }
        self.follow_held(live, front, action);
        let moves_caret = matches!(action, Action::Tap { clicks: Clicks::Single, .. });
        let ignore = if moves_caret { Ignore::Selection } else { Ignore::Nothing };
        let effect = match (action, live.effect(&before, ignore, deadline).await) {
            (Action::NewTab { .. }, _) => Effect::Confirmed { evidence: "a tab opened".to_owned() },
            (Action::PointerDown { .. }, Effect::SuspectedNoop) => Effect::Unverifiable,
            (_, effect) => effect,
        };
        Ok((answer, effect))
    }

    /// Knows of a button that a program holds, so that an episode that ends lets it go.
    fn follow_held(&self, live: &BrowserSession, front: &Front, action: &Action) {
        let held = match action {
            Action::PointerDown { at, button } => {
                let at = self.geometry().to_logical(*at);
                Some(HeldButton { tab: front.target.clone(), at: (at.x, at.y), button: *button })
            }
            Action::PointerUp { .. } => None,
            _ => return,
        };
        live.shared().update(|state| state.held = held);
    }
}
