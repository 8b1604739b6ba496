//! The web driver: a Chromium browser spoken to over the DevTools protocol.
//!
//! Invariants: one [`Browser`] process serves many devices, each in a browser context of its own that
//! is thrown away with it; every byte a context sends passes a proxy of ours that knows the guard's
//! origins and refuses the rest, and what no proxy carries (UDP, name look-ups) is switched off in the
//! browser, so a page cannot talk its way out; every protocol call ends by its
//! deadline; the browser's whole process group dies with its owner.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests start programs as they need them"))]

mod blank;
mod browser;
mod cdp;
mod closed;
mod console;
mod current;
mod device;
mod downloads;
mod drawn;
mod effect;
mod elements;
mod events;
mod fields;
mod film;
mod first;
mod glance;
mod har;
mod held;
mod hit_test;
mod input;
pub mod keys;
mod live;
mod logged_in;
mod navigate;
mod observe;
mod options;
mod own_hands;
mod own_hands_effect;
mod pages;
mod perform;
mod process;
mod processes;
mod profile;
mod profile_copy;
mod proxy;
mod recover;
mod requests;
mod script;
mod settle;
mod state;
mod storage_state;
mod stored;
mod traffic;
mod unproxied;
mod world;

pub use browser::Browser;
pub use device::WebDevice;
pub use observe::ScreenCapture;
pub use options::{
    BrowserOptions, Contexts, DownloadLimits, LoginOptions, SecretListener, Secrets, Show, Unproxied,
    Viewport, WebOptions,
};
pub use pages::{BrowserPages, Page};
pub use process::is_sandboxed;
pub use storage_state::{StateFileError, StorageState};
