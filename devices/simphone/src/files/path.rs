//! Paths as text: absolute, `/`-separated, without `.`, `..` or doubled slashes.

/// The path's parts, empty ones left out.
pub(super) fn parts(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    path.split('/').filter(|p| !p.is_empty())
}

/// `path` made absolute from directory `cwd`, with `.` and `..` taken out (by text: links are not looked at).
pub fn normalise(cwd: &str, path: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    let head = if path.starts_with('/') { "" } else { cwd };
    for part in parts(head).chain(parts(path)) {
        match part {
            "." => {}
            ".." => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    format!("/{}", out.join("/"))
}

/// The directory that holds the (normalised) path; `/` for `/`.
pub fn parent(path: &str) -> &str {
    match path.rfind('/') {
        Some(0) | None => "/",
        Some(at) => &path[..at],
    }
}

pub(crate) fn base_name(path: &str) -> &str {
    let cut = path.trim_end_matches('/');
    cut.rsplit('/').next().unwrap_or(cut)
}

pub fn join(dir: &str, name: &str) -> String {
    if dir.ends_with('/') { format!("{dir}{name}") } else { format!("{dir}/{name}") }
}
