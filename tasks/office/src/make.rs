use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use serde::Deserialize;
use serde_json::Value;
use zip::write::SimpleFileOptions;

use crate::range::cell_name;

/// Pixels of a side at the most.
const SIDE_MAX: u32 = 4_000;
const CELLS_MAX: usize = 100_000;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadContent(pub String);

fn bad(message: impl Into<String>) -> BadContent {
    BadContent(message.into())
}

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
const TYPES: &str = "http://schemas.openxmlformats.org/package/2006/content-types";
const RELATIONS: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const SHEET: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const WORD: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

/// The parts of every document but its text.
const DOCUMENT: [(&str, &str); 4] = [
    ("[Content_Types].xml", include_str!("../parts/document-types.xml")),
    ("_rels/.rels", include_str!("../parts/document-root.xml")),
    ("word/_rels/document.xml.rels", include_str!("../parts/document-relations.xml")),
    ("word/styles.xml", include_str!("../parts/document-styles.xml")),
];

/// A workbook (`.xlsx`) of these sheets: name and rows of cells. A cell is a number, a truth, or a text: one
/// that begins with `=` is a formula, one that reads as a number is one, and a leading `'` keeps it text.
pub fn workbook(sheets: &[(String, Value)]) -> Result<Vec<u8>, BadContent> {
    let mut parts: Vec<(String, String)> = Vec::new();
    let (mut types, mut list, mut relations) = (String::new(), String::new(), String::new());
    for ((name, rows), n) in sheets.iter().zip(1..) {
        if name.is_empty() || name.chars().count() > 31 || name.contains(['[', ']', ':', '*', '?', '/', '\\'])
        {
            return Err(bad(format!("'{name}' is not a name of a sheet")));
        }
        let _ = write!(
            types,
            "<Override PartName=\"/xl/worksheets/sheet{n}.xml\" ContentType=\"application/vnd.openxmlformats-\
             officedocument.spreadsheetml.worksheet+xml\"/>"
        );
        let name = escape(name);
        let _ = write!(list, "<sheet name=\"{name}\" sheetId=\"{n}\" r:id=\"rId{n}\"/>");
        let _ = write!(
            relations,
            "<Relationship Id=\"rId{n}\" Type=\"{OFFICE}/worksheet\" Target=\"worksheets/sheet{n}.xml\"/>"
        );
        parts.push((format!("xl/worksheets/sheet{n}.xml"), sheet_xml(rows)?));
    }
    if sheets.is_empty() {
        return Err(bad("a workbook has at least one sheet"));
    }
    let types = format!(
        "{HEAD}<Types xmlns=\"{TYPES}\"><Default Extension=\"rels\" ContentType=\"application/vnd.\
         openxmlformats-package.relationships+xml\"/><Default Extension=\"xml\" \
         ContentType=\"application/xml\"/><Override PartName=\"/xl/workbook.xml\" \
         ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml\"/>\
         {types}</Types>"
    );
    let list =
        format!("{HEAD}<workbook xmlns=\"{SHEET}\" xmlns:r=\"{OFFICE}\"><sheets>{list}</sheets></workbook>");
    let relations = format!("{HEAD}<Relationships xmlns=\"{RELATIONS}\">{relations}</Relationships>");
    let all = [
        ("[Content_Types].xml", types.as_str()),
        ("_rels/.rels", include_str!("../parts/workbook-root.xml")),
        ("xl/workbook.xml", &list),
        ("xl/_rels/workbook.xml.rels", &relations),
    ];
    package(all.into_iter().chain(parts.iter().map(|(name, text)| (name.as_str(), text.as_str()))))
}

fn sheet_xml(rows: &Value) -> Result<String, BadContent> {
    let rows = rows.as_array().ok_or_else(|| bad("a sheet is a list of rows"))?;
    let mut xml = format!("{HEAD}<worksheet xmlns=\"{SHEET}\"><sheetData>");
    let mut cells = 0;
    for (row, r) in rows.iter().zip(1_u32..) {
        let row = row.as_array().ok_or_else(|| bad(format!("row {r} is not a list of cells")))?;
        cells += row.len();
        if cells > CELLS_MAX {
            return Err(bad(format!("more than {CELLS_MAX} cells")));
        }
        let _ = write!(xml, "<row r=\"{r}\">");
        for (value, c) in row.iter().zip(1_u32..) {
            let at = cell_name(r, c);
            match value {
                Value::Null => {}
                Value::Number(number) => {
                    let _ = write!(xml, "<c r=\"{at}\"><v>{number}</v></c>");
                }
                Value::Bool(truth) => {
                    let _ = write!(xml, "<c r=\"{at}\" t=\"b\"><v>{}</v></c>", u8::from(*truth));
                }
                Value::String(text) if text.is_empty() => {}
                Value::String(text) => text_cell(&mut xml, &at, text),
                _ => return Err(bad(format!("cell {at} is not a number, truth or text"))),
            }
        }
        xml.push_str("</row>");
    }
    xml.push_str("</sheetData></worksheet>");
    Ok(xml)
}

fn text_cell(xml: &mut String, at: &str, text: &str) {
    let number = text.parse::<f64>().ok().filter(|n| n.is_finite());
    if let Some(formula) = text.strip_prefix('=').filter(|formula| !formula.is_empty()) {
        let _ = write!(xml, "<c r=\"{at}\"><f>{}</f></c>", escape(formula));
    } else if number.is_some() {
        let _ = write!(xml, "<c r=\"{at}\"><v>{text}</v></c>");
    } else {
        let text = escape(text.strip_prefix('\'').unwrap_or(text));
        let _ =
            write!(xml, "<c r=\"{at}\" t=\"inlineStr\"><is><t xml:space=\"preserve\">{text}</t></is></c>");
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum ParagraphText {
    Plain(String),
    Styled(Styled),
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Styled {
    text: String,
    /// `Heading1`, `Heading2` or `Title`.
    style: Option<String>,
    bold: bool,
    italic: bool,
    /// `left`, `center`, `right` or `both`.
    align: Option<String>,
}

/// A document (`.docx`) of these paragraphs: texts, or tables with `text`, `style`, `bold`, `italic`,
/// `align`.
pub fn document(content: &Value) -> Result<Vec<u8>, BadContent> {
    let list = content.as_array().ok_or_else(|| bad("a document is a list of paragraphs"))?;
    let mut body = String::new();
    for (written, n) in list.iter().zip(1..) {
        let written = ParagraphText::deserialize(written).map_err(|_| {
            bad(format!("paragraph {n} is neither a text nor a table of text, style, bold, italic, align"))
        })?;
        let styled = match written {
            ParagraphText::Plain(text) => Styled { text, ..Styled::default() },
            ParagraphText::Styled(styled) => styled,
        };
        paragraph(&mut body, &styled);
    }
    let body = format!("{HEAD}<w:document xmlns:w=\"{WORD}\"><w:body>{body}</w:body></w:document>");
    package(DOCUMENT.into_iter().chain([("word/document.xml", body.as_str())]))
}

fn paragraph(body: &mut String, written: &Styled) {
    body.push_str("<w:p><w:pPr>");
    if let Some(style) = &written.style {
        let _ = write!(body, "<w:pStyle w:val=\"{}\"/>", escape(style));
    }
    if let Some(align) = &written.align {
        let _ = write!(body, "<w:jc w:val=\"{}\"/>", escape(align));
    }
    body.push_str("</w:pPr><w:r><w:rPr>");
    if written.bold {
        body.push_str("<w:b/>");
    }
    if written.italic {
        body.push_str("<w:i/>");
    }
    let _ = write!(body, "</w:rPr><w:t xml:space=\"preserve\">{}</w:t></w:r></w:p>", escape(&written.text));
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Painted {
    width: Value,
    height: Value,
    #[serde(default)]
    colours: Vec<String>,
}

/// A picture (`.png`) of upright bars: `width`, `height` and `colours` as `#rrggbb`.
pub fn picture(content: &Value) -> Result<Vec<u8>, BadContent> {
    let painted = Painted::deserialize(content).map_err(|error| bad(error.to_string()))?;
    let side = |name: &str, value: &Value| -> Result<u32, BadContent> {
        let number = match value {
            Value::Number(number) => number.as_u64().and_then(|n| u32::try_from(n).ok()),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        number
            .filter(|n| (1..=SIDE_MAX).contains(n))
            .ok_or_else(|| bad(format!("{name} is not a number of pixels from 1 to {SIDE_MAX}")))
    };
    let (width, height) = (side("width", &painted.width)?, side("height", &painted.height)?);
    let mut bars = painted.colours.iter().map(|text| colour(text)).collect::<Result<Vec<_>, _>>()?;
    if bars.is_empty() {
        bars.push([128, 128, 128]);
    }
    let count = u32::try_from(bars.len()).unwrap_or(u32::MAX);
    let pixels = image::RgbImage::from_fn(width, height, |x, _| {
        let at = u64::from(x) * u64::from(count) / u64::from(width);
        image::Rgb(usize::try_from(at).ok().and_then(|at| bars.get(at)).copied().unwrap_or_default())
    });
    let mut out = Cursor::new(Vec::new());
    pixels.write_to(&mut out, image::ImageFormat::Png).map_err(|error| bad(error.to_string()))?;
    Ok(out.into_inner())
}

fn colour(text: &str) -> Result<[u8; 3], BadContent> {
    let wrong = || bad(format!("'{text}' is not a colour: write it like #ff8000"));
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6).ok_or_else(wrong)?;
    let number = u32::from_str_radix(digits, 16).map_err(|_| wrong())?;
    let [_, red, green, blue] = number.to_be_bytes();
    Ok([red, green, blue])
}

/// A package of these parts, the same bytes for the same parts.
fn package<'a>(parts: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Vec<u8>, BadContent> {
    let failed = |error: &dyn std::fmt::Display| bad(format!("cannot pack it: {error}"));
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().last_modified_time(zip::DateTime::default());
    for (name, text) in parts {
        zip.start_file(name, options).map_err(|error| failed(&error))?;
        zip.write_all(text.as_bytes()).map_err(|error| failed(&error))?;
    }
    Ok(zip.finish().map_err(|error| failed(&error))?.into_inner())
}

/// Text within XML; what XML cannot hold is left out.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(c),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}
