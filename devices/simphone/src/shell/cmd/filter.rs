//! Commands that pass on what comes in, changed: `grep`, `cut` and `gzip`.

use super::{Ctx, Options};
use flate2::{Compression, read::GzEncoder};
use regex::bytes::{Regex, RegexBuilder};
use std::io::Read as _;

/// The inputs named, or standard input: each with its name.
async fn inputs(ctx: &mut Ctx, names: &[String]) -> (Vec<(String, Vec<u8>)>, u8) {
    let mut code = 0;
    let mut found = Vec::new();
    let names = if names.is_empty() { vec!["-".to_owned()] } else { names.to_vec() };
    for name in names {
        match ctx.read(&name).await {
            Ok(bytes) => found.push((name, bytes)),
            Err(error) => code = ctx.fail(format!("{name}: {error}")),
        }
    }
    (found, code)
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let cut = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    cut.split(|b| *b == b'\n').filter(move |_| !bytes.is_empty())
}

pub(super) async fn grep(ctx: &mut Ctx) -> u8 {
    let Some(mut options) = ctx.options("EFcioqvwx", "em") else { return 2 };
    let pattern = match options.value('e') {
        Some(pattern) => pattern.to_owned(),
        None if options.rest.is_empty() => {
            ctx.fail("no REGEX");
            return 2;
        }
        None => options.rest.remove(0),
    };
    let Some(regex) = compile(&pattern, &options) else {
        ctx.fail(format!("bad REGEX '{pattern}'"));
        return 2;
    };
    let most = options.value('m').and_then(|m| m.parse().ok()).unwrap_or(usize::MAX);
    let (found, code) = inputs(ctx, &options.rest).await;
    let many = found.len() > 1;
    let mut hits = 0;
    for (name, bytes) in found {
        let head = if many { format!("{name}:") } else { String::new() };
        let matching: Vec<&[u8]> =
            lines(&bytes).filter(|line| regex.is_match(line) != options.has('v')).take(most).collect();
        hits += matching.len();
        if options.has('q') {
            continue;
        }
        if options.has('c') {
            ctx.say(format!("{head}{}", matching.len()));
            continue;
        }
        for line in matching {
            let parts: Vec<&[u8]> = match options.has('o') {
                true => regex.find_iter(line).map(|hit| hit.as_bytes()).collect(),
                false => vec![line],
            };
            for part in parts {
                ctx.out.extend(head.bytes());
                ctx.out.extend_from_slice(part);
                ctx.out.push(b'\n');
            }
        }
    }
    match (hits, code) {
        (_, code) if code != 0 => 2,
        (0, _) => 1,
        _ => 0,
    }
}

fn compile(pattern: &str, options: &Options) -> Option<Regex> {
    let mut text = if options.has('F') {
        regex::escape(pattern)
    } else if options.has('E') {
        pattern.to_owned()
    } else {
        basic(pattern)
    };
    if options.has('x') {
        text = format!("^(?:{text})$");
    } else if options.has('w') {
        text = format!(r"\b(?:{text})\b");
    }
    RegexBuilder::new(&text).case_insensitive(options.has('i')).unicode(true).size_limit(1 << 20).build().ok()
}

/// A basic expression as an extended one: the brackets and `+ ? |` are signs only after a backslash.
fn basic(pattern: &str) -> String {
    let mut out = String::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(c @ ('(' | ')' | '{' | '}' | '+' | '?' | '|')) => out.push(c),
                Some(c) => out.extend(['\\', c]),
                None => out.push_str("\\\\"),
            },
            '(' | ')' | '{' | '}' | '+' | '?' | '|' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

/// `cut -d SIGN -f LIST`: some fields of each line; a line without the sign goes on whole.
pub(super) async fn cut(ctx: &mut Ctx) -> u8 {
    let Some(options) = ctx.options("", "df") else { return 1 };
    let Some(list) = options.value('f') else { return ctx.fail("Need -f") };
    let wanted: Vec<usize> = list.split(',').filter_map(|number| number.parse().ok()).collect();
    let sign = options.value('d').and_then(|d| d.bytes().next()).unwrap_or(b'\t');
    let (found, code) = inputs(ctx, &options.rest).await;
    for line in found.iter().flat_map(|(_, bytes)| lines(bytes)) {
        let fields: Vec<&[u8]> = line.split(|b| *b == sign).collect();
        let kept: Vec<&[u8]> = match fields.len() {
            1 => fields,
            _ => (1..).zip(fields).filter(|(n, _)| wanted.contains(n)).map(|(_, field)| field).collect(),
        };
        ctx.out.extend(kept.join(&sign));
        ctx.out.push(b'\n');
    }
    code
}

/// `gzip`: what comes in, packed; to the output alone.
pub(super) async fn gzip(ctx: &mut Ctx) -> u8 {
    let Some(options) = ctx.options("cfq123456789", "") else { return 1 };
    let level = ('1'..='9').rfind(|c| options.has(*c)).and_then(|c| c.to_digit(10)).unwrap_or(6);
    let bytes = ctx.input.all().await;
    let pack = move || {
        let mut out = Vec::new();
        GzEncoder::new(bytes.as_slice(), Compression::new(level)).read_to_end(&mut out).map(|_| out)
    };
    match tokio::task::spawn_blocking(pack).await {
        Ok(Ok(packed)) => {
            ctx.out = packed;
            0
        }
        _ => ctx.fail("bad input"),
    }
}
