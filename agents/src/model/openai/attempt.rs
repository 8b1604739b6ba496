//! One attempt: send, read within bounds, and say whether another attempt may help.

use std::error::Error;
use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use reqwest::header::{HeaderMap, LOCATION, RETRY_AFTER};
use reqwest::{Client, Request, Response, StatusCode};
use serde_json::Value;

use super::options::Endpoint;
use crate::error::ModelError;
use crate::model::wire::{self, ChatReply, ReplyFault};

/// The largest body that is read, in bytes.
pub(super) const BODY_CAP: usize = 8 << 20;
/// Characters of an endpoint's message that are shown.
const MESSAGE_LIMIT: usize = 500;
/// Characters of an unreadable body that are shown.
const EXCERPT_LIMIT: usize = 200;

/// What may help after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    /// Nothing: the same would come again.
    Never,
    /// The same request, after the wait that the endpoint asks for, if it does.
    Later(Option<Duration>),
    /// The same with the reply's limit named `max_completion_tokens`.
    OtherLimitField,
    /// The same with a lower limit of the reply.
    FewerTokens,
}

/// A failed attempt.
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

/// Sends `request` once.
pub(super) async fn attempt(
    client: &Client,
    endpoint: &Endpoint,
    request: Request,
) -> Result<ChatReply, Failure> {
    let response = client.execute(request).await.map_err(|error| unreachable(endpoint, error))?;
    if !response.status().is_success() {
        return Err(refused(endpoint, response).await);
    }
    let body = read_body(endpoint, response).await?;
    wire::parse_chat_reply(&body).map_err(|fault| match fault {
        ReplyFault::Shape(message) => {
            let excerpt = endpoint.clean(&String::from_utf8_lossy(&body), EXCERPT_LIMIT);
            Failure::later(ModelError::BadBody { message: format!("{message}; it begins with {excerpt:?}") })
        }
        ReplyFault::Wrapped { status: Some(status @ 400..=599), message } => {
            status_failure(endpoint, status, &message, None, false)
        }
        ReplyFault::Wrapped { message, .. } => Failure::later(ModelError::BadBody {
            message: format!("it holds an error: {}", endpoint.clean(&message, MESSAGE_LIMIT)),
        }),
    })
}

/// The connection failed before there was a status.
fn unreachable(endpoint: &Endpoint, error: reqwest::Error) -> Failure {
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

/// Reads a body of at most [`BODY_CAP`] bytes, and stops where there are more.
async fn read_body(endpoint: &Endpoint, mut response: Response) -> Result<Vec<u8>, Failure> {
    let too_large = || Failure {
        error: ModelError::BadBody { message: format!("it is larger than {} MiB", BODY_CAP >> 20) },
        again: Remedy::Never,
    };
    if response.content_length().is_some_and(|length| length > BODY_CAP as u64) {
        return Err(too_large());
    }
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() > BODY_CAP => return Err(too_large()),
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => return Ok(body),
            Err(error) => {
                let cause = endpoint.clean(&root_cause(&error.without_url()), MESSAGE_LIMIT);
                return Err(Failure::later(ModelError::BadBody {
                    message: format!("it broke off after {} bytes ({cause})", body.len()),
                }));
            }
        }
    }
}

/// The failure of a response whose status is not a success.
async fn refused(endpoint: &Endpoint, response: Response) -> Failure {
    let status = response.status();
    let retry_after = retry_after(response.headers(), Timestamp::now());
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok()).map(str::to_owned);
    // A body that breaks off takes nothing from what the status says.
    let body = read_body(endpoint, response).await.unwrap_or_default();
    let json: Option<Value> = serde_json::from_slice(&body).ok();
    let out_of_credit = json
        .as_ref()
        .and_then(|json| json.pointer("/error/code").or_else(|| json.pointer("/error/type")))
        .is_some_and(|code| code == "insufficient_quota");
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
    } else if status == StatusCode::NOT_FOUND && endpoint.url.path() == "/chat/completions" {
        message.push_str(" (the base URL has no path; is /v1 missing?)");
    }
    status_failure(endpoint, status.as_u16(), &message, retry_after, out_of_credit)
}

fn without_credentials(mut url: url::Url) -> String {
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.into()
}

/// Whether a message says that the reply's limit is more than the endpoint allows.
fn allows_fewer(message: &str) -> bool {
    let message = message.to_lowercase();
    let limit = ["max_tokens", "max_completion_tokens", "maximum context length"];
    let beyond =
        ["too large", "at most", "maximum", "exceed", "less than or equal", "must be less", "greater than"];
    limit.iter().any(|word| message.contains(word))
        && beyond.iter().any(|word| message.contains(word))
        // `Use 'max_completion_tokens' instead.`
        && !message.contains("instead")
}

fn status_failure(
    endpoint: &Endpoint,
    status: u16,
    message: &str,
    retry_after: Option<Duration>,
    out_of_credit: bool,
) -> Failure {
    let again = match status {
        _ if out_of_credit => Remedy::Never,
        408 | 409 | 429 | 500..=599 => Remedy::Later(retry_after),
        400 | 422 if allows_fewer(message) => Remedy::FewerTokens,
        400 if message.contains("max_completion_tokens") => Remedy::OtherLimitField,
        _ => Remedy::Never,
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
