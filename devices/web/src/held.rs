//! What stays down between two inputs: keys during one of the mouse, and a button from its press to its release.

use std::future::Future;

use super::input::{Input, InputResult, KEY_EVENT, key_event, mouse, named, steps};
use super::keys::{self, MODIFIERS, modifier_key};
use super::live::PageAnswer;
use super::state::HeldButton;
use waldo_devices::{Button, Logical, Modifiers, Point};

impl Input<'_> {
    /// Does something while keys are held, as every event of the mouse then says. In any case no key stays down.
    pub(crate) async fn with_keys<F: Future<Output = InputResult>>(
        &self,
        held: Modifiers,
        what: impl FnOnce(Self) -> F,
    ) -> InputResult {
        let input = Self { modifiers: keys::bits(held), ..*self };
        let done = match input.modifier_keys("rawKeyDown", input.modifiers).await {
            Ok(PageAnswer::Done(())) => what(input).await,
            other => other,
        };
        let released = input.modifier_keys("keyUp", 0).await;
        if let PageAnswer::Dialog = done? { Ok(PageAnswer::Dialog) } else { released }
    }

    async fn modifier_keys(&self, kind: &str, modifiers: u8) -> InputResult {
        let held = MODIFIERS.iter().filter(|(bit, ..)| self.modifiers & bit != 0);
        self.send(held.map(|known| (KEY_EVENT, key_event(kind, &modifier_key(known), modifiers))).collect())
            .await
    }

    fn hold(&self, held: Option<(Point<Logical>, Button)>) {
        let held =
            held.map(|(at, button)| HeldButton { tab: self.front.target.clone(), at: (at.x, at.y), button });
        self.live.shared().update(|state| state.held = held);
    }

    pub(crate) async fn press_down(&self, at: Point<Logical>, button: Button) -> InputResult {
        // Noted before it is sent: a press that may have arrived has to be let go.
        self.hold(Some((at, button)));
        let (name, bit) = named(button);
        let events = [mouse("mouseMoved", at, "none", 0, 0), mouse("mousePressed", at, name, bit, 1)];
        self.send(events.into_iter().map(|event| ("Input.dispatchMouseEvent", event)).collect()).await
    }

    pub(crate) async fn move_held(&self, from: &HeldButton, to: Point<Logical>) -> InputResult {
        self.hold(Some((to, from.button)));
        let (name, bit) = named(from.button);
        let way = steps(&[from.point(), to]).into_iter().map(|at| mouse("mouseMoved", at, name, bit, 1));
        self.send(way.map(|event| ("Input.dispatchMouseEvent", event)).collect()).await
    }

    pub(crate) async fn release(&self, from: &HeldButton, to: Point<Logical>) -> InputResult {
        if from.point() != to
            && let PageAnswer::Dialog = self.move_held(from, to).await?
        {
            return Ok(PageAnswer::Dialog);
        }
        let done = self.mouse(mouse("mouseReleased", to, named(from.button).0, 0, 1)).await;
        self.hold(None);
        done
    }

    /// Lets the pointer go where it is, if it is held.
    pub(crate) async fn let_go(&self) -> InputResult {
        let held = self.live.shared().with(|state| state.held.clone());
        match held {
            Some(held) if held.tab == self.front.target => self.release(&held, held.point()).await,
            // Its tab is gone or behind another one, and the press with it.
            _ => {
                self.hold(None);
                Ok(PageAnswer::Done(()))
            }
        }
    }
}
