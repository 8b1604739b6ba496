//! The ZIP container of a document: its parts and how they refer to each other.

use std::collections::BTreeMap;
use std::path::Path;

use super::super::fault::Fault;
use super::super::metrics::read_zip;

/// A reference of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// Its id in the part.
    pub id: String,
    /// The last word of its type, such as `worksheet`.
    pub kind: String,
    /// The part that it leads to, or, outside of the package, the address.
    pub target: String,
    /// Whether the target is outside.
    pub external: bool,
}

/// An open package.
#[derive(Clone, Debug, Default)]
pub struct Package {
    parts: BTreeMap<String, Vec<u8>>,
}

impl Package {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// [`Fault::Raised`] when it is no archive.
    pub fn open(path: &Path) -> Result<Self, Fault> {
        Ok(Self { parts: read_zip(path)? })
    }

    /// A part's bytes.
    pub fn bytes(&self, part: &str) -> Option<&[u8]> {
        self.parts.get(part).map(Vec::as_slice)
    }

    /// A part's text.
    ///
    /// # Errors
    /// [`Fault::Raised`] when there is no such part, or when it is no UTF-8.
    pub fn text(&self, part: &str) -> Result<&str, Fault> {
        let bytes = self.bytes(part).ok_or_else(|| Fault::raised(format!("the document has no {part}")))?;
        let text = std::str::from_utf8(bytes).map_err(|_| Fault::raised(format!("{part} is no UTF-8")))?;
        Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
    }

    /// Checks what the original's libraries open a package by: the list of content types has `main`, and the
    /// package refers to it.
    ///
    /// # Errors
    /// [`Fault::Raised`] when one of both is missing.
    pub fn check(&self, main: &str) -> Result<(), Fault> {
        let types = "[Content_Types].xml";
        let document = parse(types, self.text(types)?)?;
        let named =
            |n: &roxmltree::Node| n.attribute("PartName").is_some_and(|name| resolve("", name) == main);
        if !document.descendants().any(|n| named(&n)) {
            return Err(Fault::raised(format!("{types} does not name {main}")));
        }
        if !self.targets("", "officeDocument")?.iter().any(|part| part == main) {
            return Err(Fault::raised(format!("the package does not refer to {main}")));
        }
        Ok(())
    }

    /// What a part refers to, in the order of its list.
    ///
    /// # Errors
    /// [`Fault::Raised`] when the list is no XML.
    pub fn relations(&self, part: &str) -> Result<Vec<Relation>, Fault> {
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

    /// The parts of a kind that a part refers to.
    ///
    /// # Errors
    /// As [`Package::relations`].
    pub fn targets(&self, part: &str, kind: &str) -> Result<Vec<String>, Fault> {
        let all =
            self.relations(part)?.into_iter().filter(|relation| relation.kind == kind && !relation.external);
        Ok(all.map(|relation| relation.target).collect())
    }
}

const REL: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
/// The namespace of references in attributes.
pub const R: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// Parses a part.
///
/// # Errors
/// [`Fault::Raised`] that names the part.
pub fn parse<'t>(part: &str, text: &'t str) -> Result<roxmltree::Document<'t>, Fault> {
    roxmltree::Document::parse(text).map_err(|e| Fault::raised(format!("{part}: {e}")))
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
