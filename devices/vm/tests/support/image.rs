//! The guest for tests, which `scripts/make-vm --trial` builds.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The image, made on first use and where `script` is newer.
pub fn trial(script: &Path) -> PathBuf {
    let image = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vm-trial.qcow2");
    let made = |file: &Path| file.metadata().and_then(|file| file.modified());
    if made(&image).map_or(true, |image| image < made(script).unwrap()) {
        let new = image.with_extension(format!("{}.new", std::process::id()));
        let built = Command::new(script).arg(&new).arg("--trial").status().unwrap();
        assert!(built.success(), "scripts/setup tests installs what scripts/make-vm needs");
        std::fs::rename(new, &image).unwrap();
    }
    image
}
