//! Commands that run another: `xargs` and `timeout`.

use super::{Ctx, run};
use std::time::Duration;

/// `xargs [-n COUNT] [COMMAND…]`: the input's words as arguments.
pub(super) async fn xargs(ctx: &mut Ctx) -> u8 {
    let mut words = ctx.words();
    let mut most = usize::MAX;
    if words.first().is_some_and(|w| w == "-n") {
        let Some(count) = words.get(1).and_then(|n| n.parse().ok()).filter(|n| *n > 0) else {
            return ctx.fail("-n needs a number above 0");
        };
        most = count;
        words.drain(..2);
    }
    if words.is_empty() {
        words.push("echo".to_owned());
    }
    let input = ctx.input.all().await;
    let input = String::from_utf8_lossy(&input).into_owned();
    let given: Vec<String> = input.split_whitespace().map(str::to_owned).collect();
    let mut code = 0;
    for some in given.chunks(most.min(given.len().max(1))) {
        ctx.args = words.iter().chain(some).cloned().collect();
        let ended = run(ctx).await;
        // Each run begins with nothing printed.
        if ended.is_some() && ctx.deliver().await.is_err() {
            return 1;
        }
        match ended {
            Some(0) => {}
            Some(_) => code = 123,
            None => {
                let text = format!("xargs: {}: No such file or directory", words[0]);
                return ctx.refuse(127, text);
            }
        }
    }
    code
}

/// `timeout SECONDS COMMAND…`
pub(super) async fn timeout(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    let [seconds, command @ ..] = words.as_slice() else {
        return ctx.fail("Needs 2 arguments (see \"timeout --help\")");
    };
    let time = seconds.trim_end_matches('s').parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    let (Some(time), Some(name)) = (time, command.first().cloned()) else {
        return ctx.fail("Needs 2 arguments (see \"timeout --help\")");
    };
    ctx.args = command.to_vec();
    match tokio::time::timeout(time, run(ctx)).await {
        Ok(Some(code)) => code,
        Ok(None) => ctx.refuse(127, format!("timeout: exec {name}: No such file or directory")),
        // As a process that a signal ended.
        Err(_) => 143,
    }
}
