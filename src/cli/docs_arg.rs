//! Flags that give an agent documentation.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use waldo_tasks::docs::{DocsStore, Library, TextLayer, app_folders};

use super::Result;

/// Which documentation is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Base {
    /// All of it: edits before demonstrations before explorations.
    #[default]
    Merged,
    /// Demonstrations alone, as AppAgent with its demo_docs.
    Demo,
    /// Explorations alone, as AppAgent with its auto_docs.
    Auto,
}

impl Base {
    fn layer(self) -> Option<TextLayer> {
        match self {
            Self::Merged => None,
            Self::Demo => Some(TextLayer::Demo),
            Self::Auto => Some(TextLayer::Auto),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedApp {
    screen: Option<String>,
    app: String,
}

fn named_app(text: &str) -> Result<NamedApp, String> {
    let (screen, app) = match text.split_once('=') {
        Some((screen, app)) => (Some(screen.trim().to_owned()), app.trim()),
        None => (None, text.trim()),
    };
    if app.is_empty() || screen.as_ref().is_some_and(String::is_empty) {
        return Err("write APP or SCREEN=APP, such as shop or browser=shop".to_owned());
    }
    Ok(NamedApp { screen, app: app.to_owned() })
}

/// Documentation for appagent.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Documentation")]
pub struct DocsArgs {
    /// The folder of documentation (see waldo explore): each prompt gets what it says about the elements
    /// on the screen. Of several apps the one in front counts: a phone's package, a desktop's program, a page's host.
    #[arg(long, value_name = "DIR")]
    pub docs: Option<PathBuf>,
    /// Use only this app's documentation, if the folder documents several; SCREEN=APP sets it for one of several
    /// screens. May be given several times.
    #[arg(long, value_name = "[SCREEN=]APP", requires = "docs", value_parser = named_app)]
    pub docs_app: Vec<NamedApp>,
    /// Which part of it.
    #[arg(long, value_enum, default_value = "merged")]
    pub docs_base: Base,
}

impl DocsArgs {
    /// The apps that are given, each once.
    fn stores(&self, docs: &Path) -> Result<Vec<DocsStore>> {
        if self.docs_app.iter().any(|named| named.screen.is_none()) {
            let mut apps: Vec<&str> = self.docs_app.iter().map(|named| named.app.as_str()).collect();
            apps.sort_unstable();
            apps.dedup();
            return Ok(apps
                .into_iter()
                .map(|app| DocsStore::open(docs, Some(app)))
                .collect::<Result<_, _>>()?);
        }
        let folders = app_folders(docs)?;
        let stores: Vec<DocsStore> = match folders.len() {
            // Which says that there is none.
            0 => vec![DocsStore::open(docs, None)?],
            _ => folders.iter().map(|folder| DocsStore::open(folder, None)).collect::<Result<_, _>>()?,
        };
        for NamedApp { app, .. } in &self.docs_app {
            if !stores.iter().any(|store| store.app() == app) {
                // Which says what there is.
                DocsStore::open(docs, Some(app))?;
            }
        }
        Ok(stores)
    }

    /// What an agent is given.
    pub fn read(&self) -> Result<Arc<Library>> {
        let Some(docs) = &self.docs else { return Ok(Arc::default()) };
        let layer = self.docs_base.layer();
        let apps =
            self.stores(docs)?.iter().map(|store| (store.app().to_owned(), store.docs(layer))).collect();
        let screens =
            self.docs_app.iter().filter_map(|named| Some((named.screen.clone()?, named.app.clone())));
        Ok(Arc::new(Library::new(apps, screens.collect())))
    }

    /// For the manifest: what was given, by its hash. Null without documentation.
    pub fn parameters(&self) -> Result<Value> {
        let Some(docs) = &self.docs else { return Ok(Value::Null) };
        let layer = self.docs_base.layer();
        let one = |store: &DocsStore| json!({ "app": store.app(), "sha256": store.hash(layer) });
        let mut all: Vec<Value> = self.stores(docs)?.iter().map(one).collect();
        let screens = self.docs_app.iter();
        let screens: serde_json::Map<String, Value> =
            screens.filter_map(|named| Some((named.screen.clone()?, named.app.as_str().into()))).collect();
        Ok(match (all.len(), screens.is_empty()) {
            (1, true) => all.remove(0),
            (_, true) => json!({ "apps": all }),
            (_, false) => json!({ "apps": all, "screens": screens }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_app_is_named_for_all_screens_or_for_one() {
        let named = |text: &str| named_app(text).map(|named| (named.screen, named.app));
        assert_eq!(named("shop"), Ok((None, "shop".to_owned())));
        assert_eq!(named("desk = mousepad"), Ok((Some("desk".to_owned()), "mousepad".to_owned())));
        assert!(named("=shop").is_err() && named("desk=").is_err() && named("").is_err());
    }
}
