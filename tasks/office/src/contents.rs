//! All that an office file says, as entries that can be compared: its sheets and cells, or its paragraphs.
//!
//! Invariant: opening a file in an office program and saving it again gives the same entries. So fonts, sizes and the like
//! are told only where they are not those of the file's default style, which programs replace by their own.

use std::collections::BTreeMap;

use roxmltree::Node;
use serde_json::{Map, Value, json};

use crate::book::{Book, Stored};
use crate::document::{W, child, text, val};
use crate::error::OfficeError;
use crate::package::{MAIN, Package, parse};
use crate::plain_number;
use crate::range::{cell_name, parse_cell, parse_range};

const ENTRIES: usize = 20_000;
/// The most cells of a range in a formula that are named one by one.
const NAMED: u64 = 1_000;
/// What a document's or sheet's part refers to that says nothing about its content.
const FURNITURE: &str =
    "styles settings fontTable theme webSettings numbering customXml printerSettings vmlDrawing";

/// The entries of a workbook: each sheet by its name, and each cell that has content or a fill as `Sheet1!B5`.
pub fn workbook_entries(bytes: &[u8]) -> Result<BTreeMap<String, Value>, OfficeError> {
    let book = Book::from_bytes(bytes)?;
    let alignments = alignments(&book);
    let mut all = BTreeMap::new();
    for (sheet, position) in book.sheets.iter().zip(0..) {
        let xml = book.xml(sheet)?;
        let merged = xml.descendants().filter(|node| node.has_tag_name((MAIN, "mergeCell")));
        let mut merged: Vec<&str> = merged.filter_map(|node| node.attribute("ref")).collect();
        merged.sort_unstable();
        let mut told = json!({ "position": position, "parts": parts(&book.package, &sheet.part)? });
        if !merged.is_empty() {
            told["merged"] = json!(merged);
        }
        all.insert(sheet.name.clone(), told);
        let formulas: BTreeMap<(u32, u32), String> = formulas(xml.root_element()).collect();
        for (at, cell) in &sheet.cells {
            let formula = formulas.get(at).map(String::as_str);
            if let Some(row) = cell_entry(&book, cell.style, &cell.stored, formula, &alignments) {
                all.insert(format!("{}!{}", sheet.name, cell_name(at.0, at.1)), row);
            }
            if all.len() > ENTRIES {
                return Err(OfficeError::Unsupported(format!("a workbook of more than {ENTRIES} cells")));
            }
        }
    }
    Ok(all)
}

fn cell_entry(
    book: &Book,
    style: usize,
    stored: &Stored,
    formula: Option<&str>,
    alignments: &[Option<String>],
) -> Option<Value> {
    let (look, usual) = (book.styles.get(style), book.styles.get(0));
    let fill = look.fill.map(|fill| (fill.kind, fill.foreground));
    let filled = fill != usual.fill.map(|fill| (fill.kind, fill.foreground));
    // How an empty cell would show its content is nothing that can be seen.
    if *stored == Stored::Empty && formula.is_none() && !filled {
        return None;
    }
    let (kind, value) = match stored {
        Stored::Empty => ("empty", Value::Null),
        Stored::Number(number) => ("number", plain_number(*number)),
        Stored::Date(number) => ("date", plain_number(*number)),
        Stored::Text(text) => ("text", text.as_str().into()),
        Stored::Truth(truth) => ("truth", (*truth).into()),
        Stored::Error(error) => ("error", error.as_str().into()),
    };
    let (font, plain) = (look.font.unwrap_or_default(), usual.font.unwrap_or_default());
    let underlined = !matches!(font.underline.as_str(), None | Some("none"));
    let mut row = Map::new();
    row.insert("value".to_owned(), value);
    row.insert("type".to_owned(), kind.into());
    row.insert("formula".to_owned(), formula.into());
    row.insert("bold".to_owned(), font.bold.into());
    row.insert("italic".to_owned(), font.italic.into());
    row.insert("underline".to_owned(), underlined.into());
    let align = |style: usize| alignments.get(style).cloned().flatten();
    let sparse = [
        ("font", (font.name != plain.name).then_some(font.name)),
        ("size", (font.size != plain.size).then_some(font.size)),
        ("colour", (font.color != plain.color).then(|| font.color.unwrap_or_default())),
        ("fill", filled.then(|| fill.and_then(|(_, colour)| colour).unwrap_or_default())),
        ("format", (look.format != usual.format).then(|| look.format.into())),
        ("align", (align(style) != align(0)).then(|| align(style).into())),
    ];
    row.extend(sparse.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    Some(Value::Object(row))
}

/// How each style places the content of a cell; nothing where it leaves that to the kind of content.
fn alignments(book: &Book) -> Vec<Option<String>> {
    let read = || -> Option<Vec<Option<String>>> {
        let part = book.package.targets("xl/workbook.xml", "styles").ok()?.into_iter().next()?;
        let xml = parse(&part, book.package.text(&part).ok()?).ok()?;
        let styles = xml.root_element().children().find(|node| node.has_tag_name((MAIN, "cellXfs")))?;
        let align = |style: Node| {
            let set = style.children().find(|node| node.has_tag_name((MAIN, "alignment")))?;
            set.attribute("horizontal").filter(|align| *align != "general").map(str::to_owned)
        };
        Some(styles.children().filter(Node::is_element).map(align).collect())
    };
    read().unwrap_or_default()
}

/// What a part holds beside text and cells: pictures, charts, comments, headers.
fn parts(package: &Package, part: &str) -> Result<Vec<String>, OfficeError> {
    let all = package.relations(part)?.into_iter().map(|relation| relation.kind);
    let mut all: Vec<String> = all.filter(|kind| !FURNITURE.split(' ').any(|known| known == kind)).collect();
    all.sort_unstable();
    Ok(all)
}

/// The formulas of a sheet by their cells. One that is shared stands in its first cell alone; the others name its group.
fn formulas<'a>(sheet: Node<'a, 'a>) -> impl Iterator<Item = ((u32, u32), String)> + 'a {
    sheet.descendants().filter(|node| node.has_tag_name((MAIN, "c"))).filter_map(|cell| {
        let formula = cell.children().find(|child| child.has_tag_name((MAIN, "f")))?;
        let shared = || formula.attribute("si").map(|group| format!("shared {group}"));
        let text = formula.text().map(str::to_owned).or_else(shared).unwrap_or_default();
        Some((parse_cell(cell.attribute("r")?)?, text))
    })
}

/// The cells that a formula refers to, in order and each once; ranges cell by cell unless they are large, and names of
/// sheets left out.
pub(crate) fn references(formula: &str) -> Vec<String> {
    let mut words = Vec::new();
    // Text in quotes refers to nothing, and a name of a sheet may stand in quotes, too.
    let outside = formula.split('"').step_by(2).collect::<Vec<_>>().join(" ");
    let outside = outside.split('\'').step_by(2).collect::<Vec<_>>().join(" ");
    let part = |c: char| c.is_alphanumeric() || matches!(c, '$' | ':' | '_' | '.');
    let mut rest = outside.as_str();
    while let Some(start) = rest.find(part) {
        let word = rest.get(start..).unwrap_or_default();
        let end = word.find(|c| !part(c)).unwrap_or(word.len());
        let (word, after) = word.split_at(end);
        // A name that is called, such as LOG10, is not a cell.
        if !after.starts_with('(') && !after.starts_with('!') {
            words.push(word.replace('$', ""));
        }
        rest = after;
    }
    let mut cells = std::collections::BTreeSet::new();
    for word in words {
        let Some(range) = parse_range(&word) else { continue };
        let (top, bottom) = (range.top.min(range.bottom), range.top.max(range.bottom));
        let (left, right) = (range.left.min(range.right), range.left.max(range.right));
        if u64::from(bottom - top + 1) * u64::from(right - left + 1) > NAMED {
            cells.insert((top, left, word.to_ascii_uppercase()));
            continue;
        }
        let named = (top..=bottom).flat_map(|row| (left..=right).map(move |column| (row, column)));
        cells.extend(named.map(|(row, column)| (row, column, cell_name(row, column))));
    }
    cells.into_iter().map(|(_, _, name)| name).collect()
}

/// The paragraphs of a document by their numbers from 0, without empty ones at its end, and its parts beside text as
/// `parts`.
pub fn document_entries(bytes: &[u8]) -> Result<BTreeMap<String, Value>, OfficeError> {
    let package = Package::from_bytes(bytes)?;
    let part = package.targets("", "officeDocument")?.into_iter().next();
    let part = part.unwrap_or_else(|| "word/document.xml".to_owned());
    let xml = parse(&part, package.text(&part)?)?;
    let paragraphs = xml.root_element().descendants().filter(|node| node.has_tag_name((W, "p")));
    let mut told: Vec<Value> = paragraphs.take(ENTRIES + 1).map(paragraph).collect();
    if told.len() > ENTRIES {
        return Err(OfficeError::Unsupported(format!("a document of more than {ENTRIES} paragraphs")));
    }
    // Empty paragraphs at the end show nothing.
    let empty =
        |last: &Value| last["text"].as_str().is_none_or(str::is_empty) && last.get("drawings").is_none();
    while told.last().is_some_and(empty) {
        told.pop();
    }
    let numbered = told.into_iter().enumerate().map(|(n, paragraph)| (n.to_string(), paragraph));
    let mut all: BTreeMap<String, Value> = numbered.collect();
    all.insert("parts".to_owned(), json!(parts(&package, &part)?));
    Ok(all)
}

/// A paragraph. Where all of its text looks the same its look stands in columns; else `runs` has each piece with its look.
fn paragraph(node: Node) -> Value {
    let properties = child(node, "pPr");
    let mut runs: Vec<(String, Map<String, Value>)> = Vec::new();
    for run in node.descendants().filter(|run| run.has_tag_name((W, "r"))) {
        let (piece, look) = (text(run), run_look(child(run, "rPr")));
        match runs.last_mut() {
            // A blank shows nothing of a look but its underline.
            Some((before, same)) if *same == look || piece.trim().is_empty() => before.push_str(&piece),
            _ if piece.is_empty() => {}
            _ => runs.push((piece, look)),
        }
    }
    let style = val(properties, "pStyle").filter(|style| *style != "Normal");
    let align = match val(properties, "jc").unwrap_or("left") {
        "start" => "left",
        "end" => "right",
        align => align,
    };
    let mut row = Map::new();
    row.insert("text".to_owned(), runs.iter().map(|(text, _)| text.as_str()).collect::<String>().into());
    row.insert("style".to_owned(), style.into());
    row.insert("align".to_owned(), align.into());
    for name in ["bold", "italic", "underline"] {
        let all = !runs.is_empty() && runs.iter().all(|(_, look)| look.contains_key(name));
        row.insert(name.to_owned(), all.into());
    }
    match runs.as_slice() {
        [] => {}
        [(_, look)] => row.extend(look.clone()),
        pieces => {
            let piece = |(text, look): &(String, Map<String, Value>)| {
                let mut piece = look.clone();
                piece.insert("text".to_owned(), text.as_str().into());
                Value::Object(piece)
            };
            row.insert("runs".to_owned(), pieces.iter().map(piece).collect());
        }
    }
    let drawn = node.descendants().filter(|node| node.has_tag_name((W, "drawing"))).count();
    if drawn > 0 {
        row.insert("drawings".to_owned(), drawn.into());
    }
    Value::Object(row)
}

/// How a run looks, as far as it is not plain.
fn run_look(properties: Option<Node>) -> Map<String, Value> {
    let on = |name: &str| {
        let set = properties.and_then(|look| child(look, name));
        set.is_some_and(|on| !matches!(on.attribute((W, "val")), Some("0" | "false" | "off" | "none")))
    };
    let mut look = Map::new();
    for (name, tag) in [("bold", "b"), ("italic", "i"), ("underline", "u"), ("struck", "strike")] {
        if on(tag) {
            look.insert(name.to_owned(), true.into());
        }
    }
    for (name, tag) in
        [("size", "sz"), ("colour", "color"), ("highlight", "highlight"), ("raised", "vertAlign")]
    {
        if let Some(value) =
            val(properties, tag).filter(|value| !matches!(*value, "auto" | "none" | "baseline"))
        {
            look.insert(name.to_owned(), value.into());
        }
    }
    let font = properties.and_then(|look| child(look, "rFonts"));
    if let Some(font) = font.and_then(|font| font.attribute((W, "ascii"))) {
        look.insert("font".to_owned(), font.into());
    }
    look
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_tells_the_cells_that_it_refers_to() {
        for (formula, cells) in [
            ("SUM(B2:B4)", "B2 B3 B4"),
            ("sum($b$4:b2)", "B2 B3 B4"),
            ("B4+B2+ B3", "B2 B3 B4"),
            ("SUM(B2;B3,B4)*1.5", "B2 B3 B4"),
            ("49", ""),
            ("LOG10(100)&\"B2\"", ""),
            ("'My B9'!A1+Sheet2!C3", "A1 C3"),
            ("SUM(A1:Z99)", "A1:Z99"),
            ("A1:A0", ""),
        ] {
            assert_eq!(references(formula).join(" "), cells, "{formula}");
        }
    }

    #[test]
    fn a_workbook_is_told_cell_by_cell() {
        let rows = json!([["Item", "Price"], ["Tea", 4], ["", "=B2*2"]]);
        let told = workbook_entries(&crate::workbook(&[("S".to_owned(), rows)]).unwrap()).unwrap();
        let keys: Vec<&str> = told.keys().map(String::as_str).collect();
        assert_eq!(keys, ["S", "S!A1", "S!A2", "S!B1", "S!B2", "S!B3"]);
        assert_eq!((&told["S!B2"]["value"], &told["S!B2"]["type"]), (&json!(4), &json!("number")));
        assert_eq!(told["S!B3"]["formula"], "B2*2");
        assert!(workbook_entries(b"no archive").is_err());
    }

    #[test]
    fn a_document_is_told_paragraph_by_paragraph() {
        let content = json!(["Plain", { "text": "Head", "bold": true, "align": "center" }, "", ""]);
        let told = document_entries(&crate::document(&content).unwrap()).unwrap();
        let plain = json!({
            "text": "Plain", "style": null, "align": "left", "bold": false, "italic": false, "underline": false
        });
        assert_eq!(told["0"], plain);
        assert_eq!((&told["1"]["bold"], &told["1"]["align"]), (&json!(true), &json!("center")));
        assert_eq!(told.keys().collect::<Vec<_>>(), ["0", "1", "parts"]);
        assert_eq!(told["parts"], json!([]));
        assert!(document_entries(b"no archive").is_err());
    }

    fn told_of(runs: &str) -> Value {
        let xml = format!("<w:p xmlns:w=\"{W}\">{runs}</w:p>");
        paragraph(roxmltree::Document::parse(&xml).unwrap().root_element())
    }

    #[test]
    fn text_of_several_looks_is_told_by_its_pieces() {
        let bold = "<w:r><w:rPr><w:b/></w:rPr><w:t>two</w:t></w:r>";
        let plain = "<w:r><w:t xml:space=\"preserve\">one </w:t></w:r>";
        let both = told_of(&format!("{plain}{bold}"));
        assert_eq!(both["text"], "one two");
        assert_eq!(both["bold"], false);
        assert_eq!(both["runs"], json!([{ "text": "one " }, { "text": "two", "bold": true }]));
        // Pieces of one look are one, however a program has cut them.
        assert_eq!(told_of(&format!("{plain}{plain}")), {
            let mut one = told_of("<w:r><w:t xml:space=\"preserve\">one one </w:t></w:r>");
            one["text"] = "one one ".into();
            one
        });
        assert!(told_of(bold).get("runs").is_none());
    }
}
