//! Files: browses shared storage (`/sdcard`) through the phone's own file system, so that `ls`, `cat` and
//! `adb pull` see what it did and it sees what they did.
//!
//! The final state is the file system itself; the one provider is `content://files/prefs` (`_id` 1, `sort` one of
//! `name date size`, `descending` 0 or 1). Names that begin with a dot are not shown. A full phone refuses new
//! folders and copies; renaming, moving and deleting need no room.

mod seed;
#[cfg(test)]
mod tests;
mod view;

use crate::{
    apps::prelude::*,
    files::{FsError, NAME_MAX, Vfs, base_name, join, parent},
};

pub(crate) use seed::lay;

messages! {
    /// What its layout leaves to it; a name is that of an item of the folder that is shown.
    enum Msg {
        Open(name: String) = "open",
        Renamed(name: String) = "renamed",
        /// A new folder has its name.
        Made = "made",
        Copy(name: String) = "copy",
        /// What is moved belongs into the folder that is shown.
        Here = "here",
        Deleted(name: String) = "deleted",
    }
}

pub const PACKAGE: &str = "com.waldo.files";
const ROOT: &str = "/sdcard";

/// How folders are shown; what is in them is the file system's.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Files {
    sort: SortBy,
    descending: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SortBy {
    Name,
    Date,
    Size,
}

fn folder(at: &Activity) -> String {
    let own = at.local("path");
    if !own.is_empty() {
        return own.to_owned();
    }
    let asked = at.extra("path");
    if asked.is_empty() { ROOT.to_owned() } else { asked }
}

fn enter(at: &mut Activity, path: &str) {
    at.set_local("path", path);
    at.scroll.clear();
    at.overlay = None;
}

/// Whether a folder was left for the one above.
fn up(at: &mut Activity) -> bool {
    let here = folder(at);
    if here == ROOT {
        return false;
    }
    enter(at, parent(&here));
    true
}

/// A free name beside `path`, as `report (1).txt`.
fn free_name(fs: &Vfs, path: &str) -> String {
    let (dir, name) = (parent(path), base_name(path));
    let (stem, end) = match name.rfind('.') {
        Some(dot) if dot > 0 => name.split_at(dot),
        _ => (name, ""),
    };
    (1..)
        .map(|i| join(dir, &format!("{stem} ({i}){end}")))
        .find(|p| !fs.exists(p))
        .unwrap_or_else(|| path.to_owned())
}

fn checked(name: &str) -> Result<&str, &'static str> {
    match name.trim() {
        "" => Err("Enter a name"),
        "." | ".." => Err("This name cannot be used"),
        n if n.contains('/') => Err("A name cannot contain /"),
        n if n.len() > NAME_MAX => Err("The name is too long"),
        n => Ok(n),
    }
}

fn error_text(error: FsError) -> String {
    match error {
        FsError::Exists | FsError::NotEmpty => "An item of that name already exists".to_owned(),
        FsError::Invalid => "A folder cannot be moved into itself".to_owned(),
        other => other.to_string(),
    }
}

/// Moves without ever replacing what is there.
fn rename(fs: &mut Vfs, from: &str, to: &str) -> Result<(), FsError> {
    if from != to && fs.exists(to) {
        return Err(FsError::Exists);
    }
    fs.rename(from, to)
}

/// What went wrong, or else the dialog is closed.
fn close_unless(wrong: Result<(), String>, at: &mut Activity, sys: &mut Sys<'_>) {
    match wrong {
        Ok(()) => at.overlay = None,
        Err(why) => sys.toast(why),
    }
}

/// What was done, or else what went wrong.
fn tell(done: Result<(), FsError>, text: String, sys: &mut Sys<'_>) {
    sys.toast(done.map_or_else(error_text, |()| text));
}

impl Files {
    fn make_folder(at: &mut Activity, sys: &mut Sys<'_>) {
        let name = at.field("folder_name").unwrap_or("").to_owned();
        let made = match checked(&name) {
            Err(why) => Err(why.to_owned()),
            Ok(_) if sys.storage_full() => Err(error_text(FsError::NoSpace)),
            Ok(n) => sys.world().files.mkdir(&join(&folder(at), n)).map_err(error_text),
        };
        close_unless(made, at, sys);
    }

    fn renamed(at: &mut Activity, old: &str, sys: &mut Sys<'_>) {
        let name = at.field("file_name").unwrap_or(old).to_owned();
        let dir = folder(at);
        let done = match checked(&name) {
            Err(why) => Err(why.to_owned()),
            Ok(n) => rename(&mut sys.world().files, &join(&dir, old), &join(&dir, n)).map_err(error_text),
        };
        close_unless(done, at, sys);
    }

    fn copied(path: &str, sys: &mut Sys<'_>) {
        let fs = &mut sys.world().files;
        let to = free_name(fs, path);
        let done = fs.read(path).and_then(|bytes| fs.write(&to, bytes));
        tell(done, format!("Copied as {}", base_name(&to)), sys);
    }
}

impl App for Files {
    fn fresh(_: &mut Seed) -> Self {
        Self { sort: SortBy::Name, descending: false }
    }

    fn facts(&self, at: &Activity, cx: &Cx<'_>) -> serde_json::Value {
        self.shown(at, cx)
    }

    fn on_event(&mut self, at: &mut Activity, ev: &UiEvent, sys: &mut Sys<'_>) {
        let Some(message) = ev.message() else {
            if ev.kind == UiEventKind::Back && at.name() != "ViewActivity" && up(at) {
                sys.consume();
            }
            return;
        };
        let dir = folder(at);
        match message {
            Msg::Open(name) => {
                let path = join(&dir, &name);
                at.overlay = None;
                if sys.world().files.stat(&path).is_ok_and(crate::files::Inode::is_dir) {
                    enter(at, &path);
                } else {
                    sys.open(".ViewActivity", [("path".to_owned(), path)]);
                }
            }
            Msg::Renamed(old) => Self::renamed(at, &old, sys),
            Msg::Made => Self::make_folder(at, sys),
            Msg::Copy(name) => {
                at.overlay = None;
                Self::copied(&join(&dir, &name), sys);
            }
            Msg::Here => {
                let from = at.extra("from");
                let done = rename(&mut sys.world().files, &from, &join(&dir, base_name(&from)));
                if done.is_ok() {
                    sys.finish();
                }
                tell(done, format!("Moved to {}", view::title(&dir)), sys);
            }
            Msg::Deleted(name) => {
                at.overlay = None;
                let done = sys.world().files.remove_all(&join(&dir, &name));
                tell(done, format!("Deleted {name}"), sys);
            }
        }
    }
}
