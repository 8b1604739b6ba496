//! A context that starts logged in, and what it is logged in by at its end.
//!
//! Invariant: what is given to a context belongs to origins that its guard allows, and what its pages are logged in by is
//! masked before the first of them is opened.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::device::WebDevice;
use super::live::BrowserSession;
use super::profile;
use super::state::{Front, Tab};
use super::storage_state::{OriginStorage, StorageState};
use super::stored::{StorageTab, cookies, databases_of_page, items_of_page, set_cookies};
use waldo_devices::{Deadline, DeviceError, Origin, ResetTo, Result};

/// The most origins whose storage is looked at, in the order in which they were opened.
const ORIGINS_MAX: usize = 100;

impl WebDevice {
    /// What the next episode is logged in by. Its values are secret from now on, those of the one before no longer.
    pub(super) async fn load_state(&mut self, to: &ResetTo, deadline: Deadline) -> Result<StorageState> {
        let (mut own, rest) = match &self.options.logged_in.state {
            Some(state) => state.of(&to.policy),
            None => Default::default(),
        };
        self.unloaded = rest;
        if self.browser().profile().is_some() {
            // A rule of many origins names none whose storage could be asked for: of those, the start's counts.
            let named = to.policy.origins.iter().filter_map(|rule| rule.exact()).cloned();
            let origins: BTreeSet<String> =
                named.chain(Origin::of(&to.start)).map(|origin| origin.address()).collect();
            let found = profile::state(self.browser(), &origins, deadline).await?;
            // Where both know of something, the file has the last word.
            own = found.of(&to.policy).0.and(own);
        }
        let secrets = own.secrets();
        if !secrets.is_empty()
            && let Some(learn) = &self.options.logged_in.learn
        {
            learn.0(&secrets);
        }
        self.options.secrets = self.own_secrets.and(&secrets);
        Ok(own)
    }

    /// Writes what the context is logged in by, where that is wanted.
    pub(super) async fn save_state(&self, deadline: Deadline) -> Result<()> {
        let (Some(path), Some(live)) = (&self.options.logged_in.save, &self.live) else { return Ok(()) };
        let state = live.stored(deadline).await?.and(self.unloaded.clone());
        state.write(path).map_err(|error| DeviceError::call("keeping the storage state", error))
    }
}

impl BrowserSession {
    /// Gives the context a state; it has no page yet.
    pub(crate) async fn apply_state(&self, state: &StorageState, deadline: Deadline) -> Result<()> {
        if !state.cookies.is_empty() {
            set_cookies(self.cdp(), self.context(), &state.cookies, deadline).await?;
        }
        let stored = state.origins.iter().filter(|kept| !kept.local_storage.is_empty());
        let stored: Vec<&OriginStorage> = stored.take(ORIGINS_MAX).collect();
        if stored.is_empty() {
            return Ok(());
        }
        let front = self.open_tab(deadline).await?;
        let tab = StorageTab::of(self.cdp(), &front.session, deadline).await?;
        for kept in stored {
            tab.write(kept, deadline).await?;
        }
        self.close_tab(&front, deadline).await
    }

    /// Cookies of the context, and the local storage of every origin that was opened and is allowed.
    pub(super) async fn stored(&self, deadline: Deadline) -> Result<StorageState> {
        self.stored_with(None, deadline).await
    }

    /// The same, and beside it (`databases`) what IndexedDB of each of these origins holds.
    pub(super) async fn all_stored(&self, deadline: Deadline) -> Result<Value> {
        let mut databases = BTreeMap::new();
        let state = self.stored_with(Some(&mut databases), deadline).await?;
        let mut all = json!(state);
        all["databases"] = json!(databases);
        Ok(all)
    }

    async fn stored_with(
        &self,
        mut databases: Option<&mut BTreeMap<String, Value>>,
        deadline: Deadline,
    ) -> Result<StorageState> {
        let cookies = cookies(self.cdp(), Some(self.context()), deadline).await?;
        let (visited, open) = self.shared().with(|state| {
            let tab = |tab: &Tab| (Origin::of(&tab.url).map(|origin| origin.address()), Front::of(tab));
            (state.visited.clone(), state.tabs.iter().map(tab).collect::<Vec<_>>())
        });
        // Pages that share a process with one that asks something answer nothing either.
        for (_, tab) in &open {
            self.dismiss_dialogs(tab, deadline).await?;
        }
        let (mut kept, mut closed) = (Vec::new(), Vec::new());
        for origin in visited.into_iter().filter(|origin| self.policy().allows_url(origin)).take(ORIGINS_MAX)
        {
            let shown = open.iter().find(|(address, _)| address.as_ref() == Some(&origin));
            let found = match shown {
                Some((_, tab)) => {
                    let ask = || items_of_page(self.cdp(), &tab.session, &origin, deadline);
                    self.past_dialogs(tab, ask, deadline).await?.flatten()
                }
                None => None,
            };
            if let (Some(databases), Some((_, tab)), Some(_)) = (&mut databases, shown, &found) {
                let ask = || databases_of_page(self.cdp(), &tab.session, &origin, deadline);
                let held = self.past_dialogs(tab, ask, deadline).await?.unwrap_or_default();
                databases.insert(origin.clone(), held);
            }
            match found {
                Some(items) if items.is_empty() => {}
                Some(local_storage) => kept.push(OriginStorage { origin, local_storage }),
                None => closed.push(origin),
            }
        }
        if !closed.is_empty() {
            let front = self.open_tab(deadline).await?;
            let tab = StorageTab::of(self.cdp(), &front.session, deadline).await?;
            for origin in closed {
                kept.extend(tab.read(&origin, deadline).await?);
                if let Some(databases) = &mut databases {
                    let held = databases_of_page(self.cdp(), &front.session, &origin, deadline).await?;
                    databases.insert(origin, held);
                }
            }
            self.close_tab(&front, deadline).await?;
        }
        Ok(StorageState::new(cookies, kept))
    }
}
