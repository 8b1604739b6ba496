//! `styles.xml`: what cells look like.

use roxmltree::Node;
use serde_json::Value;

use crate::error::OfficeError;
use crate::package::{MAIN, parse};

/// Formats that files name by number only: the first number of each list, and the formats from there on.
const BUILTIN: [(usize, &str); 2] = [
    (
        0,
        "General|0|0.00|#,##0|#,##0.00|\"$\"#,##0_);(\"$\"#,##0)|\"$\"#,##0_);[Red](\"$\"#,##0)|\
     \"$\"#,##0.00_);(\"$\"#,##0.00)|\"$\"#,##0.00_);[Red](\"$\"#,##0.00)|0%|0.00%|0.00E+00|\
     # ?/?|# ??/??|mm-dd-yy|d-mmm-yy|d-mmm|mmm-yy|h:mm AM/PM|h:mm:ss AM/PM|h:mm|h:mm:ss|\
     m/d/yy h:mm",
    ),
    (
        37,
        "#,##0_);(#,##0)|#,##0_);[Red](#,##0)|#,##0.00_);(#,##0.00)|\
     #,##0.00_);[Red](#,##0.00)|_(* #,##0_);_(* \\(#,##0\\);_(* \"-\"_);_(@_)|\
     _(\"$\"* #,##0_);_(\"$\"* \\(#,##0\\);_(\"$\"* \"-\"_);_(@_)|\
     _(* #,##0.00_);_(* \\(#,##0.00\\);_(* \"-\"??_);_(@_)|\
     _(\"$\"* #,##0.00_)_(\"$\"* \\(#,##0.00\\)_(\"$\"* \"-\"??_)_(@_)|mm:ss|[h]:mm:ss|mmss.0|\
     ##0.0E+0|@",
    ),
];

/// A font, a fill and a format.
#[derive(Clone, Debug, PartialEq)]
pub struct CellStyle {
    pub format: Option<String>,
    /// The font's members by the names that metrics use: name, family, color, bold, italic, underline,
    /// size. Nothing where the style has no font.
    pub font: Option<Font>,
    /// The fill; nothing where the style has none.
    pub fill: Option<Fill>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Font {
    pub name: Value,
    pub family: Value,
    /// Colour; nothing when it has none at all.
    pub color: Option<Value>,
    pub bold: bool,
    pub italic: bool,
    /// Underline: `single`, `double`, …
    pub underline: Value,
    pub size: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Fill {
    pub kind: String,
    pub foreground: Option<Value>,
    pub background: Option<Value>,
}

#[derive(Clone, Debug, Default)]
pub struct Styles {
    cells: Vec<CellStyle>,
    dates: Vec<bool>,
    pub differences: Vec<CellStyle>,
}

impl Styles {
    pub fn read(part: &str, text: &str) -> Result<Self, OfficeError> {
        let document = parse(part, text)?;
        let root = document.root_element();
        let list = |name: &str| -> Vec<Node> {
            let parent = root.children().find(|node| node.has_tag_name((MAIN, name)));
            parent.into_iter().flat_map(|p| p.children()).filter(Node::is_element).collect()
        };
        let custom: Vec<(u32, String)> = list("numFmts")
            .into_iter()
            .filter_map(|node| {
                let id = node.attribute("numFmtId")?.parse().ok()?;
                Some((id, node.attribute("formatCode")?.to_owned()))
            })
            .collect();
        let format = |id: u32| -> String {
            let own =
                custom.iter().find(|(known, _)| *known == id && id >= 164).map(|(_, code)| code.clone());
            let at = usize::try_from(id).unwrap_or(usize::MAX);
            let mut listed =
                BUILTIN.iter().filter_map(|(from, all)| all.split('|').nth(at.checked_sub(*from)?));
            let built = || listed.next().map(str::to_owned);
            let low = || custom.iter().find(|(known, _)| *known == id).map(|(_, code)| code.clone());
            own.or_else(built).or_else(low).unwrap_or_else(|| "General".to_owned())
        };
        let fonts: Vec<Font> = list("fonts").into_iter().map(font).collect();
        let fills: Vec<Fill> = list("fills").into_iter().map(fill).collect();
        let mut cells = Vec::new();
        let mut dates = Vec::new();
        for node in list("cellXfs") {
            let at = |name: &str| node.attribute(name).and_then(|id| id.parse::<usize>().ok()).unwrap_or(0);
            let format = format(u32::try_from(at("numFmtId")).unwrap_or_default());
            dates.push(is_date_format(&format));
            cells.push(CellStyle {
                format: Some(format),
                font: Some(fonts.get(at("fontId")).cloned().unwrap_or_default()),
                fill: Some(fills.get(at("fillId")).cloned().unwrap_or_else(no_fill)),
            });
        }
        let differences = list("dxfs").into_iter().map(difference).collect();
        Ok(Self { cells, dates, differences })
    }

    pub(crate) fn is_date(&self, style: usize) -> bool {
        self.dates.get(style).copied().unwrap_or(false)
    }

    pub fn has(&self, style: usize) -> bool {
        style == 0 || style < self.cells.len()
    }

    pub(crate) fn is_duration(&self, style: usize) -> bool {
        let format = self.cells.get(style).and_then(|style| style.format.as_deref());
        let format = format.unwrap_or_default().to_lowercase();
        ["[h", "[m", "[s"].iter().any(|part| format.contains(part))
    }

    pub fn get(&self, style: usize) -> CellStyle {
        self.cells.get(style).cloned().unwrap_or_else(|| CellStyle {
            format: Some("General".to_owned()),
            font: Some(Font::default()),
            fill: Some(no_fill()),
        })
    }
}

fn no_fill() -> Fill {
    let black = || Some(Value::String("00000000".to_owned()));
    Fill { kind: "patternFill".to_owned(), foreground: black(), background: black() }
}

fn part<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|child| child.has_tag_name((MAIN, name)))
}

fn number(text: Option<&str>) -> Value {
    text.and_then(|t| t.parse::<f64>().ok()).map_or(Value::Null, Value::from)
}

fn font(node: Node) -> Font {
    let value = |name: &str| part(node, name).map(|n| n.attribute("val"));
    let on = |name: &str| value(name).is_some_and(|val| !matches!(val, Some("0" | "false" | "f")));
    let underline = match value("u") {
        None => Value::Null,
        Some(kind) => Value::String(kind.unwrap_or("single").to_owned()),
    };
    Font {
        name: value("name").flatten().map_or(Value::Null, Value::from),
        family: number(value("family").flatten()),
        color: part(node, "color").map(color),
        bold: on("b"),
        italic: on("i"),
        underline,
        size: number(value("sz").flatten()),
    }
}

/// A colour as `openpyxl` gives it: eight digits, or, for indexed and theme colours, an object that equals
/// no digits but every other such object.
fn color(node: Node) -> Value {
    match node.attribute("rgb") {
        Some(rgb) if rgb.len() == 6 => Value::String(format!("00{rgb}")),
        Some(rgb) => Value::String(rgb.to_owned()),
        None if ["indexed", "theme", "auto"].iter().any(|name| node.attribute(*name).is_some()) => {
            serde_json::json!({ "no": "rgb" })
        }
        None => Value::String("00000000".to_owned()),
    }
}

fn fill(node: Node) -> Fill {
    let Some(pattern) = part(node, "patternFill") else {
        return match part(node, "gradientFill") {
            Some(_) => Fill { kind: "gradientFill".to_owned(), foreground: None, background: None },
            None => no_fill(),
        };
    };
    let of =
        |name: &str| Some(part(pattern, name).map_or_else(|| Value::String("00000000".to_owned()), color));
    Fill { kind: "patternFill".to_owned(), foreground: of("fgColor"), background: of("bgColor") }
}

fn difference(node: Node) -> CellStyle {
    CellStyle {
        format: part(node, "numFmt").and_then(|n| n.attribute("formatCode")).map(str::to_owned),
        font: part(node, "font").map(font),
        fill: part(node, "fill").map(fill),
    }
}

/// Whether a format of numbers shows days or times: a letter of them stands outside of quotes and brackets, but for
/// the brackets of elapsed time.
fn is_date_format(code: &str) -> bool {
    let first = code.split(';').next().unwrap_or_default();
    let mut shown = String::new();
    let mut rest = first;
    while let Some(c) = rest.chars().next() {
        let hidden = match c {
            '"' => rest[1..].find(['"', '\n']).filter(|end| rest.as_bytes()[1..][*end] == b'"'),
            '[' => rest[1..]
                .find(']')
                .filter(|end| !matches!(&rest[1..=*end], "h" | "hh" | "m" | "mm" | "s" | "ss")),
            _ => None,
        };
        match hidden {
            Some(end) => rest = &rest[end + 2..],
            None => {
                shown.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    let before = std::iter::once(' ').chain(shown.chars());
    before.zip(shown.chars()).any(|(before, c)| "dmhysDMHYS".contains(c) && !matches!(before, '_' | '\\'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_of_dates() {
        for (code, date) in [
            ("yyyy-mm-dd", true),
            ("[h]:mm:ss", true),
            ("General", false),
            ("#,##0.00", false),
            ("[Red]0.00", false),
            ("\"days\" 0", false),
            ("[$-409]mmmm", true),
            ("0.00_s", false),
            ("0;yyyy", false),
        ] {
            assert_eq!(is_date_format(code), date, "{code}");
        }
    }
}
