//! `adb reverse`: sockets of the phone that would lead to the host.
//!
//! They are kept and listed as on a phone, for as long as the connection lives. No app of this phone opens a
//! connection, so nothing ever comes through one.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The first port that is given where the host leaves the choice to the phone.
const FIRST_FREE: u16 = 40_000;

/// What the host asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Request {
    List,
    Forward {
        on: String,
        to: String,
        /// Not in the place of another.
        only_new: bool,
    },
    Kill(String),
    KillAll,
    Unknown(String),
}

impl Request {
    /// What stands after `reverse:`.
    pub(super) fn parse(text: &str) -> Self {
        match text.split_once(':') {
            None if text == "list-forward" => Self::List,
            None if text == "killforward-all" => Self::KillAll,
            Some(("killforward", on)) => Self::Kill(on.to_owned()),
            Some(("forward", rest)) => {
                let (only_new, rest) =
                    rest.strip_prefix("norebind:").map_or((false, rest), |rest| (true, rest));
                match rest.split_once(';') {
                    Some((on, to)) => Self::Forward { on: on.to_owned(), to: to.to_owned(), only_new },
                    None => Self::Unknown(text.to_owned()),
                }
            }
            _ => Self::Unknown(text.to_owned()),
        }
    }
}

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
    /// Does what is asked; gives the answer as it goes over the wire.
    pub(super) fn answer(&self, request: Request) -> Vec<u8> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match request {
            Request::List => {
                let lines: String = open.iter().map(|(on, to)| format!("host-1 {on} {to}\n")).collect();
                counted(&lines)
            }
            Request::Forward { on, to, only_new } => {
                if only_new && open.contains_key(&on) {
                    return failed("cannot rebind existing socket");
                }
                let known = ["tcp:", "localabstract:", "localreserved:", "localfilesystem:"];
                if !known.iter().any(|kind| on.starts_with(kind)) {
                    return failed(&format!("unknown socket specification '{on}'"));
                }
                if on == "tcp:0" {
                    let taken = |port: &u16| open.contains_key(&format!("tcp:{port}"));
                    let Some(port) = (FIRST_FREE..).find(|port| !taken(port)) else {
                        return failed("cannot bind listener: no port is free");
                    };
                    open.insert(format!("tcp:{port}"), to);
                    return [b"OKAY".to_vec(), counted(&port.to_string())].concat();
                }
                open.insert(on, to);
                b"OKAY".to_vec()
            }
            Request::Kill(on) => match open.remove(&on) {
                Some(_) => b"OKAY".to_vec(),
                None => failed(&format!("listener '{on}' not found")),
            },
            Request::KillAll => {
                open.clear();
                b"OKAY".to_vec()
            }
            Request::Unknown(text) => failed(&format!("unknown reverse request '{text}'")),
        }
    }
}
