//! The profiles that come with waldo.

use std::collections::BTreeMap;

use include_dir::{Dir, include_dir};

use crate::error::ProfileError;
use crate::profile::{MANIFEST, Profile, ProfileUse, TEMPLATE_SUFFIX};

static BUILTIN: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/profiles");

pub fn names() -> Vec<&'static str> {
    let mut all: Vec<&str> = BUILTIN.dirs().filter_map(|dir| dir.path().to_str()).collect();
    all.sort_unstable();
    all
}

pub fn builtin(name: &str) -> Result<Profile, ProfileError> {
    let dir = BUILTIN.dirs().find(|dir| dir.path().to_str() == Some(name));
    let dir =
        dir.ok_or_else(|| ProfileError::Unknown { name: name.to_owned(), known: names().join(", ") })?;
    let (mut data, mut templates) = ("", BTreeMap::new());
    for file in dir.files() {
        let text = file.contents_utf8().unwrap_or_default();
        let name = file.path().file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name == MANIFEST {
            data = text;
        } else if let Some(stem) = name.strip_suffix(TEMPLATE_SUFFIX) {
            templates.insert(stem.to_owned(), text.to_owned());
        }
    }
    Profile::new(name, data, templates)
}

/// The built-in profile that is for a model of this name: the one that knows most of it.
pub fn of_model(model: &str, used_as: ProfileUse) -> Option<Profile> {
    let model = model.to_ascii_lowercase().replace('_', "-");
    let known = |profile: &Profile| {
        let parts = profile.models().iter().filter(|part| model.contains(part.as_str()));
        parts.map(String::len).max()
    };
    names()
        .into_iter()
        .filter_map(|name| builtin(name).ok())
        .filter(|profile| profile.used_as() == used_as)
        .filter_map(|profile| known(&profile).map(|length| (length, profile)))
        .max_by_key(|(length, _)| *length)
        .map(|(_, profile)| profile)
}
