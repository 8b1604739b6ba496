//! AppAgent's numbers.

use super::Tagged;
use crate::element::Element;
use crate::observation::Observation;

/// The elements of a phone's screen with what AppAgent numbers beside, and its numbers: clickable nodes, then
/// focusable ones, whatever state they are in. Without a dump there are none, as with AppAgent.
pub fn as_appagent(seen: &Observation) -> (Vec<Element>, Vec<Tagged>) {
    match &seen.dump {
        Some(dump) => (dump.numbering)(&dump.text, &seen.elements),
        None => (seen.elements.clone(), Vec::new()),
    }
}
