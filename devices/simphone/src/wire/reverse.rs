//! `adb reverse`: sockets of the phone that would lead to the host.
//!
//! They are kept and listed as on a phone, for as long as the connection lives. No app of this phone opens a
//! connection, so nothing ever comes through one.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The first port that is given where the host leaves the choice to the phone.
const FIRST_FREE: u16 = 40_000;
/// The kinds of sockets.
const KNOWN: [&str; 4] = ["tcp:", "localabstract:", "localreserved:", "localfilesystem:"];

/// The sockets of one connection.
#[derive(Debug, Default)]
pub(super) struct Listeners(Mutex<BTreeMap<String, String>>);

/// Text with its length before it, as the wire has it.
fn counted(text: &str) -> Vec<u8> {
    format!("{:04x}{text}", text.len()).into_bytes()
}

fn failed(why: &str) -> Vec<u8> {
    [b"FAIL".to_vec(), counted(why)].concat()
}

impl Listeners {
    /// Does what stands after `reverse:`; gives the answer as it goes over the wire.
    pub(super) fn answer(&self, request: &str) -> Vec<u8> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let okay = b"OKAY".to_vec();
        match request.split_once(':').unwrap_or((request, "")) {
            ("list-forward", "") => {
                counted(&open.iter().map(|(on, to)| format!("host-1 {on} {to}\n")).collect::<String>())
            }
            ("killforward-all", "") => {
                open.clear();
                okay
            }
            ("killforward", on) => match open.remove(on) {
                Some(_) => okay,
                None => failed(&format!("listener '{on}' not found")),
            },
            ("forward", rest) => match rest.strip_prefix("norebind:").unwrap_or(rest).split_once(';') {
                Some((on, _)) if rest.starts_with("norebind:") && open.contains_key(on) => {
                    failed("cannot rebind existing socket")
                }
                Some(("tcp:0", to)) => {
                    let taken = |port: &u16| open.contains_key(&format!("tcp:{port}"));
                    let Some(port) = (FIRST_FREE..).find(|port| !taken(port)) else {
                        return failed("cannot bind listener: no port is free");
                    };
                    open.insert(format!("tcp:{port}"), to.to_owned());
                    [okay, counted(&port.to_string())].concat()
                }
                Some((on, to)) if KNOWN.iter().any(|kind| on.starts_with(kind)) => {
                    open.insert(on.to_owned(), to.to_owned());
                    okay
                }
                Some((on, _)) => failed(&format!("unknown socket specification '{on}'")),
                None => failed(&format!("unknown reverse request '{request}'")),
            },
            _ => failed(&format!("unknown reverse request '{request}'")),
        }
    }
}
