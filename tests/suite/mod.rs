//! What waldo does, seen from outside.

mod commands;
mod eval;
mod faults;
mod support;
