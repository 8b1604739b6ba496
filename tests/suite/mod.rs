//! What waldo does, seen from outside.

mod commands;
mod eval;
mod faults;
mod guard;
mod support;
