//! The templates of a run: built in, or replaced by those of a folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use waldo_devices::foreign::{self, EntryKind};
use waldo_prompts::{PromptError, Prompts};

/// What the names of template files end in.
pub const SUFFIX: &str = ".md.j2";
const MAX_DEPTH: usize = 8;

#[derive(Debug, thiserror::Error)]
pub enum PromptsError {
    #[error("cannot read {path}: {source}; --prompts takes a folder, such as `waldo prompts eject` makes")]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{place}: {reason}")]
    Template {
        /// The file, with the line where it is known.
        place: String,
        reason: String,
    },
}

/// The templates; those of `dir` replace the built-in ones of the same name.
///
/// # Errors
/// [`PromptsError`] with file and line: every template is tried out with sample values.
pub fn open(dir: Option<&Path>) -> Result<Prompts, PromptsError> {
    let mut files = BTreeMap::new();
    if let Some(dir) = dir {
        collect((dir, dir), "", 0, &mut files)?;
    }
    let overrides: Vec<(&String, &str)> =
        files.iter().map(|(name, (_, text))| (name, text.as_str())).collect();
    Prompts::with_overrides(overrides).map_err(|error| placed(&error, &files))
}

fn placed(error: &PromptError, files: &Files) -> PromptsError {
    let file = files.get(error.name()).map(|(path, _)| path.display().to_string());
    let line = error.line().map(|line| format!(":{line}")).unwrap_or_default();
    let place = file.unwrap_or_else(|| error.name().to_owned());
    PromptsError::Template { place: format!("{place}{line}"), reason: error.reason() }
}

type Files = BTreeMap<String, (PathBuf, String)>;

/// Templates may be somebody else's: below the folder that was named no link is followed.
fn collect(
    (root, dir): (&Path, &Path),
    prefix: &str,
    depth: usize,
    into: &mut Files,
) -> Result<(), PromptsError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| PromptsError::Io { path, source }
    };
    if depth > MAX_DEPTH {
        return Err(failed(dir)(std::io::Error::other("too many folders within folders")));
    }
    for entry in foreign::list(root, dir).map_err(failed(dir))? {
        let (path, name) = (entry.path, entry.name.to_string_lossy().into_owned());
        if name.starts_with('.') {
            continue;
        }
        match (entry.kind, name.strip_suffix(SUFFIX)) {
            (EntryKind::Folder, _) => collect((root, &path), &format!("{prefix}{name}/"), depth + 1, into)?,
            (_, Some(stem)) => {
                let text = foreign::read_text(root, &path, foreign::TEXT_BYTES).map_err(failed(&path))?;
                into.insert(format!("{prefix}{stem}"), (path, text));
            }
            // It would stand for a folder of templates, whose absence nobody would notice.
            (EntryKind::Other(what), None) if !name.contains('.') => {
                let source = std::io::Error::other(format!("it is {what}; put the folder itself there"));
                return Err(failed(&path)(source));
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(name: &str, text: &str) -> String {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("appagent")).unwrap();
        std::fs::write(dir.path().join(name), text).unwrap();
        open(Some(dir.path())).unwrap_err().to_string()
    }

    #[test]
    fn a_folder_replaces_by_name_and_a_bad_template_is_shown_with_its_line() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("appagent")).unwrap();
        std::fs::write(dir.path().join("appagent/reask.md.j2"), "No: {{ error }}").unwrap();
        std::fs::write(dir.path().join("README.md"), "notes").unwrap();
        let (mine, builtin) = (open(Some(dir.path())).unwrap(), open(None).unwrap());
        assert_eq!(mine.source("appagent/reask"), Some("No: {{ error }}"));
        assert_eq!(mine.source("appagent/grid"), builtin.source("appagent/grid"));
        let message = refused("appagent/reask.md.j2", "fine\n{{ eror }}\n");
        assert!(message.contains("appagent/reask.md.j2:2"), "{message}");
        assert!(message.contains("error") && message.contains("signatures"), "{message}");
        let message = refused("appagent/reask.md.j2", "fine\n{% if %}\n");
        assert!(message.contains("reask.md.j2:2"), "{message}");
        let message = refused("appagent/deplay.md.j2", "x");
        assert!(message.contains("appagent/deplay") && message.contains("appagent/deploy"), "{message}");
        assert!(open(Some(Path::new("/no/such/folder"))).unwrap_err().to_string().contains("eject"));
    }
}
