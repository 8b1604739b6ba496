//! How an endpoint is asked: address, key, parameters, patience.
//!
//! Invariant: neither the key nor credentials of the address are ever shown.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use serde_json::{Map, Value};
use url::Url;
use waldo_devices::Secrets;

use crate::error::ModelError;
use crate::model::prices::PriceTable;
use crate::model::wire::Wire;

/// Where a key stood, in whatever is shown.
const REDACTED: &str = "[redacted]";
/// Shorter keys are placeholders such as `none`: redacting them would maim messages and hide nothing.
const SHORTEST_SECRET: usize = 6;
/// Paths below a base address, which somebody may have written along with it.
const PATHS: [&str; 3] = ["chat/completions", "responses", "messages"];
/// What to do about a base address that is none.
const ADDRESS_HINT: &str = "give one such as http://127.0.0.1:8000/v1 by --base-url, WALDO_BASE_URL or base-url in \
                            waldo.toml (a grounder's by --grounder-base-url)";

/// A key. Shown as `[redacted]`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

impl Secret {
    /// The key without surrounding white space; `None` when nothing is left.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(text.into()))
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(REDACTED)
    }
}

#[derive(Clone)]
pub struct EndpointOptions {
    pub wire: Wire,
    /// The address up to the version, such as `http://127.0.0.1:8000/v1`; a slash or `/chat/completions`
    /// behind it does no harm. A user and password in it are sent as basic authentication.
    pub base_url: String,
    pub model: String,
    /// Sent as the wire has it: as bearer token, or in a header of its own.
    pub api_key: Option<Secret>,
    /// Sampling temperature; the endpoint's own when absent.
    pub temperature: Option<f32>,
    pub seed: Option<u64>,
    /// How closely the model looks at pictures: `low`, `high`, `auto`.
    pub image_detail: Option<String>,
    /// Further fields of the request body; they win over those above, and null takes a field away.
    pub extra_body: Map<String, Value>,
    /// How often a request is sent again at most.
    pub max_retries: u32,
    /// Requests under way at once, at least 1; more wait their turn.
    pub concurrency: usize,
    pub requests_per_minute: Option<u32>,
    pub tokens_per_minute: Option<u64>,
    pub stream: bool,
    /// Whether the token ids and log probabilities of replies are asked for.
    pub logprobs: bool,
    /// How long one attempt may take; of a stream, how long it may be silent.
    pub attempt_timeout: Duration,
    /// The longest wait between two attempts, unless the endpoint asks for a longer one.
    pub max_backoff: Duration,
    /// What tokens cost; empty leaves costs unknown.
    pub prices: Arc<PriceTable>,
}

impl EndpointOptions {
    /// Options with nothing but defaults beside address and model.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            wire: Wire::default(),
            base_url: base_url.into(),
            model: model.into(),
            api_key: None,
            temperature: None,
            seed: None,
            image_detail: None,
            extra_body: Map::new(),
            max_retries: 5,
            concurrency: 8,
            requests_per_minute: None,
            tokens_per_minute: None,
            stream: false,
            logprobs: false,
            attempt_timeout: Duration::from_secs(120),
            max_backoff: Duration::from_secs(30),
            prices: Arc::default(),
        }
    }
}

impl fmt::Debug for EndpointOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base_url =
            EndpointAddress::new(self).map_or_else(|_| "[unusable]".to_owned(), |endpoint| endpoint.shown);
        formatter
            .debug_struct("EndpointOptions")
            .field("wire", &self.wire)
            .field("base_url", &base_url)
            .field("model", &self.model)
            .field("api_key", &self.api_key)
            .field("temperature", &self.temperature)
            .field("seed", &self.seed)
            .field("image_detail", &self.image_detail)
            // Values may be keys of a gateway.
            .field("extra_body", &self.extra_body.keys().collect::<Vec<_>>())
            .field("max_retries", &self.max_retries)
            .field("concurrency", &self.concurrency)
            .field("attempt_timeout", &self.attempt_timeout)
            .field("max_backoff", &self.max_backoff)
            .finish_non_exhaustive()
    }
}

/// The address that requests go to, and what goes with it.
pub(super) struct EndpointAddress {
    /// Without user and password.
    pub(super) url: Url,
    streams: Url,
    /// Without query too, for messages.
    pub(super) shown: String,
    pub(super) bare: bool,
    /// The header that carries the key; its value is marked sensitive.
    pub(super) credential: Option<(HeaderName, HeaderValue)>,
    /// What must not be shown.
    secrets: Vec<String>,
    /// The same, for the forms in which an answer may say it back.
    forms: Secrets,
}

impl EndpointAddress {
    pub(super) fn new(options: &EndpointOptions) -> Result<Self, ModelError> {
        // The address itself stays out of the messages: it may hold a password.
        let setup = |what: &str, hint: &str| ModelError::setup(format!("the model's base URL {what}"), hint);
        let mut url = Url::parse(options.base_url.trim())
            .map_err(|error| setup(&format!("is not an address ({error})"), ADDRESS_HINT))?;
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
            return Err(setup("is not one of http or https", ADDRESS_HINT));
        }
        let path = url.path().trim_end_matches('/');
        let path = PATHS.into_iter().find_map(|known| path.strip_suffix(known)).unwrap_or(path);
        let path = path.trim_end_matches('/').to_owned();
        url.set_fragment(None);

        let mut secrets: Vec<String> = options.api_key.iter().map(|key| key.reveal().to_owned()).collect();
        // A query may hold a key too, as `?key=...` does.
        secrets.extend(url.query_pairs().map(|(_, value)| value.into_owned()));
        let login = basic_login(&url);
        let form = options.wire.form();
        let credential = match (&options.api_key, login) {
            (Some(_), Some(_)) => {
                return Err(setup("has a user and there is a key too", "give one of them"));
            }
            (Some(key), None) => {
                let (name, before) = form.key_header();
                Some((name, format!("{before}{}", key.reveal())))
            }
            (None, Some((user, password))) => {
                let encoded = STANDARD.encode(format!("{user}:{password}"));
                secrets.extend([password, encoded.clone()]);
                Some((AUTHORIZATION, format!("Basic {encoded}")))
            }
            (None, None) => None,
        };
        let credential = credential
            .map(|(name, text)| {
                let mut value = HeaderValue::from_str(&text).map_err(|_| ModelError::Setup {
                    what: "the model's key has characters that no header can carry".to_owned(),
                    hint: "copy it again, without line breaks or quotes".to_owned(),
                })?;
                value.set_sensitive(true);
                Ok::<_, ModelError>((name, value))
            })
            .transpose()?;
        // Neither fails for an address with a host.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        let below = |stream: bool| {
            let mut url = url.clone();
            let (own, query) = form.path(options.model.trim(), stream);
            url.set_path(&format!("{path}/{own}"));
            if let Some(query) = query {
                let all = url.query().map_or_else(|| query.to_owned(), |there| format!("{there}&{query}"));
                url.set_query(Some(&all));
            }
            url
        };
        let (streams, bare) = (below(true), path.is_empty());
        let url = below(false);
        let mut shown = url.clone();
        shown.set_query(None);
        secrets.retain(|secret| secret.len() >= SHORTEST_SECRET);
        let forms = Secrets::new(secrets.iter().map(|secret| (secret.clone(), secret.clone())));
        Ok(Self { url, streams, shown: shown.into(), bare, credential, secrets, forms })
    }

    pub(super) fn address(&self, stream: bool) -> &Url {
        if stream { &self.streams } else { &self.url }
    }

    /// `text` without secrets, on one line, cut to `limit` characters.
    pub(super) fn clean(&self, text: &str, limit: usize) -> String {
        let redacted =
            self.secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), REDACTED));
        let redacted = self.forms.mask(redacted);
        let mut words = redacted.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some((at, _)) = words.char_indices().nth(limit) {
            words.truncate(at);
            words.push_str("...");
        }
        words
    }
}

/// User and password of an address, decoded.
fn basic_login(url: &Url) -> Option<(String, String)> {
    if url.username().is_empty() && url.password().is_none() {
        return None;
    }
    Some((percent_decoded(url.username()), percent_decoded(url.password().unwrap_or_default())))
}

fn percent_decoded(text: &str) -> String {
    // A form decoder reads `+` as a space, which a password's `+` is not.
    let form = format!("v={}", text.replace('+', "%2B"));
    url::form_urlencoded::parse(form.as_bytes())
        .next()
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(base_url: &str) -> Result<EndpointAddress, ModelError> {
        EndpointAddress::new(&EndpointOptions::new(base_url, "m"))
    }

    #[test]
    fn every_spelling_of_the_address_gives_the_same_endpoint() {
        for base in [
            "http://h:1/v1",
            "http://h:1/v1/",
            " http://h:1/v1// ",
            "http://h:1/v1/chat/completions",
            "http://h:1/v1/chat/completions/",
        ] {
            assert_eq!(endpoint(base).unwrap().url.as_str(), "http://h:1/v1/chat/completions", "{base}");
        }
        assert_eq!(endpoint("http://h").unwrap().url.as_str(), "http://h/chat/completions");
        let azure = endpoint("https://h/openai?api-version=2").unwrap();
        assert_eq!(azure.url.as_str(), "https://h/openai/chat/completions?api-version=2");
        assert_eq!(azure.shown, "https://h/openai/chat/completions");
    }

    #[test]
    fn each_wire_has_its_path_and_its_header_for_the_key() {
        let of = |wire: Wire, model: &str| {
            let mut options = EndpointOptions { wire, ..EndpointOptions::new("https://h/v1?a=b", model) };
            options.api_key = Secret::new("sk-1234567890");
            let endpoint = EndpointAddress::new(&options).unwrap();
            let (name, value) = endpoint.credential.clone().unwrap();
            let key = format!("{name}: {}", value.to_str().unwrap());
            (endpoint.url.to_string(), endpoint.address(true).to_string(), key)
        };
        let same = |path: &str, key: &str| {
            let url = format!("https://h/v1/{path}?a=b");
            (url.clone(), url, key.to_owned())
        };
        assert_eq!(of(Wire::Responses, "m"), same("responses", "authorization: Bearer sk-1234567890"));
        assert_eq!(of(Wire::Anthropic, "m"), same("messages", "x-api-key: sk-1234567890"));
        let (url, stream, key) = of(Wire::Gemini, "gemini-x");
        assert_eq!(url, "https://h/v1/models/gemini-x:generateContent?a=b");
        assert_eq!(stream, "https://h/v1/models/gemini-x:streamGenerateContent?a=b&alt=sse");
        assert_eq!(key, "x-goog-api-key: sk-1234567890");
        let (address, ..) = of(Wire::Gemini, "tunedModels/a b?");
        assert_eq!(address, "https://h/v1/tunedModels/a%20b%3F:generateContent?a=b");
    }

    #[test]
    fn an_address_of_another_kind_is_refused_without_showing_it() {
        for base in ["", "h:8000/v1", "/v1", "ftp://u:hunter22@h/v1", "http://u:hunter22@:x/v1"] {
            let error = endpoint(base).err().unwrap().to_string();
            assert!(error.contains("http://127.0.0.1:8000/v1") && !error.contains("hunter22"), "{error}");
        }
    }

    #[test]
    fn a_user_in_the_address_becomes_basic_authentication_and_is_not_shown() {
        let endpoint = endpoint("https://me:p%40ss+word@h/v1").unwrap();
        assert_eq!(endpoint.url.as_str(), "https://h/v1/chat/completions");
        let expected = format!("Basic {}", STANDARD.encode("me:p@ss+word"));
        let (name, value) = endpoint.credential.as_ref().unwrap();
        assert_eq!((name.as_str(), value.to_str().unwrap()), ("authorization", expected.as_str()));
        assert!(value.is_sensitive());
        assert_eq!(endpoint.clean("no\n p@ss+word", 50), "no [redacted]");
        assert_eq!(
            endpoint.clean(r#"no {"key":"p%40ss%2Bword or p\u0040ss+word"}"#, 50),
            r#"no {"key":"•••• or ••••"}"#
        );
    }

    #[test]
    fn key_and_user_together_are_refused() {
        let mut options = EndpointOptions::new("http://u:p@h/v1", "m");
        options.api_key = Secret::new("sk-1234567890");
        assert!(matches!(EndpointAddress::new(&options), Err(ModelError::Setup { .. })));
    }

    #[test]
    fn options_never_show_secrets() {
        let mut options = EndpointOptions::new("https://h/v1?key=query-secret", "m");
        options.api_key = Secret::new(" sk-1234567890\n");
        options.extra_body.insert("token".to_owned(), "body-secret".into());
        let shown = format!("{options:?} {:#?}", options.api_key);
        assert!(shown.contains("[redacted]") && shown.contains("https://h/v1/chat/completions"), "{shown}");
        for secret in ["1234567890", "query-secret", "body-secret"] {
            assert!(!shown.contains(secret), "{shown}");
        }
        assert!(Secret::new(" \n").is_none());
    }

    #[test]
    fn loopback_is_known() {
        for base in ["http://localhost:1", "http://127.0.0.9", "http://[::1]:8", "http://a.localhost"] {
            assert!(crate::http::is_loopback(&endpoint(base).unwrap().url), "{base}");
        }
        for base in ["http://10.0.0.1", "http://localhost.example", "https://example.com"] {
            assert!(!crate::http::is_loopback(&endpoint(base).unwrap().url), "{base}");
        }
    }
}
