//! Whether this process may have the memory that it needs.
//!
//! A program whose memory is refused is aborted in the middle of whatever it does, so a limit that is too low is refused
//! before anything begins.

use rustix::process::{Resource, getrlimit};

/// The least that a command which drives a device needs, in bytes: threads reserve more than they use.
const LEAST: u64 = 2 << 30;

/// The limits of the shell that count, with the letter that sets each of them.
const LIMITS: [(Resource, &str, &str); 2] =
    [(Resource::As, "v", "address space"), (Resource::Data, "d", "data")];

/// Which limit is too low, and what raises it.
pub fn too_little() -> Option<String> {
    LIMITS.into_iter().find_map(|(resource, letter, what)| {
        let limit = getrlimit(resource).current.filter(|limit| *limit < LEAST)?;
        Some(format!(
            "this shell limits the {what} of a program to {} MiB and a run needs {} MiB: raise the limit with 'ulimit -{letter} \
             {}' or 'ulimit -{letter} unlimited'",
            limit >> 20,
            LEAST >> 20,
            LEAST >> 10
        ))
    })
}
