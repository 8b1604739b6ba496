//! Servers of this machine, whose names and ports are drawn anew in every run.
//!
//! Invariants: only what follows `://` and names loopback is replaced; what was hidden for a request is
//! shown again for one that names its servers in the same order.

use crate::model::{MessagePart, ModelRequest};

/// The servers that a request names, in order.
#[derive(Debug, Default)]
pub(super) struct Loopback(Vec<String>);

impl Loopback {
    pub(super) fn of(request: &ModelRequest) -> Self {
        let mut servers: Vec<String> = Vec::new();
        for part in request.messages.iter().flat_map(|message| &message.parts) {
            let MessagePart::Text(text) = part else { continue };
            for (at, _) in text.match_indices("://") {
                let server = server(&text[at + 3..]);
                if is_loopback(server) && !servers.iter().any(|known| known == server) {
                    servers.push(server.to_owned());
                }
            }
        }
        Self(servers)
    }

    /// `text` with a place holder for each known server.
    pub(super) fn hide(&self, text: &str) -> String {
        self.replace(text, |server| {
            let at = self.0.iter().position(|known| known == server)?;
            Some(place_holder(at))
        })
    }

    /// `text` with the servers for their place holders.
    pub(super) fn show(&self, text: &str) -> String {
        self.replace(text, |name| {
            self.0
                .iter()
                .enumerate()
                .find(|(at, _)| place_holder(*at) == name)
                .map(|(_, known)| known.clone())
        })
    }

    fn replace(&self, text: &str, other: impl Fn(&str) -> Option<String>) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find("://") {
            let (before, after) = rest.split_at(at + 3);
            let name = server(after);
            out.push_str(before);
            out.push_str(&other(name).unwrap_or_else(|| name.to_owned()));
            rest = &after[name.len()..];
        }
        out.push_str(rest);
        out
    }
}

fn place_holder(at: usize) -> String {
    format!("server-{}.loopback", at + 1)
}

/// Host and port at the beginning of `text`.
fn server(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '-' | ':' | '[' | ']'));
    text[..end.unwrap_or(text.len())].trim_end_matches(['.', ':', '-'])
}

fn is_loopback(server: &str) -> bool {
    let host = server.strip_suffix(|c: char| c.is_ascii_digit()).map_or(server, |_| {
        server.trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix(':').unwrap_or(server)
    });
    host == "localhost" || host.ends_with(".localhost") || host == "127.0.0.1" || host == "[::1]"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Message, Speaker};

    fn of(text: &str) -> Loopback {
        let message = Message { speaker: Speaker::User, parts: vec![MessagePart::Text(text.to_owned())] };
        Loopback::of(&ModelRequest { messages: vec![message], max_tokens: 1, ..ModelRequest::default() })
    }

    #[test]
    fn the_same_pages_on_other_ports_are_the_same() {
        let first = "at http://e1-ab.localhost:4000/a and http://127.0.0.1:80/ not https://example.org:1/";
        let other = "at http://e9-cd.localhost:5123/a and http://127.0.0.1:8080/ not https://example.org:1/";
        assert_eq!(of(first).hide(first), of(other).hide(other));
        assert!(of(first).hide(first).contains("https://example.org:1/"));
        let reply = of(first).hide("navigate(\"http://e1-ab.localhost:4000/b\") http://127.0.0.1:8/");
        let shown = of(other).show(&reply);
        assert_eq!(shown, "navigate(\"http://e9-cd.localhost:5123/b\") http://127.0.0.1:8/");
    }

    #[test]
    fn only_this_machine_is_loopback() {
        for yes in
            ["localhost", "localhost:1", "a.localhost:80", "127.0.0.1", "127.0.0.1:9", "[::1]:80", "[::1]"]
        {
            assert!(is_loopback(yes), "{yes}");
        }
        for no in ["", "localhost.example.org", "notlocalhost:1", "127.0.0.10", "127.0.0.1.example.org:80"] {
            assert!(!is_loopback(no), "{no}");
        }
    }
}
