//! One attempt: send, read within bounds, and say whether another attempt may help.

use std::error::Error;
use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION, RETRY_AFTER};
use reqwest::{Client, Request, Response, StatusCode};
use serde_json::{Value, json};

use super::learn::Adjustment;
use super::options::EndpointAddress;
use crate::error::{ModelError, TimedBy};
use crate::model::wire::sse::Events;
use crate::model::wire::{self, ModelAnswer, ReplyFault, WireForm};

/// The largest body that is read, in bytes.
const BODY_CAP: usize = 8 << 20;
/// Characters of an endpoint's message that are shown.
const MESSAGE_LIMIT: usize = 500;
/// Characters of an unreadable body that are shown.
const EXCERPT_LIMIT: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    /// Nothing: the same would come again.
    Never,
    /// The same request, after the wait that the endpoint asks for, if it does.
    Later(Option<Duration>),
    /// The same without what the endpoint does not take.
    After(Adjustment),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReplyReading {
    Whole,
    /// As a stream of events, in which no silence may be longer.
    Stream(Duration),
}

#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: ModelError,
    pub(super) again: Remedy,
}

impl Failure {
    pub(super) fn later(error: ModelError) -> Self {
        Self { error, again: Remedy::Later(None) }
    }
}

pub(super) async fn attempt(
    client: &Client,
    endpoint: &EndpointAddress,
    form: &dyn WireForm,
    request: Request,
    reading: ReplyReading,
) -> Result<ModelAnswer, Failure> {
    let response = within(reading, client.execute(request)).await?;
    let response = response.map_err(|error| unreachable(endpoint, error))?;
    if !response.status().is_success() {
        return Err(refused(endpoint, form, response).await);
    }
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    // Some endpoints know no streams, and answer whole.
    let whole = reading == ReplyReading::Whole || kind.starts_with("application/json");
    let (answer, begins) = if whole {
        let body = read_body(endpoint, reading, response).await?;
        (wire::read(form, &body), body)
    } else {
        let (body, begins, done) = read_stream(endpoint, form, reading, response).await?;
        let answer = wire::read_value(form, &body);
        // Asked of the bare reply: one that broke off early has no content either.
        let open_ended = || form.read(&body).is_ok_and(|answer| answer.finish.is_none());
        if !done && !matches!(answer, Err(ReplyFault::Wrapped { .. })) && open_ended() {
            let message = "its stream broke off: nothing in it says why the reply ended".to_owned();
            return Err(Failure::later(ModelError::BadBody { message }));
        }
        (answer, begins)
    };
    answer.map_err(|fault| match fault {
        ReplyFault::Shape(message) => {
            let excerpt = endpoint.clean(&String::from_utf8_lossy(&begins), EXCERPT_LIMIT);
            Failure::later(ModelError::BadBody { message: format!("{message}; it begins with {excerpt:?}") })
        }
        ReplyFault::Wrapped { status: Some(status @ 400..=599), message } => {
            status_failure(endpoint, form, status, &message, None, false)
        }
        ReplyFault::Wrapped { message, .. } => Failure::later(ModelError::BadBody {
            message: format!("it holds an error: {}", endpoint.clean(&message, MESSAGE_LIMIT)),
        }),
    })
}

/// Waits as long as a silence may be.
async fn within<T>(reading: ReplyReading, what: impl Future<Output = T>) -> Result<T, Failure> {
    match reading {
        ReplyReading::Whole => Ok(what.await),
        ReplyReading::Stream(idle) => tokio::time::timeout(idle, what)
            .await
            .map_err(|_| Failure::later(ModelError::Timeout { after: idle, by: TimedBy::Silence })),
    }
}

/// The connection failed before there was a status.
fn unreachable(endpoint: &EndpointAddress, error: reqwest::Error) -> Failure {
    let again = if error.is_builder() { Remedy::Never } else { Remedy::Later(None) };
    Failure {
        error: ModelError::Unreachable {
            url: endpoint.shown.clone(),
            message: endpoint.clean(&root_cause(&error.without_url()), MESSAGE_LIMIT),
        },
        again,
    }
}

/// The innermost reason, which names the fact (`connection refused`); the outer ones only frame it.
fn root_cause(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

/// Takes a body of at most [`BODY_CAP`] bytes piece by piece, and stops where there are more.
async fn take_body(
    endpoint: &EndpointAddress,
    reading: ReplyReading,
    mut response: Response,
    mut take: impl FnMut(&[u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let too_large = || Failure {
        error: ModelError::BadBody { message: format!("it is larger than {} MiB", BODY_CAP >> 20) },
        again: Remedy::Never,
    };
    if response.content_length().is_some_and(|length| length > BODY_CAP as u64) {
        return Err(too_large());
    }
    let mut taken = 0;
    loop {
        match within(reading, response.chunk()).await? {
            Ok(Some(chunk)) if taken + chunk.len() > BODY_CAP => return Err(too_large()),
            Ok(Some(chunk)) => {
                taken += chunk.len();
                take(&chunk)?;
            }
            Ok(None) => return Ok(()),
            Err(error) => {
                let cause = endpoint.clean(&root_cause(&error.without_url()), MESSAGE_LIMIT);
                return Err(Failure::later(ModelError::BadBody {
                    message: format!("it broke off after {taken} bytes ({cause})"),
                }));
            }
        }
    }
}

async fn read_body(
    endpoint: &EndpointAddress,
    reading: ReplyReading,
    response: Response,
) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    take_body(endpoint, reading, response, |chunk| {
        body.extend_from_slice(chunk);
        Ok(())
    })
    .await?;
    Ok(body)
}

/// Puts a stream together to the body as it would have come whole, with its first bytes and whether it ended.
async fn read_stream(
    endpoint: &EndpointAddress,
    form: &dyn WireForm,
    reading: ReplyReading,
    response: Response,
) -> Result<(Value, Vec<u8>, bool), Failure> {
    let (mut events, mut whole, mut begins) = (Events::default(), json!({}), Vec::new());
    let fold = |whole: &mut Value, data: Vec<String>| -> Result<(), Failure> {
        for data in data {
            let event = serde_json::from_str(&data).map_err(|error| {
                let excerpt = endpoint.clean(&data, EXCERPT_LIMIT);
                Failure::later(ModelError::BadBody {
                    message: format!("an event of its stream is not JSON ({error}): {excerpt:?}"),
                })
            })?;
            form.fold(whole, &event);
        }
        Ok(())
    };
    take_body(endpoint, reading, response, |chunk| {
        if begins.len() < EXCERPT_LIMIT {
            begins.extend(chunk.iter().take(EXCERPT_LIMIT));
        }
        let data = events.take(chunk);
        fold(&mut whole, data)
    })
    .await?;
    fold(&mut whole, events.end())?;
    if !events.begun {
        return Err(Failure::later(ModelError::BadBody {
            message: format!(
                "it is not a stream of events; it begins with {:?}",
                endpoint.clean(&String::from_utf8_lossy(&begins), EXCERPT_LIMIT)
            ),
        }));
    }
    Ok((whole, begins, events.done))
}

async fn refused(endpoint: &EndpointAddress, form: &dyn WireForm, response: Response) -> Failure {
    let status = response.status();
    let retry_after = retry_after(response.headers(), Timestamp::now());
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok()).map(str::to_owned);
    // A body that breaks off takes nothing from what the status says.
    let body = read_body(endpoint, ReplyReading::Whole, response).await.unwrap_or_default();
    let json: Option<Value> = serde_json::from_slice(&body).ok();
    let out_of_credit = json
        .as_ref()
        .and_then(|json| json.pointer("/error/code").or_else(|| json.pointer("/error/type")))
        .is_some_and(|code| code == "insufficient_quota");
    let retry_after = retry_after.or_else(|| json.as_ref().and_then(retry_info));
    let mut message = json
        .as_ref()
        .and_then(wire::error_message)
        .unwrap_or_else(|| String::from_utf8_lossy(&body).into_owned());
    if message.trim().is_empty() {
        message = status.canonical_reason().unwrap_or("no message").to_lowercase();
    }
    if status.is_redirection() {
        let target = location.and_then(|target| endpoint.url.join(&target).ok());
        message = match target {
            // Only the server's part: a query could hold credentials.
            Some(target) => format!("it redirects to {}; give that address", without_credentials(target)),
            None => "it redirects to nowhere; check the address".to_owned(),
        };
    } else if status == StatusCode::NOT_FOUND && endpoint.bare {
        message.push_str(" (the base URL has no path; is /v1 missing?)");
    }
    status_failure(endpoint, form, status.as_u16(), &message, retry_after, out_of_credit)
}

fn without_credentials(mut url: url::Url) -> String {
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.into()
}

/// What Google's error bodies ask for in place of `Retry-After`.
fn retry_info(body: &Value) -> Option<Duration> {
    let details = body.pointer("/error/details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    Duration::try_from_secs_f64(delay.trim_end_matches('s').parse().ok()?).ok()
}

fn status_failure(
    endpoint: &EndpointAddress,
    form: &dyn WireForm,
    status: u16,
    message: &str,
    retry_after: Option<Duration>,
    out_of_credit: bool,
) -> Failure {
    let again = match status {
        _ if out_of_credit => Remedy::Never,
        408 | 409 | 429 | 500..=599 => Remedy::Later(retry_after),
        _ => Adjustment::of(status, message, form.tools()).map_or(Remedy::Never, Remedy::After),
    };
    let message = endpoint.clean(message, MESSAGE_LIMIT);
    let error = match status {
        // An empty account is not a passing limit, so it is not classed as one.
        429 if !out_of_credit => ModelError::RateLimited { message, retry_after },
        _ => ModelError::Status { status, message, retry_after },
    };
    Failure { error, again }
}

/// What `Retry-After` asks for: seconds, or a date. A date that has passed asks for no wait.
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let at = rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
    Some(Duration::try_from(at.duration_since(now)).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delay_of(value: &str) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, value.parse().unwrap());
        retry_after(&headers, "2026-11-21T10:00:00Z".parse().unwrap())
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        assert_eq!(delay_of("7"), Some(Duration::from_secs(7)));
        assert_eq!(delay_of("0.5"), Some(Duration::from_millis(500)));
        assert_eq!(delay_of("Sat, 21 Nov 2026 10:00:30 GMT"), Some(Duration::from_secs(30)));
        assert_eq!(delay_of("Sat, 21 Nov 2026 09:59:00 GMT"), Some(Duration::ZERO));
        for nonsense in ["soon", "-3", "NaN", "1e300"] {
            assert_eq!(delay_of(nonsense), None, "{nonsense}");
        }
        assert_eq!(retry_after(&HeaderMap::new(), Timestamp::now()), None);
    }
}
