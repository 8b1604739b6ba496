//! Pages of HTML that every parser reads alike: what is written is what is in the tree.
//!
//! The original's parser mends pages (tags that are not closed, or stand where they may not), each version in
//! its own way. A page that needs no mending is read here exactly; of any other nothing is said.

use super::html::{HtmlPiece, items};
use super::ooxml::budget::{self, Cost};
use super::py::text::strip;

/// A node of a page, in the order of the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HtmlNode {
    /// Text, or a comment; blanks alone are one blank or one break.
    Text(String),
    Element {
        name: String,
        attributes: Vec<(String, String)>,
        text: String,
    },
}

const VOID: [&str; 10] = ["area", "base", "br", "col", "hr", "img", "input", "link", "meta", "param"];
const HEAD: [&str; 6] = ["base", "link", "meta", "script", "style", "title"];
const INLINE: [&str; 20] = [
    "a", "abbr", "b", "big", "cite", "code", "em", "font", "i", "kbd", "s", "samp", "small", "span",
    "strike", "strong", "sub", "sup", "tt", "u",
];
/// What holds text and inline elements only.
const LINES: [&str; 8] = ["caption", "h1", "h2", "h3", "h4", "h5", "h6", "p"];
/// What holds anything that a body holds.
const FLOW: [&str; 7] = ["blockquote", "body", "center", "div", "li", "td", "th"];
const BLOCKS: [&str; 5] = ["blockquote", "center", "div", "hr", "table"];
const ROWS: [&str; 3] = ["tbody", "tfoot", "thead"];

/// Whether an element may stand in another without either being mended.
fn fits(inside: &str, name: &str) -> bool {
    let inline = INLINE.contains(&name) || ["br", "img", "input"].contains(&name);
    match inside {
        "html" => name == "head" || name == "body",
        "head" => HEAD.contains(&name),
        "table" => ROWS.contains(&name) || ["caption", "col", "colgroup", "tr"].contains(&name),
        "colgroup" => name == "col",
        "tr" => name == "td" || name == "th",
        "ul" | "ol" => name == "li",
        rows if ROWS.contains(&rows) => name == "tr",
        flow if FLOW.contains(&flow) => {
            let lines = LINES.contains(&name) && name != "caption";
            inline || lines || BLOCKS.contains(&name) || ["ol", "ul"].contains(&name)
        }
        lines if LINES.contains(&lines) => inline,
        other if INLINE.contains(&other) => inline && name != other,
        _ => false,
    }
}

fn holds_text(name: &str) -> bool {
    [&FLOW[..], &LINES, &INLINE, &["title", "style", "script"]].iter().any(|all| all.contains(&name))
}

/// The nodes of a page; nothing where a parser would have to mend it.
pub fn nodes(page: &str) -> Option<Vec<HtmlNode>> {
    // Characters and references that versions decode differently.
    if page.chars().any(|c| c.is_control() && !matches!(c, '\t' | '\n')) || !references(page) {
        return None;
    }
    let mut tree = HtmlTree::default();
    let mut rest = page;
    while let Some(start) = rest.find("<!") {
        let (before, mark) = rest.split_at(start);
        let raw = |name: &str| {
            before
                .rfind(&format!("<{name}"))
                .is_some_and(|at| !before.get(at..).unwrap_or_default().contains("</"))
        };
        if raw("style") || raw("script") {
            return None;
        }
        tree.markup(before)?;
        let after = if let Some(comment) = mark.strip_prefix("<!--") {
            let (comment, after) = comment.split_once("-->")?;
            if comment.contains("--") || comment.starts_with(['>', '-']) || comment.ends_with('-') {
                return None;
            }
            tree.found.push(HtmlNode::Text(comment.to_owned()));
            after
        } else {
            let (declaration, after) = mark.split_once('>')?;
            if !tree.found.is_empty() || !declaration.get(..9)?.eq_ignore_ascii_case("<!doctype") {
                return None;
            }
            tree.found.push(HtmlNode::Text(declaration.to_owned()));
            after
        };
        rest = after;
    }
    tree.markup(rest)?;
    (tree.open.is_empty() && tree.closed_html).then_some(tree.found)
}

/// Whether every `&` stands for itself before a blank, or begins a reference that all versions know.
fn references(page: &str) -> bool {
    page.split('&').skip(1).all(|rest| {
        if rest.starts_with([' ', '\n', '\t']) {
            return true;
        }
        let Some((name, _)) = rest.split_once(';') else { return false };
        match name.strip_prefix('#') {
            Some(digits) => {
                digits.len() < 7
                    && digits
                        .parse::<u32>()
                        .is_ok_and(|c| (32..127).contains(&c) || (160..0xD800).contains(&c))
            }
            None => ["amp", "gt", "lt", "nbsp", "quot"].contains(&name),
        }
    })
}

#[derive(Default)]
struct HtmlTree {
    found: Vec<HtmlNode>,
    /// The open elements: name, and place in `found`.
    open: Vec<(String, usize)>,
    closed_html: bool,
    closed_body: bool,
}

impl HtmlTree {
    /// Adds what stands between comments.
    fn markup(&mut self, part: &str) -> Option<()> {
        if part.contains("<?") || !tags_are_plain(part) {
            return None;
        }
        for item in items(part) {
            match item {
                HtmlPiece::Text(text) => self.text(&text)?,
                HtmlPiece::Close(name) => self.close(&name)?,
                HtmlPiece::Open { name, attributes } => self.open(name, attributes)?,
            }
        }
        Some(())
    }

    fn text(&mut self, text: &str) -> Option<()> {
        let blank = text.chars().all(|c| c.is_ascii_whitespace());
        let inside = self.open.last().map(|(name, _)| name.as_str());
        if !blank && !inside.is_some_and(holds_text) {
            return None;
        }
        // Blanks before the page are dropped.
        if inside.is_none() && !self.closed_html {
            return Some(());
        }
        let kept = match blank {
            true if text.contains('\n') => "\n",
            true => " ",
            false => text,
        };
        let own = inside.is_some_and(|name| name == "style" || name == "script");
        let around = self.open.len() - usize::from(own);
        for (_, at) in self.open.get(if own { around.. } else { 0.. })? {
            budget::spend(Cost::Bytes, kept.len() as u64).ok()?;
            if let Some(HtmlNode::Element { text, .. }) = self.found.get_mut(*at) {
                text.push_str(kept);
            }
        }
        self.found.push(HtmlNode::Text(kept.to_owned()));
        Some(())
    }

    fn open(&mut self, name: String, mut attributes: Vec<(String, String)>) -> Option<()> {
        budget::spend(Cost::Nodes, 1 + self.open.len() as u64 / 16).ok()?;
        let fits = match self.open.last() {
            None => name == "html" && !self.closed_html,
            Some((inside, _)) => fits(inside, &name),
        };
        // A second body is none, and nothing but it stands behind a head.
        let again = name != "html" && self.closed_body && self.open.len() < 2;
        let nested = INLINE.contains(&name.as_str()) && self.open.iter().any(|(open, _)| *open == name);
        let head_again = name == "head"
            && self
                .found
                .iter()
                .any(|n| matches!(n, HtmlNode::Element { name, .. } if name == "head" || name == "body"));
        if !fits || again || nested || head_again {
            return None;
        }
        attributes.sort();
        if attributes.windows(2).any(|two| matches!(two, [(a, _), (b, _)] if a == b)) {
            return None;
        }
        if !VOID.contains(&name.as_str()) {
            self.open.push((name.clone(), self.found.len()));
        }
        self.found.push(HtmlNode::Element { name, attributes, text: String::new() });
        Some(())
    }

    fn close(&mut self, name: &str) -> Option<()> {
        let (open, at) = self.open.pop()?;
        if open != name {
            return None;
        }
        self.closed_body |= name == "body";
        self.closed_html |= name == "html";
        if name == "html" && !self.closed_body {
            return None;
        }
        if let Some(HtmlNode::Element { text, .. }) = self.found.get_mut(at) {
            *text = strip(text).to_owned();
        }
        Some(())
    }
}

/// Whether tags are written as every parser reads them: names of letters and digits, values in double quotes
/// or of letters and digits, a slash only where there is no content.
fn tags_are_plain(part: &str) -> bool {
    let tag = fancy_regex::Regex::new(
        r#"^(?:/[A-Za-z][A-Za-z0-9]*\s*>|[A-Za-z][A-Za-z0-9]*(?:\s+[A-Za-z][A-Za-z0-9_-]*(?:="[^"<>]*"|=[A-Za-z0-9_.#%-]+)?)*\s*(/?)>)"#,
    );
    let Ok(tag) = tag else { return false };
    part.split('<').skip(1).all(|rest| {
        let Ok(Some(found)) = tag.captures(rest) else { return false };
        let slash = found.get(1).is_some_and(|slash| !slash.as_str().is_empty());
        let name: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
        !slash || VOID.contains(&name.to_ascii_lowercase().as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_pages_that_need_mending_nothing_is_said() {
        for body in [
            "<p>a",
            "<p>a<div>b</div></p>",
            "<table><td>x</td></table>",
            "<b><i>x</b></i>",
            "&copy;",
            "a < b",
            "<a><b><a>x</a></b></a>",
            "<p/>",
            "<td>x</td>",
            "<x>y</x>",
            "<p a='1'>x</p>",
            "<!--a--b-->",
            "x\u{1}",
            "<p a=\"1\" a=\"2\">x</p>",
            "&#128;",
            "<table>x</table>",
        ] {
            assert_eq!(nodes(&format!("<html><body>{body}</body></html>")), None, "{body}");
        }
        for page in
            ["<p>a</p>", "<html></html>", "x<html><body></body></html>", "<html><body></body></html>x", ""]
        {
            assert_eq!(nodes(page), None, "{page}");
        }
    }
}
