//! The `http` grounder: a grounding service over HTTP, with the wire of the UiPath agent's.
//!
//! `POST` of `{image_base64, action_description, action, element_description}` with the key in `X-API-KEY`;
//! the answer is `{description, position: [x, y]}` in pixels of the picture that was sent, (-1, -1) for what
//! is not there. A service that does not answer, answers with a server's error or with something else than
//! JSON is asked again; after that it is an error of the harness, as with a model. The key is never shown.

use std::time::{Duration, Instant};

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use url::Url;
use waldo_devices::{Deadline, Point, Secrets, labels};

use super::{GroundAnswer, Grounder, LocateRequest, NO_PICTURE, unusable};
use crate::agent::Exchange;
use crate::error::{ModelError, Result};
use crate::model::{PREFLIGHT, Secret};

/// The wait before the second attempt; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(300);
/// The side in pixels of the picture that only tests the connection.
const PREFLIGHT_SIDE: u32 = 64;
/// As much of an answer as is read and shown.
const SHOWN: usize = 500;

#[derive(Clone, Debug)]
pub struct HttpOptions {
    pub url: String,
    pub key: Option<Secret>,
    pub timeout: Duration,
    pub retries: u32,
}

pub struct HttpGrounder {
    url: Url,
    /// The address without credentials and query.
    shown: String,
    headers: HeaderMap,
    options: HttpOptions,
    http: reqwest::Client,
    /// The key, for the forms in which an answer may say it back.
    forms: Secrets,
}

impl HttpGrounder {
    /// Sets it up; nothing is sent.
    pub fn new(options: HttpOptions) -> Result<Self, ModelError> {
        let url = Url::parse(&options.url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let url = url.ok_or_else(|| {
            let what = "the grounder's address is not an http or https address";
            ModelError::setup(what, "give one such as http://127.0.0.1:8000/ground")
        })?;
        let mut headers = HeaderMap::new();
        if let Some(key) = &options.key {
            let mut value = HeaderValue::from_str(key.reveal()).map_err(|_| {
                let what = "the grounder's key holds characters that a header cannot";
                ModelError::setup(what, "check the variable")
            })?;
            value.set_sensitive(true);
            headers.insert(HeaderName::from_static("x-api-key"), value);
        }
        let mut bare = url.clone();
        let _ = bare.set_username("");
        let _ = bare.set_password(None);
        bare.set_query(None);
        let http = crate::http::client(&url).map_err(|error| {
            let what = format!("the HTTP client cannot start ({})", error.without_url());
            ModelError::setup(what, "check the proxy variables")
        })?;
        let forms = Secrets::new(options.key.iter().map(|key| ("key".to_owned(), key.reveal().to_owned())));
        Ok(Self { url, shown: bare.to_string(), headers, options, http, forms })
    }

    /// The beginning of an answer, without the key, which a service may say back.
    fn redacted(&self, text: &str) -> String {
        let shown = match &self.options.key {
            Some(key) => self.forms.mask(text.replace(key.reveal(), "[key]")),
            None => text.to_owned(),
        };
        shown.chars().take(SHOWN).collect()
    }

    async fn once(&self, body: &Value, limit: Duration) -> Result<Value, ModelError> {
        let unreachable = |error: reqwest::Error| ModelError::Unreachable {
            url: self.shown.clone(),
            message: error.without_url().to_string(),
        };
        let asked = async {
            let sent = self.http.post(self.url.clone()).headers(self.headers.clone()).json(body);
            let answer = sent.send().await.map_err(unreachable)?;
            let status = answer.status();
            let text = answer.text().await.map_err(unreachable)?;
            let shown = self.redacted(&text);
            if !status.is_success() {
                return Err(ModelError::Status {
                    status: status.as_u16(),
                    message: shown,
                    retry_after: None,
                });
            }
            serde_json::from_str::<Value>(&text)
                .ok()
                .filter(Value::is_object)
                .ok_or_else(|| ModelError::BadBody { message: format!("the grounder answered: {shown}") })
        };
        tokio::time::timeout(limit, asked)
            .await
            .unwrap_or(Err(ModelError::Timeout { after: limit, by: crate::error::TimedBy::Request }))
    }
}

#[async_trait]
impl Grounder for HttpGrounder {
    fn name(&self) -> &'static str {
        "http"
    }

    /// One question about an empty picture, for services have no other door.
    async fn preflight(&self, deadline: Deadline) -> Result<(), ModelError> {
        let picture = labels::encode_png(&image::RgbImage::new(PREFLIGHT_SIDE, PREFLIGHT_SIDE))
            .map_err(|error| ModelError::setup(error, "this is waldo's own"))?;
        let body = json!({
            "image_base64": STANDARD.encode(picture),
            "action_description": PREFLIGHT,
            "action": "click",
            "element_description": null,
        });
        let mut again = true;
        loop {
            let error = match self.once(&body, self.options.timeout.min(deadline.left())).await {
                Ok(_) => return Ok(()),
                Err(error) => error,
            };
            match error {
                // What it does not like is this question, or that there are so many.
                ModelError::Status { status: 400 | 409 | 413 | 415 | 422 | 429, .. } => return Ok(()),
                error if again && error.is_retryable() => {
                    again = false;
                    tokio::time::sleep(FIRST_WAIT.min(deadline.left())).await;
                }
                error => return Err(error),
            }
        }
    }

    async fn locate(&self, ask: &LocateRequest<'_>, log: &mut Vec<Exchange>) -> Result<GroundAnswer> {
        let picture = ask.picture();
        if picture.width() == 0 {
            return Ok(GroundAnswer::Refused(NO_PICTURE.to_owned()));
        }
        let mut body = json!({
            "image_base64": STANDARD.encode(labels::encode_png(picture)?),
            "action_description": ask.description,
            "action": ask.kind,
            "element_description": ask.element,
        });
        let started = Instant::now();
        let mut retries = 0;
        let answer = loop {
            let limit = self.options.timeout.min(ask.deadline.left());
            match self.once(&body, limit).await {
                Ok(answer) => break answer,
                Err(error) => {
                    let wait = FIRST_WAIT.saturating_mul(2_u32.saturating_pow(retries));
                    if !error.is_retryable() || retries >= self.options.retries || wait >= ask.deadline.left()
                    {
                        return Err(error.into());
                    }
                    tokio::time::sleep(wait).await;
                    retries += 1;
                }
            }
        };
        if let Some(all) = body.as_object_mut() {
            all.shift_remove("image_base64");
        }
        let read = read(&answer);
        log.push(Exchange {
            purpose: ask.purpose().to_owned(),
            prompt: body.to_string(),
            pictures: 1,
            reply: self.redacted(&answer.to_string()),
            took: started.elapsed(),
            retries,
            rejected: read.as_ref().err().cloned(),
            ..Exchange::default()
        });
        Ok(match read {
            Ok(Some([x, y])) => {
                let (w, h) = (f64::from(picture.width()), f64::from(picture.height()));
                ask.placed(Some(Point::new(x / w, y / h)))
            }
            Ok(None) => {
                let said = answer.get("description").and_then(Value::as_str).unwrap_or_default();
                let said: String = said.chars().take(200).collect();
                let gap = if said.is_empty() { "" } else { ": " };
                GroundAnswer::Refused(format!("the locator did not find it in the picture{gap}{said}"))
            }
            Err(error) => unusable(error),
        })
    }
}

/// The position of an answer; `None` for a refusal.
fn read(answer: &Value) -> Result<Option<[f64; 2]>, String> {
    let at = ["position", "coords", "coordinates"].into_iter().find_map(|key| answer.get(key));
    let number = |v: &Value| v.as_f64().or_else(|| v.as_str().and_then(|t| t.trim().parse().ok()));
    match at {
        None => Err("it has no position".to_owned()),
        Some(Value::Null) => Ok(None),
        Some(Value::Array(pair)) => match pair.iter().map(number).collect::<Option<Vec<f64>>>().as_deref() {
            Some([x, y]) if *x == -1.0 && *y == -1.0 => Ok(None),
            Some([x, y]) if x.is_finite() && y.is_finite() => Ok(Some([*x, *y])),
            _ => Err("its position is not a pair of numbers".to_owned()),
        },
        Some(_) => Err("its position is not a pair of numbers".to_owned()),
    }
}
