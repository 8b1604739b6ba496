//! The accessibility bus: a connection, and calls with deadlines.
//!
//! Invariants: nothing is cached but what cannot change, and no property is asked for that was not
//! named: programs exist that die of a question for all of them. What a program answers is checked
//! where it is read; a call ends by its deadline and says in which of four ways it failed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use zbus::zvariant::{DynamicType, OwnedValue};
use zbus::{Connection, Message};

use super::node::{NAME_MAX, ObjectKey, StateBits};
use super::protocol::State;
use super::sheets::Sheets;
use super::toolkit::{self, Toolkit};
use crate::x11::sandbox::PidSpace;
use waldo_devices::{Deadline, DeviceError, Secrets};

/// The longest that one program may take for one answer.
pub(crate) const PER_CALL: Duration = Duration::from_millis(1000);
const PROPERTIES: &str = "org.freedesktop.DBus.Properties";

/// What comes of a call on the bus.
pub(crate) type Result<T, E = BusFault> = std::result::Result<T, E>;

#[derive(Debug)]
pub(crate) enum BusFault {
    Gone(String),
    /// No answer in time: the program hangs, or has much to do.
    Late,
    /// The program does not know the call, or not this object, or is gone.
    Refused(String),
    /// The answer was not what the protocol says.
    Odd(String),
}

impl From<zbus::Error> for BusFault {
    fn from(error: zbus::Error) -> Self {
        match error {
            zbus::Error::InputOutput(error) => Self::Gone(error.to_string()),
            zbus::Error::MethodError(name, message, _) => {
                let name = name.as_str();
                if name.ends_with(".NoReply") || name.ends_with(".Timeout") {
                    return Self::Late;
                }
                Self::Refused(format!("{name}: {}", message.unwrap_or_default()))
            }
            zbus::Error::Variant(error) => Self::Odd(error.to_string()),
            other => Self::Refused(other.to_string()),
        }
    }
}

impl BusFault {
    pub(crate) fn into_error(self, call: &str) -> DeviceError {
        match self {
            Self::Gone(reason) => DeviceError::Gone { reason: format!("the accessibility bus: {reason}") },
            Self::Late => DeviceError::Timeout { what: call.to_owned(), after: PER_CALL },
            Self::Refused(message) | Self::Odd(message) => DeviceError::call(call, message),
        }
    }
}

/// What tells an accessibility bus from another: its own number, and who keeps the registry there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BusIdentity {
    bus: String,
    registry: String,
}

impl BusIdentity {
    /// Whether `now` is the same. A registry that nobody kept at first may have come since.
    pub(super) fn is_still(&self, now: &Self) -> bool {
        self.bus == now.bus && (self.registry.is_empty() || self.registry == now.registry)
    }
}

#[derive(Clone)]
pub(crate) struct Bus {
    connection: Connection,
    pids: Arc<Mutex<HashMap<String, u32>>>,
    toolkits: Arc<Mutex<HashMap<String, Toolkit>>>,
    /// The namespace whose numbers the bus tells, where it is not the host's.
    space: Option<PidSpace>,
    pub(super) sheets: Sheets,
    secrets: Arc<Secrets>,
}

impl Bus {
    pub(crate) async fn connect(
        session: &str,
        space: Option<PidSpace>,
        secrets: Arc<Secrets>,
        deadline: Deadline,
    ) -> Result<Self, BusFault> {
        let session = dial(session, deadline).await?;
        let address = get_address(&session, deadline).await?;
        let connection = dial(&address, deadline).await?;
        let bus = Self {
            connection,
            pids: Arc::default(),
            toolkits: Arc::default(),
            space,
            sheets: Sheets::default(),
            secrets,
        };
        bus.announce(deadline).await;
        Ok(bus)
    }

    /// What tells this bus and its registry from ones that were started later.
    pub(super) async fn identity(&self, deadline: Deadline) -> Result<BusIdentity, BusFault> {
        let dbus = ObjectKey::new("org.freedesktop.DBus", "/org/freedesktop/DBus");
        let face = "org.freedesktop.DBus";
        let bus = self.call(&dbus, face, "GetId", &(), deadline).await?;
        let registry = self.call(&dbus, face, "GetNameOwner", &"org.a11y.atspi.Registry", deadline).await;
        let registry = match registry {
            Ok(owner) => owner.body().deserialize::<String>()?,
            // Nobody.
            Err(BusFault::Refused(_)) => String::new(),
            Err(fault) => return Err(fault),
        };
        Ok(BusIdentity { bus: bus.body().deserialize::<String>()?, registry })
    }

    /// Text of a program as it is told: masked before it is cut.
    pub(super) fn brief(&self, text: &str) -> String {
        self.secrets.brief(text, NAME_MAX)
    }

    pub(super) fn hides(&self) -> bool {
        !self.secrets.is_empty()
    }

    /// Registers for an event that never comes: programs keep their objects at hand for as long as
    /// somebody listens, and only then answer for all of them at once.
    async fn announce(&self, deadline: Deadline) {
        let registry = ObjectKey::new("org.a11y.atspi.Registry", "/org/a11y/atspi/registry");
        let face = "org.a11y.atspi.Registry";
        let event = "window:waldo";
        let none: [&str; 0] = [];
        if let Err(BusFault::Refused(_)) =
            self.call(&registry, face, "RegisterEvent", &(event, none.as_slice(), ""), deadline).await
        {
            // The way of older registries.
            let _ = self.call(&registry, face, "RegisterEvent", &event, deadline).await;
        }
    }

    pub(crate) async fn call<B>(
        &self,
        key: &ObjectKey,
        interface: &'static str,
        member: &'static str,
        body: &B,
        deadline: Deadline,
    ) -> Result<Message, BusFault>
    where
        B: Serialize + DynamicType,
    {
        self.call_within(key, interface, member, body, deadline.at_most(PER_CALL)).await
    }

    /// As [`Bus::call`], for what may take longer than other calls.
    pub(crate) async fn call_within<B>(
        &self,
        key: &ObjectKey,
        interface: &'static str,
        member: &'static str,
        body: &B,
        deadline: Deadline,
    ) -> Result<Message, BusFault>
    where
        B: Serialize + DynamicType,
    {
        let call = self.connection.call_method(Some(&*key.bus), &*key.path, Some(interface), member, body);
        match tokio::time::timeout_at(deadline.instant(), call).await {
            Ok(answer) => Ok(answer?),
            Err(_) => Err(BusFault::Late),
        }
    }

    pub(crate) async fn property(
        &self,
        key: &ObjectKey,
        interface: &'static str,
        name: &'static str,
        deadline: Deadline,
    ) -> Result<OwnedValue, BusFault> {
        let answer = self.call(key, PROPERTIES, "Get", &(interface, name), deadline).await?;
        answer.body().deserialize::<OwnedValue>().map_err(BusFault::from)
    }

    /// The process behind a name of the bus. A name is never given twice, so the answer stays true.
    pub(crate) async fn pid(&self, name: &str, deadline: Deadline) -> Option<u32> {
        if let Some(pid) = self.pids.lock().unwrap_or_else(PoisonError::into_inner).get(name) {
            return Some(*pid);
        }
        let dbus = ObjectKey::new("org.freedesktop.DBus", "/org/freedesktop/DBus");
        let answer = self
            .call(&dbus, "org.freedesktop.DBus", "GetConnectionUnixProcessID", &name, deadline)
            .await
            .ok()?;
        let told = answer.body().deserialize::<u32>().ok()?;
        let pid = match &self.space {
            Some(space) => space.outer(told)?,
            None => told,
        };
        self.pids.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), pid);
        Some(pid)
    }
}

impl Bus {
    pub(super) fn known_toolkit(&self, name: &str) -> Option<Toolkit> {
        self.toolkits.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Keeps what a program said: a name is never given twice, so it stays true.
    pub(super) fn keep_toolkit(&self, name: &str, toolkit: Toolkit) {
        self.toolkits.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), toolkit);
    }

    /// Whether a program's toolkit is one of which only windows say that they are drawn.
    fn hides_showing(&self, program: &str) -> bool {
        let all = self.toolkits.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(program).is_some_and(|toolkit| toolkit.hides_showing)
    }

    /// The name of an object of a program: masked, cut, and without what its toolkit adds of its own.
    pub(super) fn name_of(&self, program: &str, told: &str) -> String {
        if self.hides_showing(program) { self.brief(&toolkit::shown_name(told)) } else { self.brief(told) }
    }

    /// Whether an object of a program is a popover, by the name of its class.
    pub(super) fn pops_over(&self, program: &str, told: &str) -> bool {
        toolkit::POPOVERS.contains(&told) && self.hides_showing(program)
    }

    /// The states of an object of a program, from the two halves of the wire, with what its toolkit never says.
    pub(super) fn states(&self, name: &str, halves: &[u32]) -> StateBits {
        let told = StateBits::of(halves);
        match told.has(State::Visible) && self.hides_showing(name) {
            true => StateBits(told.0 | State::Showing.bit()),
            false => told,
        }
    }
}

async fn dial(address: &str, deadline: Deadline) -> Result<Connection, BusFault> {
    let builder = zbus::connection::Builder::address(address)?;
    match tokio::time::timeout_at(deadline.instant(), builder.build()).await {
        Ok(connection) => connection.map_err(|error| BusFault::Gone(error.to_string())),
        Err(_) => Err(BusFault::Late),
    }
}

async fn get_address(session: &Connection, deadline: Deadline) -> Result<String, BusFault> {
    let call =
        session.call_method(Some("org.a11y.Bus"), "/org/a11y/bus", Some("org.a11y.Bus"), "GetAddress", &());
    let answer = match tokio::time::timeout_at(deadline.instant(), call).await {
        Ok(answer) => answer?,
        Err(_) => return Err(BusFault::Late),
    };
    Ok(answer.body().deserialize::<String>()?)
}

/// Tells programs that somebody reads them, through the session bus at `session`.
pub(crate) async fn enable(session: &str, deadline: Deadline) -> Result<(), BusFault> {
    let session = dial(session, deadline).await?;
    let on = zbus::zvariant::Value::from(true);
    let body = ("org.a11y.Status", "IsEnabled", on);
    let call = session.call_method(Some("org.a11y.Bus"), "/org/a11y/bus", Some(PROPERTIES), "Set", &body);
    match tokio::time::timeout_at(deadline.instant(), call).await {
        Ok(answer) => answer.map(drop).map_err(BusFault::from),
        Err(_) => Err(BusFault::Late),
    }
}
