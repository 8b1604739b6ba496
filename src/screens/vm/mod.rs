//! Virtual machines by QEMU, brought back to a snapshot before each episode: `qemu:IMAGE.qcow2`.

#[cfg(feature = "vm")]
mod source;

use std::sync::Arc;

use async_trait::async_trait;
use waldo_devices::Platform;
use waldo_tasks::episode::Timeouts;

use super::desktops::ProgramsKind;
use super::error::ScreenError;
use super::finding::{DeviceEntry, Finding};
use super::kind::{KindFacts, ScreenKind, ScreenRequest, ScreenSource};

#[cfg(all(feature = "vm", feature = "osworld"))]
pub use source::{pool, server};

pub struct QemuImage;

#[async_trait]
impl ScreenKind for QemuImage {
    fn facts(&self) -> KindFacts {
        KindFacts::new(&["qemu:IMAGE.qcow2"], &ProgramsKind, &["--screen", "--vm"]).taken_as_it_is()
    }

    fn read(&self, text: &str) -> Option<Result<String, String>> {
        let image = text.strip_prefix("qemu:")?;
        let wrong = || format!("'{text}': write qemu:IMAGE.qcow2, the disk image of the machine");
        Some((!image.is_empty()).then(|| text.to_owned()).ok_or_else(wrong))
    }

    /// A machine without KVM takes minutes for what others do in seconds.
    fn timeouts(&self, usual: Timeouts) -> Timeouts {
        Timeouts { set_up: usual.set_up * 5, device: usual.device * 2, ..usual }
    }

    fn listed(&self) -> Option<DeviceEntry> {
        let product = "a virtual machine of a disk image";
        cfg!(feature = "vm")
            .then(|| DeviceEntry::new(Platform::Desktop.as_str(), product, "qemu:IMAGE.qcow2", false))
    }

    #[cfg(feature = "vm")]
    async fn source(&self, wanted: ScreenRequest<'_>) -> Result<Arc<dyn ScreenSource>, ScreenError> {
        Ok(Arc::new(source::VmSource::of(&wanted).await?))
    }

    #[cfg(not(feature = "vm"))]
    async fn source(&self, _: ScreenRequest<'_>) -> Result<Arc<dyn ScreenSource>, ScreenError> {
        Err(crate::absent::VM.into())
    }

    #[cfg(feature = "vm")]
    async fn examine(&self, wanted: &ScreenRequest<'_>) -> Vec<Finding> {
        findings(wanted.address()).await
    }

    #[cfg(not(feature = "vm"))]
    async fn examine(&self, _: &ScreenRequest<'_>) -> Vec<Finding> {
        let none: Result<&str, _> = Err(crate::absent::VM);
        vec![Finding::of("vm", none, "build waldo with the feature vm")]
    }
}

/// What is here of what virtual machines need; nothing is started.
#[cfg(feature = "vm")]
pub async fn findings(image: Option<&str>) -> Vec<Finding> {
    let checks = waldo_vm::check(image.map(std::path::Path::new)).await;
    checks.into_iter().map(|check| Finding::foreign(check.what, check.found, check.hint)).collect()
}
