//! What waldo does, seen from outside.

mod agents;
mod android;
mod android_faults;
mod android_real;
mod appagent_phone;
mod apps;
mod beside;
mod bridge;
mod cdp_agent;
mod check;
mod commands;
mod compare;
mod config;
mod contestants;
mod demo;
mod demo_phone;
mod desktop;
mod desktop_faults;
mod desktop_portable;
mod desktop_taken;
mod docs;
mod doctor_elsewhere;
mod environment;
mod envs;
mod eval;
mod explore;
mod explore_again;
mod explore_barred;
mod explore_phone;
mod export;
mod faults;
#[cfg(feature = "fleet")]
mod fleet;
mod foreign;
mod frames;
mod frames_gate;
mod frames_tools;
mod guard;
mod hand_over;
mod hooks;
mod hostile;
mod interrupted;
#[cfg(feature = "mcp")]
mod live;
mod live_page;
mod logged_in;
mod mcp;
#[cfg(feature = "mcp")]
mod mcp_agent;
#[cfg(feature = "mcp")]
mod mcp_client;
#[cfg(feature = "mcp")]
mod mcp_delegate;
#[cfg(feature = "mcp")]
mod mcp_http;
mod mcp_sessions;
mod miniwob;
mod native;
mod neighbours;
mod offline;
mod osworld;
mod osworld_elsewhere;
mod osworld_survey;
mod pictures;
mod planner;
mod prompts;
mod records;
mod refusals;
mod replays;
mod replays_by_hand;
mod report_page;
mod rewriting;
mod run_checks;
mod run_folder;
mod screens;
mod screens_faults;
mod sealed;
mod secrets;
mod server;
mod shell;
mod skill;
mod skill_kinds;
mod snapshots;
mod sources;
mod support;
mod tables;
mod terminal;
mod text;
mod to_task;
#[cfg(all(feature = "osworld", feature = "vm"))]
mod vm;
#[cfg(feature = "vnc")]
mod vnc;
#[cfg(feature = "webarena")]
mod webarena;
#[cfg(feature = "webarena")]
mod webarena_sites;
mod widgets;
mod wires;
mod wrong_ends_desktop;
mod wrong_ends_phone;
