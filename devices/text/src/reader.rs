use async_trait::async_trait;

use crate::part::PreparedPart;
use crate::words::Word;
use waldo_devices::{Deadline, DeviceError};

#[async_trait]
pub trait TextReader: Send + Sync {
    /// What it is, with its version and languages, for records: results depend on it.
    fn name(&self) -> String;

    /// The words of each part, in the order of `parts` and in the order of reading.
    async fn read(&self, parts: &[PreparedPart], deadline: Deadline) -> Result<Vec<Vec<Word>>, DeviceError>;
}
