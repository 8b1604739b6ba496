//! A client of an endpoint, on any wire.
//!
//! Invariants: a call answers by its deadline; what may pass is tried again, with growing waits and with
//! respect for `Retry-After`; what cannot pass is not; what an endpoint does not take is learnt once; no key and no
//! credential is shown or logged.

mod attempt;
mod learn;
mod options;
mod pace;
mod questions;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Method, Request};
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;
use waldo_devices::{Deadline, JsonMembers as _};

use self::attempt::{Failure, Remedy, ReplyReading, attempt};
use self::learn::Adjustment;
use self::options::EndpointAddress;
pub use self::options::{EndpointOptions, Secret};
use self::pace::Pace;
pub(crate) use self::questions::PREFLIGHT;
use super::cassette::WIRE;
use super::wire::{self, Learnt, ModelAnswer, WireRequest};
use super::{ModelClient, ModelReply, ModelRequest, Usage, Wire};
use crate::error::{ModelError, TimedBy};
use crate::http;

/// The fewest tokens of a reply that are asked for in place of more than an endpoint allows.
const LEAST_TOKENS: u32 = 256;

/// The wait before the second attempt; each further one is twice as long.
const FIRST_BACKOFF: Duration = Duration::from_millis(500);

pub(crate) struct EndpointClient {
    options: EndpointOptions,
    endpoint: EndpointAddress,
    http: Client,
    /// Permits for [`EndpointOptions::concurrency`] requests. One is kept through the waits between attempts,
    /// so that an endpoint that asks for patience gets it.
    slots: Semaphore,
    pace: Pace,
    learnt: Mutex<Learnt>,
    /// As many tokens of a reply as the endpoint was found to allow.
    most_tokens: AtomicU32,
    /// Whether it was seen to hold a reply to a schema.
    holds: AtomicBool,
}

impl fmt::Debug for EndpointClient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("EndpointClient").field("options", &self.options).finish_non_exhaustive()
    }
}

impl EndpointClient {
    /// Sets a client up; nothing is sent.
    pub fn new(options: EndpointOptions) -> Result<Self, ModelError> {
        let setup = |what: &str, hint: &str| ModelError::setup(what, hint);
        if options.model.trim().is_empty() {
            return Err(setup("the model has no name", "give the name that the endpoint knows it by"));
        }
        let endpoint = EndpointAddress::new(&options)?;
        if options.temperature.is_some_and(|value| !value.is_finite() || value < 0.0) {
            return Err(setup("the temperature is not a number from 0", "give one such as 0 or 0.7"));
        }
        if options.concurrency == 0 || options.concurrency > Semaphore::MAX_PERMITS {
            return Err(setup("no request may be under way", "give a concurrency of at least 1"));
        }
        if options.logprobs && !options.wire.form().gives_tokens() {
            return Err(setup(
                &format!("the wire {} cannot return the tokens of replies", options.wire.as_str()),
                "leave --logprobs out, or ask the model with --wire chat",
            ));
        }
        let http = http::client(&endpoint.url).map_err(|error| {
            setup(
                &format!("the HTTP client cannot start ({})", error.without_url()),
                "check the proxy variables and the certificates of this machine",
            )
        })?;
        let slots = Semaphore::new(options.concurrency);
        let pace = Pace::new(options.requests_per_minute, options.tokens_per_minute);
        let most_tokens = AtomicU32::new(u32::MAX);
        let (learnt, holds) = (Mutex::default(), AtomicBool::new(false));
        Ok(Self { options, endpoint, http, slots, pace, learnt, most_tokens, holds })
    }

    fn learnt(&self) -> Learnt {
        *self.learnt.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tokens that a reply may have, of those that are asked for.
    fn limit(&self, request: &ModelRequest) -> u32 {
        request.max_tokens.min(self.most_tokens.load(Ordering::Relaxed))
    }

    fn holds_to_schema(&self, request: &ModelRequest, learnt: Learnt) -> bool {
        let field = self.options.wire.form().schema_field();
        let written = field.is_some_and(|field| !self.options.extra_body.contains_key(field));
        request.schema.is_some() && written && !learnt.no_schema
    }

    /// What may help where nothing says so: an endpoint that refuses what holds a reply to a schema may not name it.
    fn remedy(&self, failure: &Failure, request: &ModelRequest, learnt: Learnt) -> Remedy {
        let refused = matches!(failure.error, ModelError::Status { status: 400 | 422 | 501, .. });
        let unseen = !self.holds.load(Ordering::Relaxed);
        match failure.again {
            Remedy::Never if refused && unseen && self.holds_to_schema(request, learnt) => {
                Remedy::After(Adjustment::NoSchema)
            }
            again => again,
        }
    }

    fn streams(&self, learnt: Learnt) -> bool {
        self.options.stream || learnt.stream
    }

    fn http_request(&self, request: &ModelRequest, learnt: Learnt) -> Request {
        let stream = self.streams(learnt);
        let asked = WireRequest {
            model: &self.options.model,
            request,
            max_tokens: self.limit(request),
            temperature: self.options.temperature.filter(|_| !learnt.no_temperature),
            seed: self.options.seed,
            image_detail: self.options.image_detail.as_deref(),
            extra_body: &self.options.extra_body,
            stream,
            logprobs: self.options.logprobs,
            learnt,
        };
        let form = self.options.wire.form();
        let mut http = Request::new(Method::POST, self.endpoint.address(stream).clone());
        http.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        form.add_headers(&asked, http.headers_mut());
        if let Some((name, value)) = &self.endpoint.credential {
            http.headers_mut().insert(name.clone(), value.clone());
        }
        *http.body_mut() = Some(form.request(&asked).to_string().into());
        http
    }

    /// Sends a request once. A whole reply has to come within the limit; a stream may not be silent for longer.
    async fn once(
        &self,
        request: &ModelRequest,
        learnt: Learnt,
        deadline: Deadline,
    ) -> Result<ModelAnswer, Failure> {
        let limit = self.options.attempt_timeout.min(deadline.left());
        let reading = if self.streams(learnt) { ReplyReading::Stream(limit) } else { ReplyReading::Whole };
        let form = self.options.wire.form();
        let sent = attempt(&self.http, &self.endpoint, form, self.http_request(request, learnt), reading);
        let whole = match reading {
            ReplyReading::Whole => limit,
            ReplyReading::Stream(_) => deadline.left(),
        };
        match tokio::time::timeout(whole, sent).await {
            Ok(answer) => answer,
            Err(_) => Err(Failure::later(ModelError::Timeout { after: whole, by: TimedBy::Request })),
        }
    }

    fn reply(&self, answer: ModelAnswer, took: Duration, retries: u32) -> ModelReply {
        let micro_usd = self.options.prices.cost(&self.options.model, &answer.usage);
        ModelReply {
            text: answer.text,
            thinking: answer.thinking,
            calls: answer.calls,
            said: answer.said,
            usage: Usage { micro_usd, ..answer.usage },
            sampled: answer.sampled.map(Arc::new),
            finish: answer.finish,
            unread: answer.unread,
            took,
            retries,
            structured: false,
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

    /// Takes what a refusal teaches; whether there was something to take, so that the request is worth sending again.
    /// `with` is what was known when the request was sent.
    fn take(&self, lesson: Adjustment, with: Learnt, request: &ModelRequest, error: &ModelError) -> bool {
        if lesson == Adjustment::FewerTokens {
            let asked = self.limit(request);
            let fewer = asked / 2;
            if fewer < LEAST_TOKENS || !self.may_change_limit() {
                return false;
            }
            tracing::warn!(
                asked, fewer, %error,
                "the endpoint does not allow replies of so many tokens; from here on it is asked for fewer (see --max-tokens)"
            );
            self.most_tokens.fetch_min(fewer, Ordering::Relaxed);
            return true;
        }
        if lesson == Adjustment::LimitField && !self.may_change_limit() {
            return false;
        }
        let Some(known) = lesson.taken(with, &self.options, request) else { return false };
        let mut learnt = self.learnt.lock().unwrap_or_else(PoisonError::into_inner);
        // Another request may have learnt more meanwhile.
        if *learnt == with {
            match lesson {
                // The reply is asked for in words all the same.
                Adjustment::NoSchema => tracing::debug!(%error, "{}", lesson.explanation()),
                _ => tracing::warn!(%error, "{}", lesson.explanation()),
            }
            *learnt = known;
        }
        true
    }

    /// Whether the limit may be changed: not where the user names one.
    fn may_change_limit(&self) -> bool {
        let fields = ["max_tokens", "max_completion_tokens", "max_output_tokens", "generationConfig"];
        fields.iter().all(|field| !self.options.extra_body.contains_key(*field))
    }
}

#[async_trait]
impl ModelClient for EndpointClient {
    fn model(&self) -> &str {
        &self.options.model
    }

    fn wire(&self) -> Wire {
        self.options.wire
    }

    fn parameters(&self) -> Value {
        let mut parameters = Map::new();
        if self.options.wire != Wire::default() {
            parameters.insert(WIRE.to_owned(), json!(self.options.wire));
        }
        if let Some(temperature) = self.options.temperature {
            parameters.insert("temperature".to_owned(), wire::number(temperature));
        }
        parameters.put_some("seed", self.options.seed);
        parameters.put_some("image_detail", &self.options.image_detail);
        parameters.put_filled("logprobs", self.options.logprobs);
        if !self.options.extra_body.is_empty() {
            parameters.insert("extra_body".to_owned(), Value::Object(self.options.extra_body.clone()));
        }
        Value::Object(parameters)
    }

    async fn reads_webp(&self, deadline: Deadline) -> bool {
        self.webp(deadline).await
    }

    async fn preflight(&self, deadline: Deadline) -> Result<(), ModelError> {
        self.can_be_asked(deadline).await
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
            let Some(number) = self.pace.turn(request, deadline).await else {
                return Err(ModelError::Timeout { after: started.elapsed(), by: TimedBy::Pace });
            };
            let learnt = self.learnt();
            let failure = match self.once(request, learnt, deadline).await {
                Ok(answer) => {
                    self.pace.record_usage(number, &answer.usage);
                    let structured = self.holds_to_schema(request, learnt);
                    self.holds.fetch_or(structured, Ordering::Relaxed);
                    return Ok(ModelReply { structured, ..self.reply(answer, started.elapsed(), retries) });
                }
                Err(_) if deadline.passed() => return Err(late()),
                Err(failure) => failure,
            };
            let asked = match self.remedy(&failure, request, learnt) {
                Remedy::Later(asked) if retries < self.options.max_retries => asked,
                Remedy::After(lesson) if self.take(lesson, learnt, request, &failure.error) => {
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
pub(crate) mod tests;
