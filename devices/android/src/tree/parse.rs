//! Reading a dump.
//!
//! Invariant: any bytes give a tree. A dump that is cut off gives what came before the cut; depth,
//! nodes and size are capped, and nothing here recurses.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

const BYTES_MAX: usize = 16 << 20;
const NODES_MAX: usize = 10_000;
/// The deepest node that is kept; screens of real apps stay below 60.
const DEPTH_MAX: usize = 256;
/// The longest attribute that is kept whole, in bytes.
const TEXT_MAX: usize = 64 << 10;

/// Left, top, right and bottom in pixels of the screen as it is turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub x1: i32,
    pub y1: i32,
    pub x2: i32,
    pub y2: i32,
}

impl Bounds {
    /// Reads `[x1,y1][x2,y2]`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut numbers = [0; 4];
        let inner = text.trim().strip_prefix('[')?.strip_suffix(']')?;
        let (first, second) = inner.split_once("][")?;
        let words = first.splitn(2, ',').chain(second.splitn(2, ','));
        let mut count = 0;
        for (slot, word) in numbers.iter_mut().zip(words) {
            *slot = word.trim().parse().ok()?;
            count += 1;
        }
        let [x1, y1, x2, y2] = numbers;
        (count == 4).then_some(Self { x1, y1, x2, y2 })
    }

    /// The middle as AppAgent counts it: halves are rounded down.
    pub fn center(&self) -> (i64, i64) {
        let half = |a: i32, b: i32| (i64::from(a) + i64::from(b)).div_euclid(2);
        (half(self.x1, self.x2), half(self.y1, self.y2))
    }
}

/// A node of the dump. Texts come from the screen: untrusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DumpNode {
    /// The place of the parent in [`UiDump::nodes`]; `None` below `<hierarchy>`.
    pub parent: Option<usize>,
    /// The place after the last descendant in [`UiDump::nodes`].
    pub end: usize,
    /// The `index` attribute as it is written: part of the uid.
    pub index: String,
    pub text: String,
    /// `package:id/name`, or empty.
    pub resource_id: String,
    pub class: String,
    pub package: String,
    pub content_desc: String,
    /// Placeholder of a text field (newer Android only).
    pub hint: String,
    pub checkable: bool,
    pub checked: bool,
    pub clickable: bool,
    pub enabled: bool,
    pub focusable: bool,
    pub focused: bool,
    pub scrollable: bool,
    pub long_clickable: bool,
    pub password: bool,
    pub selected: bool,
    /// Where it is; `None` when the attribute is missing or makes no sense.
    pub bounds: Option<Bounds>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UiDump {
    pub nodes: Vec<DumpNode>,
    /// Quarter turns of the screen from its natural orientation.
    pub rotation: Option<u8>,
    /// The dump ended before its end tag, or was not well formed from some point on.
    pub cut: bool,
    pub capped: bool,
}

/// Where the last dump of a text begins: warnings may stand before it, and an earlier dump that the command left there.
pub(crate) fn last_dump(text: &str) -> Option<usize> {
    let root = text.rfind("<hierarchy")?;
    // The declaration before the root belongs to it, unless another root lies between the two.
    let declared = text[..root].rfind("<?xml").filter(|at| !text[*at..root].contains("<hierarchy"));
    Some(declared.unwrap_or(root))
}

impl UiDump {
    /// A dump's bytes as text: UTF-8, or UTF-16 as shells of Windows write what a command says.
    pub fn text_of(bytes: &[u8]) -> Cow<'_, str> {
        let wide = |of: fn([u8; 2]) -> u16, from: &[u8]| {
            let units: Vec<u16> = from.chunks_exact(2).map(|pair| of([pair[0], pair[1]])).collect();
            Cow::Owned(String::from_utf16_lossy(&units))
        };
        match bytes {
            [0xff, 0xfe, rest @ ..] => wide(u16::from_le_bytes, rest),
            [0xfe, 0xff, rest @ ..] => wide(u16::from_be_bytes, rest),
            // Without a mark: what begins a dump is in ASCII.
            [b'<' | b'U' | b'W' | b'E', 0, ..] => wide(u16::from_le_bytes, bytes),
            [0, b'<' | b'U' | b'W' | b'E', ..] => wide(u16::from_be_bytes, bytes),
            [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest),
            _ => String::from_utf8_lossy(bytes),
        }
    }

    pub fn parse(xml: &str) -> Self {
        let (xml, mut capped) = match xml.len() > BYTES_MAX {
            true => (&xml[..xml.floor_char_boundary(BYTES_MAX)], true),
            false => (xml, false),
        };
        let xml = &xml[last_dump(xml).unwrap_or_default()..];
        let mut reader = Reader::from_str(xml);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        let mut tree = Self::default();
        let mut path: Vec<Option<usize>> = Vec::new();
        let (mut opened, mut finished) = (false, false);
        loop {
            match reader.read_event() {
                Ok(Event::Start(tag)) => {
                    opened |= tag.name().as_ref() == "hierarchy";
                    let place = tree.add(&tag, &path, &mut capped);
                    path.push(place);
                }
                Ok(Event::Empty(tag)) => {
                    if let Some(place) = tree.add(&tag, &path, &mut capped) {
                        tree.nodes[place].end = tree.nodes.len();
                    }
                }
                Ok(Event::End(tag)) => {
                    if let Some(Some(place)) = path.pop() {
                        tree.nodes[place].end = tree.nodes.len();
                    }
                    finished |= tag.name().as_ref() == "hierarchy";
                    if finished {
                        break;
                    }
                }
                Ok(Event::Eof) | Err(_) => break,
                Ok(_) => {}
            }
        }
        for place in path.into_iter().flatten() {
            tree.nodes[place].end = tree.nodes.len();
        }
        tree.cut = opened && !finished;
        tree.capped = capped;
        tree
    }

    fn add(&mut self, tag: &BytesStart<'_>, path: &[Option<usize>], capped: &mut bool) -> Option<usize> {
        match tag.name().as_ref() {
            "node" => {}
            "hierarchy" => {
                let rotation = tag.try_get_attribute("rotation").ok().flatten();
                self.rotation = rotation.and_then(|a| value(&a.value).trim().parse().ok());
                return None;
            }
            _ => return None,
        }
        if self.nodes.len() >= NODES_MAX || path.len() > DEPTH_MAX {
            *capped = true;
            return None;
        }
        let mut node =
            DumpNode { enabled: true, parent: path.iter().rev().find_map(|p| *p), ..DumpNode::default() };
        for attribute in tag.attributes().with_checks(false).flatten() {
            let raw = attribute.value.as_ref();
            let flag = raw == "true";
            match attribute.key.as_ref() {
                "index" => node.index = value(raw).into_owned(),
                "text" => node.text = value(raw).into_owned(),
                "resource-id" => node.resource_id = value(raw).into_owned(),
                "class" => node.class = value(raw).into_owned(),
                "package" => node.package = value(raw).into_owned(),
                "content-desc" => node.content_desc = value(raw).into_owned(),
                "hint" => node.hint = value(raw).into_owned(),
                "checkable" => node.checkable = flag,
                "checked" => node.checked = flag,
                "clickable" => node.clickable = flag,
                "enabled" => node.enabled = flag,
                "focusable" => node.focusable = flag,
                "focused" => node.focused = flag,
                "scrollable" => node.scrollable = flag,
                "long-clickable" => node.long_clickable = flag,
                "password" => node.password = flag,
                "selected" => node.selected = flag,
                "bounds" => node.bounds = Bounds::parse(raw),
                _ => {}
            }
        }
        self.nodes.push(node);
        Some(self.nodes.len() - 1)
    }

    /// What is missing, in words, where the dump could not be read to its end.
    pub fn incomplete(&self) -> Option<String> {
        match (self.cut, self.capped) {
            (false, false) => None,
            (true, _) => Some("it ends, or is not XML any more, before its </hierarchy>".to_owned()),
            (false, true) => Some(format!(
                "of more than {NODES_MAX} nodes, {DEPTH_MAX} levels or {} MiB the rest is left out",
                BYTES_MAX >> 20
            )),
        }
    }

    pub fn below(&self, place: usize) -> std::ops::Range<usize> {
        let end = self.nodes.get(place).map_or(place, |node| node.end.max(place + 1));
        (place + 1).min(end)..end
    }

    pub fn focused(&self) -> Option<&DumpNode> {
        self.nodes.iter().rev().find(|node| node.focused)
    }
}

/// An attribute's value with its entities resolved; one that cannot be stays as it is.
fn value(raw: &str) -> Cow<'_, str> {
    let raw = if raw.len() > TEXT_MAX { &raw[..raw.floor_char_boundary(TEXT_MAX)] } else { raw };
    if raw.contains('&') {
        quick_xml::escape::unescape(raw).unwrap_or(Cow::Borrowed(raw))
    } else {
        Cow::Borrowed(raw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_last_of_two_dumps_counts_and_wide_ones_are_read() {
        let dump =
            |name: &str| format!("<?xml version='1.0'?><hierarchy><node text=\"{name}\"/></hierarchy>");
        let texts =
            |xml: &str| UiDump::parse(xml).nodes.into_iter().map(|node| node.text).collect::<Vec<_>>();
        let two = format!("WARNING: linker\n{}\nUI hierchary dumped to: /a\n{}\n", dump("Old"), dump("Néw"));
        assert_eq!(texts(&two), ["Néw"]);
        assert_eq!(
            texts("<hierarchy><node text=\"a\"/></hierarchy><hierarchy><node text=\"b\"/></hierarchy>"),
            ["b"]
        );
        for (mark, of) in [
            (&[0xff, 0xfe][..], u16::to_le_bytes as fn(u16) -> [u8; 2]),
            (&[0xfe, 0xff], u16::to_be_bytes),
            (&[], u16::to_le_bytes),
        ] {
            let bytes: Vec<u8> = mark.iter().copied().chain(two.encode_utf16().flat_map(of)).collect();
            assert_eq!(texts(&UiDump::text_of(&bytes)), ["Néw"]);
        }
    }

    const SMALL: &str = r#"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="1"><node index="0" text="" class="a.F" bounds="[0,0][100,200]"><node index="0" text="A &amp; &#128512;&#10;b" clickable="true" enabled="false" bounds="[1,2][3,4]" /><node index="1" text="x" bounds="[-5,0][10,20]"/></node></hierarchy>"#;

    #[test]
    fn a_dump_is_read_behind_any_warning() {
        let tree = UiDump::parse(SMALL);
        assert_eq!((tree.nodes.len(), tree.rotation, tree.cut), (3, Some(1), false));
        assert_eq!(tree.nodes[1].text, "A & 😀\nb");
        assert!(tree.nodes[1].clickable && !tree.nodes[1].enabled && tree.nodes[0].enabled);
        assert_eq!((tree.nodes[2].parent, tree.below(0), tree.below(1)), (Some(0), 1..3, 2..2));
        assert_eq!(tree.nodes[2].bounds.map(|b| b.center()), Some((2, 10)));
        let noisy = format!("[Warning] <odd\nUI hierchary dumped to: /sdcard/x.xml\n{SMALL}");
        assert_eq!(UiDump::parse(&noisy).nodes.len(), 3);
    }

    #[test]
    fn every_cut_gives_a_tree() {
        let whole = UiDump::parse(SMALL);
        for end in (0..SMALL.len()).filter(|at| SMALL.is_char_boundary(*at)) {
            let tree = UiDump::parse(&SMALL[..end]);
            assert!(tree.nodes.len() <= whole.nodes.len());
            assert!(tree.nodes.iter().all(|node| node.end <= tree.nodes.len()), "{end}");
            assert!(!SMALL[..end].contains("rotation=\"1\">") || tree.cut, "{end}");
        }
    }

    #[test]
    fn bad_bounds_are_no_bounds() {
        for bad in
            "|[]|[1,2]|[1,2][3]|[1,2][3,x]|1,2,3,4|[99999999999,0][1,1]|[1,2][3,4|[1][2][3,4]".split('|')
        {
            assert_eq!(Bounds::parse(bad), None, "{bad}");
        }
        assert_eq!(Bounds::parse("[-1,0][3,4]"), Some(Bounds { x1: -1, y1: 0, x2: 3, y2: 4 }));
    }

    #[test]
    fn depth_and_size_are_capped() {
        let deep = format!("<hierarchy>{}", "<node index=\"0\" bounds=\"[0,0][9,9]\">".repeat(100_000));
        let tree = UiDump::parse(&deep);
        assert!(tree.capped && tree.cut && tree.nodes.len() <= DEPTH_MAX + 1);
        let wide =
            format!("<hierarchy><node>{}</node></hierarchy>", "<node text=\"hello\"/>".repeat(600_000));
        assert!(wide.len() > 10 << 20);
        let tree = UiDump::parse(&wide);
        assert!(tree.capped && !tree.cut);
        assert_eq!(tree.nodes.len(), NODES_MAX);
        let long = format!("<hierarchy><node text=\"{}\"/></hierarchy>", "é".repeat(6 << 20));
        assert!(UiDump::parse(&long).nodes[0].text.len() <= TEXT_MAX);
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(noise in "[<>/=\"'&;a-z \\[\\],0-9é]{0,200}") {
            UiDump::parse(&noise);
            UiDump::parse(&format!("<hierarchy><node {noise}"));
            UiDump::parse(&format!("<hierarchy><node text=\"{noise}\" bounds=\"[0,0][5,5]\"/></hierarchy>"));
        }
    }
}
