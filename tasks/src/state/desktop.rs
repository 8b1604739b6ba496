//! What is durable on a private desktop: the files of HOME, office files by their content, settings, the list of recent
//! files, and windows.
//!
//! Invariants: whatever lies in HOME, reading it ends: no link is followed, nothing but plain files is opened, and files and
//! bytes are bounded. What is beyond a bound is an entry that says so.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use waldo_devices::foreign::{self, EntryKind, FolderEntry};
use waldo_devices::{Deadline, Device, DeviceError, Result, StateProbe, StateValue, WindowInfo};

use super::gsettings::{self, KEY_FILE, SCHEMAS};
use super::{DCONF, DOCUMENT, FILES, MODES, RECENT, SHEET, Store, WINDOWS, fingerprint};

/// The most files and folders that are told of.
const ENTRIES: usize = 5_000;
/// The most bytes of a file that is told of by its text.
const TEXT: usize = 256 << 10;
/// The most bytes of an office file that is told of by its content.
const OFFICE: usize = 8 << 20;
/// The most bytes of a file that is read, and of all files.
const ONE: u64 = 64 << 20;
const ALL: u64 = 256 << 20;
const RECENT_FILE: &str = ".local/share/recently-used.xbel";
/// Hidden places that hold what a user has done, not what programs keep: the trash, bookmarks, what starts by itself.
const OWN: [&str; 5] = [
    ".local/share/Trash/files",
    ".local/share/applications",
    ".config/autostart",
    ".config/gtk-3.0/bookmarks",
    ".config/mimeapps.list",
];
/// Permissions that a file gets when nobody sets any.
const USUAL: [u32; 2] = [0o644, 0o664];

pub(super) async fn read(device: &mut dyn Device, deadline: Deadline) -> Result<BTreeMap<String, Store>> {
    let home = match device.probe(&StateProbe::Home, deadline).await {
        Ok(StateValue::Text(home)) => PathBuf::from(home),
        Ok(other) => return Err(unexpected(&StateProbe::Home, &other)),
        // A machine elsewhere, whose files cannot be read from here.
        Err(DeviceError::Unsupported { .. }) => {
            let files = Store::from([(
                String::new(),
                json!({ "unread": "the files of this machine cannot be read" }),
            )]);
            return Ok([(FILES.to_owned(), files)].into());
        }
        Err(error) => return Err(error),
    };
    let (mut stores, key_file) = tokio::task::spawn_blocking(move || {
        let mut reader = HomeReader::new(home);
        reader.all();
        let text = |path: &str| {
            let read = foreign::read(&reader.home, Path::new(path), TEXT as u64);
            String::from_utf8_lossy(&read.unwrap_or_default()).into_owned()
        };
        let (recent, key_file) = (recent(&text(RECENT_FILE), &reader.home), text(KEY_FILE));
        reader.stores.insert(RECENT.to_owned(), recent);
        (reader.stores, key_file)
    })
    .await
    .map_err(|error| DeviceError::Call { call: "read HOME".to_owned(), message: error.to_string() })?;
    // Without the file nothing was ever set.
    if !key_file.trim().is_empty() {
        let schemas = match device.probe(&StateProbe::Shell(SCHEMAS.to_owned()), deadline).await {
            Ok(StateValue::Text(text)) => text,
            Ok(_) | Err(DeviceError::Call { .. }) => String::new(),
            Err(error) => return Err(error),
        };
        stores.insert(DCONF.to_owned(), gsettings::settings(&key_file, &schemas));
    }
    stores.insert(WINDOWS.to_owned(), by_title(windows(device, deadline).await?));
    Ok(stores)
}

pub(crate) fn unexpected(probe: &StateProbe, value: &StateValue) -> DeviceError {
    DeviceError::Call { call: format!("{probe:?}"), message: format!("answered with {value:?}") }
}

pub(crate) async fn windows(device: &mut dyn Device, deadline: Deadline) -> Result<Vec<WindowInfo>> {
    match device.probe(&StateProbe::Windows, deadline).await? {
        StateValue::Json(list) => serde_json::from_value(list).map_err(|error| DeviceError::Call {
            call: "the windows".to_owned(),
            message: error.to_string(),
        }),
        other => Err(unexpected(&StateProbe::Windows, &other)),
    }
}

/// Windows by their titles: the programs that show them.
fn by_title(windows: Vec<WindowInfo>) -> Store {
    let mut all: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for window in windows {
        all.entry(window.title).or_default().push(window.program.into());
    }
    all.into_iter().map(|(title, programs)| (title, programs.into())).collect()
}

/// The files of the list of recent ones, by their paths below HOME where they lie there.
fn recent(list: &str, home: &Path) -> Store {
    let inside = format!("file://{}/", home.display());
    let addresses = list.split("<bookmark href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    addresses
        .map(|address| (address.strip_prefix(&inside).unwrap_or(address).to_owned(), Value::from(true)))
        .collect()
}

struct HomeReader {
    home: PathBuf,
    stores: BTreeMap<String, Store>,
    /// Files and folders that may still be told of.
    entries: usize,
    /// Bytes that may still be read.
    bytes: u64,
}

impl HomeReader {
    fn new(home: PathBuf) -> Self {
        let stores = [(FILES.to_owned(), Store::new()), (MODES.to_owned(), Store::new())].into();
        Self { home, stores, entries: ENTRIES, bytes: ALL }
    }

    fn put(&mut self, store: &str, key: String, value: Value) {
        self.stores.entry(store.to_owned()).or_default().insert(key, value);
    }

    fn all(&mut self) {
        let home = self.home.clone();
        self.folder(&home, "");
        for path in OWN {
            let full = home.join(path);
            match foreign::list(&home, &full) {
                Ok(_) => self.folder(&full, &format!("{path}/")),
                // A file; what is not there is no entry.
                Err(_) => {
                    if let Ok(file) = foreign::open(&home, &full, u64::MAX) {
                        let bytes = file.metadata().map_or(0, |of| of.len());
                        self.file(&full, path.to_owned(), bytes);
                    }
                }
            }
        }
    }

    /// Tells of all that is in a folder, whose path with a slash at its end is `prefix`.
    fn folder(&mut self, path: &Path, prefix: &str) {
        let mut folders = vec![(path.to_owned(), prefix.to_owned())];
        while let Some((folder, prefix)) = folders.pop() {
            let listed = match foreign::list(&self.home, &folder) {
                Ok(listed) => listed,
                Err(error) => {
                    self.put(FILES, prefix, json!({ "folder": true, "unread": error.to_string() }));
                    continue;
                }
            };
            for FolderEntry { name, path, kind } in listed {
                let name = name.to_string_lossy().into_owned();
                if is_passing(&name) || (prefix.is_empty() && is_of_programs(&name, kind)) {
                    continue;
                }
                let key = format!("{prefix}{name}");
                let Some(left) = self.entries.checked_sub(1) else {
                    let more =
                        json!({ "unread": format!("there are more than {ENTRIES} files and folders") });
                    self.put(FILES, "...".to_owned(), more);
                    return;
                };
                self.entries = left;
                match kind {
                    EntryKind::Folder => {
                        self.put(FILES, format!("{key}/"), json!({ "folder": true }));
                        folders.push((path, format!("{key}/")));
                    }
                    EntryKind::File => self.opened(&path, key),
                    EntryKind::Other("a link") => {
                        let target = std::fs::read_link(&path).unwrap_or_default();
                        self.put(FILES, key, json!({ "link": target.to_string_lossy() }));
                    }
                    EntryKind::Other(what) => self.put(FILES, key, json!({ "is": what })),
                }
            }
        }
    }

    fn opened(&mut self, path: &Path, key: String) {
        let opened = foreign::open(&self.home, path, u64::MAX).and_then(|file| file.metadata());
        match opened {
            Ok(of) => {
                let mode = of.permissions().mode() & 0o7777;
                if !USUAL.contains(&mode) {
                    self.put(MODES, key.clone(), format!("{mode:o}").into());
                }
                self.file(path, key, of.len());
            }
            Err(error) => self.put(FILES, key, json!({ "unread": error.to_string() })),
        }
    }

    fn file(&mut self, path: &Path, key: String, bytes: u64) {
        let large = || json!({ "bytes": bytes, "unread": "it is larger than what is read" });
        let Some(left) = self.bytes.checked_sub(bytes).filter(|_| bytes <= ONE) else {
            return self.put(FILES, key, large());
        };
        self.bytes = left;
        // It may have grown meanwhile.
        let content = match foreign::read(&self.home, path, ONE) {
            Ok(content) => content,
            Err(error) => {
                return self.put(FILES, key, json!({ "bytes": bytes, "unread": error.to_string() }));
            }
        };
        let kind = Path::new(&key).extension().and_then(|end| end.to_str()).map(str::to_ascii_lowercase);
        let told = match kind.as_deref().filter(|_| content.len() <= OFFICE) {
            Some(kind @ ("xlsx" | "xlsm")) => {
                waldo_office::workbook_entries(&content).ok().map(|all| (kind, SHEET, all))
            }
            Some(kind @ ("docx" | "docm")) => {
                waldo_office::document_entries(&content).ok().map(|all| (kind, DOCUMENT, all))
            }
            _ => None,
        };
        if let Some((kind, store, all)) = told {
            self.stores.insert(format!("{store}{key}"), all);
            return self.put(FILES, key, json!({ "content": kind }));
        }
        let value = match String::from_utf8(content) {
            Ok(text) if text.len() <= TEXT && !text.contains('\0') => text.into(),
            Ok(text) => fingerprint(text.as_bytes()),
            Err(bytes) => fingerprint(bytes.as_bytes()),
        };
        self.put(FILES, key, value);
    }
}

/// Files that programs lay beside those that they have open, or are just writing.
fn is_passing(name: &str) -> bool {
    (name.starts_with(".~lock.") && name.ends_with('#'))
        || [".goutputstream-", ".#", ".nfs"].iter().any(|begin| name.starts_with(begin))
}

/// Whether what is hidden at the top of HOME is a program's own. Other hidden files are as good as any.
fn is_of_programs(name: &str, kind: EntryKind) -> bool {
    const KEPT: [&str; 6] =
        [".ICEauthority", ".Xauthority", ".lesshst", ".wget-hsts", ".xsession-errors", ".gtkrc-2.0"];
    name.starts_with('.') && (kind == EntryKind::Folder || KEPT.contains(&name) || name.ends_with("_history"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn told(home: &Path) -> BTreeMap<String, Store> {
        let mut reader = HomeReader::new(home.to_owned());
        reader.all();
        reader.stores
    }

    #[test]
    fn a_home_is_told_by_its_content() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path();
        for folder in ["box", ".cache/x", ".local/share/Trash/files"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        let sheet = waldo_office::workbook(&[("S".to_owned(), json!([["a"]]))]).unwrap();
        let document = waldo_office::document(&json!(["Head"])).unwrap();
        let files: [(&str, &[u8]); 10] = [
            ("a.txt", b"text\n"),
            ("p.png", b"\x89PNG\0\xff"),
            ("broken.xlsx", b"no archive"),
            ("t.xlsx", &sheet),
            ("box/l.docx", &document),
            ("box/.hidden", b"x"),
            ("box/.~lock.l.docx#", b"me"),
            (".server.conf", b"port=1\n"),
            (".sqlite_history", b"x"),
            (".local/share/Trash/files/gone.txt", b"gone"),
        ];
        for (name, bytes) in files {
            fs::write(home.join(name), bytes).unwrap();
        }
        fs::set_permissions(home.join("box/.hidden"), fs::Permissions::from_mode(0o700)).unwrap();
        let told = told(home);
        let keys: Vec<&str> = told["files"].keys().map(String::as_str).collect();
        assert_eq!(
            keys,
            [
                ".local/share/Trash/files/gone.txt",
                ".server.conf",
                "a.txt",
                "box/",
                "box/.hidden",
                "box/l.docx",
                "broken.xlsx",
                "p.png",
                "t.xlsx"
            ]
        );
        assert_eq!(told["files"]["a.txt"], "text\n");
        assert_eq!(
            (&told["files"]["p.png"]["bytes"], &told["files"]["broken.xlsx"]),
            (&json!(6), &json!("no archive"))
        );
        assert_eq!(told["files"]["t.xlsx"], json!({ "content": "xlsx" }));
        assert_eq!(told["sheet/t.xlsx"]["S!A1"]["value"], "a");
        assert_eq!(told["document/box/l.docx"]["0"]["text"], "Head");
        assert_eq!(json!(told["modes"]), json!({ "box/.hidden": "700" }));
    }

    #[test]
    fn what_is_hostile_or_large_is_an_entry_that_says_so() {
        let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let home = dir.path();
        fs::write(outside.path().join("secret"), "secret").unwrap();
        std::os::unix::fs::symlink(outside.path().join("secret"), home.join("link")).unwrap();
        std::os::unix::fs::symlink(outside.path(), home.join("way")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            home.join("pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        fs::File::create(home.join("huge")).unwrap().set_len(ONE + 1).unwrap();
        let files = &told(home)["files"];
        assert!(!json!(files).to_string().contains("\"secret\""), "{files:?}");
        assert_eq!(files["pipe"], json!({ "is": "a pipe" }));
        assert_eq!(files["huge"]["bytes"], ONE + 1);
        assert_eq!(files["way"]["link"], json!(outside.path()));
        for n in 0..=ENTRIES {
            fs::write(home.join(format!("{n}")), "").unwrap();
        }
        let files = &told(home)["files"];
        assert_eq!(files.len(), ENTRIES + 1);
        assert!(files["..."]["unread"].as_str().unwrap().contains("more than"), "{:?}", files["..."]);
    }

    #[test]
    fn recent_files_are_told_by_their_paths() {
        let list = "<xbel><bookmark href=\"file:///h/a.txt\" added=\"x\"></bookmark><bookmark href=\"file:///etc/b\"/></xbel>";
        let told = recent(list, Path::new("/h"));
        assert_eq!(told.keys().collect::<Vec<_>>(), ["a.txt", "file:///etc/b"]);
    }
}
