//! What a machine is made of.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// What carries the guest's instructions out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Acceleration {
    /// KVM where this machine has it, else TCG.
    #[default]
    Auto,
    /// The processor itself.
    Kvm,
    /// QEMU, one instruction after the other: many times slower.
    Tcg,
}

/// By what a machine is seen and driven.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// The server inside where it answers in time, else QEMU's VNC.
    #[default]
    Auto,
    Server,
    Vnc,
}

/// What `--vm` says: `memory=4096,cores=4,accel=kvm,boot=300,hands=server`, any of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VmSettings {
    /// Of the guest, in MiB.
    pub memory: u32,
    pub cores: u32,
    pub acceleration: Acceleration,
    /// How long the first start may take, until its screen is still.
    pub boot: Duration,
    pub wanted: Wanted,
}

impl Default for VmSettings {
    fn default() -> Self {
        Self {
            memory: 4096,
            cores: 2,
            acceleration: Acceleration::default(),
            boot: Duration::from_secs(600),
            wanted: Wanted::default(),
        }
    }
}

impl FromStr for VmSettings {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut settings = Self::default();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let wrong = |how: &str| format!("'{part}': write {how}");
            let (name, value) = part.split_once('=').ok_or_else(|| wrong(USAGE))?;
            let number = |least: u32, most: u32| {
                let read = value.parse().ok().filter(|n| (least..=most).contains(n));
                read.ok_or_else(|| wrong(&format!("{name}=N, from {least} to {most}")))
            };
            match (name, value) {
                ("memory", _) => settings.memory = number(64, 1 << 20)?,
                ("cores", _) => settings.cores = number(1, 255)?,
                ("boot", _) => settings.boot = Duration::from_secs(number(1, 7200)?.into()),
                ("accel", "auto") => settings.acceleration = Acceleration::Auto,
                ("accel", "kvm") => settings.acceleration = Acceleration::Kvm,
                ("accel", "tcg") => settings.acceleration = Acceleration::Tcg,
                ("hands", "auto") => settings.wanted = Wanted::Auto,
                ("hands", "server") => settings.wanted = Wanted::Server,
                ("hands", "vnc") => settings.wanted = Wanted::Vnc,
                _ => return Err(wrong(USAGE)),
            }
        }
        Ok(settings)
    }
}

const USAGE: &str =
    "memory=MiB, cores=N, accel=auto|kvm|tcg, boot=SECONDS or hands=auto|server|vnc, with commas between";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VmOptions {
    pub image: PathBuf,
    /// Of its screen, in pixels.
    pub size: (u32, u32),
    pub settings: VmSettings,
    /// A program that is a door (`waldo_devices::door`): waldo itself.
    pub door: PathBuf,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_named_within_bounds_and_the_usual_ones_where_they_are_not() {
        let read = |text: &str| text.parse::<VmSettings>();
        assert_eq!(read("").unwrap(), VmSettings::default());
        let some = read("memory=512,hands=vnc,accel=tcg,boot=30").unwrap();
        assert_eq!((some.memory, some.cores, some.boot.as_secs()), (512, 2, 30));
        assert_eq!((some.wanted, some.acceleration), (Wanted::Vnc, Acceleration::Tcg));
        for bad in ["memory", "memory=0", "memory=4G", "cores=-1", "accel=hvf", "disk=1", "boot=0"] {
            assert!(read(bad).unwrap_err().contains("write"), "{bad}");
        }
    }
}
