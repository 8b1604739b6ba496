//! Why an office file gives no answer.

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OfficeError {
    /// The file is not what it should be, or broken.
    #[error("{0}")]
    Unreadable(String),
    /// The file holds something that is not read here.
    #[error("{0} is not supported")]
    Unsupported(String),
    #[error("no sheet '{name}'; there are {there}")]
    NoSheet { name: String, there: String },
    #[error("'{name}' does not name a cell, such as B3")]
    NoCell { name: String },
    #[error("the sheet has {rows} rows and {columns} columns; at most {most} of each are read")]
    Large { rows: u32, columns: u32, most: u32 },
}

impl OfficeError {
    pub(crate) fn unreadable(message: impl Into<String>) -> Self {
        Self::Unreadable(message.into())
    }
}
