//! What follows from a verdict.

use super::reflect::ActionVerdict;
use crate::appagent::Mode;

/// What follows from a verdict. AppAgent's table, and ours where it differs:
///
/// | verdict | useless | summary | back key | documented | run |
/// | --- | --- | --- | --- | --- | --- |
/// | INEFFECTIVE | yes | "None"; ours: kept | no | no | goes on |
/// | BACK | yes | "None"; ours: kept | yes | yes | goes on |
/// | CONTINUE | yes | "None"; ours: kept | no | yes | goes on |
/// | SUCCESS | no | kept | no | yes | goes on |
/// | unreadable | no; ours: yes | - | no | no | ends; ours: goes on |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consequence {
    /// The element is not tried again: in AppAgent anywhere, in ours on this screen.
    pub useless: IneffectivePolicy,
    pub summary: SummaryUpdate,
    pub next: NextTurn,
    pub documents: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IneffectivePolicy {
    No,
    Yes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SummaryUpdate {
    Kept,
    Lost,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextTurn {
    On,
    Back,
    End,
}

pub const fn consequence(verdict: &ActionVerdict, mode: Mode) -> Consequence {
    let compat = matches!(mode, Mode::Compat);
    let lost = if compat { SummaryUpdate::Lost } else { SummaryUpdate::Kept };
    let (useless, summary, next, documents) = match verdict {
        ActionVerdict::Ineffective => (IneffectivePolicy::Yes, lost, NextTurn::On, false),
        ActionVerdict::Back => (IneffectivePolicy::Yes, lost, NextTurn::Back, true),
        ActionVerdict::Continue => (IneffectivePolicy::Yes, lost, NextTurn::On, true),
        ActionVerdict::Success => (IneffectivePolicy::No, SummaryUpdate::Kept, NextTurn::On, true),
        ActionVerdict::Unreadable if compat => {
            (IneffectivePolicy::No, SummaryUpdate::Kept, NextTurn::End, false)
        }
        ActionVerdict::Unreadable => (IneffectivePolicy::Yes, SummaryUpdate::Kept, NextTurn::On, false),
    };
    Consequence { useless, summary, next, documents }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn appagents_table() {
        use ActionVerdict::{Back, Continue, Ineffective, Success, Unreadable};
        for (verdict, useless, summary, next, documents) in [
            (Ineffective, IneffectivePolicy::Yes, SummaryUpdate::Lost, NextTurn::On, false),
            (Back, IneffectivePolicy::Yes, SummaryUpdate::Lost, NextTurn::Back, true),
            (Continue, IneffectivePolicy::Yes, SummaryUpdate::Lost, NextTurn::On, true),
            (Success, IneffectivePolicy::No, SummaryUpdate::Kept, NextTurn::On, true),
            (Unreadable, IneffectivePolicy::No, SummaryUpdate::Kept, NextTurn::End, false),
        ] {
            let got = consequence(&verdict, Mode::Compat);
            assert_eq!(got, Consequence { useless, summary, next, documents }, "{verdict:?}");
            let ours = consequence(&verdict, Mode::Tolerant);
            assert_eq!((ours.summary, ours.documents), (SummaryUpdate::Kept, documents), "{verdict:?}");
            assert_ne!(ours.next, NextTurn::End);
        }
        assert_eq!(consequence(&Unreadable, Mode::Tolerant).useless, IneffectivePolicy::Yes);
    }
}
