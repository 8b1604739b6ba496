//! The tree as `uiautomator dump` writes it: attribute names, order, quoting and omissions are Android's.
//!
//! Known warts kept: an empty field's text is its hint; what no character of XML can be becomes dots; a value
//! with a double quote is put in single quotes; a control that says nothing is marked `NAF`.

use std::fmt::Write as _;

use super::{
    geometry::Rect,
    laid::{Laid, LaidWidget},
    layout::shown,
    node::{FieldInput, Kind},
};

pub fn dump(laid: &Laid, package: &str, rotation: u8) -> String {
    let mut out = format!(
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"{rotation}\">"
    );
    if !laid.items.is_empty() {
        node(laid, 0, 0, package, &mut out);
    }
    out.push_str("</hierarchy>");
    out
}

fn node(laid: &Laid, at: usize, index: usize, package: &str, out: &mut String) {
    let Some(item) = laid.items.get(at) else { return };
    let seen = item.seen();
    if seen.is_empty() {
        return;
    }
    write_open(laid, at, item, index, package, seen, out);
    let mut inner = String::new();
    for (i, c) in item.children.iter().enumerate() {
        node(laid, *c, i, package, &mut inner);
    }
    if inner.is_empty() {
        out.push_str(" />");
    } else {
        out.push('>');
        out.push_str(&inner);
        out.push_str("</node>");
    }
}

fn write_open(
    laid: &Laid,
    at: usize,
    item: &LaidWidget,
    index: usize,
    package: &str,
    b: Rect,
    out: &mut String,
) {
    let n = &item.node;
    let (text, _) = shown(n);
    let id =
        if n.id.is_empty() || n.id.contains(':') { n.id.clone() } else { format!("{package}:id/{}", n.id) };
    let clickable = n.clickable();
    out.push_str("<node");
    let silent = clickable && n.enabled && text.is_empty() && n.desc.is_empty();
    if silent && !n.class.contains("GridView") && !n.class.contains("ListView") && !speaks(laid, at) {
        out.push_str(" NAF=\"true\"");
    }
    let flag = |v: bool| if v { "true" } else { "false" };
    attribute(out, "index", &index.to_string());
    attribute(out, "text", &text);
    attribute(out, "resource-id", &id);
    attribute(out, "class", n.class);
    attribute(out, "package", package);
    attribute(out, "content-desc", &n.desc);
    attribute(out, "checkable", flag(n.checked().is_some()));
    attribute(out, "checked", flag(n.checked().unwrap_or(false)));
    attribute(out, "clickable", flag(clickable));
    attribute(out, "enabled", flag(n.enabled));
    let focusable = clickable || item.scroll.is_some() || matches!(n.kind, Kind::Slider(..));
    attribute(out, "focusable", flag(focusable));
    attribute(out, "focused", flag(item.editing.is_some()));
    attribute(out, "scrollable", flag(item.scroll.is_some_and(|s| s.max > 0)));
    attribute(out, "long-clickable", flag(n.on.long.is_some() || n.is_field()));
    attribute(out, "password", flag(matches!(n.kind, Kind::Field(_, FieldInput::Password))));
    attribute(out, "selected", flag(n.selected));
    let _ = write!(out, " bounds=\"[{},{}][{},{}]\"", b.l, b.t, b.r, b.b);
}

/// Whether anything below says something.
fn speaks(laid: &Laid, at: usize) -> bool {
    laid.items.get(at).is_some_and(|item| {
        item.children.iter().any(|c| {
            laid.items.get(*c).is_some_and(|i| !shown(&i.node).0.is_empty() || !i.node.desc.is_empty())
                || speaks(laid, *c)
        })
    })
}

fn attribute(out: &mut String, name: &str, value: &str) {
    let quote = if value.contains('"') { '\'' } else { '"' };
    let _ = write!(out, " {name}={quote}");
    for c in value.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\'' if quote == '\'' => out.push_str("&apos;"),
            '\n' | '\r' | '\t' => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            '\u{1}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{84}' => out.push('.'),
            '\u{86}'..='\u{9f}' | '\u{fdd0}'..='\u{fddf}' | '\u{fffe}' | '\u{ffff}' => out.push('.'),
            // Two code units of UTF-16, each of which the writer refuses.
            c if u32::from(c) > 0xffff => out.push_str(".."),
            c => out.push(c),
        }
    }
    out.push(quote);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::{
        layout::{LayoutContext, lay},
        markup,
        text::TextFaces,
    };

    fn xml(node: &str) -> String {
        let mut text = TextFaces::default();
        let mut frame = LayoutContext { text: &mut text, scale: 1.0, font_scale: 1.0, state: None };
        dump(&lay(markup::node(node), Rect::new(0, 0, 100, 200), &mut frame), "com.x", 1)
    }

    #[test]
    fn a_node_is_written_to_the_byte() {
        let got = xml(r#"<stack id="root" tap="x" desc="a&lt;b &amp; &quot;c&quot;"/>"#);
        assert_eq!(
            got,
            "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"1\">\
             <node index=\"0\" text=\"\" resource-id=\"com.x:id/root\" class=\"android.widget.FrameLayout\" \
             package=\"com.x\" content-desc='a&lt;b &amp; \"c\"' checkable=\"false\" checked=\"false\" \
             clickable=\"true\" enabled=\"true\" focusable=\"true\" focused=\"false\" scrollable=\"false\" \
             long-clickable=\"false\" password=\"false\" selected=\"false\" bounds=\"[0,0][100,200]\" />\
             </hierarchy>"
        );
    }

    #[test]
    fn warts_are_kept() {
        let got = xml(
            r#"<column><field id="f" hint="Your name"/><space w="5" h="5" tap="silent"/><text text="ok 😀&#10;next"/>
                <field id="p" input="password" text="abc"/></column>"#,
        );
        assert!(got.contains("text=\"Your name\""));
        assert!(got.contains("<node NAF=\"true\" index=\"1\""));
        assert!(got.contains("text=\"ok ..&#10;next\""));
        assert!(got.contains("text=\"•••\""));
    }
}
