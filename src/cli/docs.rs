mod page;

use std::path::{Path, PathBuf};

use waldo_agents::appagent::Slot;
use waldo_devices::child;
use waldo_devices::count::{count, either};
use waldo_tasks::docs::{self, DocsStore, ElementDoc, TextLayer, upstream};

use super::{CliError, Result, print_json};
use crate::exit;

/// Show, edit, compare, import and export documentation.
///
/// A folder of documentation holds a folder per app, with a Markdown file per element that you may edit:
/// what you write there is read back and holds over what was learnt.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: Command,
    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,
}

/// Which documentation.
#[derive(Clone, Debug, clap::Args)]
struct DocsTarget {
    /// The folder of documentation.
    docs: PathBuf,
    /// Which app, where the folder documents several.
    #[arg(long, value_name = "APP")]
    app: Option<String>,
}

impl DocsTarget {
    fn open(&self) -> Result<DocsStore> {
        Ok(DocsStore::open(&self.docs, self.app.as_deref())?)
    }
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List apps, or the elements of one.
    List {
        #[command(flatten)]
        which: DocsTarget,
    },
    /// Show the documentation of an element, by its key, a part of its key, or of its name.
    Show {
        #[command(flatten)]
        which: DocsTarget,
        /// The element.
        element: String,
    },
    /// Edit the documentation of an element, in your editor or with --slot and --text.
    Edit {
        #[command(flatten)]
        which: DocsTarget,
        /// The element.
        element: String,
        /// Which text: tap, text, v_swipe, h_swipe or long_press.
        #[arg(long, requires = "text", value_parser = slot)]
        slot: Option<Slot>,
        /// The new text; an empty one is forgotten.
        #[arg(long, requires = "slot")]
        text: Option<String>,
    },
    /// Show the differences between two folders.
    Diff {
        /// The first.
        before: PathBuf,
        /// The second.
        after: PathBuf,
        /// Which app, where the folders document several.
        #[arg(long, value_name = "APP")]
        app: Option<String>,
    },
    /// Import AppAgent's folder of an app (auto_docs, demo_docs, demos).
    Import {
        /// AppAgent's folder, such as apps/mail.
        from: PathBuf,
        /// The folder of documentation.
        #[arg(long, value_name = "DIR", default_value = "docs")]
        docs: PathBuf,
        /// The app's name [default: the folder's].
        #[arg(long, value_name = "APP")]
        app: Option<String>,
    },
    /// Write AppAgent's folder of an app.
    Export {
        #[command(flatten)]
        which: DocsTarget,
        /// AppAgent's folder, such as apps/mail.
        #[arg(long, value_name = "DIR")]
        to: PathBuf,
        /// A demonstration, or the run folder of an exploration, to be written with its pictures and logs as
        /// AppAgent keeps its own; may be given several times.
        #[arg(long, value_name = "DIR")]
        with: Vec<PathBuf>,
    },
    /// Write one page for people: each element's picture, texts, history, and where it was seen.
    Page {
        #[command(flatten)]
        which: DocsTarget,
        /// The page.
        #[arg(short, long, value_name = "FILE", default_value = "docs.html")]
        out: PathBuf,
    },
}

fn slot(text: &str) -> Result<Slot, String> {
    Slot::parse(text).ok_or_else(|| format!("'{text}' is none of tap, text, v_swipe, h_swipe, long_press"))
}

pub fn run(args: &Args) -> Result<u8> {
    let json = args.json;
    match &args.what {
        Command::List { which } => list(which, json),
        Command::Show { which, element } => show(&which.open()?, element, json),
        Command::Edit { which, element, slot, text } => {
            let mut store = which.open()?;
            let key = find(&store, element)?.key.clone();
            match (slot, text) {
                (Some(slot), Some(text)) => store.edit(&key, *slot, text)?,
                _ => editor(which, &store, &key)?,
            }
            show(&which.open()?, &key, json)
        }
        Command::Diff { before, after, app } => {
            let (a, b) = (DocsStore::open(before, app.as_deref())?, DocsStore::open(after, app.as_deref())?);
            diff(&a, &b, json)
        }
        Command::Import { from, docs, app } => {
            let own = || from.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            upstream::check(from)?;
            let mut store = DocsStore::create(docs, &app.clone().unwrap_or_else(own), "waldo docs import")?;
            let moved = upstream::import(from, &mut store)?;
            print_moved("imported", &moved, store.path(), json)
        }
        Command::Export { which, to, with } => {
            let mut moved = upstream::export(&which.open()?, to)?;
            for folder in with {
                waldo_tasks::demo::export_learning(folder, to, &mut moved)?;
            }
            print_moved("exported", &moved, to, json)
        }
        Command::Page { which, out } => {
            let store = which.open()?;
            let html = page::html(&store)?;
            std::fs::write(out, html)
                .map_err(|source| CliError::Io { what: format!("cannot write {}", out.display()), source })?;
            if json {
                print_json(&serde_json::json!({ "page": out, "app": store.app() }))?;
            } else {
                println!("{}", out.display());
            }
            Ok(exit::OK)
        }
    }
}

fn list(which: &DocsTarget, json: bool) -> Result<u8> {
    let stores = match &which.app {
        // It says which apps there are where this one is not among them.
        Some(_) => vec![which.open()?],
        None => docs::app_folders(&which.docs)?
            .iter()
            .map(|folder| DocsStore::open(folder, None))
            .collect::<Result<Vec<_>, _>>()?,
    };
    if json {
        let all: Vec<_> = stores
            .iter()
            .map(|s| serde_json::json!({ "app": s.app(), "path": s.path(), "elements": s.elements().collect::<Vec<_>>() }))
            .collect();
        print_json(&all)?;
        return Ok(exit::OK);
    }
    for store in &stores {
        let elements = count(store.elements().count(), "element");
        println!("{} ({elements}, {})", store.app(), store.path().display());
        for doc in store.elements() {
            let slots: Vec<String> = Slot::ALL
                .into_iter()
                .filter_map(|s| doc.layers.get(s).map(|(layer, _)| format!("{s} {}", layer.name())))
                .collect();
            println!("  {}: {}", line(&doc.key), slots.join(", "));
        }
    }
    if stores.is_empty() {
        println!("no documentation in {}", which.docs.display());
    }
    Ok(exit::OK)
}

fn show(store: &DocsStore, element: &str, json: bool) -> Result<u8> {
    let doc = find(store, element)?;
    if json {
        print_json(doc)?;
    } else {
        print!("{}", docs::markdown::write(doc, None));
    }
    Ok(exit::OK)
}

/// The element of a key, or the only one whose key or name holds the words.
fn find<'a>(store: &'a DocsStore, words: &str) -> Result<&'a ElementDoc> {
    if let Some(doc) = store.element(words) {
        return Ok(doc);
    }
    let low = words.to_lowercase();
    let found: Vec<&ElementDoc> = store
        .elements()
        .filter(|d| d.key.to_lowercase().contains(&low) || d.name.to_lowercase().contains(&low))
        .collect();
    match found.as_slice() {
        [only] => Ok(only),
        [] => Err(CliError::Input(format!("no element '{words}' is documented; waldo docs list shows them"))),
        several => {
            let keys: Vec<String> = several.iter().take(8).map(|d| line(&d.key)).collect();
            Err(CliError::Input(format!("'{words}' may be {} elements: {}", several.len(), keys.join("; "))))
        }
    }
}

/// Opens the Markdown of an element in the person's editor.
fn editor(which: &DocsTarget, store: &DocsStore, key: &str) -> Result<()> {
    let file = store.markdown_path(key);
    let editor =
        ["VISUAL", "EDITOR"].into_iter().find_map(crate::environment::var).unwrap_or_else(|| "vi".into());
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi");
    let failed = |source| CliError::Io { what: format!("cannot start the editor '{editor}'"), source };
    let status = child::command(program).args(words).arg(&file).status().map_err(failed)?;
    if !status.success() {
        return Err(CliError::Input(format!(
            "the editor '{editor}' failed; what is saved in {} is kept",
            which.docs.display()
        )));
    }
    Ok(())
}

fn diff(before: &DocsStore, after: &DocsStore, json: bool) -> Result<u8> {
    let changed = docs::compare(before, after);
    if json {
        print_json(&changed)?;
        return Ok(exit::OK);
    }
    for change in &changed {
        println!("{} {}", line(&change.key), change.slot);
        if !change.before.is_empty() {
            println!("  - {}", line(&change.before));
        }
        if !change.after.is_empty() {
            println!("  + {}", line(&change.after));
        }
    }
    println!("{} {}", count(changed.len(), "text"), either(changed.len(), "differs", "differ"));
    Ok(exit::OK)
}

fn print_moved(what: &str, moved: &upstream::Moved, at: &Path, json: bool) -> Result<u8> {
    if json {
        print_json(moved)?;
        return Ok(exit::OK);
    }
    println!(
        "{what} {}, {} with {}, {} of logs: {}",
        count(moved.docs, "documentation file"),
        count(moved.records, "record"),
        count(moved.actions, "action"),
        count(moved.log_lines, "line"),
        at.display()
    );
    for left in &moved.left_out {
        println!("left out: {left}");
    }
    Ok(exit::OK)
}

fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// For people, in the order of strength.
fn layer_note(layer: TextLayer) -> &'static str {
    match layer {
        TextLayer::Hand => "written by a person",
        TextLayer::Demo => "from a demonstration",
        TextLayer::Auto => "from an exploration",
    }
}
