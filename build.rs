//! Tells the binary which commit it was built from, where that can be known, and how a release is linked.
//!
//! Invariant: a build without git, or outside of a checkout, works all the same; a commit that is given
//! as `WALDO_COMMIT` (by a packager) is taken as it is.

use std::path::Path;
use std::process::Command;

#[allow(clippy::disallowed_methods, reason = "a build has nothing to hide from these programs")]
fn said(program: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(program).args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
}

fn git(args: &[&str]) -> Option<String> {
    said("git", args)
}

/// The minor version of this system's glibc, which loads what is built here.
fn glibc() -> Option<u32> {
    said("getconf", &["GNU_LIBC_VERSION"])?.strip_prefix("glibc 2.")?.parse().ok()
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=WALDO_COMMIT");
    let of_build = |name: &str| std::env::var(name).unwrap_or_default();
    // Packs 2.6 MB of addresses that the loader fills in; glibc reads that from 2.36 on. A linker that was named (Zig's, by which
    // packages run with older systems) knows neither this nor what follows.
    if std::env::var_os("RUSTC_LINKER").is_none()
        && glibc() >= Some(36)
        && (of_build("CARGO_CFG_TARGET_OS"), of_build("CARGO_CFG_TARGET_ENV"))
            == ("linux".into(), "gnu".into())
        && of_build("PROFILE") == "release"
    {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
        // Keeps one of functions that are the same (1.8 MB). Only here Rust brings a linker that can; GNU's refuses it.
        if of_build("CARGO_CFG_TARGET_ARCH") == "x86_64" {
            println!("cargo:rustc-link-arg-bins=-Wl,--icf=all");
        }
    }
    // Cargo does not strip a package that has a section of its own in the profile.
    println!("cargo:rerun-if-env-changed=CARGO_PROFILE_RELEASE_STRIP");
    if of_build("CARGO_CFG_TARGET_OS") == "linux"
        && of_build("PROFILE") == "release"
        && of_build("CARGO_PROFILE_RELEASE_STRIP") != "none"
    {
        println!("cargo:rustc-link-arg-bins=-Wl,--strip-all");
    }
    let version = of_build("CARGO_PKG_VERSION");
    let given = std::env::var("WALDO_COMMIT").ok().filter(|commit| !commit.trim().is_empty());
    // Only a checkout of waldo itself counts: the sources may lie within another repository.
    let own = || (git(&["rev-parse", "--show-prefix"]).is_none() && Path::new(".git").exists()).then_some(());
    let commit = given.or_else(|| {
        own()?;
        // The log of HEAD grows with every commit and checkout.
        if let Some(log) =
            git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|path| Path::new(path).exists())
        {
            println!("cargo:rerun-if-changed={log}");
        }
        git(&["rev-parse", "HEAD"])
    });
    match commit {
        Some(commit) => {
            println!("cargo:rustc-env=WALDO_COMMIT={commit}");
            println!("cargo:rustc-env=WALDO_VERSION={version} ({})", commit.get(..12).unwrap_or(&commit));
        }
        None => println!("cargo:rustc-env=WALDO_VERSION={version}"),
    }
}
