//! Where a pointer is held pressed, followed through the actions that were carried out.

use crate::action::Action;
use crate::effects::ActionEffect;
use crate::geometry::{Physical, Point};
use crate::platform::Platform;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HeldPointer(Option<Point<Physical>>);

impl HeldPointer {
    /// Where it is held; `None` where it is not.
    pub fn at(self) -> Option<Point<Physical>> {
        self.0
    }

    /// Updates the state for an action. A failed one may have pressed the button, a refused one has not.
    pub fn follow(&mut self, action: &Action) {
        match action {
            Action::PointerDown { at, .. } => self.0 = Some(*at),
            Action::PointerMove { at } | Action::Hover { at } => {
                if let Some(held) = &mut self.0 {
                    *held = *at;
                }
            }
            Action::PointerUp { .. } => self.0 = None,
            other => {
                // Whatever presses anew lets go of what is held.
                let placed = other.placed(Platform::Web);
                if placed.effects.contains(ActionEffect::Press) && !placed.target.points.is_empty() {
                    self.0 = None;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_is_held_until_it_is_let_go_or_something_else_presses() {
        let (a, b) = (Point::new(1.0, 2.0), Point::new(3.0, 4.0));
        let after = |actions: &[Action]| {
            let mut held = HeldPointer::default();
            actions.iter().for_each(|action| held.follow(action));
            held.at()
        };
        let down = Action::pointer_down(a);
        assert_eq!(after(&[Action::PointerMove { at: b }]), None);
        assert_eq!(after(std::slice::from_ref(&down)), Some(a));
        let moved = [down.clone(), Action::PointerMove { at: b }, Action::Wait { ms: 1 }];
        assert_eq!(after(&moved), Some(b));
        assert_eq!(after(&[down.clone(), Action::Key { chord: "Enter".into() }]), Some(a));
        assert_eq!(after(&[down.clone(), Action::PointerUp { at: b }]), None);
        let tap = Action::tap(b);
        assert_eq!(after(&[down, tap]), None);
    }
}
