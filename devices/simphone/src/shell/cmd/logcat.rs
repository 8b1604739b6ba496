//! `logcat` and `log`.

use super::Ctx;
use crate::clock::Civil;
use crate::world::log::LogLine;

/// The levels, from the lowest; `S` lets nothing pass.
const LEVELS: &str = "VDIWEFS";
const SHELL_PID: u32 = 4_242;

fn rank(level: char) -> usize {
    LEVELS.find(level.to_ascii_uppercase()).unwrap_or(0)
}

/// What is to be printed, and how.
struct Wish {
    /// Ends with what is there.
    dump: bool,
    last: Option<usize>,
    format: String,
    /// The lowest level of each tag that is named.
    tags: Vec<(String, char)>,
    others: char,
}

impl Wish {
    fn read(words: &[String]) -> Result<Self, String> {
        let mut wish =
            Self { dump: false, last: None, format: "threadtime".to_owned(), tags: Vec::new(), others: 'V' };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let (name, joined) = match word.split_at_checked(2) {
                Some((name, rest)) if name.starts_with('-') && name != "--" && !rest.is_empty() => {
                    (name, Some(rest.to_owned()))
                }
                _ => (word.as_str(), None),
            };
            let mut value = || {
                let value = joined.clone().or_else(|| words.next().cloned());
                value.ok_or_else(|| format!("option requires an argument -- '{}'", &name[1..]))
            };
            match name {
                "-d" => wish.dump = true,
                "-t" | "-T" => {
                    let count = value()?;
                    // A time instead of a count means all since then: all there is.
                    wish.last = count.parse().ok();
                    wish.dump |= name == "-t";
                }
                "-v" => wish.format = value()?,
                "-s" => wish.others = 'S',
                "-b" | "-e" | "-m" | "-r" | "-n" | "-G" => {
                    value()?;
                }
                _ if name.starts_with("--") => {}
                _ if name.starts_with('-') => return Err(format!("invalid option -- '{}'", &name[1..])),
                spec => match spec.split_once(':') {
                    Some(("*", level)) => wish.others = level.chars().next().unwrap_or('V'),
                    Some((tag, level)) => {
                        wish.tags.push((tag.to_owned(), level.chars().next().unwrap_or('V')));
                    }
                    None => wish.tags.push((spec.to_owned(), 'V')),
                },
            }
        }
        Ok(wish)
    }

    fn wants(&self, line: &LogLine) -> bool {
        let least =
            self.tags.iter().rfind(|(tag, _)| *tag == line.tag).map_or(self.others, |(_, level)| *level);
        rank(line.level) >= rank(least)
    }

    fn show(&self, line: &LogLine) -> String {
        let LogLine { pid, level, tag, text, .. } = line;
        let c = Civil::of(line.wall);
        let time = format!(
            "{:02}-{:02} {:02}:{:02}:{:02}.{:03}",
            c.month, c.day, c.hour, c.minute, c.second, line.ms
        );
        match self.format.as_str() {
            "brief" => format!("{level}/{tag}({pid:>5}): {text}"),
            "tag" => format!("{level}/{tag}: {text}"),
            "raw" => text.clone(),
            "time" => format!("{time} {level}/{tag}({pid:>5}): {text}"),
            _ => format!("{time} {pid:>5} {pid:>5} {level} {tag:<8}: {text}"),
        }
    }
}

pub(super) async fn logcat(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    if words.iter().any(|w| w == "-c" || w == "--clear") {
        ctx.phone.with(|w| w.log.clear());
        return 0;
    }
    if words.iter().any(|w| w == "-g" || w == "--buffer-size") {
        return ctx.answer("main: ring buffer is 256 KiB (2 KiB consumed, 1 KiB readable), max entry is 5120 B, max payload is 4068 B");
    }
    let wish = match Wish::read(&words) {
        Ok(wish) => wish,
        Err(why) => return ctx.fail(why),
    };
    ctx.say("--------- beginning of main");
    let (mut next, mut last) = (0, wish.last);
    let mut news = ctx.phone.with(|w| w.log.watch());
    loop {
        news.mark_unchanged();
        let lines: Vec<LogLine>;
        (lines, next) = ctx.phone.with(|w| w.log.since(next));
        let mut lines: Vec<&LogLine> = lines.iter().filter(|line| wish.wants(line)).collect();
        if let Some(last) = last.take() {
            lines.drain(..lines.len().saturating_sub(last));
        }
        for line in lines {
            ctx.say(wish.show(line));
        }
        // What runs after it in a pipeline waits for its end.
        if wish.dump || !ctx.flush().await {
            return 0;
        }
        tokio::select! {
            changed = news.changed() => if changed.is_err() { return 0 },
            () = ctx.gone.cancelled() => return 130,
        }
    }
}

/// `log [-p LEVEL] [-t TAG] TEXT…`
pub(super) fn log(ctx: &mut Ctx) -> u8 {
    let (mut level, mut tag, mut text) = ('I', "log".to_owned(), Vec::new());
    let words = ctx.words();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-p" => {
                level = words.next().and_then(|w| w.chars().next()).map_or('I', |c| c.to_ascii_uppercase())
            }
            "-t" => tag = words.next().unwrap_or_default(),
            _ => text.push(word),
        }
    }
    if text.is_empty() {
        return ctx.fail("Needs 1 argument (see \"log --help\")");
    }
    ctx.done(|w| w.note(SHELL_PID, level, &tag, &text.join(" ")))
}
