//! How long programs take to react to an input, learnt from what is seen.
//!
//! Invariants: the wait after an input lies between [`LEAST`] and [`MOST`]; what comes later than it was waited
//! for makes the next wait longer, a run of steps at which nothing was late makes it shorter.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use image::RgbImage;

use crate::change::change;
use waldo_devices::picture::Picture;

/// The wait for a program that nothing is known of.
const UNKNOWN: Duration = Duration::from_millis(400);
const LEAST: Duration = Duration::from_millis(120);
const MOST: Duration = Duration::from_millis(1500);
/// What a reaction that came late is multiplied by to get the next wait, in percent.
const LATE_PERCENT: u32 = 125;
/// What the wait is multiplied by after a step at which nothing came late, in percent.
const IN_TIME_PERCENT: u32 = 80;
/// For how many inputs after a late reaction the wait is kept.
const KEPT: u32 = 8;
/// What changes later than this after an input is not a reaction to it.
const UNRELATED: Duration = Duration::from_secs(3);

#[derive(Clone, Copy, Debug)]
struct ProgramReaction {
    wait: Duration,
    /// For how many more inputs it does not shrink.
    kept: u32,
}

impl Default for ProgramReaction {
    fn default() -> Self {
        Self { wait: UNKNOWN, kept: 0 }
    }
}

#[derive(Clone, Debug)]
struct AwaitedInput {
    program: String,
    at: Instant,
    /// The reaction may come as late as this, whatever is known of the program.
    least: Duration,
}

/// What is known of programs, and the last look.
#[derive(Debug, Default)]
pub(crate) struct Reactions {
    programs: BTreeMap<String, ProgramReaction>,
    /// The program in front at the last look.
    front: String,
    input: Option<AwaitedInput>,
    /// What the first look after `input` showed; `None` where it had no picture or the screen moves by itself.
    seen: Option<Picture>,
}

impl Reactions {
    /// How long after an input the screen may still be about to change: for the program in front.
    pub(crate) fn wait(&self) -> Duration {
        self.known(&self.front).wait
    }

    /// Until when the reaction to the last input may come; `None` without one.
    pub(crate) fn due(&self) -> Option<Instant> {
        let input = self.input.as_ref()?;
        Some(input.at + self.known(&input.program).wait.max(input.least))
    }

    /// The reaction to the last input may take this long.
    pub(crate) fn expect_later(&mut self, least: Duration) {
        if let Some(input) = &mut self.input {
            input.least = least;
        }
    }

    fn known(&self, program: &str) -> ProgramReaction {
        self.programs.get(program).copied().unwrap_or_default()
    }

    pub(crate) fn input(&mut self) {
        self.input =
            Some(AwaitedInput { program: self.front.clone(), at: Instant::now(), least: Duration::ZERO });
        self.seen = None;
    }

    /// The screen was looked at: the program in front, and the picture of a screen that is quiet. The first look
    /// after an input is what the agent went by.
    pub(crate) fn looked(&mut self, front: String, seen: Option<Picture>) {
        self.front = front;
        self.seen = self.seen.take().or(seen);
    }

    /// What the screen shows right before the next input, and when something was drawn last.
    pub(crate) fn learn(&mut self, now: &RgbImage, drawn: Instant) {
        let (Some(input), Some(seen)) = (self.input.take(), self.seen.take()) else {
            return;
        };
        let known = self.programs.entry(input.program).or_default();
        let late = change(seen.pixels(), now).is_some_and(|change| !change.is_caret());
        let after = drawn.saturating_duration_since(input.at);
        if late && after < UNRELATED {
            *known =
                ProgramReaction { wait: (after * LATE_PERCENT / 100).clamp(known.wait, MOST), kept: KEPT };
        } else if known.kept > 0 {
            known.kept -= 1;
        } else {
            known.wait = (known.wait * IN_TIME_PERCENT / 100).max(LEAST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen(shade: u8) -> RgbImage {
        RgbImage::from_pixel(60, 50, image::Rgb([shade; 3]))
    }

    /// One input whose reaction is drawn `after` it, seen before that (`late`) or with it.
    fn step(reactions: &mut Reactions, after: Duration, late: bool) {
        reactions.input();
        let at = reactions.input.as_ref().unwrap().at;
        reactions.looked("editor".to_owned(), Some(Picture::new(screen(if late { 0 } else { 9 }))));
        reactions.learn(&screen(9), at + after);
    }

    #[test]
    fn a_late_reaction_is_waited_for_next_time_and_early_ones_shorten_the_wait() {
        let mut reactions = Reactions::default();
        reactions.looked("editor".to_owned(), None);
        assert_eq!(reactions.wait(), UNKNOWN);
        step(&mut reactions, Duration::from_millis(800), true);
        assert_eq!(reactions.wait(), Duration::from_millis(1000));
        for _ in 0..KEPT {
            step(&mut reactions, Duration::from_millis(30), false);
        }
        assert_eq!(reactions.wait(), Duration::from_millis(1000), "one quick step tells nothing");
        step(&mut reactions, Duration::from_millis(30), false);
        assert_eq!(reactions.wait(), Duration::from_millis(800));
        for _ in 0..40 {
            step(&mut reactions, Duration::from_millis(30), false);
        }
        assert_eq!(reactions.wait(), LEAST);
        step(&mut reactions, Duration::from_millis(2900), true);
        assert_eq!(reactions.wait(), MOST);
    }

    #[test]
    fn what_changes_long_after_an_input_is_no_reaction_and_programs_are_apart() {
        let mut reactions = Reactions::default();
        reactions.looked("editor".to_owned(), None);
        step(&mut reactions, UNRELATED * 2, true);
        assert!(reactions.wait() < UNKNOWN);
        reactions.looked("other".to_owned(), None);
        assert_eq!(reactions.wait(), UNKNOWN);
    }

    #[test]
    fn without_an_input_or_a_quiet_look_nothing_is_learnt() {
        let mut reactions = Reactions::default();
        assert_eq!(reactions.due(), None);
        reactions.looked("editor".to_owned(), Some(Picture::new(screen(0))));
        reactions.learn(&screen(9), Instant::now());
        reactions.input();
        assert!(reactions.due().is_some());
        reactions.looked("editor".to_owned(), None);
        reactions.learn(&screen(9), Instant::now());
        assert_eq!(reactions.wait(), UNKNOWN);
        assert_eq!(reactions.due(), None, "an input is waited for once");
    }
}
