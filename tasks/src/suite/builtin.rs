use include_dir::{Dir, include_dir};

use super::embedded::{files_of, folders_with};
use super::load::SuiteFiles;
use crate::TaskError;

static SUITES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/suites");

/// Suites that are made by code, or read from a benchmark's folder.
const CODED: [&str; 4] = ["miniwob", "osworld", "webarena", "widgets"];

pub fn builtin_ids() -> Vec<&'static str> {
    // Suites that are drawn by code (`widgets`) have a file of another name.
    folders_with(&SUITES, "suite.toml")
}

pub(super) fn source(id: &str) -> Result<SuiteFiles, TaskError> {
    let mut source = SuiteFiles::new(id);
    for (path, content) in files_of(&SUITES, id).ok_or_else(|| unknown(id))? {
        source.add(&path, content);
    }
    Ok(source)
}

pub(super) fn unknown(name: &str) -> TaskError {
    let ids = builtin_ids();
    let near = ids.iter().chain(&CODED).map(|id| (strsim::levenshtein(name, id), id)).min();
    // Farther than that it is another word.
    let near = near.filter(|(edits, id)| *edits <= 2 && edits * 3 <= id.len());
    let near = match near {
        Some((0, _)) => {
            "it has no files of tasks, so only 'waldo eval' and 'waldo tasks' open it; ".to_owned()
        }
        Some((_, id)) => format!("did you mean '{id}'? "),
        None => String::new(),
    };
    let (ids, [coded @ .., last]) = (ids.join(", "), CODED);
    let coded = coded.join(", ");
    let known =
        format!("{near}there are {ids} (for eval and tasks also {coded} and {last}; for eval l1 and l2)");
    TaskError::UnknownSuite { name: name.to_owned(), known }
}

#[cfg(test)]
mod tests {
    use super::unknown;

    #[test]
    fn a_suite_is_suggested_only_where_the_name_is_nearly_its_own() {
        for (name, meant) in [("osword", "osworld"), ("l3webb", "l3-web"), ("widget", "widgets")] {
            let said = unknown(name).to_string();
            assert!(
                said.starts_with(&format!("no suite '{name}': did you mean '{meant}'? there are ")),
                "{said}"
            );
        }
        let said = unknown("widgets").to_string();
        assert!(
            said.starts_with("no suite 'widgets': it has no files of tasks, so only 'waldo eval'"),
            "{said}"
        );
        for name in ["nosuite", "l3-xyz", "web", "x"] {
            let said = unknown(name).to_string();
            assert!(said.contains("': there are apps-desktop, ") && !said.contains("did you mean"), "{said}");
        }
    }
}
