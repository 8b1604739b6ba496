//! Sees when a planner goes round in circles or gets nowhere.
//!
//! Two rules. *Loop*: the same action (type, parameters, place) on the same screen for the [`REPEATS`]rd
//! time within the last [`SPAN`] steps. *Stall*: the screen has stayed as it is through [`STALLED`] steps.
//! Each is told to the planner first; an action that is planned on the same screen [`GRACE`] more times, or
//! as many further steps without any change, end the episode. A screen is the same when its place, its
//! list of elements and its picture are, to the pixel but for a text cursor that blinks: what moves by itself
//! otherwise is not a circle, and is left to the step budget. Waiting counts for loops only, with twice the patience.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use image::RgbImage;

use crate::agent::View;

/// Times until the planner is told.
pub(crate) const REPEATS: usize = 3;
/// Further times until the episode is ended.
pub(crate) const GRACE: usize = 2;
pub(crate) const SPAN: usize = 14;
/// Steps without a change until the planner is told; as many more end the episode.
pub(crate) const STALLED: usize = 5;

/// How wide a text cursor is at the most, in logical pixels.
const CARET_WIDTH: f64 = 3.0;
const CARET_HEIGHT: std::ops::RangeInclusive<f64> = 6.0..=40.0;

/// A screen's fingerprint. Two are equal when nothing differs but what a text cursor may cover.
#[derive(Clone, Debug)]
pub(crate) struct ScreenFingerprint {
    facts: u64,
    /// The picture, line by line and column by column: where two differ is where their lines and columns do.
    lines: Arc<[u64]>,
    columns: Arc<[u64]>,
    scale: f64,
}

impl PartialEq for ScreenFingerprint {
    fn eq(&self, other: &Self) -> bool {
        let same_size = (self.lines.len(), self.columns.len()) == (other.lines.len(), other.columns.len());
        if self.facts != other.facts || !same_size {
            return false;
        }
        let height = apart(&self.lines, &other.lines) / self.scale;
        let width = apart(&self.columns, &other.columns) / self.scale;
        height == 0.0 || (width <= CARET_WIDTH && CARET_HEIGHT.contains(&height))
    }
}

/// From the first number that differs to the last, both included.
fn apart(a: &[u64], b: &[u64]) -> f64 {
    let differ = |(a, b): (&u64, &u64)| a != b;
    let (first, last) = (a.iter().zip(b).position(differ), a.iter().zip(b).rposition(differ));
    let count = first.zip(last).map_or(0, |(first, last)| last - first + 1);
    u32::try_from(count).map_or(f64::MAX, f64::from)
}

impl ScreenFingerprint {
    pub(crate) fn of(view: &View) -> Self {
        let mut hash = DefaultHasher::new();
        let seen = &view.observation;
        seen.context.location.hash(&mut hash);
        seen.context.dialog.as_ref().map(|d| (&d.kind, &d.message)).hash(&mut hash);
        view.list.hash(&mut hash);
        let (lines, columns) = sums(seen.picture.pixels());
        let scale = seen.geometry.scale.max(1.0);
        Self { facts: hash.finish(), lines: lines.into(), columns: columns.into(), scale }
    }
}

/// A number for each line of a picture, and one for each column.
fn sums(picture: &RgbImage) -> (Vec<u64>, Vec<u64>) {
    let mix = |sum: u64, pixel: u64| (sum.rotate_left(5) ^ pixel).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let width = picture.width() as usize;
    let mut columns = vec![0; width];
    let lines = picture.as_raw().chunks_exact(width.max(1) * 3).map(|line| {
        line.chunks_exact(3).zip(&mut columns).fold(0, |sum, (p, column)| {
            let pixel = u64::from(p[0]) << 16 | u64::from(p[1]) << 8 | u64::from(p[2]) | 1 << 24;
            *column = mix(*column, pixel);
            mix(sum, pixel)
        })
    });
    (lines.collect(), columns)
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StepSignature {
    pub(crate) screen: ScreenFingerprint,
    pub(crate) what: String,
    pub(crate) waits: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct StuckWatch {
    deeds: VecDeque<StepSignature>,
    screen: Option<ScreenFingerprint>,
    still: usize,
    acted: bool,
}

impl StuckWatch {
    /// Looks at the screen of a new step: a notice for the planner, or in `Err` why the episode ends.
    pub(crate) fn see(&mut self, screen: &ScreenFingerprint) -> Result<Option<String>, String> {
        let same = self.screen.as_ref() == Some(screen);
        self.still = match (same, self.acted) {
            (true, true) => self.still + 1,
            (true, false) => self.still,
            (false, _) => 0,
        };
        self.screen = Some(screen.clone());
        if self.acted && same && self.still >= 2 * STALLED {
            return Err(format!("the screen did not change through {} steps", self.still));
        }
        let stalled = (self.still >= STALLED).then(|| {
            format!(
                "Note: nothing on the screen has changed through your last {} steps. Go about it in another way, or finish with failure.",
                self.still
            )
        });
        let repeated = self.deeds.back().and_then(|last| {
            let times = self.times(last);
            (times >= patience(last)).then(|| {
                format!(
                    "Note: you have now done the same thing {times} times on the same screen, with the same outcome ({}). Do something else, or finish with failure.",
                    last.what.chars().take(200).collect::<String>()
                )
            })
        });
        Ok(match (stalled, repeated) {
            (Some(a), Some(b)) => Some(format!("{a} {b}")),
            (a, b) => a.or(b),
        })
    }

    /// Takes a planned step; in `Err` why it is not carried out and the episode ends.
    pub(crate) fn take(&mut self, deed: StepSignature, acts: bool) -> Result<(), String> {
        let times = self.times(&deed) + 1;
        let (limit, what) = (patience(&deed) + GRACE * patience(&deed) / REPEATS, deed.what.clone());
        self.acted = acts && !deed.waits;
        self.deeds.push_back(deed);
        if self.deeds.len() > SPAN {
            self.deeds.pop_front();
        }
        if times >= limit {
            let what: String = what.chars().take(200).collect();
            return Err(format!("the same action was planned {times} times on the same screen: {what}"));
        }
        Ok(())
    }

    /// Takes a step in which nothing usable was planned.
    pub(crate) fn pass(&mut self) {
        self.acted = true;
    }

    fn times(&self, deed: &StepSignature) -> usize {
        self.deeds.iter().filter(|known| *known == deed).count()
    }
}

fn patience(deed: &StepSignature) -> usize {
    if deed.waits { 2 * REPEATS } else { REPEATS }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A screen without a picture.
    fn screen(facts: u64) -> ScreenFingerprint {
        ScreenFingerprint { facts, lines: Arc::default(), columns: Arc::default(), scale: 1.0 }
    }

    fn deed(facts: u64, what: &str) -> StepSignature {
        StepSignature { screen: screen(facts), what: what.into(), waits: false }
    }

    fn drawn(x: u32, y: u32, w: u32, h: u32) -> ScreenFingerprint {
        let mut picture = RgbImage::from_pixel(640, 480, image::Rgb([250; 3]));
        for (x, y) in (x..x + w).flat_map(|x| (y..y + h).map(move |y| (x, y))) {
            picture.put_pixel(x, y, image::Rgb([0; 3]));
        }
        let (lines, columns) = sums(&picture);
        ScreenFingerprint { lines: lines.into(), columns: columns.into(), ..screen(1) }
    }

    #[test]
    fn a_cursor_that_blinks_is_no_change_and_all_else_is() {
        let bare = drawn(0, 0, 0, 0);
        assert_eq!(bare, drawn(200, 100, 2, 18));
        // One that went elsewhere, a digit, a line under a word.
        assert_ne!(drawn(300, 100, 2, 18), drawn(200, 100, 2, 18));
        assert_ne!(bare, drawn(200, 100, 7, 10));
        assert_ne!(bare, drawn(200, 100, 1, 1));
        assert_ne!(bare, drawn(200, 100, 60, 1));
        assert_ne!(bare, drawn(200, 100, 1, 60));
        assert_ne!(bare, screen(1));
        assert_ne!(bare, ScreenFingerprint { facts: 2, ..bare.clone() });
        let mut watch = StuckWatch::default();
        let last = (0..).find(|step| {
            let now = if step % 2 == 0 { bare.clone() } else { drawn(200, 100, 2, 18) };
            let ended = watch.see(&now).is_err();
            watch.take(StepSignature { screen: now, ..deed(1, &format!("try {step}")) }, true).unwrap();
            ended
        });
        assert_eq!(last, Some(2 * STALLED));
    }

    #[test]
    fn a_circle_is_told_and_then_ended() {
        let mut watch = StuckWatch::default();
        let mut told = 0;
        for round in 0..10 {
            for (facts, what) in [(1, "open"), (2, "close")] {
                told += usize::from(watch.see(&screen(facts)).unwrap().is_some());
                if let Err(why) = watch.take(deed(facts, what), true) {
                    assert_eq!(round, REPEATS + GRACE - 1);
                    assert!(why.contains("5 times") && why.contains("open"), "{why}");
                    assert!(told >= 2);
                    return;
                }
            }
        }
        panic!("never ended");
    }

    #[test]
    fn a_screen_that_stays_is_told_and_then_ended() {
        let mut watch = StuckWatch::default();
        for step in 0..=2 * STALLED {
            match watch.see(&screen(7)) {
                Ok(notice) => {
                    assert_eq!(notice.is_some(), step >= STALLED, "step {step}");
                    watch.take(deed(7, &format!("try {step}")), true).unwrap();
                }
                Err(why) => {
                    assert_eq!(step, 2 * STALLED);
                    assert!(why.contains("10 steps"), "{why}");
                    return;
                }
            }
        }
        panic!("never ended");
    }

    #[test]
    fn what_changes_is_no_circle_and_waiting_has_more_patience() {
        let mut watch = StuckWatch::default();
        for n in 0..40 {
            assert_eq!(watch.see(&screen(n)), Ok(None));
            watch.take(deed(n, "scroll down"), true).unwrap();
        }
        for n in 0..8 {
            assert_eq!(watch.see(&screen(100)), Ok(None));
            watch.take(deed(100, &format!("note {n}")), false).unwrap();
        }
        let mut watch = StuckWatch::default();
        for n in 1.. {
            let notice = watch.see(&screen(1)).unwrap();
            assert_eq!(notice.is_some(), n > 6, "{n}");
            if watch.take(StepSignature { waits: true, ..deed(1, "wait") }, true).is_err() {
                assert_eq!(n, 10);
                break;
            }
        }
    }
}
