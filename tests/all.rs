//! One integration binary: drives the built `waldo` and a real browser.

mod suite;
