//! Rebuilds the crate when a file of the embedded suites comes or goes, which the embedding alone
//! does not notice.

fn main() {
    println!("cargo::rerun-if-changed=suites");
    println!("cargo::rerun-if-changed=apps");
}
