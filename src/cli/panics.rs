//! What a panic prints, and how waldo ends when nobody reads what it prints.

use std::backtrace::{Backtrace, BacktraceStatus};

use crate::exit;

/// `waldo tasks | head -1`: once nobody reads any more there is nothing left to do, and nothing to
/// complain about. The standard library's printing, and that of libraries, panics then. What any other panic says
/// is masked.
pub fn set_up() {
    std::panic::set_hook(Box::new(move |panic| {
        let said = panic.payload_as_str().unwrap_or_default();
        if said.starts_with("failed printing to stdout") && said.contains("Broken pipe") {
            std::process::exit(i32::from(exit::OK));
        }
        let thread = std::thread::current();
        let trace = Backtrace::capture();
        let trace = match trace.status() {
            BacktraceStatus::Captured => format!("stack backtrace:\n{trace}"),
            _ => "run with RUST_BACKTRACE=1 to see where it came from\n".to_owned(),
        };
        eprint!("\nthread '{}' {panic}\n{trace}", thread.name().unwrap_or("<unnamed>"));
    }));
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Output, Stdio};

    /// A name of no test, by which a test's own process, started anew, knows what it is there for.
    const CHILD: &str = "the-child-that-panics";
    const KEY: &str = "sk-panics/and+tells";
    /// As an address holds it.
    const QUOTED: &str = "sk-panics%2Fand%2Btells";

    /// This test alone, in a process of its own.
    fn again(test: &str) -> Output {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", test, CHILD, "--nocapture", "--test-threads=1"]);
        command.env("RUST_BACKTRACE", "1").stdin(Stdio::null()).output().unwrap()
    }

    #[test]
    fn a_panic_of_a_process_is_masked_and_drives_no_terminal() {
        if std::env::args().any(|arg| arg == CHILD) {
            crate::cli::panics::set_up();
            crate::masking::know([("a key".to_owned(), KEY.to_owned())]);
            let thread = std::thread::Builder::new().name(format!("with {KEY}"));
            let ended =
                thread.spawn(|| -> () { panic!("\u{1b}]0;title\u{7}\u{202e}{KEY} and {QUOTED} at the end") });
            assert!(ended.unwrap().join().is_err());
            panic!("of the test itself: {KEY}");
        }
        let ended = again("cli::panics::tests::a_panic_of_a_process_is_masked_and_drives_no_terminal");
        let said = String::from_utf8(ended.stderr).unwrap();
        assert!(!ended.status.success(), "{said}");
        assert!(said.contains("\nthread 'with ••••' panicked at src/cli/panics.rs:"), "{said}");
        assert!(said.contains("•••• and •••• at the end"), "{said}");
        assert!(said.contains("of the test itself: ••••"), "{said}");
        assert_eq!(said.matches("stack backtrace:").count(), 2, "{said}");
        assert!(!said.contains("sk-panics"), "{said}");
        assert!(!said.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{said:?}");
    }
}
