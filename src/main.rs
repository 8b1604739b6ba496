//! The program `waldo`; what it does stands in the library of the same name.

use std::process::ExitCode;

fn main() -> ExitCode {
    waldo::main()
}
