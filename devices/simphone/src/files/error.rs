//! What can go wrong with a file, in the words a phone uses.

/// Why a file operation failed. [`std::fmt::Display`] gives the text the phone's tools print after the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FsError {
    #[error("No such file or directory")]
    NotFound,
    #[error("Not a directory")]
    NotDir,
    #[error("Is a directory")]
    IsDir,
    #[error("File exists")]
    Exists,
    #[error("Directory not empty")]
    NotEmpty,
    #[error("Permission denied")]
    Denied,
    #[error("Read-only file system")]
    ReadOnly,
    #[error("No space left on device")]
    NoSpace,
    #[error("File name too long")]
    NameTooLong,
    #[error("Too many symbolic links encountered")]
    Loop,
    #[error("Invalid argument")]
    Invalid,
}
