//! The page of an app's documentation: one file that opens offline.
//!
//! A section per screen, in the order in which they were found: its picture, with a frame around everything
//! that can be used, and a card per element, from top to bottom. An element stands with the first screen that
//! has it.
//!
//! Invariant: text that came from a screen or a model is never markup.

mod screens;

use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde_json::{Value, json};
use waldo_agents::appagent::Slot;
use waldo_devices::foreign;
use waldo_tasks::docs::{DocsStore, ElementDoc};

use self::screens::KnownScreens;
use super::layer_note;
use crate::cli::CliError;

const PAGE: &str = include_str!("page.html.j2");

pub fn html(store: &DocsStore) -> Result<String, CliError> {
    let graph = store.graph()?;
    let screens = KnownScreens::of(store, &graph);
    let mut env = minijinja::Environment::new();
    // A field that is left out may be asked for, and not shown.
    env.set_undefined_behavior(minijinja::UndefinedBehavior::SemiStrict);
    env.set_auto_escape_callback(|_| minijinja::AutoEscape::Html);
    let bad = |e: minijinja::Error| CliError::Input(format!("the page's template: {e}"));
    env.add_template("page", PAGE).map_err(bad)?;
    let docs: Vec<&ElementDoc> = store.elements().collect();
    let texts: usize = docs.iter().map(|d| d.layers.merged().filled().count()).sum();
    let context = json!({
        "app": store.app(),
        "made": Timestamp::now().strftime("%Y-%m-%d %H:%M UTC").to_string(),
        "elements": docs.len(),
        "texts": texts,
        "sections": screens.sections(&docs, &|doc| card(store, &screens, doc)),
    });
    let template = env.get_template("page").map_err(bad)?;
    template.render(minijinja::Value::from(minijinja::value::Serde(&context))).map_err(bad)
}

/// A picture as an address of itself, with its width over its height.
fn picture(file: &std::path::Path) -> Option<(String, f64)> {
    let png = foreign::read_in_its_folder(file, foreign::PICTURE_BYTES).ok()?;
    let (w, h) =
        image::ImageReader::new(Cursor::new(&png)).with_guessed_format().ok()?.into_dimensions().ok()?;
    Some((format!("data:image/png;base64,{}", STANDARD.encode(png)), f64::from(w) / f64::from(h.max(1))))
}

fn card(store: &DocsStore, screens: &KnownScreens<'_>, doc: &ElementDoc) -> Value {
    let shown = picture(&store.picture_path(&doc.key));
    let texts: Vec<Value> = Slot::ALL
        .into_iter()
        .filter_map(|slot| {
            let (layer, text) = doc.layers.get(slot)?;
            Some(json!({ "title": slot.title(), "text": text, "layer": layer.name(), "note": layer_note(layer) }))
        })
        .collect();
    let history: Vec<Value> = doc
        .history
        .iter()
        .rev()
        .map(|c| {
            json!({
                "at": c.at.strftime("%Y-%m-%d %H:%M").to_string(),
                "layer": c.layer.name(),
                "slot": c.slot.title(),
                "text": if c.text.is_empty() { "(taken away)" } else { c.text.as_str() },
                "run": c.run,
                "step": c.step,
                "why": c.why,
            })
        })
        .collect();
    let seen = doc.seen.iter();
    let seen: Vec<&str> =
        seen.map(|s| if s.title.is_empty() { s.place.as_str() } else { s.title.as_str() }).collect();
    json!({
        "id": screens::anchor(&doc.key), "key": doc.key, "title": title(doc), "role": doc.role,
        "picture": shown.as_ref().map(|(src, _)| src), "wide": shown.as_ref().is_some_and(|(_, shape)| *shape > 2.5),
        "texts": texts, "history": history, "seen": seen, "leads": screens.leads(doc),
    })
}

fn title(doc: &ElementDoc) -> String {
    match (doc.role.as_str(), doc.name.trim()) {
        ("", _) => doc.key.clone(),
        (role, "") => format!("A {role} without a name"),
        (_, name) => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use waldo_tasks::docs::{ElementNote, ScreenSighting, TextLayer};

    use super::*;

    #[test]
    fn a_page_is_made_with_every_optional_field_and_without() {
        for full in [false, true] {
            let dir = tempfile::tempdir().unwrap();
            let mut store = DocsStore::create(dir.path(), "shop", "a test").unwrap();
            let note = |key: &str, text: &str, full: bool| ElementNote {
                key: key.to_owned(),
                uid: String::new(),
                slot: Slot::Tap,
                layer: TextLayer::Auto,
                text: text.to_owned(),
                role: if full { "button".to_owned() } else { String::new() },
                name: if full { "Pay".to_owned() } else { String::new() },
                seen: full.then(|| ScreenSighting { place: "/cart".to_owned(), title: String::new() }),
                run: full.then(|| "run".to_owned()),
                step: full.then_some(3),
                why: if full { "CONTINUE".to_owned() } else { String::new() },
            };
            store.document(&note("button|Pay", "Pays.", full)).unwrap();
            if full {
                store.document(&note("button|Far", "Is on another screen.", true)).unwrap();
                let graph = json!({
                    "screens": [
                        { "id": 1, "place": "/cart", "title": "Cart", "heading": "Yours",
                          "elements": { "button|Pay": ["tap"], "button|Left": ["tap"], "button|Bar": ["tap"] },
                          "barred": { "button|Bar": "'delete' in its name: \"Delete\"" },
                          "at": { "button|Pay": [0, 0, 500, 100], "button|Left": [0, 100, 500, 200], "button|Bar": [1, 2, 3, 4] } },
                        { "id": 2, "place": "/", "title": "", "elements": {} },
                    ],
                    "edges": [{ "from": 1, "by": "button|Pay", "to": 2 }],
                });
                std::fs::write(store.path().join("screens.json"), graph.to_string()).unwrap();
                let mut png = Cursor::new(Vec::new());
                image::RgbImage::new(40, 10).write_to(&mut png, image::ImageFormat::Png).unwrap();
                store.picture("button|Pay", png.get_ref()).unwrap();
                let screen = store.graph().unwrap().screens[0].id;
                std::fs::write(store.screen_picture_path(screen), png.get_ref()).unwrap();
            }
            let made = html(&store).unwrap();
            assert!(made.contains("Pays."), "{made}");
            for word in ["Left alone", "Leads to", "not tried yet", "in run, step 3", "Is on another screen."]
            {
                let shown = made.rsplit_once("</style>").unwrap().1.contains(word);
                assert_eq!(shown, full, "{word}: {made}");
            }
        }
    }
}
