//! `utils.py`: addresses that are the same page (`compare_urls`, `are_lists_equal`).

use waldo_agents::python::url::UrlParts;

use super::super::py::pattern;

/// `tldextract.extract` of a host, for what is left of the public suffix: subdomain and domain. Private
/// suffixes do not count as suffixes, as by default there.
fn split_host(netloc: &str) -> (String, String) {
    let host = netloc.rsplit('@').next().unwrap_or_default();
    let host = match host.strip_prefix('[').and_then(|h| h.split_once(']')) {
        Some((v6, _)) => return (String::new(), format!("[{v6}]")),
        None => host.split(':').next().unwrap_or_default(),
    };
    let host = host.trim_end_matches('.');
    if host.parse::<std::net::Ipv4Addr>().is_ok() {
        return (String::new(), host.to_owned());
    }
    let rest = suffix(host).map_or(host, |suffix| {
        host.strip_suffix(suffix).map(|rest| rest.trim_end_matches('.')).unwrap_or_default()
    });
    match rest.rsplit_once('.') {
        Some((subdomain, domain)) => (subdomain.to_owned(), domain.to_owned()),
        None => (String::new(), rest.to_owned()),
    }
}

/// The suffix of a host by the public list's registry part.
fn suffix(host: &str) -> Option<&str> {
    let found = psl::suffix(host.as_bytes()).filter(psl::Suffix::is_known)?;
    let text = host.get(host.len().checked_sub(found.as_bytes().len())?..)?;
    match found.typ() {
        Some(psl::Type::Private) => suffix(text.split_once('.')?.1),
        _ => Some(text),
    }
}

fn normalised(url: &str) -> String {
    let with_scheme = pattern::search(r"^[a-zA-Z][a-zA-Z0-9+\-.]*://", url).unwrap_or(false);
    let mut parts = UrlParts::parse(&if with_scheme { url.to_owned() } else { format!("http://{url}") });
    let (subdomain, domain) = split_host(&parts.netloc.to_lowercase());
    parts.netloc =
        if subdomain.is_empty() || subdomain == "www" { domain } else { format!("{subdomain}.{domain}") };
    if parts.path == "/" {
        parts.path.clear();
    }
    parts.join()
}

/// `compare_urls`: the same page whatever the country's suffix, `www` and a last slash.
pub fn same_url(a: &str, b: &str) -> bool {
    normalised(a) == normalised(b)
}

/// `are_lists_equal` with `compare_urls`: equally many, and each of the first list has its like.
pub(crate) fn same_urls(a: &[&str], b: &[&str]) -> bool {
    a.len() == b.len() && a.iter().all(|one| b.iter().any(|other| same_url(one, other)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_page() {
        for (a, b) in [
            ("https://www.airbnb.com/", "https://airbnb.com.sg"),
            ("drugs.com/npc/", "http://www.drugs.com/npc/"),
            ("https://A.org/x;y?q=1#f", "https://a.com/x;y?q=1#f"),
            ("http://localhost:8000/a", "http://localhost/a"),
            ("https://user.github.io/a", "https://user.github.com/a"),
        ] {
            assert!(same_url(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("https://a.org/x", "http://a.org/x"),
            ("https://a.org/x/", "https://a.org/x"),
            ("https://en.a.org", "https://a.org"),
            ("https://a.org?q=1", "https://a.org?q=2"),
            ("http://1.2.3.4/", "http://1.2.3.5/"),
        ] {
            assert!(!same_url(a, b), "{a} {b}");
        }
    }
}
