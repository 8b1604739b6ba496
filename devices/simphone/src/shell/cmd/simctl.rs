//! `simctl`: the simulated phone's own command, which no real phone has. For tests and tasks to set the stage.

use super::Ctx;
use crate::fault::{PhoneFault, Stay};
use std::time::Duration;

const USAGE: &str = include_str!("../../../assets/texts/simctl.txt");

/// How long `quiesce` waits at most.
const LIMIT: Duration = Duration::from_secs(10);

pub(super) async fn simctl(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["reset"] => {
            let seed = ctx.phone.options.seed;
            ctx.phone.with(|w| w.reset(seed));
            0
        }
        ["reset", seed] => match seed.parse() {
            Ok(seed) => ctx.done(|w| w.reset(seed)),
            Err(_) => ctx.fail(format!("seed {seed} is not a whole number")),
        },
        ["fault", rest @ ..] => {
            let (stay, rest) = match rest {
                ["--times", count, rest @ ..] => match count.parse() {
                    Ok(count) => (Stay::Times(count), rest),
                    Err(_) => return ctx.fail(format!("{count} is not a whole number")),
                },
                rest => (Stay::Always, rest),
            };
            match rest.join(" ").parse::<PhoneFault>() {
                Ok(fault) => ctx.done(|w| w.faults_mut().set(fault, stay)),
                Err(error) => ctx.fail(error.to_string()),
            }
        }
        ["faults", "--known"] => {
            // The message about a word that is not a fault lists those that are.
            let known = "?".parse::<PhoneFault>().err().map(|e| e.to_string()).unwrap_or_default();
            ctx.answer(known.split_once("known: ").map_or("", |(_, names)| names))
        }
        ["faults"] => {
            let names: Vec<String> = ctx.phone.with(|w| w.faults.iter().map(|f| format!("{f:?}")).collect());
            for name in names {
                ctx.say(name);
            }
            0
        }
        ["clear"] => ctx.done(|w| w.faults_mut().clear_all()),
        ["clear", name] => ctx.done(|w| w.faults_mut().clear(name)),
        ["state"] => {
            let state = ctx.phone.with(|w| w.state_json());
            ctx.answer(state.to_string())
        }
        ["stores"] => {
            let stores = ctx.phone.with(|w| w.stores_json());
            ctx.answer(stores.to_string())
        }
        ["time"] => {
            let (wall, up) = ctx.phone.with(|w| (w.wall(), w.now_ms));
            ctx.answer(format!("{wall} {up}"))
        }
        ["quiesce", rest @ ..] => {
            let want = rest.first().and_then(|w| w.parse().ok()).unwrap_or(ctx.phone.options.idle.quiet_ms);
            let wait = async {
                loop {
                    let quiet = ctx.phone.with(|w| w.quiet_for_ms());
                    if quiet >= want {
                        return;
                    }
                    tokio::time::sleep(Duration::from_millis((want - quiet).max(1))).await;
                }
            };
            let quiet = tokio::select! {
                done = tokio::time::timeout(LIMIT, wait) => done.is_ok(),
                () = ctx.gone.cancelled() => false,
            };
            if quiet { 0 } else { ctx.fail("the screen did not become quiet") }
        }
        _ => {
            ctx.warn(USAGE);
            u8::from(!words.is_empty())
        }
    }
}
