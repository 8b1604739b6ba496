//! The elements of a desktop, from the accessibility bus.
//!
//! Programs list their objects in one call each, all programs at once; gaps in the lists are walked,
//! large tables are read by what is visible of them, and only what may be an element is asked where it
//! is. What each toolkit gets wrong is put right here: see [`matching`] for positions.
//!
//! Invariants: every call ends by its deadline; a program that hangs, dies or lies costs its own
//! elements and no others; a bus that is gone leaves every window to the picture and is not an error.

mod asked;
mod bus;
mod cache;
mod detail;
mod elements;
mod export;
mod keys;
mod matching;
mod menus;
pub(crate) mod node;
mod page;
mod program;
mod protocol;
mod read;
mod reader;
mod roles;
mod sheet;
mod sheets;
mod table;
mod toolkit;
mod walk;

use std::sync::Arc;
use std::time::{Duration, Instant};

use image::RgbImage;
use serde::Serialize;
use tokio::sync::Mutex;
use zbus::zvariant::DynamicType;

use self::bus::{Bus, BusFault};
use self::node::{Iface, ObjectKey};
use super::sandbox::PidSpace;
use super::windows::Window;
use waldo_devices::{Deadline, DeviceError, Element, ElementRef, Physical, Rect, Result, Secrets};

pub use self::reader::{ScreenReader, SeenWindow};

/// How long after the bus was lost it is looked for again.
const RETRY: Duration = Duration::from_secs(3);
/// How long looking for it may take.
const RECONNECT: Duration = Duration::from_secs(2);

#[derive(Clone, Debug, Default)]
pub struct AccessReading {
    /// Elements: the topmost window's first, in document order within a window.
    pub elements: Vec<Element>,
    /// Elements and objects that were left out: too many, or no time.
    pub truncated: usize,
    /// Numbers of the visible windows that exposed nothing, topmost first.
    pub silent: Vec<u32>,
    /// Those of them whose program is on the bus: it has put them away already, or not yet filled.
    pub unsaid: Vec<u32>,
    /// Why there is nothing from the bus at all, when it is gone.
    pub lost: Option<String>,
}

enum BusState {
    Up(Bus),
    Down { since: Instant, why: String },
}

pub(crate) struct Access {
    session: String,
    space: Option<PidSpace>,
    secrets: Arc<Secrets>,
    line: Mutex<BusState>,
    /// What told the bus from others when it was first connected to.
    born: bus::BusIdentity,
}

impl Access {
    /// Finds the accessibility bus of the session bus at `bus_address` and connects to it. What elements show of
    /// `secrets` is masked as it is read.
    pub(crate) async fn connect(
        bus_address: &str,
        space: Option<PidSpace>,
        secrets: &Secrets,
        deadline: Deadline,
    ) -> Result<Self> {
        let secrets = Arc::new(secrets.clone());
        let failed = |fault: BusFault| DeviceError::Start {
            what: "the connection to the accessibility bus".to_owned(),
            message: fault.into_error("org.a11y.Bus").to_string(),
            hint: "install at-spi2-core, and check the address of the session bus".to_owned(),
        };
        let bus =
            Bus::connect(bus_address, space.clone(), secrets.clone(), deadline).await.map_err(failed)?;
        let born = bus.identity(deadline).await.map_err(failed)?;
        Ok(Self {
            session: bus_address.to_owned(),
            space,
            secrets,
            line: Mutex::new(BusState::Up(bus)),
            born,
        })
    }

    /// Tells programs that somebody reads them: some build their objects only then. For private
    /// displays; on a user's own display it may start a screen reader.
    pub(crate) async fn enable(&self, deadline: Deadline) -> Result<()> {
        bus::enable(&self.session, deadline).await.map_err(|fault| fault.into_error("org.a11y.Status"))
    }

    /// Whether the bus and its registry are those that were connected to first: programs that told another of
    /// themselves, or none, have no elements here.
    pub(crate) async fn health(&self, deadline: Deadline) -> Result<()> {
        let gone = |reason: String| DeviceError::Gone { reason: format!("the accessibility bus: {reason}") };
        let bus = self.bus(deadline).await.map_err(gone)?;
        match bus.identity(deadline).await {
            Ok(now) if self.born.is_still(&now) => Ok(()),
            Ok(_) => Err(gone("it was started anew".to_owned())),
            Err(fault) => Err(fault.into_error("the accessibility bus")),
        }
    }

    /// Reads the elements of what can be seen. `windows` are bottom to top.
    ///
    /// A bus that is gone gives a reading in which every visible window is silent.
    ///
    /// # Errors
    /// None at present; callers must not count on it.
    pub(crate) async fn read(
        &self,
        windows: &[Window],
        screen: Rect<Physical>,
        cap: usize,
        deadline: Deadline,
    ) -> Result<AccessReading> {
        let bus = match self.bus(deadline).await {
            Ok(bus) => bus,
            Err(why) => return Ok(read::blind(windows, screen, why)),
        };
        match read::screen(&bus, windows, screen, cap, deadline).await {
            Ok(reading) => Ok(reading),
            Err(BusFault::Gone(why)) => {
                self.lose(why.clone()).await;
                Ok(read::blind(windows, screen, why))
            }
            Err(fault) => Ok(read::blind(windows, screen, fault.into_error("the registry").to_string())),
        }
    }

    /// What every program draws, as [`waldo_devices::StateProbe::Accessible`] says.
    pub(crate) async fn export(&self, deadline: Deadline) -> Result<serde_json::Value> {
        let gone = |message| DeviceError::Call { call: "the accessibility bus".to_owned(), message };
        let bus = self.bus(deadline).await.map_err(gone)?;
        match export::programs(&bus, deadline).await {
            Ok(found) => Ok(found),
            Err(BusFault::Gone(why)) => {
                self.lose(why.clone()).await;
                Err(gone(why))
            }
            Err(fault) => Err(fault.into_error("the accessibility registry")),
        }
    }

    /// Gives the cells of sheets among `elements` their values, by what `picture` shows and by asking.
    /// What cannot be had stays without; nothing else is touched.
    pub(crate) async fn fill_cells(&self, picture: &RgbImage, elements: &mut [Element], deadline: Deadline) {
        if !Self::has_cells(elements) {
            return;
        }
        let Ok(bus) = self.bus(deadline).await else { return };
        if let Err(fault) = sheet::fill(&bus, picture, elements, deadline).await {
            tracing::debug!(?fault, "cells stay without values");
        }
    }

    /// Whether any of `elements` waits for [`Access::fill_cells`].
    pub(crate) fn has_cells(elements: &[Element]) -> bool {
        elements.iter().any(sheet::is_cell)
    }

    /// Sets the whole text of an element through its program; `false` when the element takes none.
    pub(crate) async fn set_text(&self, handle: &ElementRef, text: &str, deadline: Deadline) -> Result<bool> {
        self.ask(handle, Iface::EditableText, "SetTextContents", &text, deadline).await
    }

    /// Gives an element the focus; `false` when it takes none.
    pub(crate) async fn focus(&self, handle: &ElementRef, deadline: Deadline) -> Result<bool> {
        self.ask(handle, Iface::Component, "GrabFocus", &(), deadline).await
    }

    /// Carries out an element's first action, as a click would; `false` when it has none.
    pub(crate) async fn do_action(&self, handle: &ElementRef, deadline: Deadline) -> Result<bool> {
        self.ask(handle, Iface::Action, "DoAction", &0i32, deadline).await
    }

    /// Asks an element to do something; `false` when it does not.
    async fn ask<B: Serialize + DynamicType + Sync>(
        &self,
        handle: &ElementRef,
        face: Iface,
        member: &'static str,
        body: &B,
        deadline: Deadline,
    ) -> Result<bool> {
        let (bus, key) = self.target(handle, deadline).await?;
        match bus.call(&key, face.name(), member, body, deadline).await {
            Ok(answer) => Ok(answer.body().deserialize::<bool>().unwrap_or(true)),
            Err(fault) => self.judge(&bus, &key, fault, deadline).await.map(|()| false),
        }
    }

    /// What an element holds now, up to `most` characters: its text, else its number, else `None`.
    pub(crate) async fn value(
        &self,
        handle: &ElementRef,
        most: usize,
        deadline: Deadline,
    ) -> Result<Option<String>> {
        let (bus, key) = self.target(handle, deadline).await?;
        let most = i32::try_from(most).unwrap_or(i32::MAX);
        if let Ok(text) = detail::text(&bus, &key, most, deadline).await {
            return Ok(Some(text));
        }
        match detail::value_of(&bus, &key, detail::DetailQuery::Number, deadline).await {
            Ok(number) => Ok(Some(number)),
            Err(fault) => self.judge(&bus, &key, fault, deadline).await.map(|()| None),
        }
    }

    async fn target(&self, handle: &ElementRef, deadline: Deadline) -> Result<(Bus, ObjectKey)> {
        let key = ObjectKey::parse(handle).ok_or_else(|| DeviceError::BadArgument {
            what: handle.0.clone(),
            message: "it was found in the picture, and no program answers for it".to_owned(),
        })?;
        let bus =
            self.bus(deadline).await.map_err(|reason| DeviceError::call("the accessibility bus", reason))?;
        match sheet::resolve(&bus, key, deadline).await {
            Ok(key) => Ok((bus, key)),
            Err(BusFault::Refused(message)) => Err(DeviceError::StaleElement { what: message }),
            Err(fault) => Err(fault.into_error("the program of the element")),
        }
    }

    /// What a failed call says of its element: nothing when it lives and only lacks the call.
    async fn judge(&self, bus: &Bus, key: &ObjectKey, fault: BusFault, deadline: Deadline) -> Result<()> {
        match fault {
            BusFault::Refused(message) | BusFault::Odd(message) => {
                match bus.call(key, walk::ACCESSIBLE, "GetRole", &(), deadline).await {
                    Ok(_) => Ok(()),
                    Err(_) => Err(DeviceError::StaleElement { what: format!("{key}: {message}") }),
                }
            }
            BusFault::Gone(why) => {
                self.lose(why.clone()).await;
                Err(DeviceError::Call { call: "the accessibility bus".to_owned(), message: why })
            }
            fault => Err(fault.into_error("the program of the element")),
        }
    }

    /// The bus, found again if it was lost a while ago.
    async fn bus(&self, deadline: Deadline) -> Result<Bus, String> {
        let mut line = self.line.lock().await;
        match &*line {
            BusState::Up(bus) => return Ok(bus.clone()),
            BusState::Down { since, why } if since.elapsed() < RETRY => return Err(why.clone()),
            BusState::Down { .. } => {}
        }
        match Bus::connect(
            &self.session,
            self.space.clone(),
            self.secrets.clone(),
            deadline.at_most(RECONNECT),
        )
        .await
        {
            Ok(bus) => {
                *line = BusState::Up(bus.clone());
                Ok(bus)
            }
            Err(fault) => {
                let why = fault.into_error("org.a11y.Bus").to_string();
                *line = BusState::Down { since: Instant::now(), why: why.clone() };
                Err(why)
            }
        }
    }

    async fn lose(&self, why: String) {
        tracing::warn!(why, "the accessibility bus is gone; elements come from the picture");
        *self.line.lock().await = BusState::Down { since: Instant::now(), why };
    }
}

type BusName = Arc<str>;
