//! Folders of files that are built into the program.

use include_dir::Dir;

/// The names of the folders in `all` that hold this file, sorted.
pub(super) fn folders_with(all: &'static Dir<'static>, file: &str) -> Vec<&'static str> {
    let with_file = all.dirs().filter(|dir| dir.get_file(dir.path().join(file)).is_some());
    let mut names: Vec<&str> = with_file.filter_map(|dir| dir.path().to_str()).collect();
    names.sort_unstable();
    names
}

/// Every file of a folder in `all`, at any depth, by its path from there; `None` where there is no such folder.
pub(super) fn files_of(all: &'static Dir<'static>, name: &str) -> Option<Vec<(String, &'static [u8])>> {
    let mut dirs = vec![all.dirs().find(|dir| dir.path().to_str() == Some(name))?];
    let mut found = Vec::new();
    while let Some(next) = dirs.pop() {
        dirs.extend(next.dirs());
        for file in next.files() {
            if let Some(path) = file.path().strip_prefix(name).ok().and_then(|path| path.to_str()) {
                found.push((path.replace('\\', "/"), file.contents()));
            }
        }
    }
    Some(found)
}
