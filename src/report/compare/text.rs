use std::fmt::Write as _;

use waldo_devices::count::{count, either};
use waldo_tasks::score::DifferenceVerdict;

use super::{Comparison, ContestantOutcome, Flip, Pair};
use crate::report::words::{NONE, of, percent};

/// Tasks that are listed for each pair, gains and losses each.
const SHOWN: usize = 10;

pub fn text(comparison: &Comparison) -> String {
    let mut out = String::new();
    let Some(base) = comparison.sides.first() else { return out };
    let widest = comparison.sides.iter().map(|side| side.name.chars().count()).max().unwrap_or(0).max(10);
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "within {}; differences are to {}, in points, with 95 % intervals over tasks\n",
        count(comparison.budget, "step"),
        base.name
    );
    let _ = writeln!(
        out,
        "{:widest$}  {:>4}  {:>6}  {:>6}  {:>5}  {:<24}  {:<24}",
        "contestant", "n", "SR %", "EQA %", "tasks", "SR difference", "EQA difference"
    );
    for (n, side) in comparison.sides.iter().enumerate() {
        let pair = n.checked_sub(1).and_then(|n| comparison.pairs.get(n));
        let _ = write!(
            out,
            "{:widest$}  {:>4}  {:>6}  {:>6}",
            side.name,
            side.n,
            of(side.n, || percent(side.sr)),
            of(side.n, || percent(side.eqa))
        );
        let _ = match pair.map(|pair| (pair, &pair.difference)) {
            None => writeln!(out, "  {:>5}  base", ""),
            Some((_, None)) => writeln!(out, "  {:>5}  {NONE}", 0),
            Some((pair, Some(found))) => writeln!(
                out,
                "  {:>5}  {:<24}  {:<24}  {}",
                found.tasks,
                difference(found.sr, found.sr_ci),
                difference(found.eqa, found.eqa_ci),
                verdict(pair)
            ),
        };
    }
    for pair in &comparison.pairs {
        flips(&mut out, &base.name, pair);
    }
    if !comparison.notices.is_empty() {
        out.push('\n');
    }
    for notice in &comparison.notices {
        let _ = writeln!(out, "note: {notice}");
    }
    out
}

fn flips(out: &mut String, base: &str, pair: &Pair) {
    let gained: Vec<&Flip> = pair.flips.iter().filter(|flip| flip.gain() > 0.0).collect();
    let lost: Vec<&Flip> = pair.flips.iter().rev().filter(|flip| flip.gain() < 0.0).collect();
    for (better, worse, flips) in [(pair.name.as_str(), base, gained), (base, pair.name.as_str(), lost)] {
        if flips.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n{better} is better than {worse} on {}:", count(flips.len(), "task"));
        for flip in flips.iter().take(SHOWN) {
            let _ = writeln!(
                out,
                "  {}  {} \u{2192} {}\n    {}\n    {}",
                flip.task,
                solved(&flip.base),
                solved(&flip.other),
                flip.base.player,
                flip.other.player
            );
        }
        if flips.len() > SHOWN {
            let _ = writeln!(out, "  and {} more; --out FILE.html and --json have all", flips.len() - SHOWN);
        }
    }
    if pair.unpaired > 0 {
        let (tasks, were) = (count(pair.unpaired, "task"), either(pair.unpaired, "was", "were"));
        let _ = writeln!(out, "\n{tasks} {were} scored for only one of {base} and {}.", pair.name);
    }
}

pub fn difference(value: f64, (low, high): (f64, f64)) -> String {
    format!("{:+.1} ({:+.1} to {:+.1})", value * 100.0, low * 100.0, high * 100.0)
}

pub fn verdict(pair: &Pair) -> &'static str {
    match pair.verdict {
        Some(DifferenceVerdict::Better) => "better",
        Some(DifferenceVerdict::Worse) => "worse",
        Some(DifferenceVerdict::Undecided) => "not told apart",
        None => "no task in common",
    }
}

/// Successes of episodes: `2/3`, or with a fraction where there is one.
pub fn solved(fared: &ContestantOutcome) -> String {
    let sum = fared.success * fared.n as f64;
    let sum = (sum * 100.0).round() / 100.0;
    format!("{sum}/{}", fared.n)
}
