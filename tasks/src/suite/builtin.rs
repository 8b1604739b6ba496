//! The suites that are built into the binary.

use include_dir::{Dir, include_dir};

use super::load::SuiteFiles;
use crate::TaskError;

static SUITES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/suites");

/// Ids of the built-in suites, sorted.
pub fn builtin_ids() -> Vec<&'static str> {
    // Suites that are drawn by code (`widgets`) have a file of another name.
    let plain = SUITES.dirs().filter(|dir| dir.get_file(dir.path().join("suite.toml")).is_some());
    let mut ids: Vec<&str> = plain.filter_map(|dir| dir.path().to_str()).collect();
    ids.sort_unstable();
    ids
}

/// The files of the built-in suite `id`.
pub(super) fn source(id: &str) -> Result<SuiteFiles, TaskError> {
    let dir = SUITES.dirs().find(|dir| dir.path().to_str() == Some(id)).ok_or_else(|| unknown(id))?;
    let mut source = SuiteFiles::new(id);
    let mut dirs = vec![dir];
    while let Some(next) = dirs.pop() {
        dirs.extend(next.dirs());
        for file in next.files() {
            if let Some(path) = file.path().strip_prefix(id).ok().and_then(|path| path.to_str()) {
                source.add(&path.replace('\\', "/"), file.contents());
            }
        }
    }
    Ok(source)
}

/// The error for a suite that is not there.
pub(super) fn unknown(name: &str) -> TaskError {
    let known =
        format!("{} (for eval and tasks also miniwob, osworld and widgets)", builtin_ids().join(", "));
    TaskError::UnknownSuite { name: name.to_owned(), known }
}
