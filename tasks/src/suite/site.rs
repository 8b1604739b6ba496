//! The pages of a suite, held in memory.
//!
//! Invariant: a path is looked up among the files that were read when the suite was loaded and never
//! touches the file system, so no path leads out of the suite, and what is served is what was hashed.

use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteFile {
    pub bytes: Arc<[u8]>,
    pub mime: &'static str,
}

#[derive(Clone, Debug, Default)]
pub struct SiteFiles(Arc<BTreeMap<String, SiteFile>>);

impl SiteFiles {
    /// Files by their paths below the site's folder, with forward slashes.
    pub fn new(files: impl IntoIterator<Item = (String, Arc<[u8]>)>) -> Self {
        let files = files.into_iter().map(|(path, bytes)| {
            let mime = mime(&path);
            (path, SiteFile { bytes, mime })
        });
        Self(Arc::new(files.collect()))
    }

    /// The file at a path of an address, percent-decoded and without its query; `/dir/` gives the
    /// `index.html` in it. `None` when there is none, whatever the path.
    pub fn get(&self, path: &str) -> Option<SiteFile> {
        let path = path.strip_prefix('/').unwrap_or(path);
        if path.is_empty() || path.ends_with('/') {
            return self.0.get(&format!("{path}index.html")).cloned();
        }
        self.0.get(path).cloned()
    }

    /// Every file, by its path below the site's folder.
    pub fn all(&self) -> impl Iterator<Item = (String, Arc<[u8]>)> + '_ {
        self.0.iter().map(|(path, file)| (path.clone(), file.bytes.clone()))
    }

    /// Whether `path`, which lacks its slash at the end, is a folder with an `index.html`.
    pub fn is_folder(&self, path: &str) -> bool {
        !path.ends_with('/') && self.get(&format!("{path}/")).is_some()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn mime(path: &str) -> &'static str {
    let ending = path.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
    match ending.as_str() {
        "html" | "htm" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "txt" => "text/plain; charset=utf-8",
        "csv" => "text/csv; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "pdf" => "application/pdf",
        "mp4" => "video/mp4",
        "webm" => "video/webm",
        "mp3" => "audio/mpeg",
        "wav" => "audio/wav",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    }
}
