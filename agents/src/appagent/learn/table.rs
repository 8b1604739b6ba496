//! What follows from a verdict.

use super::reflect::Verdict;
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
    /// What becomes of the summary of what was done.
    pub summary: Summary,
    /// What is done next.
    pub next: Next,
    /// Whether the reply's documentation is kept.
    pub documents: bool,
}

/// Whether an element is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IneffectivePolicy {
    /// It may be.
    No,
    /// It is not.
    Yes,
}

/// What becomes of the summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Summary {
    /// It stays.
    Kept,
    /// It is forgotten.
    Lost,
}

/// How the run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// With another step.
    On,
    /// With the back key first.
    Back,
    /// Not at all.
    End,
}

/// The row of the table for a verdict.
pub const fn consequence(verdict: &Verdict, mode: Mode) -> Consequence {
    let compat = matches!(mode, Mode::Compat);
    let lost = if compat { Summary::Lost } else { Summary::Kept };
    let (useless, summary, next, documents) = match verdict {
        Verdict::Ineffective => (IneffectivePolicy::Yes, lost, Next::On, false),
        Verdict::Back => (IneffectivePolicy::Yes, lost, Next::Back, true),
        Verdict::Continue => (IneffectivePolicy::Yes, lost, Next::On, true),
        Verdict::Success => (IneffectivePolicy::No, Summary::Kept, Next::On, true),
        Verdict::Unreadable if compat => (IneffectivePolicy::No, Summary::Kept, Next::End, false),
        Verdict::Unreadable => (IneffectivePolicy::Yes, Summary::Kept, Next::On, false),
    };
    Consequence { useless, summary, next, documents }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn appagents_table() {
        use Verdict::{Back, Continue, Ineffective, Success, Unreadable};
        for (verdict, useless, summary, next, documents) in [
            (Ineffective, IneffectivePolicy::Yes, Summary::Lost, Next::On, false),
            (Back, IneffectivePolicy::Yes, Summary::Lost, Next::Back, true),
            (Continue, IneffectivePolicy::Yes, Summary::Lost, Next::On, true),
            (Success, IneffectivePolicy::No, Summary::Kept, Next::On, true),
            (Unreadable, IneffectivePolicy::No, Summary::Kept, Next::End, false),
        ] {
            let got = consequence(&verdict, Mode::Compat);
            assert_eq!(got, Consequence { useless, summary, next, documents }, "{verdict:?}");
            let ours = consequence(&verdict, Mode::Tolerant);
            assert_eq!((ours.summary, ours.documents), (Summary::Kept, documents), "{verdict:?}");
            assert_ne!(ours.next, Next::End);
        }
        assert_eq!(consequence(&Unreadable, Mode::Tolerant).useless, IneffectivePolicy::Yes);
    }
}
