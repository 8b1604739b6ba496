//! What waldo does, seen from outside.

mod android;
mod appagent_phone;
mod commands;
mod config;
mod demo;
mod desktop;
mod desktop_portable;
mod docs;
mod eval;
mod explore;
mod explore_phone;
mod faults;
mod frames;
mod guard;
mod hostile;
mod miniwob;
mod osworld;
mod planner;
mod prompts;
mod report_page;
mod secrets;
mod skill;
mod snapshots;
mod support;
mod tables;
mod widgets;
