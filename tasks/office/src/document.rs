use roxmltree::Node;
use serde_json::{Value, json};

use crate::budget::{self, Cost};
use crate::error::OfficeError;
use crate::package::{Package, parse};

pub const W: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

pub(crate) fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|child| child.has_tag_name((W, name)))
}

pub(crate) fn val<'a>(node: Option<Node<'a, '_>>, name: &str) -> Option<&'a str> {
    child(node?, name)?.attribute((W, "val"))
}

/// The paragraphs of the body, those in tables too: `text`, `style`, `align`, and `bold`, `italic`,
/// `underline`, which hold when they do of all its text.
pub fn paragraphs(bytes: &[u8]) -> Result<Value, OfficeError> {
    budget::read(|| read_paragraphs(bytes))
}

fn read_paragraphs(bytes: &[u8]) -> Result<Value, OfficeError> {
    let package = Package::from_bytes(bytes)?;
    let part = package.targets("", "officeDocument")?.into_iter().next();
    let part = part.unwrap_or_else(|| "word/document.xml".to_owned());
    let xml = parse(&part, package.text(&part)?)?;
    let all = xml.root_element().descendants().filter(|node| node.has_tag_name((W, "p")));
    // Paragraphs stand in paragraphs (in text boxes), and each is read with all that is in it.
    let all = all.map(|node| {
        budget::spend(Cost::Nodes, node.descendants().count() as u64)?;
        Ok(paragraph(node))
    });
    Ok(all.collect::<Result<Vec<_>, OfficeError>>()?.into())
}

fn paragraph(node: Node) -> Value {
    let properties = child(node, "pPr");
    let runs = node.descendants().filter(|run| run.has_tag_name((W, "r")));
    let runs = runs.map(|run| (text(run), child(run, "rPr"))).filter(|(text, _)| !text.trim().is_empty());
    let runs: Vec<(String, Option<Node>)> = runs.collect();
    let all = |name: &str| {
        !runs.is_empty()
            && runs.iter().all(|(_, look)| {
                look.and_then(|look| child(look, name)).is_some_and(|on| {
                    !matches!(on.attribute((W, "val")), Some("0" | "false" | "off" | "none"))
                })
            })
    };
    let whole: String =
        node.descendants().filter(|run| run.has_tag_name((W, "r"))).map(text).collect::<Vec<_>>().concat();
    json!({
        "text": whole,
        "style": val(properties, "pStyle"),
        "align": val(properties, "jc"),
        "bold": all("b"),
        "italic": all("i"),
        "underline": all("u"),
    })
}

pub(crate) fn text(run: Node) -> String {
    let part = |node: Node| match node.tag_name().name() {
        "t" => node.text().unwrap_or_default().to_owned(),
        "tab" => "\t".to_owned(),
        "br" | "cr" => "\n".to_owned(),
        "noBreakHyphen" => "-".to_owned(),
        _ => String::new(),
    };
    run.children().filter(|node| node.tag_name().namespace() == Some(W)).map(part).collect()
}
