//! What this build has not.
#![allow(dead_code, reason = "a build may have everything")]

/// Something that this build was made without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this waldo was built without {what}: cargo build --release --features {feature}")]
pub struct Absent {
    pub what: &'static str,
    pub feature: &'static str,
}

pub const FLEET: Absent = Absent { what: "workers and queues", feature: "fleet" };
pub const VM: Absent = Absent { what: "virtual machines", feature: "vm" };

/// `--queue` in a build without a fleet: taken, so that it can be said what brings it.
#[derive(Debug, clap::Args)]
pub struct NoQueue {
    #[arg(long, hide = true, value_name = "ADDRESS")]
    queue: Option<String>,
}

impl NoQueue {
    pub fn refuse(&self) -> Result<(), Absent> {
        if self.queue.is_some() { Err(FLEET) } else { Ok(()) }
    }
}

/// The arguments of a command that this build has not, whatever they are.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub struct AnyArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    any: Vec<std::ffi::OsString>,
}
