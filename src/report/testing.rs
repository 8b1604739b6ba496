//! A small made-up run for the tests of this module.

use std::path::Path;
use std::time::Duration;

use super::data::Data;
use super::{ReportOptions, Scores};
use image::{Rgb, RgbImage};
use serde_json::json;
use waldo_agents::model::Usage;
use waldo_agents::{Choice, Decision, Exchange};
use waldo_devices::{
    Action, ActionReport, Affordance, Context, DeviceInfo, Effect, Element, Geometry, Platform, Point, Rect,
    Settled, States, Tag, Tagged, Timings, labels,
};
use waldo_tasks::events::{FORMAT, Observed};
use waldo_tasks::record::{CheckResult, TaskEntry};
use waldo_tasks::{Contestant, EpisodeKey, EpisodeResult, Event, EventKind, Manifest, Outcome, RunFolder};

/// Three contestants, of which the one under test is declared last, and four tasks.
pub fn run() -> (Manifest, Vec<EpisodeResult>) {
    sized(4, 1)
}

pub fn data<'a>(manifest: &'a Manifest, results: &'a [EpisodeResult], budgets: &[u32]) -> Data<'a> {
    let options = ReportOptions { budgets: budgets.to_vec(), ..ReportOptions::default() };
    Data::new(manifest, results, &Scores::of(manifest, results, &options).unwrap())
}

pub fn sized(tasks: usize, repeats: u32) -> (Manifest, Vec<EpisodeResult>) {
    let contestants = vec![
        Contestant::new("noop", None),
        Contestant::new("reference", None),
        Contestant::new("appagent", Some("model-x")),
    ];
    let categories = ["forms", "lists & tables", "drag", "dialogs"];
    let manifest = Manifest {
        format: 1,
        waldo: "0.1.0".into(),
        suite: "l3-web".into(),
        suite_hash: "0123456789abcdef0123".into(),
        tasks: (0..tasks)
            .map(|i| {
                let (id, title) = (format!("task-{i:02}"), format!("Do the <b>{i}th</b> thing"));
                let category = categories[i % categories.len()];
                let entry = TaskEntry::single(&id, &title, category, Platform::Web, 15);
                TaskEntry { infeasible: i % 9 == 8, ..entry }
            })
            .collect(),
        contestants: contestants.clone(),
        seed: 7,
        repeats,
        same_instance: false,
        max_steps: Some(15),
        parameters: json!({}),
        device: Some(DeviceInfo {
            platform: Platform::Web,
            product: "Chromium 1.2".into(),
            geometry: Geometry::new(640.0, 400.0, 1.0),
            capabilities: Vec::new(),
        }),
        started: jiff::Timestamp::UNIX_EPOCH,
        ..Manifest::default()
    };
    let mut results = Vec::new();
    for contestant in &contestants {
        for repeat in 0..repeats {
            for (i, task) in manifest.tasks.iter().enumerate() {
                let (success, steps) = match contestant.agent.as_str() {
                    "reference" => (1.0, 3),
                    "noop" => (0.0, 1),
                    _ => ([1.0, 0.0, 0.5][(i + repeat as usize) % 3], [4, 15, 9][i % 3]),
                };
                let key = EpisodeKey { contestant: contestant.name.clone(), task: task.id.clone(), repeat };
                let outcome = if steps == 15 { Outcome::StepLimit } else { Outcome::Finished };
                results.push(EpisodeResult {
                    success: Some(success),
                    steps,
                    checks: vec![
                        CheckResult::new("the page opened", true, ""),
                        CheckResult::new("the order holds \"blue\"", success >= 1.0, "{\"colour\": \"red\"}"),
                    ],
                    claim: Some("I put it there".into()),
                    usage: Usage {
                        prompt: Some(4000),
                        cached: Some(900),
                        completion: Some(210),
                        ..Usage::default()
                    },
                    model_calls: if contestant.model.is_some() { steps } else { 0 },
                    bad_replies: u32::from(steps == 9),
                    wall: Duration::from_millis(900 * u64::from(steps)),
                    ended: jiff::Timestamp::UNIX_EPOCH,
                    ..EpisodeResult::of(key, outcome, 40 + i as u64, 15)
                });
            }
        }
    }
    (manifest, results)
}

pub fn folder(path: &Path) -> RunFolder {
    let (manifest, results) = run();
    write(path, manifest, &results)
}

pub fn write(path: &Path, manifest: Manifest, results: &[EpisodeResult]) -> RunFolder {
    let run = RunFolder::create_or_resume(path, manifest).unwrap();
    for (i, result) in results.iter().enumerate() {
        let episode = run.episode(&result.key);
        episode.begin().unwrap();
        let told =
            |kind| Event { v: FORMAT, at: jiff::Timestamp::UNIX_EPOCH, episode: result.key.clone(), kind };
        let mut events = vec![told(EventKind::Started {
            attempt: 1,
            seed: result.seed,
            goal: "Put \u{201c}blue\u{201d} there </script><script>alert(1)</script>".into(),
            params: json!({ "colour": "blue" }),
            max_steps: result.max_steps,
        })];
        for step in 1..=result.steps + 1 {
            let name = format!("step-{step:02}.png");
            episode.picture(&name, &screen(i as u32 % 11, step)).unwrap();
            events.push(told(EventKind::Observed(Box::new(observed(step, name)))));
            if step > result.steps {
                break;
            }
            let action = deed(step);
            let last = step == result.steps && result.outcome == Outcome::Finished;
            let mut decision = Decision::of(if last {
                Choice::Finish { answer: None }
            } else {
                Choice::Act { action: action.clone() }
            });
            decision.tag = Some(Tag(2));
            decision.call = if last { "FINISH".into() } else { "tap(2)".into() };
            decision.observation = Some("A form with three fields and a <button>.".into());
            decision.thought = Some("The second one takes the colour.".into());
            if result.model_calls > 0 {
                decision.exchanges.push(Exchange {
                    purpose: "decide".into(),
                    prompt: format!(
                        "You are shown a screen whose parts carry numbers.\n{}\nStep {step}",
                        "Be exact and brief in all you do.\n".repeat(40)
                    ),
                    pictures: 1,
                    reply: "Observation: a form\nThought: fill it\nAction: tap(2)".into(),
                    took: Duration::from_millis(1800),
                    ..Exchange::default()
                });
            }
            events.push(told(EventKind::Decided {
                step,
                decision: Box::new(decision),
                took: Duration::from_millis(1850),
            }));
            if !last {
                events.push(told(EventKind::Acted {
                    step,
                    action,
                    report: Some(ActionReport {
                        effect: if step % 4 == 0 {
                            Effect::SuspectedNoop
                        } else {
                            Effect::Confirmed { evidence: "the field has the focus".into() }
                        },
                        took: Duration::from_millis(35),
                    }),
                    note: None,
                }));
            }
        }
        events.push(told(EventKind::Ended { result: Box::new(result.clone()) }));
        episode.append(&events).unwrap();
        episode.complete(result).unwrap();
    }
    run
}

fn deed(step: u32) -> Action {
    match step % 4 {
        1 => Action::tap(Point::new(150.0, 129.0)),
        2 => Action::Type { text: "blue".into() },
        3 => Action::drag(vec![Point::new(100.0, 300.0), Point::new(250.0, 280.0), Point::new(400.0, 320.0)]),
        _ => Action::scroll(Point::new(320.0, 200.0), waldo_devices::ScrollNotches { right: 0, down: 3 }),
    }
}

fn boxes() -> Vec<Rect<waldo_devices::Physical>> {
    (0..6).map(|i| Rect::new(60.0, 70.0 + 45.0 * f64::from(i), 210.0, 28.0)).collect()
}

fn observed(step: u32, picture: String) -> Observed {
    Observed {
        step,
        picture: Some(picture),
        elements: boxes()
            .into_iter()
            .enumerate()
            .map(|(i, bounds)| Element {
                name: format!("Field {i} <i>x</i>"),
                value: (i == 2 && step > 2).then(|| "blue".into()),
                states: States { focused: i == 1, ..States::default() },
                affordances: vec![Affordance::Click],
                ..Element::at(format!("e{i}"), if i == 5 { "button" } else { "textbox" }, bounds)
            })
            .collect(),
        texts: Vec::new(),
        tagged: (0..6).map(|i| Tagged { tag: Tag(i as u32 + 1), element: i }).collect(),
        geometry: Geometry::new(640.0, 400.0, 1.0),
        context: Context {
            location: "http://127.0.0.1/form".into(),
            title: "A form".into(),
            ..Context::default()
        },
        settled: Settled::Quiet,
        timings: Timings {
            settle: Duration::from_millis(120),
            picture: Duration::from_millis(60),
            elements: Duration::from_millis(25),
            total: Duration::from_millis(70),
        },
        label_time: Duration::from_millis(12),
    }
}

/// A picture of a form, a little different for each variant and step.
fn screen(variant: u32, step: u32) -> Vec<u8> {
    let shade = (variant * 9) as u8;
    let picture = RgbImage::from_fn(640, 400, |x, y| {
        let (row, within) = (y.saturating_sub(70) / 45, y.saturating_sub(70) % 45);
        if y < 32 {
            Rgb([40 + shade, 60, 110])
        } else if y >= 70 && row < 6 && within < 28 && (60..270).contains(&x) {
            if (x / 4 + y / 5 + step).is_multiple_of(5) && x.is_multiple_of(2) {
                Rgb([60, 60, 70])
            } else {
                Rgb([250, 250, 252])
            }
        } else if x > 350 && (x - 350) / 45 + y / 45 == step % 6 + 3 {
            Rgb([200, 215, 235])
        } else {
            Rgb([236, 238, 242])
        }
    });
    labels::encode_png(&picture).unwrap()
}
