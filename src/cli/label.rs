use std::path::PathBuf;

use waldo_devices::count::count;
use waldo_devices::{Element, LabelStyle, labels};

use super::{CliError, Result, print_json, read};
use crate::exit;
use crate::numbers::whole;

/// How tags look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Style {
    /// AppAgent's look: a half-transparent plate near the centre.
    Appagent,
    /// A box around each element, the number on its corner.
    Boxes,
}

impl From<Style> for LabelStyle {
    fn from(style: Style) -> Self {
        match style {
            Style::Appagent => Self::Appagent,
            Style::Boxes => Self::Boxes,
        }
    }
}

/// Draw numeric tags on a picture.
///
/// The element list is what `waldo elements --json` prints, or a JSON array of elements as an episode's
/// events.jsonl has them. What is needed of each: "bounds": {"x", "y", "w", "h"} in pixels of the picture; "role", "name",
/// "affordances" (default: click), "states" and the rest are optional.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The picture: PNG or JPEG.
    picture: PathBuf,
    /// The elements: a JSON file.
    elements: PathBuf,
    /// Where the labelled picture goes.
    #[arg(short, long, default_value = "labelled.png")]
    out: PathBuf,
    /// How tags look.
    #[arg(long, value_enum, default_value = "boxes")]
    style: Style,
    /// The most tags.
    #[arg(long, default_value_t = 1000, value_parser = whole::<usize>(0..))]
    max: usize,
    /// Print tags, places and elements as JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<u8> {
    let picture = labels::decode(&read(&args.picture)?)
        .map_err(|e| CliError::Input(format!("{}: {e}", args.picture.display())))?;
    let elements = elements(args)?;
    let tagged = labels::select(&elements, args.max);
    let style = args.style.into();
    let labelled = labels::paint(&picture, &elements, &tagged, style);
    let png = labelled.encode_png()?;
    std::fs::write(&args.out, png)
        .map_err(|source| CliError::Io { what: format!("cannot write {}", args.out.display()), source })?;
    if args.json {
        let plates = labels::layout(picture.dimensions(), &elements, &tagged, style);
        print_json(&serde_json::json!({
            "out": args.out,
            "tagged": tagged,
            "plates": plates,
            "list": labels::text_list(&elements, &tagged),
        }))?;
    } else {
        println!("{}", labels::text_list(&elements, &tagged).trim_end());
        println!("{} drawn on {}", count(tagged.len(), "tag"), args.out.display());
    }
    Ok(exit::OK)
}

fn elements(args: &Args) -> Result<Vec<Element>> {
    let bad = |message: String| CliError::Input(format!("{}: {message}", args.elements.display()));
    let mut said: serde_json::Value =
        serde_json::from_slice(&read(&args.elements)?).map_err(|e| bad(format!("no JSON: {e}")))?;
    // What `waldo elements --json` prints has more than the list.
    let list = match said.get_mut("elements").map(serde_json::Value::take).unwrap_or(said) {
        serde_json::Value::Array(list) => list,
        _ => {
            return Err(bad(
                "no list of elements: give a JSON array, or what waldo elements --json prints".into()
            ));
        }
    };
    list.into_iter()
        .enumerate()
        .map(|(at, mut value)| {
            let object =
                value.as_object_mut().ok_or_else(|| bad(format!("element {at} is not an object")))?;
            let number = |part: &str| {
                object.get("bounds").and_then(|b| b.get(part)).and_then(serde_json::Value::as_f64)
            };
            let (Some(x), Some(y), Some(w), Some(h)) = (number("x"), number("y"), number("w"), number("h"))
            else {
                return Err(bad(format!(
                    "element {at} needs \"bounds\": {{\"x\", \"y\", \"w\", \"h\"}} in pixels"
                )));
            };
            let defaults = [
                ("handle", serde_json::json!(at.to_string())),
                ("role", serde_json::json!("element")),
                ("affordances", serde_json::json!(["click"])),
                ("hit", serde_json::json!({"x": x + w / 2.0, "y": y + h / 2.0})),
            ];
            for (name, default) in defaults {
                object.entry(name).or_insert(default);
            }
            serde_json::from_value(value).map_err(|e| bad(format!("element {at}: {e}")))
        })
        .collect()
}
