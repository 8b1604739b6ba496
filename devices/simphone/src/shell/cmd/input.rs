//! `input`: fingers, keys and text, with the system server's own defects.

use super::Ctx;
use crate::shell::keys;
use crate::world::TouchPhase;
use crate::world::second::SECOND;
use std::time::Duration;

/// Milliseconds between two moves of a gesture.
const STEP: u64 = 8;
/// Longest gesture, milliseconds: longer ones are taken for a mistake and cut.
const LONGEST: u64 = 60_000;

const SOURCES: &str = "keyboard dpad gamepad touchscreen mouse stylus trackball touchpad touchnavigation joystick rotaryencoder";

const USAGE: &str = include_str!("../../../assets/texts/input.txt");

/// An exception of the system server: class, message, and where it came from.
struct Thrown {
    class: &'static str,
    message: String,
    at: &'static str,
}

/// What is said of arguments that are none.
fn illegal(message: String, at: &'static str) -> Thrown {
    Thrown { class: "java.lang.IllegalArgumentException", message, at }
}

fn missing(after: &str) -> Thrown {
    let at = "com.android.modules.utils.BasicShellCommandHandler.getNextArgRequired(BasicShellCommandHandler.java:300)";
    illegal(format!("Argument expected after \"{after}\""), at)
}

fn no_number(text: &str) -> Thrown {
    let at = "jdk.internal.math.FloatingDecimal.readJavaFormatString(FloatingDecimal.java:2054)";
    let message = format!("For input string: \"{text}\"");
    Thrown { class: "java.lang.NumberFormatException", message, at }
}

struct Args {
    words: Vec<String>,
    at: usize,
}

impl Args {
    fn next(&mut self) -> Option<String> {
        let word = self.words.get(self.at).cloned();
        self.at += usize::from(word.is_some());
        word
    }

    fn required(&mut self) -> Result<String, Thrown> {
        let before = self.words.get(self.at.wrapping_sub(1)).cloned().unwrap_or_default();
        self.next().ok_or_else(|| missing(&before))
    }

    /// A coordinate in pixels; fractions are allowed and cut.
    fn pixel(&mut self) -> Result<i32, Thrown> {
        let text = self.required()?;
        let value = text.parse::<f32>().map_err(|_| no_number(&text))?;
        Ok(value as i32)
    }

    fn duration(&mut self, default: u64) -> Result<u64, Thrown> {
        match self.next() {
            None => Ok(default),
            // A negative time means the default.
            Some(text) => match text.parse::<i64>() {
                Ok(ms) => Ok(u64::try_from(ms).unwrap_or(default).min(LONGEST)),
                Err(_) => Err(no_number(&text)),
            },
        }
    }
}

pub(super) async fn input(ctx: &mut Ctx) -> u8 {
    let mut args = Args { words: ctx.words(), at: 0 };
    let mut word = args.next();
    if word.as_deref().is_some_and(|w| SOURCES.split(' ').any(|source| source == w)) {
        word = args.next();
    }
    if word.as_deref() == Some("-d") {
        let display = args.next().unwrap_or_default();
        if display == SECOND.to_string() && ctx.phone.with(|w| w.second().is_some()) {
            return on_second(ctx, &mut args);
        }
        // Events for a display that is not there reach nobody and nobody is told.
        if !matches!(display.as_str(), "0" | "-1" | "DEFAULT_DISPLAY" | "INVALID_DISPLAY") {
            return 0;
        }
        word = args.next();
    }
    let Some(command) = word else {
        return ctx.reject(USAGE);
    };
    let result = match command.as_str() {
        "text" => text(ctx, &mut args),
        "keyevent" => keyevent(ctx, &mut args),
        "keycombination" => keycombination(ctx, &mut args),
        "tap" => tap(ctx, &mut args),
        "swipe" => swipe(ctx, &mut args).await,
        "motionevent" => motion(ctx, &mut args),
        "help" | "-h" | "--help" => return ctx.answer(USAGE),
        other => {
            return ctx.reject(format!("Unknown command: {other}"));
        }
    };
    match result {
        Ok(()) => 0,
        Err(Thrown { class, message, at }) => ctx.refuse(255, format!(
                "\nException occurred while executing '{command}':\n{class}: {message}\n\tat {at}\n\tat com.android.server.input.InputShellCommand.onCommand(InputShellCommand.java:168)\n\tat com.android.modules.utils.BasicShellCommandHandler.exec(BasicShellCommandHandler.java:97)\n\tat android.os.ShellCommand.exec(ShellCommand.java:38)\n\tat com.android.server.input.InputManagerService.onShellCommand(InputManagerService.java:3016)\n\tat android.os.Binder.shellCommand(Binder.java:1103)\n\tat android.os.Binder.execTransactInternal(Binder.java:1376)\n\tat android.os.Binder.execTransact(Binder.java:1304)"
            )),
    }
}

/// What reaches the second display: taps, and the keys that lead home. The rest falls on nothing there.
fn on_second(ctx: &mut Ctx, args: &mut Args) -> u8 {
    match args.next().as_deref() {
        Some("tap") => match (args.pixel(), args.pixel()) {
            (Ok(x), Ok(y)) => ctx.done(|w| w.tap_second(x, y)),
            _ => 255,
        },
        Some("keyevent") => {
            let code = args.next().map_or(0, |word| keys::code(&word));
            if matches!(code, 3 | 4) {
                ctx.phone.with(|w| w.show_on_second(None));
            }
            0
        }
        _ => 0,
    }
}

/// What is really typed: `%s` is a blank and nothing else is escaped, so a `%s` meant as such cannot be typed.
fn typed(text: &str) -> String {
    let mut out = String::new();
    let mut percent = false;
    for c in text.chars() {
        if percent && c == 's' {
            out.pop();
            out.push(' ');
            percent = false;
            continue;
        }
        percent = c == '%';
        out.push(c);
    }
    out
}

/// Types its first argument; the others are not looked at. One character without a key and nothing is typed at all.
fn text(ctx: &mut Ctx, args: &mut Args) -> Result<(), Thrown> {
    let text = typed(&args.required()?);
    if text.chars().any(|c| !(' '..='~').contains(&c)) {
        let (class, message) =
            ("java.lang.NullPointerException", "Attempt to get length of null array".to_owned());
        let at = "com.android.server.input.InputShellCommand.sendText(InputShellCommand.java:396)";
        return Err(Thrown { class, message, at });
    }
    ctx.phone.with(|w| {
        for c in text.chars() {
            // Without a focused field the keys go to whatever listens, as on a phone.
            let _ = w.type_char(c);
        }
    });
    Ok(())
}

fn keyevent(ctx: &mut Ctx, args: &mut Args) -> Result<(), Thrown> {
    let mut next = Some(args.required()?);
    while let Some(word) = next {
        ctx.phone.with(|w| w.key(keys::code(&word), 0));
        next = args.next();
    }
    Ok(())
}

fn keycombination(ctx: &mut Ctx, args: &mut Args) -> Result<(), Thrown> {
    let mut codes = Vec::new();
    let mut next = Some(args.required()?);
    while let Some(word) = next {
        codes.push(keys::code(&word));
        next = args.next();
    }
    if codes.len() < 2 {
        let at = "com.android.server.input.InputShellCommand.runKeyCombination(InputShellCommand.java:500)";
        return Err(illegal("keycombination requires at least 2 keycodes".to_owned(), at));
    }
    let meta = codes.iter().map(|c| keys::meta(*c)).fold(0, |a, b| a | b);
    ctx.phone.with(|w| {
        for code in codes.into_iter().filter(|c| keys::meta(*c) == 0) {
            w.key(code, meta);
        }
    });
    Ok(())
}

fn tap(ctx: &mut Ctx, args: &mut Args) -> Result<(), Thrown> {
    let (x, y) = (args.pixel()?, args.pixel()?);
    ctx.phone.with(|w| {
        let now = w.now_ms;
        w.touch(TouchPhase::Down, 0, x, y, now);
        w.touch(TouchPhase::Up, 0, x, y, now);
    });
    Ok(())
}

fn between(from: i32, to: i32, part: u64, whole: u64) -> i32 {
    let (part, whole) = (i64::try_from(part).unwrap_or(0), i64::try_from(whole).unwrap_or(1));
    let way = i64::from(to) - i64::from(from);
    i32::try_from(i64::from(from) + way * part / whole).unwrap_or(to)
}

/// From here to there in so many milliseconds.
async fn swipe(ctx: &mut Ctx, args: &mut Args) -> Result<(), Thrown> {
    let (x1, y1, x2, y2) = (args.pixel()?, args.pixel()?, args.pixel()?, args.pixel()?);
    let time = args.duration(300)?;
    let begun = ctx.phone.with(|w| {
        let now = w.now_ms;
        w.touch(TouchPhase::Down, 0, x1, y1, now);
        now
    });
    let mut passed = 0;
    let mut left = false;
    while passed < time && !left {
        let step = STEP.min(time - passed);
        left = ctx.wait(Duration::from_millis(step)).await;
        // What really passed counts where it is more.
        passed = (passed + step).max(ctx.phone.uptime_ms().saturating_sub(begun)).min(time);
        if passed < time {
            let (x, y) = (between(x1, x2, passed, time), between(y1, y2, passed, time));
            ctx.phone.with(|w| w.touch(TouchPhase::Move, 0, x, y, begun + passed));
        }
    }
    ctx.phone.with(|w| {
        let now = w.now_ms.max(begun + passed);
        if (x1, y1) != (x2, y2) {
            w.touch(TouchPhase::Move, 0, x2, y2, now);
        }
        w.touch(TouchPhase::Up, 0, x2, y2, now);
    });
    Ok(())
}

fn motion(ctx: &mut Ctx, args: &mut Args) -> Result<(), Thrown> {
    let action = args.required()?;
    let phase = match action.to_ascii_uppercase().as_str() {
        "DOWN" => TouchPhase::Down,
        "MOVE" => TouchPhase::Move,
        "UP" => TouchPhase::Up,
        "CANCEL" => TouchPhase::Cancel,
        other => {
            let at = "com.android.server.input.InputShellCommand.getAction(InputShellCommand.java:560)";
            return Err(illegal(format!("Unknown motionevent {other}"), at));
        }
    };
    // Only a cancelled gesture may leave its place out.
    let (x, y) = if phase == TouchPhase::Cancel && args.at >= args.words.len() {
        (0, 0)
    } else {
        (args.pixel()?, args.pixel()?)
    };
    ctx.phone.with(|w| {
        let now = w.now_ms;
        w.touch(phase, 0, x, y, now);
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::typed;

    #[test]
    fn percent_s_is_the_only_escape() {
        assert_eq!(typed("a%sb"), "a b");
        assert_eq!(typed("100%"), "100%");
        assert_eq!(typed("%%s"), "% ");
        assert_eq!(typed("%d\\n%S"), "%d\\n%S");
    }
}
