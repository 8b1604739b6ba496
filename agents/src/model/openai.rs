//! A client of OpenAI-compatible chat completions.
//!
//! Invariants: a call answers by its deadline; what may pass is tried again, with growing waits and with
//! respect for `Retry-After`; what cannot pass is not; no key and no credential is shown or logged.

mod attempt;
mod options;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use image::{Rgb, RgbImage};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Method, Request};
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;
use waldo_devices::Deadline;
use waldo_devices::labels::{Layer, PictureFormat, PicturePacking};

use self::attempt::{Failure, Remedy, attempt};
use self::options::Endpoint;
pub use self::options::{OpenAiOptions, Secret};
use super::wire::{self, ChatReply, Extras};
use super::{Message, ModelClient, ModelReply, ModelRequest, Part, Speaker, Usage};
use crate::error::{ModelError, TimedBy};
use crate::http;

/// What is asked before the first episode, to see that the model can be asked.
pub const PREFLIGHT: &str = "This only tests the connection. Reply with: ok";
/// Tokens that the reply to it may have: some endpoints refuse fewer.
const PREFLIGHT_TOKENS: u32 = 16;
/// The question about a picture, what the picture is filled with, and the word for it: nobody guesses it.
const WEBP_QUESTION: &str =
    "This only tests the connection. What colour fills this picture? Reply with one word.";
const WEBP_COLOUR: [u8; 3] = [255, 140, 0];
const WEBP_ANSWER: &str = "orange";
/// Some models think before they say a word.
const WEBP_TOKENS: u32 = 512;
const WEBP_SIDE: u32 = 64;
/// The fewest tokens of a reply that are asked for in place of more than an endpoint allows.
const LEAST_TOKENS: u32 = 256;

/// The wait before the second attempt; each further one is twice as long.
const FIRST_BACKOFF: Duration = Duration::from_millis(500);

/// A model behind an OpenAI-compatible endpoint.
pub struct OpenAiClient {
    options: OpenAiOptions,
    endpoint: Endpoint,
    http: Client,
    /// Permits for [`OpenAiOptions::concurrency`] requests. One is kept through the waits between attempts,
    /// so that an endpoint that asks for patience gets it.
    slots: Semaphore,
    /// Whether the endpoint was found to want `max_completion_tokens`.
    other_limit_field: AtomicBool,
    /// As many tokens of a reply as the endpoint was found to allow.
    most_tokens: AtomicU32,
}

impl fmt::Debug for OpenAiClient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("OpenAiClient").field("options", &self.options).finish_non_exhaustive()
    }
}

impl OpenAiClient {
    /// Sets a client up; nothing is sent.
    ///
    /// # Errors
    /// [`ModelError::Setup`] for an address, key, temperature or concurrency that cannot be used.
    pub fn new(options: OpenAiOptions) -> Result<Self, ModelError> {
        let setup =
            |what: &str, hint: &str| ModelError::Setup { what: what.to_owned(), hint: hint.to_owned() };
        let endpoint = Endpoint::new(&options)?;
        if options.model.trim().is_empty() {
            return Err(setup("the model has no name", "give the name that the endpoint knows it by"));
        }
        if options.temperature.is_some_and(|value| !value.is_finite() || value < 0.0) {
            return Err(setup("the temperature is not a number from 0", "give one such as 0 or 0.7"));
        }
        if options.concurrency == 0 || options.concurrency > Semaphore::MAX_PERMITS {
            return Err(setup("no request may be under way", "give a concurrency of at least 1"));
        }
        let http = http::client(&endpoint.url).map_err(|error| {
            setup(
                &format!("the HTTP client cannot start ({})", error.without_url()),
                "check the proxy variables and the certificates of this machine",
            )
        })?;
        let slots = Semaphore::new(options.concurrency);
        let (other_limit_field, most_tokens) = (AtomicBool::new(false), AtomicU32::new(u32::MAX));
        Ok(Self { options, endpoint, http, slots, other_limit_field, most_tokens })
    }

    fn http_request(&self, request: &ModelRequest, renamed: bool) -> Request {
        let extras = Extras {
            temperature: self.options.temperature,
            seed: self.options.seed,
            image_detail: self.options.image_detail.as_deref(),
            limit_field: if renamed { "max_completion_tokens" } else { "max_tokens" },
            extra_body: &self.options.extra_body,
        };
        let most = self.most_tokens.load(Ordering::Relaxed);
        let body = if request.max_tokens > most {
            let request = ModelRequest { messages: request.messages.clone(), max_tokens: most };
            wire::chat_request(&self.options.model, &request, extras)
        } else {
            wire::chat_request(&self.options.model, request, extras)
        };
        let body = body.to_string();
        let mut http = Request::new(Method::POST, self.endpoint.url.clone());
        http.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(authorization) = &self.endpoint.authorization {
            http.headers_mut().insert(AUTHORIZATION, authorization.clone());
        }
        *http.body_mut() = Some(body.into());
        http
    }

    fn reply(&self, reply: ChatReply, took: Duration, retries: u32) -> ModelReply {
        let micro_usd = self.options.prices.cost(&self.options.model, &reply.usage);
        ModelReply {
            text: reply.text,
            usage: Usage { micro_usd, ..reply.usage },
            finish: reply.finish,
            unread: reply.unread,
            took,
            retries,
        }
    }

    /// How long to wait before attempt `retries + 1`: what the endpoint asks for, else a random part, from
    /// half to all, of a time that doubles.
    fn wait(&self, retries: u32, asked: Option<Duration>) -> Duration {
        if let Some(asked) = asked.filter(|asked| !asked.is_zero()) {
            return asked;
        }
        let doubled = FIRST_BACKOFF.saturating_mul(2_u32.saturating_pow(retries));
        let first = FIRST_BACKOFF.min(self.options.max_backoff);
        doubled.clamp(first, self.options.max_backoff.max(first)).mul_f64(rand::random_range(0.5..=1.0))
    }

    /// Whether the limit's field may be renamed: not where the user names one.
    fn may_rename_limit_field(&self) -> bool {
        let fields = ["max_tokens", "max_completion_tokens"];
        fields.iter().all(|field| !self.options.extra_body.contains_key(*field))
    }
}

#[async_trait]
impl ModelClient for OpenAiClient {
    fn model(&self) -> &str {
        &self.options.model
    }

    fn parameters(&self) -> Value {
        let mut parameters = Map::new();
        if let Some(temperature) = self.options.temperature {
            parameters.insert("temperature".to_owned(), wire::number(temperature));
        }
        if let Some(seed) = self.options.seed {
            parameters.insert("seed".to_owned(), json!(seed));
        }
        if let Some(detail) = &self.options.image_detail {
            parameters.insert("image_detail".to_owned(), json!(detail));
        }
        if !self.options.extra_body.is_empty() {
            parameters.insert("extra_body".to_owned(), Value::Object(self.options.extra_body.clone()));
        }
        Value::Object(parameters)
    }

    /// The very request that an episode makes, but for pictures, so that what is right for it is right for all;
    /// a list of models is not served everywhere, and may be kept from a key that is good for all else.
    async fn reads_webp(&self, deadline: Deadline) -> bool {
        let picture = RgbImage::from_pixel(WEBP_SIDE, WEBP_SIDE, Rgb(WEBP_COLOUR));
        let packing = PicturePacking { format: PictureFormat::Webp, max: None };
        let Ok(webp) = Layer::over(&picture).encode(packing) else { return false };
        let parts = vec![Part::Text(WEBP_QUESTION.to_owned()), Part::Png(webp.into())];
        let messages = vec![Message { speaker: Speaker::User, parts }];
        let request = ModelRequest { messages, max_tokens: WEBP_TOKENS };
        let limit = self.options.attempt_timeout.min(deadline.left());
        let sent = attempt(&self.http, &self.endpoint, self.http_request(&request, false));
        match tokio::time::timeout(limit, sent).await {
            Ok(Ok(reply)) => reply.text.to_lowercase().contains(WEBP_ANSWER),
            _ => false,
        }
    }

    async fn preflight(&self, deadline: Deadline) -> Result<(), ModelError> {
        let question = Message { speaker: Speaker::User, parts: vec![Part::Text(PREFLIGHT.to_owned())] };
        let request = ModelRequest { messages: vec![question], max_tokens: PREFLIGHT_TOKENS };
        let limit = self.options.attempt_timeout.min(deadline.left());
        let mut again = true;
        loop {
            let sent = attempt(&self.http, &self.endpoint, self.http_request(&request, false));
            let failure = match tokio::time::timeout(limit, sent).await {
                Ok(Ok(_)) => return Ok(()),
                Ok(Err(failure)) => failure,
                Err(_) => return Err(ModelError::Timeout { after: limit, by: TimedBy::Request }),
            };
            match (&failure.error, failure.again) {
                // It is there and knows the key; the calls themselves wait their turn.
                (ModelError::RateLimited { retry_after, .. }, _)
                    if retry_after.is_none_or(|asked| asked < self.options.attempt_timeout) =>
                {
                    return Ok(());
                }
                // What it does not like is this question, not who asks it.
                (ModelError::Status { status: 400 | 409 | 413 | 415 | 422, .. }, _) => return Ok(()),
                (ModelError::RateLimited { .. }, _) => return Err(failure.error),
                (_, Remedy::Later(_)) if again => {
                    again = false;
                    tokio::time::sleep(FIRST_BACKOFF).await;
                }
                _ => return Err(failure.error),
            }
        }
    }

    async fn complete(&self, request: &ModelRequest, deadline: Deadline) -> Result<ModelReply, ModelError> {
        let started = Instant::now();
        let late = || ModelError::Timeout { after: started.elapsed(), by: TimedBy::Step };
        let Ok(_slot) = tokio::time::timeout_at(deadline.instant(), self.slots.acquire()).await else {
            return Err(late());
        };
        let mut retries = 0;
        loop {
            if deadline.passed() {
                return Err(late());
            }
            let limit = self.options.attempt_timeout.min(deadline.left());
            let renamed = self.other_limit_field.load(Ordering::Relaxed);
            let sent = attempt(&self.http, &self.endpoint, self.http_request(request, renamed));
            let failure = match tokio::time::timeout(limit, sent).await {
                Ok(Ok(reply)) => return Ok(self.reply(reply, started.elapsed(), retries)),
                Ok(Err(failure)) => failure,
                Err(_) if deadline.passed() => return Err(late()),
                Err(_) => Failure::later(ModelError::Timeout { after: limit, by: TimedBy::Request }),
            };
            let asked = match failure.again {
                Remedy::Later(asked) if retries < self.options.max_retries => asked,
                Remedy::OtherLimitField if !renamed && self.may_rename_limit_field() => {
                    self.other_limit_field.store(true, Ordering::Relaxed);
                    retries += 1;
                    continue;
                }
                Remedy::FewerTokens if self.may_rename_limit_field() => {
                    let asked = request.max_tokens.min(self.most_tokens.load(Ordering::Relaxed));
                    let fewer = asked / 2;
                    if fewer < LEAST_TOKENS {
                        return Err(failure.error);
                    }
                    tracing::warn!(
                        asked, fewer, error = %failure.error,
                        "the endpoint allows no reply of so many tokens; from here on it is asked for fewer (see --max-tokens)"
                    );
                    self.most_tokens.fetch_min(fewer, Ordering::Relaxed);
                    retries += 1;
                    continue;
                }
                _ => return Err(failure.error),
            };
            let wait = self.wait(retries, asked);
            let left = deadline.left();
            if wait >= left {
                return Err(out_of_time(failure.error, asked, left));
            }
            tracing::debug!(
                url = self.endpoint.shown,
                attempt = retries + 1,
                ?wait,
                error = %failure.error,
                "the model is asked again"
            );
            tokio::time::sleep(wait).await;
            retries += 1;
        }
    }
}

/// The last error, which says so where the endpoint asked for more patience than there is.
fn out_of_time(mut error: ModelError, asked: Option<Duration>, left: Duration) -> ModelError {
    if let (Some(asked), ModelError::RateLimited { message, .. } | ModelError::Status { message, .. }) =
        (asked.filter(|asked| !asked.is_zero()), &mut error)
    {
        message.push_str(&format!("; it asks to wait {asked:?}, and only {left:.1?} are left"));
    }
    error
}

#[cfg(test)]
mod tests;
