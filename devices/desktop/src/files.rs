use std::path::{Path, PathBuf};

use waldo_devices::error::DeviceError;

/// The most bytes of a file that a check gets.
const FILE_MAX: u64 = 64 * 1024 * 1024;

/// A file's content; `None` where there is none.
pub async fn read(path: &Path) -> Result<Option<Vec<u8>>, DeviceError> {
    let shown = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let io = |source| DeviceError::Io { what: format!("the file '{shown}'"), source };
    let meta = match tokio::fs::metadata(path).await {
        Ok(meta) => meta,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io(error)),
    };
    if !meta.is_file() || meta.len() > FILE_MAX {
        return Err(DeviceError::BadArgument {
            what: format!("file '{shown}'"),
            message: format!("it is not a plain file of at most {FILE_MAX} bytes"),
        });
    }
    tokio::fs::read(path).await.map(Some).map_err(io)
}

pub fn downloads(home: &Path) -> Vec<(String, PathBuf)> {
    let folder = std::fs::read_dir(home.join("Downloads")).into_iter().flatten().flatten();
    let mut files: Vec<_> = folder
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
        .collect();
    files.sort();
    files
}
