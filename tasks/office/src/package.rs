//! The ZIP container of a document: its parts and how they refer to each other.

use std::collections::BTreeMap;
use std::io::{Read, Seek};
use std::path::Path;

use crate::budget::{self, Cost};
use crate::error::OfficeError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    pub id: String,
    /// The last word of its type, such as `worksheet`.
    pub kind: String,
    /// The part that it leads to, or, outside of the package, the address.
    pub target: String,
    pub external: bool,
}

/// Bytes that an archive may unpack to.
const MOST: u64 = 256 * 1024 * 1024;
/// What an entry of an archive costs beside its bytes, in nodes.
pub const ENTRY: u64 = 100;
/// The most nodes that one part may have: all of them are held at once.
const MOST_NODES: u64 = 5_000_000;
const DEEPEST: usize = 1_000;

fn unpack(from: impl Read + Seek) -> Result<BTreeMap<String, Vec<u8>>, zip::result::ZipError> {
    let beyond = |error: OfficeError| std::io::Error::other(error);
    let mut zip = zip::ZipArchive::new(from)?;
    budget::spend(Cost::Nodes, (zip.len() as u64).saturating_mul(ENTRY)).map_err(beyond)?;
    let mut entries = BTreeMap::new();
    let mut left = MOST;
    for i in 0..zip.len() {
        let entry = zip.by_index(i)?;
        let name = entry.name()?.into_owned();
        let mut bytes = Vec::new();
        entry.take(left + 1).read_to_end(&mut bytes)?;
        left = match left.checked_sub(bytes.len() as u64) {
            Some(left) => left,
            None => budget::refuse(&format!("an archive of more than {MOST} bytes")).map_err(beyond)?,
        };
        entries.insert(name, bytes);
    }
    Ok(entries)
}

#[derive(Clone, Debug, Default)]
pub struct Package {
    parts: BTreeMap<String, Vec<u8>>,
}

impl Package {
    pub fn open(path: &Path) -> Result<Self, OfficeError> {
        let failed = |error: &dyn std::fmt::Display| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            OfficeError::unreadable(format!("{name}: {error}"))
        };
        let file = std::fs::File::open(path).map_err(|error| failed(&error))?;
        Ok(Self { parts: unpack(file).map_err(|error| failed(&error))? })
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, OfficeError> {
        let parts = unpack(std::io::Cursor::new(bytes));
        Ok(Self { parts: parts.map_err(|error| OfficeError::unreadable(error.to_string()))? })
    }

    pub fn into_parts(self) -> BTreeMap<String, Vec<u8>> {
        self.parts
    }

    pub fn bytes(&self, part: &str) -> Option<&[u8]> {
        self.parts.get(part).map(Vec::as_slice)
    }

    pub fn text(&self, part: &str) -> Result<&str, OfficeError> {
        let bytes =
            self.bytes(part).ok_or_else(|| OfficeError::unreadable(format!("the document has no {part}")))?;
        let text = std::str::from_utf8(bytes)
            .map_err(|_| OfficeError::unreadable(format!("{part} is not UTF-8")))?;
        Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
    }

    /// Checks what the original's libraries open a package by: the list of content types has `main`, and the
    /// package refers to it.
    pub fn check(&self, main: &str) -> Result<(), OfficeError> {
        let types = "[Content_Types].xml";
        let document = parse(types, self.text(types)?)?;
        let named =
            |n: &roxmltree::Node| n.attribute("PartName").is_some_and(|name| resolve("", name) == main);
        if !document.descendants().any(|n| named(&n)) {
            return Err(OfficeError::unreadable(format!("{types} does not name {main}")));
        }
        if !self.targets("", "officeDocument")?.iter().any(|part| part == main) {
            return Err(OfficeError::unreadable(format!("the package does not refer to {main}")));
        }
        Ok(())
    }

    /// What a part refers to, in the order of its list.
    pub fn relations(&self, part: &str) -> Result<Vec<Relation>, OfficeError> {
        let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
        let list = if folder.is_empty() {
            format!("_rels/{name}.rels")
        } else {
            format!("{folder}/_rels/{name}.rels")
        };
        if self.bytes(&list).is_none() {
            return Ok(Vec::new());
        }
        let text = self.text(&list)?;
        let document = parse(&list, text)?;
        let nodes =
            document.root_element().children().filter(|node| node.has_tag_name(((REL), "Relationship")));
        Ok(nodes
            .map(|node| {
                let of = |name: &str| node.attribute(name).unwrap_or_default();
                let external = of("TargetMode") == "External";
                let target = if external { of("Target").to_owned() } else { resolve(folder, of("Target")) };
                let kind = of("Type").rsplit('/').next().unwrap_or_default().to_owned();
                Relation { id: of("Id").to_owned(), kind, target, external }
            })
            .collect())
    }

    pub fn targets(&self, part: &str, kind: &str) -> Result<Vec<String>, OfficeError> {
        let all =
            self.relations(part)?.into_iter().filter(|relation| relation.kind == kind && !relation.external);
        Ok(all.map(|relation| relation.target).collect())
    }
}

const REL: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
pub const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
/// The namespace of references in attributes.
pub const R: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

pub fn parse<'t>(part: &str, text: &'t str) -> Result<roxmltree::Document<'t>, OfficeError> {
    // A tag makes a node and perhaps a text, an equals sign perhaps an attribute.
    let nodes = text.bytes().filter(|byte| matches!(byte, b'<' | b'=')).count() as u64;
    if nodes > MOST_NODES {
        return budget::refuse(&format!("a part of more than {MOST_NODES} nodes"));
    }
    budget::spend(Cost::Nodes, nodes)?;
    let document =
        roxmltree::Document::parse(text).map_err(|e| OfficeError::unreadable(format!("{part}: {e}")))?;
    if is_deeper(&document, DEEPEST) {
        return budget::refuse(&format!("nodes nested deeper than {DEEPEST}"));
    }
    Ok(document)
}

fn is_deeper(document: &roxmltree::Document, most: usize) -> bool {
    let (mut node, mut depth) = (document.root(), 0_usize);
    loop {
        if let Some(child) = node.first_child() {
            (node, depth) = (child, depth + 1);
            if depth > most {
                return true;
            }
            continue;
        }
        loop {
            if let Some(next) = node.next_sibling() {
                node = next;
                break;
            }
            let Some(parent) = node.parent() else { return false };
            (node, depth) = (parent, depth - 1);
        }
    }
}

fn resolve(folder: &str, target: &str) -> String {
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_owned();
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            ".." => {
                parts.pop();
            }
            "." | "" => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_found_from_the_part() {
        assert_eq!(resolve("xl/worksheets", "../drawings/d1.xml"), "xl/drawings/d1.xml");
        assert_eq!(resolve("xl", "/xl/a.xml"), "xl/a.xml");
        assert_eq!(resolve("xl", "worksheets/./s.xml"), "xl/worksheets/s.xml");
    }
}
