//! What reads text in pictures, whatever it is.

use async_trait::async_trait;

use crate::part::PreparedPart;
use crate::words::Word;
use waldo_devices::device::Deadline;
use waldo_devices::error::DeviceError;

/// Reads what is written in parts of a picture.
#[async_trait]
pub trait TextReader: Send + Sync {
    /// What it is, with its version and languages, for records: results depend on it.
    fn name(&self) -> String;

    /// The words of each part, in the order of `parts` and in the order of reading.
    ///
    /// # Errors
    /// [`DeviceError::Timeout`], [`DeviceError::Call`], or what keeps it from being asked at all.
    async fn read(&self, parts: &[PreparedPart], deadline: Deadline) -> Result<Vec<Vec<Word>>, DeviceError>;
}
