//! Commands about text: `echo`, `printf`, `cat`, `head`, `tail`, `wc`, `test`.

use super::{Ctx, Options, Tty};
use crate::files::{Access, Kind};

pub(super) fn echo(ctx: &mut Ctx) -> u8 {
    let mut words = ctx.words();
    let (mut newline, mut escapes) = (true, false);
    while let Some(word) = words.first() {
        if word.len() < 2 || !word.starts_with('-') || !word[1..].chars().all(|c| "neE".contains(c)) {
            break;
        }
        newline &= !word.contains('n');
        escapes = word.contains('e') || (escapes && !word.contains('E'));
        words.remove(0);
    }
    let line = words.join(" ");
    let mut bytes = if escapes { unescape(&line) } else { line.into_bytes() };
    if newline {
        bytes.push(b'\n');
    }
    ctx.out = bytes;
    0
}

fn unescape(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut chars = text.chars().peekable();
    let mut buffer = [0; 4];
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
            continue;
        }
        match chars.next() {
            Some('n') => out.push(b'\n'),
            Some('t') => out.push(b'\t'),
            Some('r') => out.push(b'\r'),
            Some('a') => out.push(7),
            Some('b') => out.push(8),
            Some('e') => out.push(27),
            Some('\\') => out.push(b'\\'),
            Some('x') => {
                let mut value = 0;
                for _ in 0..2 {
                    match chars.peek().and_then(|c| c.to_digit(16)) {
                        Some(digit) => {
                            value = value * 16 + digit;
                            chars.next();
                        }
                        None => break,
                    }
                }
                out.push(u8::try_from(value).unwrap_or(0));
            }
            Some(digit @ '0'..='7') => {
                let mut value = digit.to_digit(8).unwrap_or(0);
                for _ in 0..3 {
                    match chars.peek().and_then(|c| c.to_digit(8)) {
                        Some(digit) => {
                            value = value * 8 + digit;
                            chars.next();
                        }
                        None => break,
                    }
                }
                out.push(u8::try_from(value & 0xff).unwrap_or(0));
            }
            Some('c') => break,
            Some(other) => {
                out.push(b'\\');
                out.extend_from_slice(other.encode_utf8(&mut buffer).as_bytes());
            }
            None => out.push(b'\\'),
        }
    }
    out
}

pub(super) fn printf(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    let Some((format, args)) = words.split_first() else {
        return ctx.fail("usage: printf FORMAT [ARGUMENT...]");
    };
    let mut args = args.iter();
    loop {
        let before = args.len();
        let mut chars = format.chars().peekable();
        let mut plain = String::new();
        while let Some(c) = chars.next() {
            if c != '%' {
                plain.push(c);
                continue;
            }
            if chars.next_if_eq(&'%').is_some() {
                plain.push('%');
                continue;
            }
            ctx.out.extend(unescape(&std::mem::take(&mut plain)));
            let mut spec = String::new();
            while let Some(c) = chars.next_if(|c| c.is_ascii_digit() || "-+ .#".contains(*c)) {
                spec.push(c);
            }
            let arg =
                if chars.peek().is_some() { args.next().cloned().unwrap_or_default() } else { String::new() };
            let text = match chars.next() {
                Some('s') => arg,
                Some('b') => {
                    let bytes = unescape(&arg);
                    ctx.out.extend(bytes);
                    continue;
                }
                Some('d' | 'i' | 'u') => arg.trim().parse::<i64>().unwrap_or(0).to_string(),
                Some('x') => format!("{:x}", arg.trim().parse::<i64>().unwrap_or(0)),
                Some('c') => arg.chars().take(1).collect(),
                _ => arg,
            };
            let left = spec.starts_with('-');
            let zero = spec.starts_with('0');
            let width: usize = spec
                .trim_start_matches(['-', '0', '+', ' '])
                .split('.')
                .next()
                .and_then(|w| w.parse().ok())
                .unwrap_or(0);
            let width = width.min(4096);
            let text = if left {
                format!("{text:<width$}")
            } else if zero {
                format!("{text:0>width$}")
            } else {
                format!("{text:>width$}")
            };
            ctx.out.extend(text.into_bytes());
        }
        ctx.out.extend(unescape(&plain));
        if args.len() == 0 || args.len() == before {
            return 0;
        }
    }
}

pub(super) async fn cat(ctx: &mut Ctx) -> u8 {
    let mut words: Vec<String> =
        ctx.words().into_iter().filter(|w| w == "-" || !w.starts_with('-')).collect();
    if words.is_empty() {
        words.push("-".to_owned());
    }
    let mut code = 0;
    for word in words {
        match ctx.read(&word).await {
            Ok(bytes) => {
                if ctx.out.is_empty() {
                    ctx.out = bytes;
                } else {
                    ctx.out.extend(bytes);
                }
            }
            Err(error) => code = ctx.fail(format!("{word}: {error}")),
        }
    }
    code
}

pub(super) async fn head_tail(ctx: &mut Ctx) -> u8 {
    let words: Vec<String> = ctx
        .words()
        .into_iter()
        .flat_map(|w| match w.strip_prefix('-') {
            // `head -5` is an old way to say `head -n 5`.
            Some(n) if !n.is_empty() && n.chars().all(|c| c.is_ascii_digit()) => {
                vec!["-n".to_owned(), n.to_owned()]
            }
            _ => vec![w],
        })
        .collect();
    let options = match Options::read(&words, "qvf", "nc") {
        Ok(options) => options,
        Err(c) => return ctx.fail(format!("Unknown option '{c}'")),
    };
    let from_start = options.value('n').is_some_and(|n| n.starts_with('+'));
    let number = |c| options.value(c).and_then(|n| n.trim_start_matches(['+', '-']).parse::<usize>().ok());
    let name = options.rest.first().map_or("-", String::as_str);
    let bytes = match ctx.read(name).await {
        Ok(bytes) => bytes,
        Err(error) => return ctx.fail(format!("{name}: {error}")),
    };
    let tail = ctx.args[0] == "tail";
    if let Some(count) = number('c') {
        let cut = count.min(bytes.len());
        ctx.out = if tail { bytes[bytes.len() - cut..].to_vec() } else { bytes[..cut].to_vec() };
        return 0;
    }
    let count = number('n').unwrap_or(10);
    let lines: Vec<&[u8]> = bytes.split_inclusive(|b| *b == b'\n').collect();
    let kept = if !tail {
        &lines[..count.min(lines.len())]
    } else if from_start {
        &lines[count.saturating_sub(1).min(lines.len())..]
    } else {
        &lines[lines.len() - count.min(lines.len())..]
    };
    ctx.out = kept.concat();
    0
}

pub(super) async fn wc(ctx: &mut Ctx) -> u8 {
    let Some(options) = ctx.options("lwcm", "") else { return 1 };
    let all = !"lwcm".chars().any(|c| options.has(c));
    let names = if options.rest.is_empty() { vec![String::new()] } else { options.rest.clone() };
    let mut code = 0;
    for name in names {
        let bytes = match ctx.read(if name.is_empty() { "-" } else { &name }).await {
            Ok(bytes) => bytes,
            Err(error) => {
                code = ctx.fail(format!("{name}: {error}"));
                continue;
            }
        };
        let lines = bytes.iter().filter(|b| **b == b'\n').count();
        let count = String::from_utf8_lossy(&bytes).split_ascii_whitespace().count();
        let mut columns = Vec::new();
        for (letter, value) in [('l', lines), ('w', count), ('c', bytes.len())] {
            if all || options.has(letter) {
                columns.push(value.to_string());
            }
        }
        if !name.is_empty() {
            columns.push(name);
        }
        let line = columns.join(" ");
        ctx.say(line);
    }
    code
}

/// `test` and `[`: 0 true, 1 false, 2 not understood.
pub(super) fn test(ctx: &mut Ctx) -> u8 {
    let mut words = ctx.words();
    if ctx.args[0] == "[" && words.pop().as_deref() != Some("]") {
        return ctx.refuse(2, "/system/bin/sh: [: missing ]");
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match any(ctx, &words) {
        Some(truth) => u8::from(!truth),
        None => {
            let text =
                format!("/system/bin/sh: {}: {}: unexpected operator/operand", ctx.args[0], words.join(" "));
            ctx.refuse(2, text)
        }
    }
}

fn any(ctx: &Ctx, words: &[&str]) -> Option<bool> {
    if let Some(at) = words.iter().position(|w| *w == "-o") {
        return Some(any(ctx, &words[..at])? || any(ctx, &words[at + 1..])?);
    }
    if let Some(at) = words.iter().position(|w| *w == "-a")
        && at > 0
    {
        return Some(any(ctx, &words[..at])? && any(ctx, &words[at + 1..])?);
    }
    match words {
        [] => Some(false),
        ["!", rest @ ..] => Some(!any(ctx, rest)?),
        [text] => Some(!text.is_empty()),
        ["-z", text] => Some(text.is_empty()),
        ["-n", text] => Some(!text.is_empty()),
        ["-t", _] => Some(ctx.tty == Tty::Yes),
        [flag, name] if flag.len() == 2 && flag.starts_with('-') => {
            let path = ctx.path(name);
            let flag = flag.chars().nth(1)?;
            ctx.files(|fs| {
                let node = fs.stat(&path).ok().cloned();
                Some(match flag {
                    'e' => node.is_some(),
                    'f' => node.is_some_and(|n| matches!(n.kind, Kind::File(_))),
                    'd' => node.is_some_and(|n| n.is_dir()),
                    's' => node.is_some_and(|n| n.size() > 0),
                    'L' | 'h' => fs.lstat(&path).is_ok_and(|n| matches!(n.kind, Kind::Link(_))),
                    'r' => node.is_some() && fs.access(&path, Access::Read).is_ok(),
                    'w' => node.is_some() && fs.access(&path, Access::Write).is_ok(),
                    'x' => node.is_some() && fs.access(&path, Access::Search).is_ok(),
                    _ => return None,
                })
            })
        }
        [left, sign, right] => {
            let numbers = || Some((left.trim().parse::<i64>().ok()?, right.trim().parse::<i64>().ok()?));
            Some(match *sign {
                "=" | "==" => left == right,
                "!=" => left != right,
                "-eq" => numbers()?.0 == numbers()?.1,
                "-ne" => numbers()?.0 != numbers()?.1,
                "-lt" => numbers()?.0 < numbers()?.1,
                "-le" => numbers()?.0 <= numbers()?.1,
                "-gt" => numbers()?.0 > numbers()?.1,
                "-ge" => numbers()?.0 >= numbers()?.1,
                _ => return None,
            })
        }
        _ => None,
    }
}

/// `tee [-a] FILE…`: what comes in goes on, and into each file.
pub(super) async fn tee(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    let add = words.iter().any(|w| w == "-a");
    let text = ctx.input.all().await;
    let mut code = 0;
    for name in words.iter().filter(|w| !w.starts_with('-')) {
        let path = ctx.path(name);
        let written = ctx.files(|fs| {
            let mut fs = fs.as_shell();
            if add { fs.append(&path, &text) } else { fs.write(&path, text.clone()) }
        });
        if let Err(error) = written {
            code = ctx.fail(format!("{name}: {error}"));
        }
    }
    ctx.out.extend(text);
    code
}

/// `seq [FIRST [STEP]] LAST`
pub(super) fn seq(ctx: &mut Ctx) -> u8 {
    /// Lines at the most: what is asked for by mistake shall not fill the memory.
    const MOST: usize = 100_000;
    let numbers: Option<Vec<i64>> = ctx.words().iter().map(|w| w.parse().ok()).collect();
    let (first, step, last) = match numbers.as_deref() {
        Some([last]) => (1, 1, *last),
        Some([first, last]) => (*first, 1, *last),
        Some([first, step, last]) => (*first, *step, *last),
        _ => return ctx.fail("Needs whole numbers: [FIRST [STEP]] LAST"),
    };
    let mut next = first;
    for _ in 0..MOST {
        if step == 0 || (step > 0 && next > last) || (step < 0 && next < last) {
            break;
        }
        ctx.say(next.to_string());
        next = next.saturating_add(step);
    }
    0
}
