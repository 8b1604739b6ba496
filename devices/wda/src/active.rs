//! Which app is in front, and whether it may be touched.
//!
//! The rule is that of phones: fingers and keys reach an app only while it is in front and allowed; home, recents, waiting and
//! turning the screen are always allowed, since they lead away. What comes to the front through an action must be allowed too,
//! or be the home screen, which may be looked at. An alert that is not the app's own is the system's, and wants its rule.

use std::time::Duration;

use super::agent::ActiveApp;
use super::command::PhoneCommand;
use super::device::WdaDevice;
use super::options::all_allowed;
use waldo_devices::action::Action;
use waldo_devices::device::Deadline;
use waldo_devices::error::DeviceError;
use waldo_devices::guard::GuardPolicy;

/// What draws the home screen, and the system's alerts.
pub(crate) const SYSTEM: &str = "com.apple.springboard";

impl WdaDevice {
    /// The app in front, where it matters; an error of the question is one that says that it cannot be told.
    pub(crate) async fn front(&self, deadline: Deadline) -> Result<Option<ActiveApp>, DeviceError> {
        if all_allowed(&self.policy) {
            return Ok(None);
        }
        self.active_app(deadline).await.map(Some)
    }

    /// The app in front.
    ///
    /// # Errors
    /// Where it is not told.
    pub(crate) async fn active_app(&self, deadline: Deadline) -> Result<ActiveApp, DeviceError> {
        self.server.active(deadline).await?.ok_or_else(|| DeviceError::Call {
            call: "wda/activeAppInfo".to_owned(),
            message: "it does not tell which app is in front".to_owned(),
        })
    }

    /// Why the guard on apps says no, if it does.
    pub(crate) async fn refusal(
        &self,
        action: &Action,
        hand: &PhoneCommand<'_>,
        front: Option<&ActiveApp>,
        deadline: Deadline,
    ) -> Result<Option<String>, DeviceError> {
        let leads_away = matches!(action, Action::Home | Action::Recents | Action::Rotate { .. });
        let Some(front) = front.filter(|_| !leads_away) else { return Ok(None) };
        if let PhoneCommand::OpenApp(bundle) | PhoneCommand::StopApp(bundle) = hand {
            let allowed = self.policy.allows_app(bundle);
            return Ok((!allowed).then(|| format!("{bundle} is not an allowed app")));
        }
        if !self.policy.allows_app(&front.bundle) {
            return Ok(Some(format!("{} is in front, which is not an allowed app", front.bundle)));
        }
        // What the app itself asks stands in its tree.
        let own = self.seen.has_alert || self.policy.allows_app(SYSTEM);
        if !own && self.server.alert(deadline).await?.is_some() {
            return Ok(Some(format!(
                "an alert of the system is open, which is {SYSTEM}'s, and that is not an allowed app"
            )));
        }
        Ok(None)
    }

    /// Leaves an app that came to the front and is not allowed: to the one that was there, else to the home screen; says so.
    pub(crate) async fn leave_foreign(
        &mut self,
        before: Option<&ActiveApp>,
        deadline: Deadline,
    ) -> Result<Option<String>, DeviceError> {
        let is_foreign =
            |app: &ActiveApp, policy: &GuardPolicy| app.bundle != SYSTEM && !policy.allows_app(&app.bundle);
        // An action may have used up its time.
        let deadline = if deadline.left() < Duration::from_secs(1) { Self::grace() } else { deadline };
        let Some(now) = self.front(deadline).await? else { return Ok(None) };
        if !is_foreign(&now, &self.policy) {
            if now.bundle != SYSTEM {
                self.touched.insert(now.bundle);
            }
            return Ok(None);
        }
        let mut way = "went home";
        if let Some(before) = before.filter(|app| app.bundle != SYSTEM && self.policy.allows_app(&app.bundle))
        {
            let body = serde_json::json!({ "bundleId": before.bundle });
            self.server.act(self.session()?, "wda/apps/activate", &body, deadline).await?;
            way = "went back";
        }
        if way == "went home" || is_foreign(&self.active_app(deadline).await?, &self.policy) {
            self.server.home(deadline).await?;
            way = "went home";
        }
        Ok(Some(format!("it brought {} to the front, which is not an allowed app; {way}", now.bundle)))
    }
}
