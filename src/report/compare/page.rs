//! A comparison as a page that needs nothing beside it but the reports that it links to.
//!
//! Invariant: every text goes through the template's escaping, and the page runs no script and loads nothing.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, Value as View, context};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::text::{difference, solved, verdict};
use super::{Comparison, ContestantOutcome, Pair};
use crate::report::contestant_kind::ContestantKind;
use crate::report::pictures::way;
use crate::report::words::{NONE, of, percent};

const TEMPLATE: &str = include_str!("../assets/compare.html.j2");
const CSS: &str = include_str!("../assets/report.css");

#[derive(Serialize)]
struct SideView<'a> {
    name: &'a str,
    run: String,
    standing: ContestantKind,
    n: usize,
    sr: String,
    eqa: String,
    tasks: Option<usize>,
    sr_difference: Option<String>,
    eqa_difference: Option<String>,
    verdict: &'static str,
}

#[derive(Serialize)]
struct PairView<'a> {
    name: &'a str,
    unpaired: usize,
    flips: Vec<FlipView<'a>>,
}

#[derive(Serialize)]
struct FlipView<'a> {
    suite: &'a str,
    task: &'a str,
    title: &'a str,
    gained: bool,
    base: PageLink,
    other: PageLink,
}

#[derive(Serialize)]
struct PageLink {
    text: String,
    href: String,
}

pub fn page(comparison: &Comparison, out: &Path) -> Result<String, minijinja::Error> {
    let style = STANDARD.encode(Sha256::digest(CSS.as_bytes()));
    let mut environment = Environment::new();
    // A field that is left out may be asked for, and not shown.
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    environment.add_template("compare.html", TEMPLATE)?;
    environment.get_template("compare.html")?.render(context! {
        css => CSS,
        csp => format!("default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'"),
        budget => comparison.budget,
        base => comparison.sides.first().map(|side| side.name.as_str()),
        notices => View::from(Serde(&comparison.notices)),
        sides => View::from(Serde(sides(comparison, out))),
        pairs => View::from(Serde(comparison.pairs.iter().map(|pair| shown(comparison, pair, out)).collect::<Vec<_>>())),
    })
}

fn sides<'a>(comparison: &'a Comparison, out: &Path) -> Vec<SideView<'a>> {
    let view = |(n, side): (usize, &'a super::ComparedSide)| {
        let pair = n.checked_sub(1).and_then(|n| comparison.pairs.get(n));
        let found = pair.and_then(|pair| pair.difference.as_ref());
        SideView {
            name: &side.name,
            run: format!("{}report.html", way(out, &side.run)),
            standing: side.standing,
            n: side.n,
            sr: of(side.n, || percent(side.sr)),
            eqa: of(side.n, || percent(side.eqa)),
            tasks: found.map(|found| found.tasks),
            sr_difference: found.map(|found| difference(found.sr, found.sr_ci)),
            eqa_difference: found.map(|found| difference(found.eqa, found.eqa_ci)),
            verdict: pair.map_or(NONE, verdict),
        }
    };
    comparison.sides.iter().enumerate().map(view).collect()
}

fn shown<'a>(comparison: &'a Comparison, pair: &'a Pair, out: &Path) -> PairView<'a> {
    let run = |name: Option<&str>| {
        let side = comparison.sides.iter().find(|side| Some(side.name.as_str()) == name);
        side.map(|side| way(out, &side.run)).unwrap_or_default()
    };
    let base = run(comparison.sides.first().map(|side| side.name.as_str()));
    let other = run(Some(&pair.name));
    let link = |run: &str, fared: &ContestantOutcome| PageLink {
        text: solved(fared),
        href: format!("{run}report.html#{}", fared.player.split_once('#').map_or("", |(_, episode)| episode)),
    };
    PairView {
        name: &pair.name,
        unpaired: pair.unpaired,
        flips: pair
            .flips
            .iter()
            .map(|flip| FlipView {
                suite: &flip.suite,
                task: &flip.task,
                title: &flip.title,
                gained: flip.gain() > 0.0,
                base: link(&base, &flip.base),
                other: link(&other, &flip.other),
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use waldo_tasks::Contestant;
    use waldo_tasks::score::{Difference, DifferenceVerdict};

    use super::super::{ComparedSide, Flip};
    use super::*;

    #[test]
    fn a_page_is_made_with_every_optional_field_and_without() {
        for full in [true, false] {
            let side = |name: &str| ComparedSide {
                name: name.into(),
                run: "run".into(),
                standing: if full { ContestantKind::Test } else { ContestantKind::Floor },
                n: usize::from(full),
                sr: 0.5,
                eqa: 0.25,
                contestant: Contestant::new("noop", None),
                tasks: Vec::new(),
                places: HashMap::new(),
            };
            let fared = |success: f64| ContestantOutcome { success, n: 1, player: "report.html#x".into() };
            let flip = |base, other| Flip {
                suite: "s".into(),
                task: "t".into(),
                title: "T".into(),
                base: fared(base),
                other: fared(other),
            };
            let found = Difference { tasks: 1, sr: 0.1, sr_ci: (-0.1, 0.2), eqa: 0.1, eqa_ci: (-0.1, 0.2) };
            let comparison = Comparison {
                budget: 15,
                sides: vec![side("a"), side("b")],
                pairs: vec![Pair {
                    name: "b".into(),
                    difference: full.then_some(found),
                    verdict: full.then_some(DifferenceVerdict::Undecided),
                    unpaired: usize::from(full),
                    other_instances: 0,
                    flips: if full { vec![flip(0.0, 1.0), flip(1.0, 0.0)] } else { Vec::new() },
                }],
                notices: full.then(|| "mind this".to_owned()).into_iter().collect(),
            };
            let made = page(&comparison, Path::new("out")).unwrap();
            assert_eq!((made.contains("mind this"), made.contains("not told apart")), (full, full));
        }
    }
}
