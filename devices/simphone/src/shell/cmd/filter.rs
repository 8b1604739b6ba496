//! Commands that pass text on, changed: `grep` and `cut`.

use super::{Ctx, Options};
use regex::bytes::{Regex, RegexBuilder};

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
    let Some(mut options) = ctx.options("EFGHabchilLnoqrsvwxz", "emABC") else { return 2 };
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
    let before = number(&options, 'B');
    let after = number(&options, 'A');
    let (found, code) = inputs(ctx, &options.rest).await;
    let many = found.len() > 1 && !options.has('h') || options.has('H');
    let mut hits = 0;
    for (name, bytes) in found {
        let all: Vec<&[u8]> = lines(&bytes).collect();
        let matching: Vec<usize> =
            (0..all.len()).filter(|i| regex.is_match(all[*i]) != options.has('v')).take(most).collect();
        hits += matching.len();
        let head = if many { format!("{name}:") } else { String::new() };
        if options.has('q') {
            continue;
        }
        if options.has('l') {
            if !matching.is_empty() {
                ctx.say(name);
            }
            continue;
        }
        if options.has('c') {
            ctx.say(format!("{head}{}", matching.len()));
            continue;
        }
        if options.has('o') {
            for i in matching {
                for hit in regex.find_iter(all[i]) {
                    ctx.out.extend(head.bytes());
                    ctx.out.extend_from_slice(hit.as_bytes());
                    ctx.out.push(b'\n');
                }
            }
            continue;
        }
        let mut last: Option<usize> = None;
        for hit in matching {
            let from = hit.saturating_sub(before).max(last.map_or(0, |l| l + 1));
            if (before > 0 || after > 0) && last.is_some_and(|l| from > l + 1) {
                ctx.say("--");
            }
            let to = (hit + after).min(all.len().saturating_sub(1));
            for (i, line) in all.iter().enumerate().take(to + 1).skip(from) {
                ctx.out.extend(head.bytes());
                if options.has('n') {
                    ctx.out.extend(format!("{}:", i + 1).into_bytes());
                }
                ctx.out.extend_from_slice(line);
                ctx.out.push(b'\n');
                last = Some(i);
            }
        }
    }
    match (hits, code) {
        (_, code) if code != 0 => 2,
        (0, _) => 1,
        _ => 0,
    }
}

fn number(options: &Options, letter: char) -> usize {
    options.value(letter).or(options.value('C')).and_then(|n| n.parse().ok()).unwrap_or(0)
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

pub(super) async fn cut(ctx: &mut Ctx) -> u8 {
    let Some(options) = ctx.options("s", "dfcb") else { return 1 };
    let Some(list) = options.value('f').or(options.value('c')).or(options.value('b')) else {
        return ctx.fail("Need -fcb");
    };
    let wanted: Vec<(usize, usize)> = list
        .split(',')
        .map(|range| {
            let (from, to) = range.split_once('-').unwrap_or((range, range));
            (from.parse().unwrap_or(1), to.parse().unwrap_or(usize::MAX))
        })
        .collect();
    let keep = |i: usize| wanted.iter().any(|(from, to)| (*from..=*to).contains(&(i + 1)));
    let sign = options.value('d').and_then(|d| d.bytes().next()).unwrap_or(b'\t');
    let fields = options.value('f').is_some();
    let (found, code) = inputs(ctx, &options.rest).await;
    for (_, bytes) in found {
        for line in lines(&bytes) {
            if fields && line.contains(&sign) {
                let parts: Vec<&[u8]> = line
                    .split(|b| *b == sign)
                    .enumerate()
                    .filter(|(i, _)| keep(*i))
                    .map(|(_, p)| p)
                    .collect();
                ctx.out.extend(parts.join(&sign));
            } else if fields {
                ctx.out.extend_from_slice(line);
            } else {
                ctx.out.extend(line.iter().enumerate().filter(|(i, _)| keep(*i)).map(|(_, b)| *b));
            }
            ctx.out.push(b'\n');
        }
    }
    code
}
