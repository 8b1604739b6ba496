//! How often the intervals of scores hold what they are of: `scripts/coverage`.
//!
//! Contestants with a known success rate play many runs, and each run's 95 % interval either holds the rate (and the
//! mean EQA of all runs) or not. Repeats of a task are drawn independently, half alike and wholly alike.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use waldo_tasks::score::{Cluster, Scored, intervals, summarize_repeats};

const BUDGET: u64 = 15;
const RATES: [f64; 13] = [0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.97, 0.98];
/// What the coverage of a 95 % interval is wanted to be.
const WANTED: std::ops::RangeInclusive<f64> = 0.93..=0.98;

#[derive(Clone, Copy)]
enum Likeness {
    None,
    Half,
    Whole,
}

fn main() {
    let runs = std::env::args().nth(1).and_then(|runs| runs.parse().ok()).unwrap_or(4000_usize);
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    println!("Coverage of 95 % intervals, {runs} runs a figure; * is outside of 0.93 to 0.98\n");
    print!("| tasks | repeats | alike | of |");
    RATES.iter().for_each(|rate| print!(" {rate} |"));
    println!("\n| --- | --- | --- | --- |{}", " --- |".repeat(RATES.len()));
    let (mut inside, mut all) = ([0; 2], 0);
    for tasks in [10, 30, 150] {
        for (repeats, likeness, name) in [
            (1, Likeness::None, ""),
            (3, Likeness::None, "not"),
            (3, Likeness::Half, "half"),
            (3, Likeness::Whole, "wholly"),
        ] {
            let figures: Vec<[f64; 2]> =
                RATES.iter().map(|rate| coverage(&mut rng, runs, tasks, repeats, *rate, likeness)).collect();
            for (which, of) in ["SR", "EQA"].into_iter().enumerate() {
                print!("| {tasks} | {repeats} | {name} | {of} |");
                for figure in &figures {
                    let holds = WANTED.contains(&figure[which]);
                    inside[which] += usize::from(holds);
                    print!(" {:.3}{} |", figure[which], if holds { "" } else { "*" });
                }
                println!();
            }
            all += figures.len();
        }
    }
    println!("\nWithin 0.93 to 0.98: {} of {all} for SR, {} of {all} for EQA", inside[0], inside[1]);
    println!("No interval can be within, whatever its method (one repeat): {}", unattainable().join(", "));
}

fn coverage(
    rng: &mut ChaCha8Rng,
    runs: usize,
    tasks: usize,
    repeats: usize,
    rate: f64,
    likeness: Likeness,
) -> [f64; 2] {
    let drawn: Vec<Vec<Cluster>> = (0..runs).map(|_| run(rng, tasks, repeats, rate, likeness)).collect();
    let mean = drawn.iter().map(|run| summarize_repeats(run, BUDGET).eqa).sum::<f64>() / runs as f64;
    let mut held = [0; 2];
    for run in &drawn {
        let Some(found) = intervals(run, BUDGET) else { continue };
        for (held, (value, (low, high))) in held.iter_mut().zip([(rate, found.sr), (mean, found.eqa)]) {
            *held += usize::from(low <= value && value <= high);
        }
    }
    held.map(|held| held as f64 / runs as f64)
}

fn run(rng: &mut ChaCha8Rng, tasks: usize, repeats: usize, rate: f64, likeness: Likeness) -> Vec<Cluster> {
    let task = |_| {
        let first = rng.random_bool(rate);
        let mut episode = || {
            // Repeats that take over the first one's end with this chance correlate by its square.
            let same = match likeness {
                Likeness::None => false,
                Likeness::Half => rng.random_bool(0.5_f64.sqrt()),
                Likeness::Whole => true,
            };
            let solved = if same { first } else { rng.random_bool(rate) };
            let steps = match solved {
                true => rng.random_range(3..=12),
                false if rng.random_bool(0.5) => BUDGET,
                false => rng.random_range(4..=BUDGET),
            };
            Some(Scored::new(f64::from(u8::from(solved)), steps))
        };
        Cluster { repeats: (0..repeats).map(|_| episode()).collect() }
    };
    (0..tasks).map(task).collect()
}

/// Numbers of tasks and rates for which no set of neighbouring counts has a probability that is wanted.
fn unattainable() -> Vec<String> {
    let mut found = Vec::new();
    for tasks in [10_u32, 30, 150] {
        for rate in RATES {
            let mut weights = vec![(1.0 - rate).powi(tasks as i32)];
            for solved in 0..tasks {
                let last = weights[solved as usize];
                weights.push(last * rate / (1.0 - rate) * f64::from(tasks - solved) / f64::from(solved + 1));
            }
            let reaches = |from: usize| {
                let sums = weights[from..].iter().scan(0.0, |sum, weight| {
                    *sum += weight;
                    Some(*sum)
                });
                sums.into_iter().any(|sum| WANTED.contains(&sum))
            };
            if !(0..weights.len()).any(reaches) {
                found.push(format!("{tasks} tasks at {rate}"));
            }
        }
    }
    found
}
