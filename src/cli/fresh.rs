use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;

use super::CliError;

/// Makes the folder `wanted`, for its owner alone, or where that name is taken `wanted-2`, `wanted-3` and so on: two commands of
/// the same second get one each.
pub fn folder(wanted: PathBuf) -> Result<PathBuf, CliError> {
    let failed =
        |path: &PathBuf, source| CliError::Io { what: format!("cannot make {}", path.display()), source };
    if let Some(parent) = wanted.parent() {
        fs::create_dir_all(parent).map_err(|e| failed(&wanted, e))?;
    }
    let mut path = wanted.clone();
    for n in 2_u32.. {
        match fs::DirBuilder::new().mode(0o700).create(&path) {
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {
                let mut name = OsString::from(&wanted);
                name.push(format!("-{n}"));
                path = name.into();
            }
            Err(e) => return Err(failed(&path, e)),
            Ok(()) => break,
        }
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let dir = tempfile::tempdir().unwrap();
        let wanted = dir.path().join("runs/run-1.2");
        let names: Vec<_> = (0..3).map(|_| super::folder(wanted.clone()).unwrap()).collect();
        let told = ["run-1.2", "run-1.2-2", "run-1.2-3"].map(|name| dir.path().join("runs").join(name));
        assert_eq!(names, told);
        let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert!(told.iter().all(|path| path.is_dir() && mode(path) == 0o700));
    }
}
