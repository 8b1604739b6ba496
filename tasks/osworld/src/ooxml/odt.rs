//! OpenDocument texts, as `odfpy` reads them.

use std::collections::BTreeSet;
use std::path::Path;

use super::package::{Package, parse};
use crate::fault::{OsworldFault, Result};

const TEXT: &str = "urn:oasis:names:tc:opendocument:xmlns:text:1.0";
const OFFICE: &str = "urn:oasis:names:tc:opendocument:xmlns:office:1.0";
const STYLE: &str = "urn:oasis:names:tc:opendocument:xmlns:style:1.0";
const FO: &str = "urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0";

/// The texts of all paragraphs: those of headers and footers come first. Tabulators and repeated blanks,
/// which are elements of their own, are left out.
pub(crate) fn paragraphs(path: &Path) -> Result<Vec<String>> {
    let package = Package::open(path)?;
    package.text("META-INF/manifest.xml")?;
    if package.bytes("content.xml").is_none() {
        return Err(OsworldFault::Unsupported("a document without content".into()));
    }
    let mut found = Vec::new();
    for (part, inside) in [("styles.xml", "master-styles"), ("content.xml", "body")] {
        if part == "styles.xml" && package.bytes(part).is_none() {
            continue;
        }
        let xml = parse(part, package.text(part)?)?;
        let all = xml.root_element().children().filter(|n| n.has_tag_name((OFFICE, inside)));
        for node in all.flat_map(|n| n.descendants()).filter(|n| n.has_tag_name((TEXT, "p"))) {
            let mut text = String::new();
            for child in node.children() {
                if child.is_text() {
                    text.push_str(child.text().unwrap_or_default());
                } else if child.has_tag_name((TEXT, "span")) {
                    text.extend(child.children().filter(|n| n.is_text()).filter_map(|n| n.text()));
                }
            }
            found.push(text);
        }
    }
    Ok(found)
}

pub(crate) fn has_background(path: &Path, color: &str) -> Result<bool> {
    let package = Package::open(path)?;
    let mut styles = BTreeSet::new();
    for part in ["styles.xml", "content.xml"] {
        if package.bytes(part).is_none() {
            continue;
        }
        let xml = parse(part, package.text(part)?)?;
        let lists = xml.root_element().children().filter(|n| n.has_tag_name((OFFICE, "automatic-styles")));
        for style in lists.flat_map(|list| list.children()).filter(|n| n.is_element()) {
            if style.children().any(|n| n.attribute((FO, "background-color")) == Some(color)) {
                styles.extend(style.attribute((STYLE, "name")).map(str::to_owned));
            }
        }
    }
    let xml = parse("content.xml", package.text("content.xml")?)?;
    let mut spans = xml.descendants().filter(|n| n.has_tag_name((TEXT, "span")));
    Ok(spans.any(|n| n.attribute((TEXT, "style-name")).is_some_and(|name| styles.contains(name))))
}
