//! Which programs are installed here.

/// Whether a program is on the path, or at its own place.
pub fn is_there(program: &str) -> bool {
    if program.starts_with('/') {
        return std::path::Path::new(program).is_file();
    }
    let path = crate::environment::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

/// The size of a private display where none is given.
pub(super) const SCREEN: (u32, u32) = (1280, 800);
