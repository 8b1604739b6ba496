//! Signing in by the fixed accounts, in the episode's own browser context: what it leaves there (cookies and storage) is
//! the episode's storage state, made anew for each as the original makes it.
//!
//! The form is known by its shape: a password's field, the field for a name before it, the button of their form.

use std::time::Duration;

use serde_json::{Value, json};
use waldo_devices::{Capture, Deadline, Device, DeviceError, StateProbe, StateValue};

use crate::site::{Account, Site};

/// How long a site may take to take somebody in.
const TAKES: Duration = Duration::from_secs(45);
/// Between two looks whether it has.
const ROUND: Duration = Duration::from_millis(200);

/// What finds the field of the password, if one is shown.
const FIND: &str = "const shown = (e) => e.getClientRects().length > 0; \
                    const pass = [...document.querySelectorAll('input[type=password]')].find(shown);";

fn fill(account: Account) -> String {
    let (user, password) = (json!(account.user), json!(account.password));
    format!(
        "(() => {{ {FIND} if (!pass) return 'none'; const form = pass.form; if (!form) return 'a password without a form'; \
         const fields = [...form.elements]; \
         const names = 'input:not([type]), input[type=text], input[type=email]'; \
         const user = fields.slice(0, fields.indexOf(pass)).reverse().find((f) => f.matches(names) && shown(f)); \
         if (!user) return 'a form without a field for the name'; \
         const value = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value'); \
         const put = (field, text) => {{ field.focus(); value.set.call(field, text); \
           for (const name of ['input', 'change']) field.dispatchEvent(new Event(name, {{ bubbles: true }})); }}; \
         put(user, {user}); put(pass, {password}); \
         const buttons = 'button:not([type]), button[type=submit], input[type=submit]'; \
         const button = fields.find((f) => f.matches(buttons) && shown(f)); \
         setTimeout(() => button ? button.click() : form.requestSubmit(), 0); return 'sent'; }})()"
    )
}

async fn ask(device: &mut dyn Device, script: String, deadline: Deadline) -> Result<Value, DeviceError> {
    match device.probe(&StateProbe::Js(script), deadline).await? {
        StateValue::Json(value) => Ok(value),
        other => {
            Err(DeviceError::Call { call: "signing in".to_owned(), message: format!("answered {other:?}") })
        }
    }
}

/// Signs in to `site`, whose form is in front. Where there is no form, somebody is signed in already.
pub async fn sign_in(device: &mut dyn Device, site: Site, deadline: Deadline) -> Result<(), DeviceError> {
    let Some(account) = site.account() else { return Ok(()) };
    let failed = |message: String| DeviceError::Call { call: format!("signing in to {site}"), message };
    // What the form's own scripts do to it comes first.
    device.observe(Capture::Elements, deadline).await?;
    match ask(device, fill(account), deadline).await?.as_str() {
        Some("sent") => {}
        Some("none") => return Ok(()),
        other => return Err(failed(format!("its page has {}", other.unwrap_or("no form")))),
    }
    let end = deadline.at_most(TAKES);
    let mut round = tokio::time::interval(ROUND);
    let gone = format!("(() => {{ {FIND} return document.readyState === 'complete' && !pass; }})()");
    while !end.passed() {
        round.tick().await;
        match ask(device, gone.clone(), deadline).await {
            Ok(Value::Bool(true)) => return Ok(()),
            // The page that is being left answers no more.
            Ok(_) | Err(DeviceError::Call { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Err(failed(format!("the account {} was not accepted: the sign-in form is still there", account.user)))
}
