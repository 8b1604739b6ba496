//! The web driver against a real browser and small sites of the tests' own.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail as tests do")]

#[path = "web/actions.rs"]
mod actions;
#[path = "web/elements.rs"]
mod elements;
#[path = "web/film.rs"]
mod film;
#[path = "web/first.rs"]
mod first;
#[path = "web/guard.rs"]
mod guard;
#[path = "web/hostile.rs"]
mod hostile;
#[path = "web/hostile_text.rs"]
mod hostile_text;
#[path = "web/leaks.rs"]
mod leaks;
#[path = "web/life.rs"]
mod life;
#[path = "web/listing.rs"]
mod listing;
#[path = "web/logged_in.rs"]
mod logged_in;
#[path = "web/long.rs"]
mod long;
#[path = "web/own_hands.rs"]
mod own_hands;
#[path = "web/processes.rs"]
mod processes;
#[path = "web/robust.rs"]
mod robust;
#[path = "web/site.rs"]
mod site;
#[path = "web/support.rs"]
mod support;
#[path = "web/traffic.rs"]
mod traffic;
#[path = "web/view.rs"]
mod view;
