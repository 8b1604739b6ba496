//! The `sync:` service: stat, list, push and pull.
//!
//! Invariants: a header is never split over two transport writes (adb_client cannot put it together), and the last
//! `DATA` leaves together with `DONE`; a push that breaks off leaves what came so far, as on a phone.

use super::stream::{Stream, StreamClosed};
use crate::files::{FsError, Inode, Kind, Vfs, parent};
use crate::phone::Phone;

const PATH_MAX: usize = 1024;
/// Longest `DATA`, bytes.
const DATA_MAX: usize = 64 * 1024;

struct SyncSession<'a> {
    phone: &'a Phone,
    stream: &'a Stream,
    buffer: Vec<u8>,
}

pub(super) async fn serve(phone: &Phone, stream: &Stream) -> Result<(), StreamClosed> {
    let mut session = SyncSession { phone, stream, buffer: Vec::new() };
    loop {
        let (id, len) = session.head().await?;
        if id == *b"QUIT" {
            return Ok(());
        }
        if len > PATH_MAX {
            return session.fail("path too long");
        }
        let path = String::from_utf8_lossy(&session.take(len).await?).into_owned();
        match &id {
            b"STAT" => session.stat(&path).await?,
            b"LIST" => session.list(&path).await?,
            b"SEND" => session.receive_file(&path).await?,
            b"RECV" => session.send_file(&path).await?,
            _ => return session.fail("unknown command"),
        }
    }
}

impl SyncSession<'_> {
    async fn take(&mut self, len: usize) -> Result<Vec<u8>, StreamClosed> {
        while self.buffer.len() < len {
            let more = self.stream.read().await.ok_or(StreamClosed)?;
            self.buffer.extend_from_slice(&more);
        }
        let rest = self.buffer.split_off(len);
        Ok(std::mem::replace(&mut self.buffer, rest))
    }

    async fn head(&mut self) -> Result<([u8; 4], usize), StreamClosed> {
        let head = self.take(8).await?;
        let word = |at: usize| [head[at], head[at + 1], head[at + 2], head[at + 3]];
        Ok((word(0), u32::from_le_bytes(word(4)) as usize))
    }

    fn files<R>(&self, f: impl FnOnce(&mut Vfs) -> R) -> R {
        crate::shell::files(self.phone, f)
    }

    /// The transfer failed; hosts do not acknowledge the last word, so none is waited for.
    fn fail(&self, why: &str) -> Result<(), StreamClosed> {
        self.stream.write_last(message(b"FAIL", why.as_bytes()))
    }

    async fn stat(&mut self, path: &str) -> Result<(), StreamClosed> {
        let through = path.ends_with('/') || path.ends_with("/.");
        let node = self.files(|fs| if through { fs.stat(path).cloned() } else { fs.lstat(path).cloned() });
        let mut out = b"STAT".to_vec();
        match node.ok() {
            Some(node) => words(&mut out, &[node.st_mode(), low(node.size()), time(&node)]),
            None => words(&mut out, &[0, 0, 0]),
        }
        self.stream.write(&out).await
    }

    fn entries(&self, path: &str) -> Vec<(String, Inode)> {
        self.files(|fs| {
            let Ok(listed) = fs.as_shell().list(path) else { return Vec::new() };
            let here = fs.stat(path).ok().cloned();
            let up = fs.stat(parent(path)).ok().cloned();
            let dots = [(".".to_owned(), here), ("..".to_owned(), up)];
            dots.into_iter().filter_map(|(name, node)| Some((name, node?))).chain(listed).collect()
        })
    }

    async fn list(&mut self, path: &str) -> Result<(), StreamClosed> {
        let records = self.entries(path).into_iter().map(|(name, node)| {
            let mut out = b"DENT".to_vec();
            words(&mut out, &[node.st_mode(), low(node.size()), time(&node), low(name.len() as u64)]);
            out.extend_from_slice(name.as_bytes());
            out
        });
        let mut done = b"DONE".to_vec();
        done.resize(20, 0);
        self.records(records.collect(), done).await
    }

    /// Sends whole records, as many to a packet as go in, the last one included.
    async fn records(&mut self, records: Vec<Vec<u8>>, last: Vec<u8>) -> Result<(), StreamClosed> {
        let mut packet = Vec::new();
        for record in records.into_iter().chain([last]) {
            if !packet.is_empty() && packet.len() + record.len() > self.stream.max() {
                self.stream.write_packet(std::mem::take(&mut packet)).await?;
            }
            packet.extend(record);
        }
        self.stream.write_packet(packet).await
    }

    async fn send_file(&mut self, path: &str) -> Result<(), StreamClosed> {
        let bytes = match self.files(|fs| fs.as_shell().read(path)) {
            Ok(bytes) => bytes,
            Err(FsError::IsDir) => return self.fail("read failed: Is a directory"),
            Err(error) => return self.fail(&format!("open failed: {error}")),
        };
        let piece = DATA_MAX.min(self.stream.max() - 16);
        let records = bytes.chunks(piece).map(|chunk| message(b"DATA", chunk)).collect();
        self.records(records, message(b"DONE", b"")).await
    }

    async fn receive_file(&mut self, target: &str) -> Result<(), StreamClosed> {
        let (path, mode) = target.rsplit_once(',').unwrap_or((target, "0644"));
        let path = path.to_owned();
        let link = number(mode).is_some_and(|mode| mode & 0o170_000 == 0o120_000);
        let mut failed = self.files(|fs| open_target(fs, &path)).err();
        if let Some(why) = &failed {
            self.fail(why)?;
        }
        let mut bytes = Vec::new();
        loop {
            let (id, len) = match self.head().await {
                Ok(head) => head,
                Err(gone) => {
                    if failed.is_none() {
                        let _ = self.files(|fs| fs.as_shell().write(&path, bytes));
                    }
                    return Err(gone);
                }
            };
            match &id {
                b"DATA" if len <= DATA_MAX => {
                    let data = self.take(len).await?;
                    let size = (bytes.len() + data.len()) as u64;
                    // Said as soon as it is known, and the rest is read and dropped, as adbd does.
                    if failed.is_none() && self.files(|fs| !fits(fs, &path, size)) {
                        failed = Some("write failed: No space left on device".to_owned());
                        self.fail("write failed: No space left on device")?;
                    }
                    if failed.is_none() {
                        bytes.extend_from_slice(&data);
                    }
                }
                b"DONE" => {
                    if failed.is_some() {
                        return Ok(());
                    }
                    let mtime = i64::try_from(len).unwrap_or(0);
                    return match self.files(|fs| store(fs, &path, bytes, mtime, link)) {
                        Ok(()) => self.stream.write_last(message(b"OKAY", b"")),
                        Err(error) => self.fail(&format!("couldn't create file: {error}")),
                    };
                }
                _ => {
                    self.fail("invalid data message")?;
                    return Err(StreamClosed);
                }
            }
        }
    }
}

/// Makes what is missing above the target and asks whether it may be written.
fn open_target(fs: &mut Vfs, path: &str) -> Result<(), String> {
    if !fs.exists(parent(path)) {
        fs.as_shell().mkdir_all(parent(path)).map_err(|error| format!("secure_mkdirs failed: {error}"))?;
    }
    fs.as_shell().may_write(path).map_err(|error| format!("couldn't create file: {error}"))
}

fn fits(fs: &Vfs, path: &str, size: u64) -> bool {
    let room = fs.room();
    let old = fs.stat(path).map(Inode::size).unwrap_or(0);
    room.used.saturating_sub(old) + size <= room.total
}

fn store(fs: &mut Vfs, path: &str, bytes: Vec<u8>, mtime: i64, link: bool) -> Result<(), FsError> {
    if link {
        let to = String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned();
        let _ = fs.as_shell().remove(path);
        return fs.link(&to, path);
    }
    fs.as_shell().write(path, bytes)?;
    if !matches!(fs.stat(path)?.kind, Kind::Device) {
        fs.set_mtime(path, mtime)?;
    }
    Ok(())
}

/// A number as C reads it: decimal, octal after `0`, hexadecimal after `0x`.
fn number(text: &str) -> Option<u32> {
    if let Some(hex) = text.strip_prefix("0x") {
        u32::from_str_radix(hex, 16).ok()
    } else if text.len() > 1 && text.starts_with('0') {
        u32::from_str_radix(text, 8).ok()
    } else {
        text.parse().ok()
    }
}

fn message(id: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let mut out = id.to_vec();
    words(&mut out, &[low(data.len() as u64)]);
    out.extend_from_slice(data);
    out
}

fn words(out: &mut Vec<u8>, words: &[u32]) {
    for word in words {
        out.extend_from_slice(&word.to_le_bytes());
    }
}

fn low(wide: u64) -> u32 {
    u32::try_from(wide & 0xffff_ffff).unwrap_or(u32::MAX)
}

fn time(node: &Inode) -> u32 {
    u32::try_from(node.mtime).unwrap_or(0)
}
