use std::path::Path;

use serde_json::{Map, Value};

use super::MetricCall;

pub fn call(result: Value, expected: Value) -> MetricCall {
    MetricCall { result, expected: Some(expected), options: Map::new(), scratch: std::env::temp_dir() }
}

pub(crate) fn call_with(result: Value, expected: Value, options: Value) -> MetricCall {
    let options = options.as_object().cloned().unwrap_or_default();
    MetricCall { options, ..call(result, expected) }
}

pub fn file(dir: &tempfile::TempDir, name: &str, bytes: &[u8]) -> String {
    let path = dir.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path.to_string_lossy().into_owned()
}

/// Writes a ZIP file of text entries and gives its path.
pub fn zip(dir: &Path, name: &str, entries: &[(&str, &str)]) -> String {
    use std::io::Write;
    let path = dir.join(name);
    let mut zip = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    for (name, text) in entries {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap();
    path.to_string_lossy().into_owned()
}

/// Writes a package of the one part `main`, with what names it.
pub(crate) fn office_zip(dir: &Path, name: &str, main: &str, xml: &str) -> String {
    let package = "http://schemas.openxmlformats.org/package/2006";
    let kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument";
    let types = format!(
        "<Types xmlns='{package}/content-types'><Override PartName='/{main}' ContentType='x'/></Types>"
    );
    let relations = format!(
        "<Relationships xmlns='{package}/relationships'><Relationship Id='a' Type='{kind}' Target='{main}'/></Relationships>"
    );
    zip(dir, name, &[("[Content_Types].xml", &types), ("_rels/.rels", &relations), (main, xml)])
}
