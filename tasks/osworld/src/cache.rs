//! Files of the benchmark: from a folder, and, where it is allowed, from the web into it.
//!
//! A file is kept under the SHA-256 of its address with the address's own ending. A folder that the original
//! filled (`UUID5_NAME`, or a task's folder with the plain name) is read as well.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use data_encoding::HEXLOWER;
use sha1::Sha1;
use sha2::{Digest, Sha256};
use waldo_devices::{Deadline, foreign};
use waldo_tasks::TaskError;

use super::error::{OsworldError, Result};

/// What gets a file from the web. The importer has no network of its own.
#[async_trait]
pub trait Fetch: Send + Sync {
    /// The bytes behind an address.
    async fn fetch(&self, url: &str, deadline: Deadline) -> Result<Vec<u8>>;
}

#[derive(Clone)]
pub struct Cache {
    folder: PathBuf,
    fetch: Option<Arc<dyn Fetch>>,
}

impl Cache {
    pub fn offline(folder: PathBuf) -> Self {
        Self { folder, fetch: None }
    }

    /// Files of this folder; others are fetched into it.
    pub fn online(folder: PathBuf, fetch: Arc<dyn Fetch>) -> Self {
        Self { folder, fetch: Some(fetch) }
    }

    pub fn place(&self, url: &str) -> PathBuf {
        let name = HEXLOWER.encode(&Sha256::digest(url.as_bytes())[..16]);
        self.folder.join(format!("{name}{}", ending(url)))
    }

    /// The file of an address, if it is here. `task` and `name` are those of the use.
    ///
    /// # Errors
    /// [`OsworldError::File`] when a link, a pipe or a device has its name, or it is too large.
    pub fn find(&self, url: &str, task: &str, name: &str) -> Result<Option<PathBuf>> {
        let places = [
            self.place(url),
            self.folder.join(task).join(format!("{}_{name}", uuid5(url))),
            self.folder.join(task).join(name),
            self.folder.join(format!("{}_{name}", uuid5(url))),
        ];
        for path in places {
            let size =
                foreign::open(&self.folder, &path, foreign::LARGE_BYTES).and_then(|file| file.metadata());
            match size {
                // An empty file is a download that was cut off.
                Ok(meta) if meta.len() > 0 => return Ok(Some(path)),
                Ok(_) => {}
                Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::IsADirectory) => {}
                Err(e) => return Err(TaskError::io("read", &path)(e).into()),
            }
        }
        Ok(None)
    }

    pub async fn get(&self, url: &str, task: &str, name: &str, deadline: Deadline) -> Result<Vec<u8>> {
        let path = self.ensure(url, task, name, deadline).await?;
        Ok(foreign::read(&self.folder, &path, foreign::LARGE_BYTES).map_err(TaskError::io("read", &path))?)
    }

    /// Sees to it that a file is here, and says where.
    pub(crate) async fn ensure(
        &self,
        url: &str,
        task: &str,
        name: &str,
        deadline: Deadline,
    ) -> Result<PathBuf> {
        if let Some(path) = self.find(url, task, name)? {
            return Ok(path);
        }
        let Some(fetch) = &self.fetch else {
            return Err(OsworldError::Download {
                url: url.to_owned(),
                message: format!(
                    "is not in the cache, and downloads are off; put it at {}",
                    self.place(url).display()
                ),
            });
        };
        let bytes = fetch.fetch(url, deadline).await?;
        let place = self.place(url);
        std::fs::create_dir_all(&self.folder).map_err(TaskError::io("make", &self.folder))?;
        // Written beside and moved: another task may be looking.
        let part = tempfile::NamedTempFile::new_in(&self.folder);
        let part = part.map_err(TaskError::io("write in", &self.folder))?;
        std::fs::write(part.path(), &bytes).map_err(TaskError::io("write", part.path()))?;
        part.persist(&place).map_err(|e| TaskError::io("write", &place)(e.error))?;
        Ok(place)
    }
}

fn ending(url: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    let end = name.rsplit_once('.').map(|(_, end)| end).unwrap_or_default();
    let plain = !end.is_empty() && end.len() <= 8 && end.chars().all(|c| c.is_ascii_alphanumeric());
    if plain { format!(".{end}") } else { String::new() }
}

/// `uuid.uuid5(uuid.NAMESPACE_URL, url)`, by which the original names its files.
fn uuid5(url: &str) -> String {
    const NAMESPACE: [u8; 16] =
        [0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8];
    let mut id = Sha1::new().chain_update(NAMESPACE).chain_update(url).finalize();
    id[6] = id[6] & 0x0f | 0x50;
    id[8] = id[8] & 0x3f | 0x80;
    let hex = HEXLOWER.encode(&id[..16]);
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default().to_owned();
    [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::*;

    struct Web;

    #[async_trait]
    impl Fetch for Web {
        async fn fetch(&self, url: &str, _deadline: Deadline) -> Result<Vec<u8>> {
            Ok(url.as_bytes().to_vec())
        }
    }

    #[test]
    fn names_are_the_originals() {
        assert_eq!(uuid5("http://python.org/"), "4c565f0d-3f5a-5890-b41b-20cf47701c5e");
        assert_eq!(ending("https://x.org/a/b.tar.gz?download=true"), ".gz");
        assert_eq!(ending("https://x.org/a?b=c.xlsx"), "");
    }

    #[tokio::test]
    async fn files_are_kept_and_found_again() {
        let dir = tempfile::tempdir().unwrap();
        let deadline = Deadline::after(Duration::from_secs(5));
        let offline = Cache::offline(dir.path().to_owned());
        let url = "https://x.org/a.txt";
        let error = offline.get(url, "t", "a.txt", deadline).await.unwrap_err();
        assert!(error.to_string().contains("not in the cache"), "{error}");
        let online = Cache::online(dir.path().to_owned(), Arc::new(Web));
        assert_eq!(online.get(url, "t", "a.txt", deadline).await.unwrap(), url.as_bytes());
        assert_eq!(offline.get(url, "t", "a.txt", deadline).await.unwrap(), url.as_bytes());
        std::fs::create_dir(dir.path().join("t")).unwrap();
        std::fs::write(dir.path().join("t/gold.xlsx"), "g").unwrap();
        assert!(offline.find("https://y.org/z", "t", "gold.xlsx").unwrap().is_some());
    }

    #[tokio::test]
    async fn no_link_pipe_or_endless_file_of_a_cache_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("cache");
        std::fs::create_dir_all(folder.join("t")).unwrap();
        std::fs::write(dir.path().join("secret"), "outside").unwrap();
        let cache = Cache::online(folder.clone(), Arc::new(Web));
        let deadline = Deadline::after(Duration::from_secs(5));
        let url = "https://x.org/a.txt";
        let place = cache.place(url);
        let told = async |place: &Path, why: &str| {
            let error = cache.get(url, "t", "a.txt", deadline).await.unwrap_err();
            assert!(error.to_string().contains(why), "{}: {error}", place.display());
            std::fs::remove_file(place).unwrap();
        };
        for place in [place.clone(), folder.join("t/a.txt")] {
            std::os::unix::fs::symlink(dir.path().join("secret"), &place).unwrap();
            told(&place, "it is a link").await;
            std::os::unix::fs::symlink("/dev/zero", &place).unwrap();
            told(&place, "it is a link").await;
            assert!(std::process::Command::new("mkfifo").arg(&place).status().unwrap().success());
            told(&place, "it is a pipe").await;
            std::fs::File::create(&place).unwrap().set_len(1 << 42).unwrap();
            told(&place, "it has more than").await;
        }
        let error = cache.get(url, "t", "../../secret", deadline).await.unwrap_err();
        assert!(error.to_string().contains("leads out of"), "{error}");
        assert_eq!(cache.get(url, "t", "a.txt", deadline).await.unwrap(), url.as_bytes());
    }
}
