//! `table.py`: spreadsheets and CSV files.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::canonical_combining_class;

use super::super::fault::{OsworldFault, Result, Score, score};
use super::super::ooxml::budget::{self, Cost};
use super::super::ooxml::range::{cell_name, parse_cell, parse_range};
use super::super::ooxml::xlsx::{self, Book, Content, DataFrame, RawSheet, Sheet, Stored};
use super::super::py::{self, text};
use super::docs::readable;
use super::general::gold;
use super::rules::match_value;
use super::table_styles::{cell_style, sheet_styles};
use super::{MetricCall, Switch};

const RULES: &str = "sheet_name sheet_data sheet_print sheet_fuzzy sparkline chart style freeze zoom data_validation \
     row_props col_props filter pivot_table check_cell";

/// The rule types of `compare_table` that are not ported.
pub(crate) fn unsupported_rules(options: &Map<String, Value>) -> Vec<String> {
    let rules = options.get("rules").and_then(Value::as_array).into_iter().flatten();
    let kinds = rules.filter_map(|rule| rule.get("type").and_then(Value::as_str));
    let unknown = kinds.filter(|kind| !RULES.split(' ').any(|known| known == *kind));
    unknown.map(|kind| format!("compare_table: rule {kind}")).collect()
}

struct Books {
    result: Book,
    result_path: PathBuf,
    expected: Option<(Book, PathBuf)>,
}

type SheetRef<'a> = (&'a Book, &'a Path, String);

impl Books {
    /// Resolves `0`, `RI0`, `RNname`, `EI0`, `ENname`. A sheet that is not there has an empty name.
    fn place(&self, index: &Value) -> Result<SheetRef<'_>> {
        let expected = || {
            let book = self.expected.as_ref().map(|(book, path)| (book, path.as_path()));
            book.ok_or_else(|| {
                OsworldFault::Expected("a rule names the expected table, which there is not".into())
            })
        };
        let result = (&self.result, self.result_path.as_path());
        // By number, or by name; a book's sheet that there is none of has no name.
        let numbered = |book: &Book, index: &str| {
            let at = py::number::parse_int(index).and_then(|i| usize::try_from(i).ok());
            at.and_then(|i| book.names().get(i).map(|name| (*name).to_owned())).unwrap_or_default()
        };
        let text = match index {
            Value::Number(n) => format!("RI{n}"),
            Value::String(text) => text.clone(),
            other => return Err(OsworldFault::Expected(format!("{other} names no sheet"))),
        };
        let (kind, name) = text.split_at_checked(2).unwrap_or_default();
        let (book, path) = match kind {
            "RI" | "RN" => result,
            "EI" | "EN" => expected()?,
            _ => return Err(OsworldFault::Expected(format!("'{text}' names no sheet"))),
        };
        let name = if kind.ends_with('I') { numbered(book, name) } else { name.to_owned() };
        Ok((book, path, name))
    }
}

/// `compare_table`: rules, one after the other, until one fails.
pub fn compare_table(call: &MetricCall) -> Score {
    let Some(path) = call.path().filter(|path| path.exists()) else { return Ok(0.0) };
    let Some(result) = readable(Book::open(path).map_err(OsworldFault::from))? else { return Ok(0.0) };
    let expected = match call.expected.as_ref() {
        None | Some(Value::Null) => None,
        Some(_) => {
            let path = call.gold()?;
            Some((Book::open(path).map_err(|error| gold(error.into()))?, path.to_owned()))
        }
    };
    let books = Books { result, result_path: path.to_owned(), expected };
    let rules = call.options.get("rules").and_then(Value::as_array);
    for rule in rules.ok_or_else(|| OsworldFault::Expected("compare_table has no rules".into()))? {
        if !holds(&books, rule)? {
            return Ok(0.0);
        }
    }
    Ok(1.0)
}

/// Two sheets of a rule; nothing when the first is not there.
fn two<'a>(books: &'a Books, rule: &Value) -> Result<(SheetRef<'a>, SheetRef<'a>)> {
    let index =
        |name: &str| rule.get(name).ok_or_else(|| OsworldFault::Expected(format!("a rule has no {name}")));
    Ok((books.place(index("sheet_idx0")?)?, books.place(index("sheet_idx1")?)?))
}

fn sheet<'a>(place: &SheetRef<'a>) -> Option<&'a Sheet> {
    place.0.sheet(&place.2)
}

fn second<'a>(place: &SheetRef<'a>) -> Result<&'a Sheet> {
    sheet(place).ok_or_else(|| OsworldFault::raised(format!("there is no sheet '{}'", place.2)))
}

fn names<'a>(rule: &'a Value, list: &str) -> Vec<&'a str> {
    rule.get(list).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Compares what `of` reads of both sheets; a sheet that is not there has nothing.
fn alike(books: &Books, rule: &Value, of: impl Fn(&SheetRef, &Sheet) -> Result<Value>) -> Result<bool> {
    let (first, second) = two(books, rule)?;
    let read = |place: &SheetRef| match sheet(place) {
        Some(found) => of(place, found),
        None => Ok(Value::Object(Map::new())),
    };
    Ok(py::eq(&read(&first)?, &read(&second)?))
}

fn holds(books: &Books, rule: &Value) -> Result<bool> {
    let kind = rule.get("type").and_then(Value::as_str).unwrap_or_default();
    Ok(match kind {
        "sheet_name" => {
            let expected = books.expected.as_ref().map(|(book, _)| book.names());
            expected == Some(books.result.names())
        }
        "sheet_data" => {
            let (first, other) = two(books, rule)?;
            let Some(found) = sheet(&first) else { return Ok(false) };
            let digits = rule.get("precision").and_then(Value::as_i64).unwrap_or(4);
            let digits = i32::try_from(digits).unwrap_or(4);
            DataFrame::of(found)?.rounded(digits).equals(&DataFrame::of(second(&other)?)?.rounded(digits))
        }
        "sheet_print" => {
            let (first, other) = two(books, rule)?;
            let Some(mut found) = printed(&first) else { return Ok(false) };
            let wanted = printed(&other);
            let Some(mut wanted) = wanted else {
                return if rule.get("ignore_case").is_some_and(py::truthy) {
                    Err(OsworldFault::Expected("the printed table is not there".into()))
                } else {
                    Ok(false)
                };
            };
            if rule.get("ignore_case").is_some_and(py::truthy) {
                for lines in [&mut found, &mut wanted] {
                    lines.iter_mut().for_each(|line| *line = line.to_lowercase());
                }
            }
            found == wanted
        }
        "sheet_fuzzy" => fuzzy(books, rule)?,
        "sparkline" => {
            let (first, other) = two(books, rule)?;
            py::eq(
                &xlsx::sparklines(&first.0.package, &first.2)?,
                &xlsx::sparklines(&other.0.package, &other.2)?,
            )
        }
        "chart" => {
            alike(books, rule, |place, sheet| xlsx::charts(place.0, sheet, &names(rule, "chart_props")))?
        }
        "style" => alike(books, rule, |place, sheet| sheet_styles(place.0, sheet, &names(rule, "props")))?,
        "freeze" => {
            let (first, other) = two(books, rule)?;
            let Some(found) = sheet(&first) else { return Ok(false) };
            xlsx::frozen(first.0, found)? == xlsx::frozen(other.0, second(&other)?)?
        }
        "zoom" => {
            let place = books.place(rule.get("sheet_idx").unwrap_or(&Value::Null))?;
            let Some(found) = sheet(&place) else { return Ok(false) };
            match_value(&Value::from(xlsx::zoom(place.0, found)?), rule)?
        }
        "data_validation" => validated(books, rule)?,
        "row_props" => alike(books, rule, |place, sheet| xlsx::rows(place.0, sheet, &names(rule, "props")))?,
        "col_props" => {
            alike(books, rule, |place, sheet| xlsx::columns(place.0, sheet, &names(rule, "props")))?
        }
        "filter" => alike(books, rule, |place, sheet| xlsx::filters(place.0, sheet))?,
        "pivot_table" => {
            alike(books, rule, |place, sheet| xlsx::pivots(place.0, sheet, &names(rule, "pivot_props")))?
        }
        "check_cell" => match check_cell(books, rule) {
            // Whatever goes wrong with a cell is a cell that is not right.
            Err(OsworldFault::Raised(_)) => false,
            other => other?,
        },
        other => return Err(OsworldFault::Unsupported(format!("compare_table: rule {other}"))),
    })
}

/// The lines of the CSV file beside a book, last first, without the blank ones at the end.
fn printed(place: &SheetRef) -> Option<Vec<String>> {
    let stem = place.1.with_extension("");
    let path = PathBuf::from(format!("{}-{}.csv", stem.to_string_lossy(), place.2));
    let lines = lines(&path)?;
    let lines = lines.iter().rev().map(|line| text::strip(line).to_owned());
    Some(lines.skip_while(String::is_empty).collect())
}

/// `_safe_read_file`: UTF-8, else Latin-1, which reads anything.
fn lines(path: &Path) -> Option<Vec<String>> {
    let bytes = text::read_bytes(path).ok()?;
    let content =
        String::from_utf8(bytes).unwrap_or_else(|e| e.into_bytes().into_iter().map(char::from).collect());
    let content = content.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(content);
    Some(text::splitlines(&text::universal(&content)).into_iter().map(str::to_owned).collect())
}

fn fuzzy(books: &Books, rule: &Value) -> Result<bool> {
    let (first, other) = two(books, rule)?;
    let [first, other] = [first, other].map(|(book, _, name)| RawSheet::new(&book.package, &name));
    let mut all = true;
    for inner in rule.get("rules").and_then(Value::as_array).into_iter().flatten() {
        let option = |name: &str| inner.get(name).and_then(Value::as_str);
        for range in names(inner, "range").into_iter().filter_map(parse_range) {
            for (row, column) in range.cells() {
                budget::spend(Cost::Cells, 1)?;
                let cell = cell_name(row, column);
                let value = |sheet: &RawSheet| -> Result<String> {
                    let mut value = py::string(&sheet.value(&cell)?);
                    for pair in inner.get("normalization").and_then(Value::as_array).into_iter().flatten() {
                        let part = |at: usize| pair.get(at).and_then(Value::as_str).unwrap_or_default();
                        value = value.replace(part(0), part(1));
                    }
                    if let Some(chars) = option("trim_leadings") {
                        value = value.trim_start_matches(|c| chars.contains(c)).to_owned();
                    }
                    if let Some(chars) = option("trim_trailings") {
                        value = value.trim_end_matches(|c| chars.contains(c)).to_owned();
                    }
                    if let Some(chars) = option("ignore_chars") {
                        value.retain(|c| !chars.contains(c));
                    }
                    if inner.get("ignore_case").is_some_and(py::truthy) {
                        value = value.to_lowercase();
                    }
                    Ok(value)
                };
                let (a, b) = (value(&first)?, value(&other)?);
                all = all
                    && match option("type") {
                        Some("includes") => a.contains(&b),
                        Some("included_by") => b.contains(&a),
                        Some("fuzzy_match") => {
                            let least = inner.get("threshold").and_then(Value::as_f64).unwrap_or(85.0);
                            py::fuzz::score(&a, &b) >= least
                        }
                        Some("exact_match") => a == b,
                        other => {
                            return Err(OsworldFault::Unsupported(format!("sheet_fuzzy: type {other:?}")));
                        }
                    };
            }
        }
    }
    Ok(all)
}

fn validated(books: &Books, rule: &Value) -> Result<bool> {
    let place = books.place(rule.get("sheet_idx").unwrap_or(&Value::Null))?;
    let Some(found) = sheet(&place) else { return Ok(false) };
    let found = xlsx::validations(place.0, found)?;
    let wanted = rule.get("dv_props").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if found.len() < wanted.len() {
        return Ok(false);
    }
    for validation in &found {
        let mut fits = false;
        for properties in wanted {
            let mut all = true;
            for (name, inner) in properties.as_object().into_iter().flatten() {
                let value = validation
                    .get(name)
                    .ok_or_else(|| OsworldFault::raised(format!("no attribute '{name}'")))?;
                all = all && match_value(value, inner)?;
            }
            if all {
                fits = true;
                break;
            }
        }
        if !fits {
            return Ok(false);
        }
    }
    Ok(true)
}

fn check_cell(books: &Books, rule: &Value) -> Result<bool> {
    let place = books.place(rule.get("sheet_idx").unwrap_or(&Value::Null))?;
    let Some(found) = sheet(&place) else { return Ok(false) };
    let name = rule.get("coordinate").and_then(Value::as_str).unwrap_or_default();
    let at = parse_cell(name).ok_or_else(|| OsworldFault::Expected(format!("'{name}' is not a cell")))?;
    let mut all = true;
    for (property, inner) in rule.get("props").and_then(Value::as_object).into_iter().flatten() {
        let value = if property == "value" {
            match RawSheet::new(&place.0.package, &place.2).value(name) {
                Err(OsworldFault::Raised(_)) => Value::Null,
                other => other?,
            }
        } else {
            match cell_style(place.0, found, property, at, None) {
                Err(OsworldFault::Raised(_)) => Value::Null,
                other => other?,
            }
        };
        all = all && match_value(&value, inner)?;
    }
    Ok(all)
}

/// `compare_csv`: the same lines as one of the expected files.
pub(crate) fn compare_csv(call: &MetricCall) -> Score {
    let Some(found) = call.path().and_then(lines) else { return Ok(0.0) };
    let expected = call.rules()?;
    let fold = |lines: Vec<String>| -> Vec<String> {
        let loose = !call.switch("strict", Switch::On);
        let small = call.switch("ignore_case", Switch::Off);
        let line = |line: String| {
            let line = if loose { text::strip(&line).to_owned() } else { line };
            if small { line.to_lowercase() } else { line }
        };
        lines.into_iter().map(line).collect()
    };
    let found = fold(found);
    let mut any = false;
    for path in super::vscode::one_or_more(expected).into_iter().filter_map(Value::as_str) {
        let Some(wanted) = lines(path.as_ref()) else { continue };
        any = true;
        if fold(wanted) == found {
            return Ok(1.0);
        }
    }
    if any { Ok(0.0) } else { Err(OsworldFault::Expected("none of the expected files is there".into())) }
}

/// `compare_conference_city_in_order`: the third column holds these, in this order.
pub(crate) fn compare_conference_city_in_order(call: &MetricCall) -> Score {
    let path = call.file()?;
    let book = Book::open(path)?;
    let sheet = book.active().ok_or_else(|| OsworldFault::raised("the book shows no sheet of cells"))?;
    let wanted = call.rule_list("expected")?;
    for row in 2..=22_u32 {
        let Some(names) = wanted.get(row as usize - 2) else { return Ok(0.0) };
        let cell = sheet.cell(row, 3);
        let found = match cell.stored {
            // Nothing that has a letter or a digit is in it.
            Stored::Empty if cell.content == Content::None => return Ok(0.0),
            Stored::Text(found) if cell.content != Content::Formula => plain(&found),
            _ => return Err(OsworldFault::Unsupported("a name of a city that is not text".into())),
        };
        let mut names = super::vscode::one_or_more(names).into_iter();
        let holds = |name: &Value| {
            let name = plain(&py::string(name));
            !name.is_empty() && found.contains(&name)
        };
        if !names.any(holds) {
            return Ok(0.0);
        }
    }
    Ok(score(true))
}

/// Letters and digits of ASCII in lower case, without accents, everything else as single blanks.
fn plain(text: &str) -> String {
    let letters = text.nfkd().filter(|c| canonical_combining_class(*c) == 0);
    let lower = letters.collect::<String>().to_lowercase();
    let words = lower.split(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit()));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
