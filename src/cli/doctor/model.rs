//! What an endpoint can: a few short questions, most of them about a picture with three numbers.
//!
//! Invariant: nothing is kept of them, and each is as short as it can be; what the endpoint does not tell is unknown.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::time::Duration;

use image::imageops::{FilterType, replace, resize};
use image::{Rgb, RgbImage};
use serde::Serialize;
use serde_json::json;
use waldo_agents::model::{
    ComputerTool, Message, MessagePart, ModelClient, ModelReply, ModelRequest, ScreenKind, Speaker, Unread,
};
use waldo_agents::{AgentError, ModelError};
use waldo_devices::Deadline;
use waldo_devices::labels::{caption, encode_png};

use crate::agents::ModelArgs;
use crate::cli::Result;
use crate::screens::Finding;

/// The picture's sides: those of a usual screen.
const SIDES: (u32, u32) = (1280, 800);
/// Larger pictures, of the same shape, by which it is found out how large one may be.
const LARGER_SIDES: [(u32, u32); 4] = [(2560, 1600), (3840, 2400), (5120, 3200), (7680, 4800)];
/// How much larger the numbers are drawn than words of a story are.
const LARGER: u32 = 5;
const QUESTION: &str =
    "Which three numbers are in the picture? Answer with the numbers alone, from top to bottom.";
/// Tokens that an answer may have: some models think before they say a word.
const TOKENS: u32 = 1024;

#[derive(Debug, Default, Serialize)]
pub struct EndpointFindings {
    pub reachable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub sees_pictures: Option<bool>,
    pub formats: std::collections::BTreeMap<&'static str, bool>,
    pub tool_calls: Option<bool>,
    pub tells_thinking: bool,
    /// Tokens of the last question that came from its cache; none where it does not tell.
    pub cached_tokens: Option<u64>,
    pub prompt_tokens: Option<u64>,
    pub tokens_a_picture: Option<u64>,
    /// Seconds that an answer about a picture takes.
    pub seconds_a_picture: Option<f64>,
    /// How large a picture may be, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Sizes>,
    /// Requests that were sent, those that were sent again included.
    pub requests: u32,
}

/// How large a picture may be, of those that were tried; flat ones, so that their bytes are few.
#[derive(Debug, Default, Serialize)]
pub struct Sizes {
    /// Sides of the largest that was taken, in pixels.
    pub taken: [u32; 2],
    /// Sides of the largest whose numbers were read, where any were; an endpoint may shrink what it takes.
    pub read: Option<[u32; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<([u32; 2], String)>,
}

/// Whether it is found out how large a picture may be, which costs a few questions about large ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    Sizes,
    Nothing,
}

/// Asks a model what it can.
///
/// # Errors
/// When a flag does not fit; what the endpoint cannot do is found, and no error.
pub async fn examine(args: &ModelArgs, name: &str, measure: Measure) -> Result<EndpointFindings> {
    let client = args.client(name, &args.address())?;
    let limit = Duration::from_secs(args.model_timeout.max(1));
    let deadline = || Deadline::after(limit.saturating_mul(2));
    let mut found = EndpointFindings { requests: 1, ..EndpointFindings::default() };
    if let Err(error) = client.preflight(deadline()).await {
        found.error = Some(error.to_string());
        return Ok(found);
    }
    found.reachable = true;
    let numbers = drawn_by_lot();
    let picture = drawn(numbers);
    let png: Arc<[u8]> = encode_png(&picture)?.into();
    let without = put(&client, None, None, deadline(), &mut found).await;
    let with = put(&client, Some(&png), None, deadline(), &mut found).await;
    match &with {
        Ok(reply) => {
            found.sees_pictures = Some(reads(reply, numbers));
            found.formats.insert("png", reads(reply, numbers));
            found.seconds_a_picture = Some((reply.took.as_secs_f64() * 100.0).round() / 100.0);
            found.tells_thinking = reply.thinking.is_some();
            found.prompt_tokens = reply.usage.prompt;
            let bare = without.as_ref().ok().and_then(|reply| reply.usage.prompt);
            found.tokens_a_picture =
                reply.usage.prompt.zip(bare).map(|(with, bare)| with.saturating_sub(bare));
        }
        Err(error) => found.error = Some(error.to_string()),
    }
    if found.sees_pictures == Some(true) {
        found.formats.insert("webp", client.reads_webp(deadline()).await);
        found.requests += 1;
        // The same once more: what an endpoint keeps of a question, it tells now.
        if let Ok(reply) = put(&client, Some(&png), None, deadline(), &mut found).await {
            found.cached_tokens = reply.usage.cached;
        }
    }
    if found.sees_pictures.is_some() && measure == Measure::Sizes {
        found.sizes = Some(sizes(&client, numbers, limit.saturating_mul(2), &mut found).await?);
    }
    let (caller, tool) = offers(args, name)?;
    let called = put(&caller.unwrap_or(client), Some(&png), tool, deadline(), &mut found).await;
    found.tool_calls =
        called.ok().map(|reply| !reply.calls.is_empty() || reply.unread == Some(Unread::ToolCalls));
    Ok(found)
}

/// How large a picture may be: by halving what is left to try, so that few are sent.
async fn sizes(
    client: &Arc<dyn ModelClient>,
    numbers: [u32; 3],
    limit: Duration,
    found: &mut EndpointFindings,
) -> Result<Sizes> {
    let usual = [SIDES.0, SIDES.1];
    let read = found.sees_pictures.is_some_and(|sees| sees).then_some(usual);
    let mut sizes = Sizes { taken: usual, read, refused: None };
    let (mut from, mut to) = (0, LARGER_SIDES.len());
    // The largest at first: where it is taken, nothing is left to ask.
    let mut at = to - 1;
    while from < to {
        let (width, height) = LARGER_SIDES[at];
        let png: Arc<[u8]> = encode_png(&resize(&drawn(numbers), width, height, FilterType::Nearest))?.into();
        match put(client, Some(&png), None, Deadline::after(limit), found).await {
            Ok(reply) => {
                sizes.taken = [width, height];
                if reads(&reply, numbers) {
                    sizes.read = Some([width, height]);
                }
                from = at + 1;
            }
            Err(error) => {
                sizes.refused = Some(([width, height], error.to_string()));
                to = at;
            }
        }
        at = usize::midpoint(from, to);
    }
    Ok(sizes)
}

/// Who is asked where it is another client, and the vendor's tool where that is offered.
type Offering = (Option<Arc<dyn ModelClient>>, Option<ComputerTool>);

/// What offers a tool: on the wire of chat completions a client whose requests have one, on the others the vendor's own.
fn offers(args: &ModelArgs, name: &str) -> Result<Offering, AgentError> {
    let tool = ComputerTool { width: SIDES.0, height: SIDES.1, screen: ScreenKind::Browser };
    if args.wire.has_tool() {
        return Ok((None, Some(tool)));
    }
    let text = args.extra_body.as_deref().unwrap_or("{}");
    let mut extra: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(text).map_err(|error| ModelError::Setup {
            what: format!("--extra-body is not JSON object ({error})"),
            hint: "give it like '{\"top_p\": 0.9}'".into(),
        })?;
    let function = json!({
        "name": "report", "description": "Reports the numbers.",
        "parameters": {"type": "object", "properties": {"numbers": {"type": "string"}}, "required": ["numbers"]},
    });
    extra.insert("tools".to_owned(), json!([{"type": "function", "function": function}]));
    let args = ModelArgs { extra_body: Some(serde_json::Value::Object(extra).to_string()), ..args.clone() };
    Ok((Some(args.client(name, &args.address())?), None))
}

async fn put(
    client: &Arc<dyn ModelClient>,
    picture: Option<&Arc<[u8]>>,
    tool: Option<ComputerTool>,
    deadline: Deadline,
    found: &mut EndpointFindings,
) -> Result<ModelReply, ModelError> {
    let mut parts: Vec<MessagePart> =
        picture.map(|png| MessagePart::Png(Arc::clone(png))).into_iter().collect();
    let question = match (picture, tool) {
        (_, Some(_)) => "Press the middle of the picture with the tool.",
        _ => QUESTION,
    };
    parts.push(MessagePart::Text(question.to_owned()));
    let messages = vec![Message { speaker: Speaker::User, parts }];
    let reply =
        client.complete(&ModelRequest { messages, max_tokens: TOKENS, tool, schema: None }, deadline).await;
    found.requests += 1 + reply.as_ref().map_or(0, |reply| reply.retries);
    reply
}

/// Three numbers of three digits.
fn drawn_by_lot() -> [u32; 3] {
    let chance = RandomState::new();
    [0_u8, 1, 2].map(|n| 100 + u32::try_from(chance.hash_one(n) % 900).unwrap_or(0))
}

fn reads(reply: &ModelReply, numbers: [u32; 3]) -> bool {
    let words = reply.text.split(|c: char| !c.is_ascii_digit()).filter(|word| !word.is_empty());
    let told: Vec<u32> = words.filter_map(|word| word.parse().ok()).filter(|n| *n >= 100).collect();
    told == numbers
}

fn drawn(numbers: [u32; 3]) -> RgbImage {
    let lines = numbers.map(|number| number.to_string());
    let strip = caption(&RgbImage::new(60, 1), &lines);
    let large = resize(&strip, strip.width() * LARGER, strip.height() * LARGER, FilterType::Triangle);
    let mut picture = RgbImage::from_pixel(SIDES.0, SIDES.1, Rgb([230, 230, 230]));
    replace(&mut picture, &large, 400, 150);
    picture
}

impl EndpointFindings {
    pub fn findings(&self) -> Vec<Finding> {
        let hint = "check --base-url, --wire, --model and the variable of --api-key-env";
        let reached = match (&self.error, self.reachable) {
            (Some(error), false) => Err(error.clone()),
            _ => Ok("answers"),
        };
        let mut all = vec![Finding::of("model", reached, hint)];
        if !self.reachable {
            return all;
        }
        let seen = match (self.sees_pictures, &self.error) {
            (Some(true), _) => Ok("read three numbers in a picture".to_owned()),
            (Some(false), _) => Err("did not read three numbers in a picture".to_owned()),
            (None, error) => Err(error.clone().unwrap_or_else(|| "could not be asked about one".to_owned())),
        };
        all.push(Finding::of("model: pictures", seen, "use a model that sees: agents send it screens"));
        let named = |read: bool| {
            let names: Vec<&str> =
                self.formats.iter().filter(|(_, is)| **is == read).map(|(name, _)| *name).collect();
            (!names.is_empty()).then(|| names.join(", "))
        };
        let formats = [
            named(true).map(|names| format!("reads {names}")),
            named(false).map(|names| format!("cannot read {names}")),
        ];
        let formats: Vec<String> = formats.into_iter().flatten().collect();
        let told = |n: Option<u64>| n.map_or_else(|| "not told".to_owned(), |n| n.to_string());
        if !formats.is_empty() {
            all.push(Finding::note("model: formats", formats.join("; ")));
        }
        let calls = match self.tool_calls {
            Some(true) => "calls the tools that it is offered",
            Some(false) => "answers in text where a tool is offered",
            None => "could not be asked about tools",
        };
        let thinking = if self.tells_thinking { "tells" } else { "does not tell" };
        all.push(Finding::note("model: tools", format!("{calls}; {thinking} what it thought")));
        if let Some(sizes) = &self.sizes {
            let sides = |[w, h]: [u32; 2]| format!("{w}x{h}");
            let read =
                sizes.read.map_or_else(|| "none".to_owned(), |read| format!("those up to {}", sides(read)));
            let mut said = format!("takes pictures up to {}, reads {read}", sides(sizes.taken));
            if let Some((refused, why)) = &sizes.refused {
                said.push_str(&format!("; {} is refused: {why}", sides(*refused)));
            }
            all.push(Finding::note("model: sizes", said));
        }
        let seconds = self.seconds_a_picture.map_or_else(|| "unknown".to_owned(), |s| format!("{s} s"));
        let mut cost = format!(
            "a picture of {}x{}: {seconds}, {} tokens",
            SIDES.0,
            SIDES.1,
            told(self.tokens_a_picture)
        );
        if self.sees_pictures == Some(true) {
            let (cached, prompt) = (told(self.cached_tokens), told(self.prompt_tokens));
            cost.push_str(&format!("; asked again, {cached} of {prompt} came from its cache"));
        }
        all.push(Finding::note("model: cost", cost));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Beside "ok" a bare "no" reads as a failure.
    #[test]
    fn what_an_endpoint_lacks_is_told_in_a_sentence() {
        let found = EndpointFindings {
            reachable: true,
            sees_pictures: Some(true),
            formats: [("png", true), ("webp", false)].into(),
            tool_calls: Some(false),
            ..EndpointFindings::default()
        };
        let told: Vec<String> = found.findings().into_iter().map(|finding| finding.found).collect();
        assert!(told.contains(&"reads png; cannot read webp".to_owned()), "{told:?}");
        let tools = "answers in text where a tool is offered; does not tell what it thought".to_owned();
        assert!(told.contains(&tools), "{told:?}");
        assert!(told.iter().all(|line| line.split(' ').all(|word| word != "no")), "{told:?}");
    }

    #[test]
    fn numbers_are_drawn_and_only_the_right_ones_count() {
        let picture = drawn([111, 222, 333]);
        let ink = picture.pixels().filter(|p| p.0[0] > 235).count();
        assert!(ink > 500 && drawn([111, 222, 334]) != picture, "{ink}");
        let reply = |text: &str| ModelReply { text: text.into(), ..ModelReply::default() };
        for good in ["111, 222, 333", "111\n222\n333", "1. 111\n2. 222\n3. 333"] {
            assert!(reads(&reply(good), [111, 222, 333]), "{good}");
        }
        for bad in ["", "111 222", "222 111 333", "111 222 333 444"] {
            assert!(!reads(&reply(bad), [111, 222, 333]), "{bad}");
        }
    }
}
