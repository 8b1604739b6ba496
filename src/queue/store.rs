//! Where folders of episodes lie between worker and run: on the server in chunks, or in a folder that all share.
//!
//! Chunks have subjects of our own, and not an object store's: several are on their way at once, reading them needs no
//! consumer, and all of a run is taken away in one go.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use waldo_devices::foreign;

use super::bundle::Bundle;
use super::error::{QueueError, Result};
use super::server::{FILES, QueueServer};
use super::wire::check_token;

/// Bytes of a chunk; servers take messages of up to 1 MiB.
pub(super) const CHUNK: usize = 256 << 10;
/// Chunks on their way at once.
const IN_FLIGHT: usize = 8;

#[derive(Clone)]
pub(super) enum BundleStore {
    Server(Box<QueueServer>),
    Folder(PathBuf),
}

impl BundleStore {
    /// In the folder where one is named, else on the server.
    pub(super) fn of(server: &QueueServer, folder: Option<&Path>) -> Self {
        folder
            .map_or_else(|| Self::Server(Box::new(server.clone())), |folder| Self::Folder(folder.to_owned()))
    }

    /// Sends a folder under the name `upload`, which nobody else has.
    pub(super) async fn send(&self, run: &str, upload: &str, bundle: &Bundle) -> Result<()> {
        match self {
            Self::Server(server) => send_chunks(server, run, upload, bundle).await,
            Self::Folder(folder) => write_file(folder, run, upload, bundle),
        }
    }

    /// Gets the `length` bytes of an upload, piece by piece.
    pub(super) async fn get(
        &self,
        run: &str,
        upload: &str,
        length: u64,
        take: &mut (dyn FnMut(&[u8]) -> Result<()> + Send),
    ) -> Result<()> {
        check_token(upload)?;
        match self {
            Self::Server(server) => get_chunks(server, run, upload, length, take).await,
            Self::Folder(folder) => read_file(folder, run, upload, length, take),
        }
    }

    pub(super) async fn remove(&self, run: &str, upload: &str) -> Result<()> {
        check_token(upload)?;
        match self {
            Self::Server(server) => server.purge(FILES, &format!("waldo.file.{run}.{upload}.*")).await,
            Self::Folder(folder) => {
                let path = folder.join(run).join(upload);
                match fs::remove_file(&path) {
                    Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                        Err(QueueError::io("remove", &path)(e))
                    }
                    _ => Ok(()),
                }
            }
        }
    }

    /// Takes all uploads of a run away, also of workers that died over one.
    pub(super) async fn clear(&self, run: &str) -> Result<()> {
        match self {
            Self::Server(server) => server.purge(FILES, &format!("waldo.file.{run}.>")).await,
            Self::Folder(folder) => {
                let path = folder.join(check_token(run)?);
                match fs::remove_dir_all(&path) {
                    Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                        Err(QueueError::io("remove", &path)(e))
                    }
                    _ => Ok(()),
                }
            }
        }
    }
}

async fn send_chunks(server: &QueueServer, run: &str, upload: &str, bundle: &Bundle) -> Result<()> {
    let mut on_their_way = FuturesUnordered::new();
    let mut number = 0_u64;
    let mut chunk = Vec::with_capacity(CHUNK);
    let put = |number: u64, chunk: Vec<u8>| {
        let subject = format!("waldo.file.{run}.{upload}.{number}");
        async move { server.patiently(|| server.put(subject.clone(), chunk.clone())).await }
    };
    for path in bundle.contents() {
        let mut file = bundle.open(&path).map_err(QueueError::io("read", &path))?;
        loop {
            let room = (CHUNK - chunk.len()) as u64;
            let read =
                (&mut file).take(room).read_to_end(&mut chunk).map_err(QueueError::io("read", &path))?;
            if read == 0 && room > 0 {
                break;
            }
            if chunk.len() == CHUNK {
                if on_their_way.len() >= IN_FLIGHT {
                    on_their_way.next().await.transpose()?;
                }
                on_their_way.push(put(number, std::mem::replace(&mut chunk, Vec::with_capacity(CHUNK))));
                number += 1;
            }
        }
    }
    if !chunk.is_empty() {
        on_their_way.push(put(number, chunk));
    }
    while let Some(done) = on_their_way.next().await {
        done?;
    }
    Ok(())
}

async fn get_chunks(
    server: &QueueServer,
    run: &str,
    upload: &str,
    length: u64,
    take: &mut (dyn FnMut(&[u8]) -> Result<()> + Send),
) -> Result<()> {
    let size = CHUNK as u64;
    let get = |number: u64| async move {
        let subject = format!("waldo.file.{run}.{upload}.{number}");
        let found: Option<Bytes> = server.patiently(|| server.bytes(FILES, &subject)).await?;
        let expected = size.min(length - number * size);
        match found {
            Some(bytes) if bytes.len() as u64 == expected => Ok(bytes),
            Some(bytes) => Err(QueueError::Foreign(format!(
                "chunk {number} of its folder has {} bytes, not {expected}",
                bytes.len()
            ))),
            None => Err(QueueError::Foreign(format!("chunk {number} of its folder is not there"))),
        }
    };
    let mut chunks = futures::stream::iter((0..length.div_ceil(size)).map(get)).buffered(IN_FLIGHT);
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk?;
        take(chunk.as_ref())?;
    }
    Ok(())
}

fn write_file(folder: &Path, run: &str, upload: &str, bundle: &Bundle) -> Result<()> {
    let dir = folder.join(run);
    foreign::make_folder(folder, &dir).map_err(QueueError::io("make", &dir))?;
    let (part, path) = (dir.join(format!("{upload}.part")), dir.join(upload));
    let written = (|| {
        let mut to = File::options().write(true).create_new(true).open(&part)?;
        for path in bundle.contents() {
            std::io::copy(&mut bundle.open(&path)?, &mut to)?;
        }
        to.flush()?;
        to.sync_data()?;
        fs::rename(&part, &path)
    })();
    written.map_err(|e| {
        let _ = fs::remove_file(&part);
        QueueError::io("write", &path)(e)
    })
}

fn read_file(
    folder: &Path,
    run: &str,
    upload: &str,
    length: u64,
    take: &mut (dyn FnMut(&[u8]) -> Result<()> + Send),
) -> Result<()> {
    let path = folder.join(run).join(upload);
    let odd = |e: std::io::Error| {
        QueueError::Foreign(format!(
            "its folder is not in --artifacts as it should be: {}: {e}",
            path.display()
        ))
    };
    let mut file = foreign::open(folder, &path, length).map_err(odd)?.take(length.saturating_add(1));
    let mut buffer = vec![0; CHUNK];
    let mut read = 0;
    loop {
        let n = file.read(&mut buffer).map_err(odd)?;
        if n == 0 {
            break;
        }
        read += n as u64;
        if read > length {
            return Err(QueueError::Foreign("its folder has more bytes than were said".to_owned()));
        }
        take(&buffer[..n])?;
    }
    match read == length {
        true => Ok(()),
        false => Err(QueueError::Foreign(format!("its folder has {read} bytes, not {length}"))),
    }
}
