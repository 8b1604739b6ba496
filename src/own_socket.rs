//! Unix sockets that this user alone reaches.

use std::io;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use tokio::net::{UnixListener, UnixStream};
use waldo_devices::connections::next_connection;

/// A socket that is listened at; its file goes with it.
pub struct OwnSocket {
    listener: UnixListener,
    path: PathBuf,
}

impl Drop for OwnSocket {
    fn drop(&mut self) {
        // It may be gone with its folder.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl OwnSocket {
    /// Listens at `path`. A socket of a server that is gone is taken over.
    pub async fn bind(path: &Path) -> io::Result<Self> {
        let is_socket = std::fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket());
        if is_socket && UnixStream::connect(path).await.is_err() {
            std::fs::remove_file(path)?;
        }
        let listener = UnixListener::bind(path)?;
        let bound = Self { listener, path: path.to_owned() };
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
        Ok(bound)
    }

    pub async fn accept(&self) -> UnixStream {
        let user = rustix::process::geteuid().as_raw();
        loop {
            let (stream, _) = next_connection(|| self.listener.accept()).await;
            if stream.peer_cred().is_ok_and(|peer| peer.uid() == user) {
                return stream;
            }
            tracing::warn!("a connection of another user was refused");
        }
    }
}
