//! Where a file of the record lies, seen from an export.

use std::path::{Component, Path, PathBuf};

/// `to` as it is reached from the folder `from`; both are absolute.
pub(super) fn link(from: &Path, to: &Path) -> String {
    let (mut a, mut b) = (from.components().peekable(), to.components().peekable());
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        if x != y {
            break;
        }
        a.next();
        b.next();
    }
    let up = a.map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(b).collect();
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_from_folder_to_file() {
        let link = |from: &str, to: &str| link(Path::new(from), Path::new(to));
        assert_eq!(link("/r/export", "/r/episodes/a/x.webp"), "../episodes/a/x.webp");
        assert_eq!(link("/elsewhere/deep", "/r/x.webp"), "../../r/x.webp");
        assert_eq!(link("/r", "/r/x.webp"), "x.webp");
    }
}
