//! Files and task files that are made to exhaust who judges them: each is refused, and never scored.

use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::super::fault::{OsworldFault, Result};
use super::super::ooxml::budget::{self, Budget};
use super::super::{pdf_text, py, sqlite};
use super::tests_support::{call, call_with, file, office_zip, zip};
use super::{MetricCall, answer};

const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const W: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

/// A workbook of one sheet with this XML behind its tag, and shared strings.
fn book(dir: &Path, name: &str, sheet: &str, strings: &str) -> String {
    let r = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let relations = format!(
        "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>\
         <Relationship Id='s' Type='{r}/worksheet' Target='worksheets/sheet1.xml'/>\
         <Relationship Id='t' Type='{r}/sharedStrings' Target='sharedStrings.xml'/></Relationships>"
    );
    let workbook = format!(
        "<workbook xmlns='{MAIN}' xmlns:r='{r}'><sheets><sheet name='S' sheetId='1' r:id='s'/></sheets></workbook>"
    );
    let sheet = format!("<worksheet xmlns='{MAIN}'>{sheet}</worksheet>");
    let strings = format!("<sst xmlns='{MAIN}'>{strings}</sst>");
    zip(
        dir,
        name,
        &[
            ("xl/workbook.xml", &workbook),
            ("xl/_rels/workbook.xml.rels", &relations),
            ("xl/worksheets/sheet1.xml", &sheet),
            ("xl/sharedStrings.xml", &strings),
        ],
    )
}

fn is_refused(score: &Option<Result<f64>>) -> bool {
    matches!(score, Some(Err(OsworldFault::Unsupported(_))))
}

fn asked(name: &'static str, call: MetricCall) -> Option<Result<f64>> {
    let judge = move || answer(name, &call);
    std::thread::Builder::new().stack_size(super::super::judge::STACK).spawn(judge).unwrap().join().unwrap()
}

#[test]
fn workbooks_of_more_cells_than_the_budget_are_refused_and_others_scored() {
    let dir = tempfile::tempdir().unwrap();
    let rows = |inner: &str| format!("<sheetData><row r='1'><c r='A1'><v>1</v></c></row>{inner}</sheetData>");
    let merges = |refs: &[String]| {
        let all: String = refs.iter().map(|range| format!("<mergeCell ref='{range}'/>")).collect();
        format!("{}<mergeCells>{all}</mergeCells>", rows(""))
    };
    let far = rows("<row r='1048576'><c r='XFD1048576'><v>1</v></c></row>");
    let strips: Vec<String> = (0..600).map(|n| format!("A{}:XFD{}", 1 + n * 60, 60 + n * 60)).collect();
    let behind_the_last = rows("<row r='4294967295'><c><v>1</v></c></row><row><c><v>1</v></c></row>");
    let copies: String =
        (2..400).map(|n| format!("<row r='{n}'><c r='A{n}' t='s'><v>0</v></c></row>")).collect();
    let long = format!("<si><t>{}</t></si>", "x".repeat(1 << 20));
    let alike = json!({ "type": "sheet_data", "sheet_idx0": "RI0", "sheet_idx1": "EI0" });
    let style = json!({ "type": "style", "sheet_idx0": "RI0", "sheet_idx1": "EI0", "props": ["merge"] });
    let fuzzy = json!({ "type": "sheet_fuzzy", "sheet_idx0": "RI0", "sheet_idx1": "EI0",
        "rules": [{ "range": ["A1:XFD1048576"], "type": "exact_match" }] });
    let check = |sheet: &str, strings: &str, rule: &Value| {
        let path = book(dir.path(), "b.xlsx", sheet, strings);
        let other = book(dir.path(), "g.xlsx", sheet, strings);
        answer("compare_table", &call_with(json!(path), json!(other), json!({ "rules": [rule] })))
    };
    for (what, sheet, strings, rule) in [
        ("a far cell", far.as_str(), "", &alike),
        ("the styles up to it", &far, "", &style),
        ("one merged range", &merges(&["A1:XFD1048576".into()]), "", &style),
        ("one merged range, whatever is asked", &merges(&["A1:XFD1048576".into()]), "", &alike),
        ("many merged ranges", &merges(&strips), "", &alike),
        ("rows behind the last", &behind_the_last, "", &alike),
        ("copies of a long text", &rows(&copies), &long, &alike),
    ] {
        assert!(is_refused(&check(sheet, strings, rule)), "{what}");
    }
    // The range of the rule is the task's; what its cells cost is counted all the same.
    let path = book(dir.path(), "c.xlsx", &rows(""), "");
    let call = call_with(json!(path), json!(path), json!({ "rules": [fuzzy] }));
    let short = Budget { time: Duration::from_millis(200), ..Budget::default() };
    let (_, beyond) = budget::judged(short, || answer("compare_table", &call));
    assert!(beyond.is_some());
    for (sheet, rule) in [
        (&rows("<row r='900'><c r='J900'><v>1</v></c></row>"), &alike),
        (&merges(&["A1:C3".into(), "E1:E9".into()]), &style),
    ] {
        assert_eq!(check(sheet, "", rule), Some(Ok(1.0)), "{sheet}");
    }
    // A merged range is seen, and counts.
    let merged = book(dir.path(), "m.xlsx", &merges(&["A1:C3".into()]), "");
    let call = call_with(json!(merged), json!(path), json!({ "rules": [style] }));
    assert_eq!(answer("compare_table", &call), Some(Ok(0.0)));
}

#[test]
fn selectors_that_go_too_deep_are_refused_and_quoted_in_part() {
    let many = |piece: &str| piece.repeat(200_000);
    let tree = "<a><b name='x'/></a>";
    for (kind, selector) in [
        ("xpath", many("(")),
        ("xpath", many("a[")),
        ("xpath", many("-")),
        ("xpath", many("not(")),
        ("xpath", format!("a{}", many(" or a"))),
        ("xpath", format!("a{}", many("|a"))),
        ("selectors", format!("a{}", many(" a"))),
        ("selectors", format!("a{}", many(">a"))),
        ("selectors", many("[")),
        ("selectors", many("(")),
    ] {
        let rule = if kind == "xpath" { json!({ kind: selector }) } else { json!({ kind: [selector] }) };
        let found = asked("check_accessibility_tree", call(json!(tree), json!([rule])));
        let Some(Err(OsworldFault::Unsupported(words))) = &found else { panic!("{kind} {found:?}") };
        assert!(words.len() < 1_000, "{}", words.len());
    }
    let deep = format!("{}{}", "<a>".repeat(200_000), "</a>".repeat(200_000));
    assert!(is_refused(&asked("check_accessibility_tree", call(json!(deep), json!([{ "xpath": "//b" }])))));
    // As deep as people write.
    let brackets = format!("{}//b[@name='x' and (1 = 1 or 2 = 3)]{}", "(".repeat(20), ")".repeat(20));
    let rules = json!([{ "xpath": brackets }, { "selectors": ["a > b, c d e f g"] }]);
    assert_eq!(asked("check_accessibility_tree", call(json!(tree), rules)), Some(Ok(1.0)));
}

#[test]
fn what_takes_too_long_ends_with_its_time() {
    let short = Budget { time: Duration::from_millis(300), ..Budget::default() };
    let ends = |what: &str, judge: &dyn Fn()| {
        let start = std::time::Instant::now();
        let ((), beyond) = budget::judged(short, judge);
        assert!(beyond.is_some_and(|why| why.contains("seconds")), "{what}");
        assert!(start.elapsed() < Duration::from_secs(60), "{what}: {:?}", start.elapsed());
    };
    let dir = tempfile::tempdir().unwrap();
    let letters = |from: u32| -> String {
        (0..2_000_000_u32).filter_map(|n| char::from_u32(0x4e00 + (n * 7 + from * (n / 3)) % 900)).collect()
    };
    let (a, b) = (letters(1), letters(2));
    ends("the likeness of long texts", &|| assert!(py::fuzz::score(&a, &b) >= 0.0));
    let lines = |from: usize| (0..60_000).map(|n| (n * from) % 97 + n % 50).collect::<Vec<_>>();
    let (c, d) = (lines(3), lines(5));
    ends("blocks of long lists", &|| assert!(py::difflib::ratio(&c, &d) >= 0.0));
    let database = dir.path().join("db");
    sqlite_file(&database);
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    ends("an endless question", &|| drop(sqlite::query(&database, endless)));
    let stars = format!("{}z", "*a".repeat(60));
    ends("a pattern of stars", &|| assert!(!py::text::fnmatch(&"a".repeat(300), &stars)));
    let tree = format!("<a>{}</a>", "<b><c/></b>".repeat(20_000));
    let call = call(json!(tree), json!([{ "xpath": "//*[count(//*) > count(//*[count(//*) = 1])]" }]));
    ends("a path that looks at everything for everything", &|| {
        drop(answer("check_accessibility_tree", &call))
    });
    assert_eq!(sqlite::query(&database, "SELECT 7").unwrap(), [[json!(7)]]);
}

fn sqlite_file(path: &Path) {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.execute_batch("CREATE TABLE t (a)").unwrap();
}

/// A PNG file that says it is so large, and has no pixels.
fn head(width: u32, height: u32) -> Vec<u8> {
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |kind: &[u8], data: &[u8]| {
        let mut crc = flate2::Crc::new();
        crc.update(kind);
        crc.update(data);
        out.extend(u32::try_from(data.len()).unwrap().to_be_bytes());
        out.extend(kind);
        out.extend(data);
        out.extend(crc.sum().to_be_bytes());
    };
    let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
    chunk(b"IHDR", &[&size[..], &[8, 0, 0, 0, 0]].concat());
    chunk(b"IDAT", b"");
    chunk(b"IEND", b"");
    out
}

#[test]
fn pictures_are_measured_before_they_are_decoded() {
    let dir = tempfile::tempdir().unwrap();
    let large = file(&dir, "large.png", &head(9999, 9999));
    let wide = file(&dir, "wide.png", &picture(20_000, 2));
    let high = file(&dir, "high.png", &picture(2, 20_000));
    for metric in ["check_structure_sim", "check_sharper", "compare_image_list", "increase_saturation"] {
        let found = answer(metric, &call(json!(large), json!(large)));
        assert!(is_refused(&found), "{metric}: {found:?}");
    }
    // Neither is large, and what lies between them is.
    assert!(is_refused(&answer("compare_image_list", &call(json!(high), json!(wide)))));
    let small = file(&dir, "small.png", &picture(30, 20));
    assert_eq!(answer("check_structure_sim", &call(json!(small), json!(small))), Some(Ok(1.0)));
}

fn picture(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    image::GrayImage::from_fn(width, height, |x, y| {
        image::Luma([u8::try_from((x * 7 + y * 3) % 251).unwrap()])
    })
    .write_to(&mut bytes, image::ImageFormat::Png)
    .unwrap();
    bytes.into_inner()
}

#[test]
fn documents_that_multiply_what_they_hold_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let document = |name: &str, body: &str| {
        let xml = format!("<w:document xmlns:w='{W}'><w:body>{body}</w:body></w:document>");
        json!(office_zip(dir.path(), name, "word/document.xml", &xml))
    };
    let cell = |span: u32| {
        let text = format!("<w:p><w:r><w:t>{}</w:t></w:r></w:p>", "x".repeat(10_000));
        format!("<w:tc><w:tcPr><w:gridSpan w:val='{span}'/></w:tcPr>{text}</w:tc>")
    };
    let table = |span: u32| {
        let row = format!("<w:tr>{}</w:tr>", cell(span).repeat(20));
        format!("<w:tbl><w:tblGrid><w:gridCol/></w:tblGrid>{row}</w:tbl>")
    };
    let wide = document("wide.docx", &table(10_000));
    assert!(is_refused(&answer("compare_docx_tables", &call(wide.clone(), wide))));
    let plain = document("plain.docx", &table(1));
    assert_eq!(answer("compare_docx_tables", &call(plain.clone(), plain)), Some(Ok(1.0)));
    let deep = format!("{}{}", "<w:p>".repeat(3_000), "</w:p>".repeat(3_000));
    let deep = document("deep.docx", &deep);
    assert!(is_refused(&answer("compare_docx_files", &call(deep.clone(), deep))));
}

#[test]
fn streams_of_documents_are_measured_before_they_are_unpacked() {
    let packed = |bytes: &[u8]| {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let stream = |data: &[u8]| {
        [b"%PDF-1.4\n1 0 obj\n<<>>\nstream\r\n", data, b"\nendstream\nendobj\nstartxref\n"].concat()
    };
    let small = Budget { bytes: 1 << 20, ..Budget::default() };
    let beyond = |data: &[u8]| budget::judged(small, || drop(pdf_text::count(&stream(data)))).1;
    assert!(beyond(&packed(&vec![0; 4 << 20])).is_some());
    // Packed twice it is as large.
    assert!(beyond(&packed(&packed(&vec![0; 4 << 20]))).is_some());
    assert_eq!(beyond(&packed(b"BT (hello) Tj ET")), None);
}
