use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use waldo_agents::appagent::docs::{ElementKnowledge, differ, split};
use waldo_agents::appagent::learn::{Graph, ScreenId};
use waldo_agents::appagent::{Docs, Slot, TextLayer};
use waldo_devices::foreign::{self, EntryKind};

use super::lock::DocsLock;
use super::{ElementDoc, ScreenSighting};
use crate::error::{Result, TaskError};
use crate::record::{write_json, write_whole};
use crate::reflected::Documented;

const FORMAT: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AppInfo {
    pub format: u32,
    pub app: String,
}

#[derive(Debug)]
pub struct DocsStore {
    pub(super) path: PathBuf,
    info: AppInfo,
    pub(super) elements: BTreeMap<String, ElementDoc>,
    _writer: Option<DocsLock>,
    /// Whether a note was written since it was opened.
    pub learnt: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ElementNote {
    pub key: String,
    /// The driver's uid, where it gives one.
    #[serde(default)]
    pub uid: String,
    pub slot: Slot,
    pub layer: TextLayer,
    pub text: String,
    #[serde(default)]
    pub role: String,
    #[serde(default)]
    pub name: String,
    pub seen: Option<ScreenSighting>,
    /// In which run. A note of the same run and step is written once only.
    pub run: Option<String>,
    pub step: Option<u32>,
    /// How it came to be: a verdict, `import`.
    #[serde(default)]
    pub why: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteOutcome {
    New,
    /// It replaced an earlier text of its layer.
    Refined,
    /// The same note had been written before.
    Already,
}

impl NoteOutcome {
    /// The note as an exploration records it; `None` where nothing was written.
    pub(crate) fn documented(self, key: &str, slot: Slot, text: &str) -> Option<Documented> {
        let refined = match self {
            Self::New => false,
            Self::Refined => true,
            Self::Already => return None,
        };
        Some(Documented { key: key.to_owned(), slot, text: text.to_owned(), refined })
    }
}

/// The folders of apps in `docs`, or `docs` itself when it is one.
pub fn app_folders(docs: &Path) -> Result<Vec<PathBuf>> {
    if docs.join("app.json").exists() {
        return Ok(vec![docs.to_owned()]);
    }
    let mut found = Vec::new();
    if !docs.exists() {
        return Err(TaskError::record(
            docs,
            "is not there; waldo explore, demo learn and docs import make such a folder",
        ));
    }
    for entry in foreign::list(docs, docs).map_err(TaskError::io("read", docs))? {
        if entry.kind == EntryKind::Folder && entry.path.join("app.json").exists() {
            found.push(entry.path);
        }
    }
    found.sort();
    Ok(found)
}

impl DocsStore {
    /// Opens the store of `app` in the folder `docs` to learn into it, or begins one: its folder becomes an
    /// app's with the first thing that is kept there, and goes again where nothing was. As long as it lives
    /// nobody else can; `who` is what they are told, such as `waldo explore`.
    pub fn create(docs: &Path, app: &str, who: &str) -> Result<Self> {
        let path = if docs.join("app.json").exists() { docs.to_owned() } else { docs.join(folder_name(app)) };
        if path.join("app.json").exists() {
            let found = info(&path)?.app;
            if found != app {
                return Err(TaskError::record(
                    &path,
                    format!("is the folder of the app '{found}', not '{app}'"),
                ));
            }
        }
        let writer = DocsLock::take(&path, who)?;
        let store = match path.join("app.json").exists() {
            true => Self::load(&path)?,
            false => Self::empty(&path, AppInfo { format: FORMAT, app: app.to_owned() }),
        };
        Ok(Self { _writer: Some(writer), ..store })
    }

    fn empty(path: &Path, info: AppInfo) -> Self {
        Self { path: path.to_owned(), info, elements: BTreeMap::new(), _writer: None, learnt: false }
    }

    /// Makes the folder an app's, before something is kept there.
    pub(super) fn found(&self) -> Result<()> {
        let file = self.path.join("app.json");
        if file.exists() {
            return Ok(());
        }
        for part in ["elements", "pictures"] {
            let dir = self.path.join(part);
            foreign::make_folder(&self.path, &dir).map_err(TaskError::io("make", &dir))?;
        }
        write_json(&file, &self.info)
    }

    /// Opens a store: the folder of an app, or of several with `app` to say which.
    pub fn open(docs: &Path, app: Option<&str>) -> Result<Self> {
        let folders = app_folders(docs)?;
        let mut names = Vec::new();
        for folder in &folders {
            let info = info(folder)?;
            if app.is_none_or(|app| app == info.app) && (app.is_some() || folders.len() == 1) {
                return Self::load(folder);
            }
            names.push(info.app);
        }
        let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        Err(match app {
            Some(app) => {
                TaskError::record(docs, format!("holds no documentation of '{app}'; it holds {known}"))
            }
            None if names.is_empty() => TaskError::record(docs, "holds no documentation: it has no app.json"),
            None => {
                let example = folders.first().map(|folder| folder.display().to_string()).unwrap_or_default();
                TaskError::record(
                    docs,
                    format!("documents several apps ({known}): give the folder of one, such as {example}"),
                )
            }
        })
    }

    /// Opens the folder of an app and takes in what people changed.
    fn load(path: &Path) -> Result<Self> {
        let mut store = Self::empty(path, info(path)?);
        let (dir, pictures) = (path.join("elements"), path.join("pictures"));
        foreign::make_folder(path, &dir).map_err(TaskError::io("make", &dir))?;
        // Written later on, and in it everything by rename.
        foreign::check_way(path, &pictures).map_err(TaskError::io("write to", &pictures))?;
        for entry in foreign::list(path, &dir).map_err(TaskError::io("read", &dir))? {
            let file = entry.path;
            if file.extension().is_some_and(|e| e == "json") {
                let doc: ElementDoc = read_json(&file)?;
                store.elements.insert(doc.key.clone(), doc);
            }
        }
        store.absorb()?;
        Ok(store)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn app(&self) -> &str {
        &self.info.app
    }

    pub fn elements(&self) -> impl Iterator<Item = &ElementDoc> {
        self.elements.values()
    }

    pub fn element(&self, key: &str) -> Option<&ElementDoc> {
        self.elements.get(key)
    }

    /// The element that a note of this key goes to: the one with the key, else the one that its uid alone
    /// is the key of, where that was seen under the same name.
    pub fn own(&self, key: &str) -> Option<&ElementDoc> {
        self.element(key).or_else(|| {
            let (uid, title) = split(key)?;
            self.element(uid).filter(|doc| !doc.name.is_empty() && !differ(&doc.name, title))
        })
    }

    /// The key of that element; the key itself where there is none yet.
    pub(super) fn home(&self, key: &str) -> String {
        self.own(key).map_or_else(|| key.to_owned(), |doc| doc.key.clone())
    }

    pub fn knows(&self, key: &str, slot: Slot) -> bool {
        self.text(key, slot).is_some()
    }

    /// The text that holds for a slot of an element: of each layer its own, else what the layer says of the
    /// uid alone, unless that was seen under another name.
    pub fn text(&self, key: &str, slot: Slot) -> Option<&str> {
        let own = self.element(key);
        let any = split(key).and_then(|(uid, title)| self.element(uid).filter(|d| !differ(&d.name, title)));
        let of = |layer| [own, any].into_iter().flatten().map(move |d| d.layers.layer(layer).get(slot));
        TextLayer::ALL.into_iter().flat_map(of).find(|text| !text.is_empty())
    }

    /// What one of AppAgent's bases says of a slot of the element with this key alone.
    pub fn base(&self, key: &str, slot: Slot, layer: TextLayer) -> Option<String> {
        let base = self.element(key)?.layers.base(layer);
        Some(base.get(slot).to_owned()).filter(|text| !text.is_empty())
    }

    /// All of it for an agent, merged by the rule of [`waldo_agents::appagent::Layers`]; or of one layer
    /// alone, as AppAgent uses its bases.
    pub fn docs(&self, only: Option<TextLayer>) -> Docs {
        let known = |doc: &ElementDoc| {
            let layers = match only {
                None => doc.layers.clone(),
                Some(layer) => doc.layers.only(layer),
            };
            // AppAgent's files tell neither role nor place.
            let nameless = doc.name.trim().is_empty() && !doc.role.is_empty();
            let places = doc.seen.iter().filter(|_| nameless).map(|seen| seen.place.clone()).collect();
            let (uid, name) = (doc.uid().to_owned(), doc.name.clone());
            (doc.key.clone(), ElementKnowledge { uid, name, places, layers })
        };
        Docs::new(self.elements().map(known))
    }

    /// SHA-256 of what an agent is given, for manifests.
    pub fn hash(&self, only: Option<TextLayer>) -> String {
        let mut hash = Sha256::new();
        for (key, text) in self.docs(only).iter() {
            hash.update(key);
            hash.update([0]);
            hash.update(text);
            hash.update([0]);
        }
        HEXLOWER.encode(&hash.finalize())
    }

    pub fn picture(&self, key: &str, png: &[u8]) -> Result<()> {
        self.found()?;
        write_whole(&self.picture_path(&self.home(key)), png)
    }

    pub(crate) fn screen_picture(&self, id: ScreenId, png: &[u8]) -> Result<()> {
        self.found()?;
        write_whole(&self.screen_picture_path(id), png)
    }

    pub fn screen_picture_path(&self, id: ScreenId) -> PathBuf {
        self.path.join("pictures").join(format!("screen-{}.png", id.0))
    }

    pub fn picture_path(&self, key: &str) -> PathBuf {
        self.path.join("pictures").join(format!("{}.png", stem(key)))
    }

    pub(super) fn json_path(&self, key: &str) -> PathBuf {
        self.path.join("elements").join(format!("{}.json", stem(key)))
    }

    pub fn markdown_path(&self, key: &str) -> PathBuf {
        self.path.join("elements").join(format!("{}.md", stem(key)))
    }

    pub fn graph(&self) -> Result<Graph> {
        let file = self.path.join("screens.json");
        if file.exists() { read_json(&file) } else { Ok(Graph::default()) }
    }

    /// Keeps the screens; none are nothing to keep where none were.
    pub(crate) fn set_graph(&self, graph: &Graph) -> Result<()> {
        let file = self.path.join("screens.json");
        if *graph == Graph::default() && !file.exists() {
            return Ok(());
        }
        self.found()?;
        write_json(&file, graph)
    }
}

fn info(folder: &Path) -> Result<AppInfo> {
    let file = folder.join("app.json");
    let info: AppInfo = read_json(&file)?;
    if info.format == FORMAT {
        Ok(info)
    } else {
        Err(TaskError::record(&file, format!("has format {}, this waldo reads {FORMAT}", info.format)))
    }
}

pub(super) fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T> {
    let bytes =
        foreign::read_in_its_folder(path, foreign::TEXT_BYTES).map_err(TaskError::io("read", path))?;
    serde_json::from_slice(&bytes)
        .map_err(|e| TaskError::record(path, format!("{e}; the file is damaged or of another version")))
}

fn plain(text: &str, cap: usize) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
    let text: String = text.chars().map(safe).take(cap).collect();
    text.trim_start_matches('.').to_owned()
}

pub(super) fn stem(key: &str) -> String {
    format!("{}-{}", plain(key, 80), &HEXLOWER.encode(&Sha256::digest(key))[..8])
}

/// The name of an app's folder: the app's own where a file system takes it.
pub(super) fn folder_name(app: &str) -> String {
    let name = plain(app, 80);
    if name == app && !name.is_empty() { name } else { stem(app) }
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
