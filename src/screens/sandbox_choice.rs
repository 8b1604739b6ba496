//! What the flag for the sandbox of private displays says.

/// What `--sandbox` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum SandboxFlag {
    /// Where the system allows it.
    Auto,
    /// Always: no display starts without one.
    Required,
    /// Never.
    Off,
}
