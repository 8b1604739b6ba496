//! The page of an app's documentation: one file that opens offline.
//!
//! Invariant: text that came from a screen or a model is never markup.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde_json::{Value, json};
use waldo_agents::appagent::Slot;
use waldo_agents::appagent::learn::Graph;
use waldo_tasks::docs::{ElementDoc, Store};

use super::layer_note;
use crate::cli::CliError;

const PAGE: &str = include_str!("page.html.j2");

/// The page.
///
/// # Errors
/// When the screens cannot be read or the template does not fit.
pub fn html(store: &Store) -> Result<String, CliError> {
    let graph = store.graph()?;
    let mut env = minijinja::Environment::new();
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
        "screens": graph.screens.len(),
        "sections": sections(store, &graph, &docs),
        "map": map(&graph, store),
    });
    let template = env.get_template("page").map_err(bad)?;
    template.render(minijinja::Value::from(minijinja::value::Serde(&context))).map_err(bad)
}

/// Elements by the place where they were first seen, in the order of the screens.
fn sections(store: &Store, graph: &Graph, docs: &[&ElementDoc]) -> Vec<Value> {
    let mut places: Vec<(String, String)> = Vec::new();
    for screen in &graph.screens {
        if !places.iter().any(|(place, _)| *place == screen.place) {
            places.push((screen.place.clone(), screen.title.clone()));
        }
    }
    for doc in docs {
        if let Some(seen) = doc.seen.first().filter(|s| !places.iter().any(|(place, _)| *place == s.place)) {
            places.push((seen.place.clone(), seen.title.clone()));
        }
    }
    places.push((String::new(), String::from("Imported, not seen yet")));
    places
        .into_iter()
        .filter_map(|(place, title)| {
            let here: Vec<Value> = docs
                .iter()
                .filter(|d| d.seen.first().map_or(place.is_empty(), |s| s.place == place))
                .map(|d| element(store, d))
                .collect();
            (!here.is_empty()).then(|| json!({ "place": place, "title": title, "elements": here }))
        })
        .collect()
}

fn element(store: &Store, doc: &ElementDoc) -> Value {
    let picture = std::fs::read(store.picture_path(&doc.key))
        .ok()
        .map(|png| format!("data:image/png;base64,{}", STANDARD.encode(png)));
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
    json!({
        "key": doc.key, "label": doc.label(), "role": doc.role, "named": !doc.name.trim().is_empty(),
        "picture": picture, "texts": texts, "history": history, "seen": doc.seen,
    })
}

/// Each screen with what leads on from it.
fn map(graph: &Graph, store: &Store) -> Vec<Value> {
    let title = |id| {
        graph
            .screen(id)
            .map_or_else(String::new, |s| if s.title.is_empty() { s.place.clone() } else { s.title.clone() })
    };
    graph
        .screens
        .iter()
        .map(|screen| {
            let ways: Vec<Value> = graph
                .edges
                .iter()
                .filter(|e| e.from == screen.id)
                .map(|e| {
                    let by = store.own(&e.by).map_or_else(|| e.by.clone(), ElementDoc::label);
                    json!({ "by": by, "to": e.to.0, "title": title(e.to) })
                })
                .collect();
            let known = |key: &str, slot| store.knows(key, slot);
            json!({
                "n": screen.id.0, "place": screen.place, "title": title(screen.id),
                "elements": screen.elements.len(), "left": graph.pending(screen.id, &known).len(), "ways": ways,
            })
        })
        .collect()
}
