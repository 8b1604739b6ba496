//! Downloads of a context: kept under the names that pages gave them, and bounded in number and size.
//!
//! Invariant: what is cancelled leaves no file behind, and is told.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::cdp::{SessionId, text};
use super::events::Supervisor;
use super::state::{ContextState, Download};

impl Supervisor {
    /// A download begins; one too many is cancelled, and nothing is stored from then on. One of another context, of
    /// which the browser tells too, is none of this one's.
    pub(super) fn download_begins(&self, session: Option<&SessionId>, params: &Value) {
        let guid = text(params, "guid");
        if !self.shared.with(|state| state.frames.contains(text(params, "frameId"))) {
            return;
        }
        let limit = self.setup.get().download_limits.files;
        let too_many = self.shared.update(|state| {
            if state.downloads.len() >= limit {
                return true;
            }
            state.downloads.push(Download {
                guid: guid.to_owned(),
                name: self.setup.get().secrets.mask(text(params, "suggestedFilename").to_owned()),
                path: None,
                done: false,
                received: 0,
            });
            false
        });
        if too_many {
            self.cancel(session, guid);
        }
    }

    pub(super) fn download_goes_on(&self, session: Option<&SessionId>, params: &Value) {
        let guid = text(params, "guid");
        // The whole size is known before the whole is here, or never.
        let bytes = |key: &str| params[key].as_f64().map_or(0, |bytes| bytes.max(0.0) as u64);
        let size = bytes("receivedBytes").max(bytes("totalBytes"));
        let ended = text(params, "state") != "inProgress";
        let limit = self.setup.get().download_limits.bytes;
        let too_large = self.shared.update(|state| {
            if let Some(download) = state.downloads.iter_mut().find(|download| download.guid == guid) {
                download.received = size;
            }
            let known = state.downloads.iter().any(|download| download.guid == guid);
            known && state.downloads.iter().map(|download| download.received).sum::<u64>() > limit
        });
        if too_large {
            self.cancel(session, guid);
        }
        if ended {
            self.download_ends(guid, text(params, "state") == "completed");
        }
    }

    fn download_ends(&self, guid: &str, completed: bool) {
        let name = self.shared.update(|state| {
            let at = state.downloads.iter().position(|download| download.guid == guid);
            // It may have come whole before it could be cancelled.
            let wanted = completed && !state.unwanted.remove(guid);
            match at {
                Some(at) if wanted => Some(state.downloads[at].name.clone()),
                at => {
                    at.map(|at| state.downloads.remove(at));
                    None
                }
            }
        });
        let setup = self.setup.get();
        let Some(folder) = setup.downloads.as_deref() else { return };
        let from = folder.join(guid);
        let Some(name) = name else {
            // Names are the browser's own: a path out of the folder cannot be.
            if guid.chars().all(|c| c.is_ascii_hexdigit() || c == '-') {
                let _ = std::fs::remove_file(from);
            }
            return;
        };
        let to = free_path(folder, &name);
        let path = if std::fs::rename(&from, &to).is_ok() { to } else { from };
        self.shared.update(|state| {
            if let Some(download) = state.downloads.iter_mut().find(|download| download.guid == guid) {
                download.done = true;
                download.path = Some(path);
            }
        });
    }

    /// Cancels a download; the context stores nothing more.
    fn cancel(&self, session: Option<&SessionId>, guid: &str) {
        let limits = self.setup.get().download_limits;
        self.shared.update(|state: &mut ContextState| {
            state.downloads.retain(|download| download.guid != guid);
            state.unwanted.insert(guid.to_owned());
            state.notice(format!(
                "a download was cancelled, and no further one will be stored: at most {} files of {} MB together are",
                limits.files,
                limits.bytes / 1_000_000
            ));
        });
        let context = &self.context;
        let which = json!({ "guid": guid, "browserContextId": context });
        self.cdp.fire(session, "Browser.cancelDownload", which);
        let deny = json!({ "behavior": "deny", "browserContextId": context, "eventsEnabled": true });
        self.cdp.fire(session, "Browser.setDownloadBehavior", deny);
    }
}

/// A path in `folder` for a file that a page named, which is never outside and never an existing one.
fn free_path(folder: &std::path::Path, name: &str) -> PathBuf {
    let safe: String =
        name.chars().map(|c| if c.is_control() || matches!(c, '/' | '\\' | ':') { '_' } else { c }).collect();
    let safe = match safe.trim_matches(['.', ' ']) {
        "" => "download",
        trimmed => trimmed,
    };
    let (stem, dot) = match safe.rsplit_once('.') {
        Some((stem, end)) if !stem.is_empty() => (stem, format!(".{end}")),
        _ => (safe, String::new()),
    };
    let mut path = folder.join(safe);
    for n in 1.. {
        if !path.exists() {
            break;
        }
        path = folder.join(format!("{stem} ({n}){dot}"));
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_download_never_leaves_its_folder_nor_replaces_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| free_path(dir.path(), name);
        assert_eq!(at("../../etc/passwd"), dir.path().join("_.._etc_passwd"));
        assert_eq!(at(".."), dir.path().join("download"));
        std::fs::write(at("a.txt"), "x").unwrap();
        assert_eq!(at("a.txt"), dir.path().join("a (1).txt"));
    }
}
