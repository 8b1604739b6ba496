//! Programs that drive a device themselves, by the device's own protocol, at an address that the device serves for them.
//!
//! Invariant: an input of such a program waits until an episode has decided on it, and is carried out by the device as the
//! action that it is, or not at all. So what holds for actions holds for it: guard, budget, record.

use async_trait::async_trait;

use crate::action::Action;

#[derive(Clone, Debug, PartialEq)]
pub struct OwnInput {
    pub action: Action,
    /// What was asked, in the protocol's words, for the record.
    pub call: String,
}

/// The address of one program for one episode. Dropped, nothing is served any more.
#[async_trait]
pub trait OwnHands: Send + Sync {
    /// An address of HTTP, on loopback, that ends in a token.
    fn address(&self) -> &str;

    /// Serves the process with this id, and its descendants, from now on. Before, connections wait.
    fn admit(&self, process: u32);

    /// Takes no new connections; those that there are may go on.
    fn leave(&self);

    /// The next input that is wanted. The device carries it out when it is asked to perform that action next. `None` once
    /// no more can come. Asked again before [`Self::answer`], it is the same input.
    async fn next(&self) -> Option<OwnInput>;

    /// Answers the program its input: with what came of it, or, where it was not carried out, with `why`.
    fn answer(&self, why: Option<String>);

    /// Ends every connection; what waits for an answer gets `why`.
    fn end(&self, why: &str);
}
