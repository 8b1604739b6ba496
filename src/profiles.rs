//! Profiles of models: built in, or a folder of the user's own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use waldo_agents::native::{Profile, ProfileError, builtin, names};
use waldo_agents::planner::ground::GroundProfile;
use waldo_devices::foreign::{self, EntryKind};

/// The file that holds a profile's data.
pub const MANIFEST: &str = "profile.toml";
/// What the names of template files end in.
pub const SUFFIX: &str = ".md.j2";
const MAX_BYTES: u64 = 1 << 20;
const MAX_TEMPLATES: usize = 100;

#[derive(Debug, thiserror::Error)]
pub enum ProfilesError {
    #[error(
        "cannot read {path}: {source}; a profile is a name of `waldo models list`, or a folder as `waldo models new` makes it"
    )]
    Io { path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Profile(#[from] ProfileError),
}

/// The folder that `named` means, seen from `folder`; `None` where it is a name: of a built-in profile, or of a
/// grounder's convention. Nothing else decides that: what is opened, hashed for trust and run is the same folder.
pub fn folder_in(folder: &Path, named: &str) -> Option<PathBuf> {
    let is_name = names().contains(&named) || named.parse::<GroundProfile>().is_ok();
    (!is_name).then(|| folder.join(named))
}

pub fn open(named: &str) -> Result<Profile, ProfilesError> {
    let Some(dir) = folder_in(Path::new(""), named) else { return Ok(builtin(named)?) };
    let dir = dir.as_path();
    if !named.contains('/') && !dir.is_dir() {
        return Err(builtin(named).map_or_else(Into::into, |_| ProfilesError::Io {
            path: dir.to_owned(),
            source: std::io::ErrorKind::NotFound.into(),
        }));
    }
    // It may be somebody else's: below it no link is followed.
    let text = |file: &Path| {
        foreign::read_text(dir, file, MAX_BYTES)
            .map_err(|source| ProfilesError::Io { path: file.to_owned(), source })
    };
    let data = text(&dir.join(MANIFEST))?;
    let listed =
        foreign::list(dir, dir).map_err(|source| ProfilesError::Io { path: dir.to_owned(), source })?;
    let mut templates = BTreeMap::new();
    for entry in listed.into_iter().filter(|entry| entry.kind == EntryKind::File).take(MAX_TEMPLATES) {
        if let Some(stem) = entry.name.to_string_lossy().strip_suffix(SUFFIX) {
            templates.insert(stem.to_owned(), text(&entry.path)?);
        }
    }
    let name = dir.file_name().map_or_else(|| named.to_owned(), |name| name.to_string_lossy().into_owned());
    Ok(Profile::new(&name, &data, templates)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_named_or_a_folder() {
        assert_eq!(open("ui-tars").unwrap().name(), "ui-tars");
        let error = open("ui-tras").unwrap_err().to_string();
        assert!(error.contains("no profile 'ui-tras'") && error.contains("ui-tars-1.5"), "{error}");
        let dir = tempfile::tempdir().unwrap();
        let mine = dir.path().join("mine");
        std::fs::create_dir(&mine).unwrap();
        let named = mine.to_str().unwrap();
        assert!(open(named).unwrap_err().to_string().contains("mine/profile.toml"));
        let builtin = open("uground").unwrap();
        std::fs::write(mine.join(MANIFEST), builtin.data()).unwrap();
        assert!(open(named).unwrap_err().to_string().contains("write task.md.j2"));
        for (name, text) in builtin.templates() {
            std::fs::write(mine.join(format!("{name}{SUFFIX}")), text).unwrap();
        }
        assert_eq!((open(named).unwrap().name(), open(named).unwrap().hash()), ("mine", builtin.hash()));
        #[cfg(unix)]
        {
            std::fs::remove_file(mine.join(MANIFEST)).unwrap();
            std::os::unix::fs::symlink("/etc/passwd", mine.join(MANIFEST)).unwrap();
            assert!(matches!(open(named), Err(ProfilesError::Io { .. })));
        }
    }
}
