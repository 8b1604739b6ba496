//! The line between what is X11's own and what runs anywhere.

use std::path::Path;

/// What only one system has.
const FOREIGN: [&str; 7] = ["x11rb", "atspi", "zbus", "rustix", "std::os::unix", "\"/proc", "crate::x11"];

#[test]
fn what_is_shared_and_what_is_portable_names_nothing_of_one_system() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut looked = 0;
    for folder in [here.join("../desktop/src"), here.join("src")] {
        for file in std::fs::read_dir(folder).unwrap().flatten() {
            if file.path().extension().is_none_or(|end| end != "rs") {
                continue;
            }
            let text = std::fs::read_to_string(file.path()).unwrap();
            let found: Vec<&str> = FOREIGN.into_iter().filter(|name| text.contains(name)).collect();
            assert!(found.is_empty(), "{}: {found:?}", file.path().display());
            looked += 1;
        }
    }
    assert!(looked > 20, "{looked}");
}
