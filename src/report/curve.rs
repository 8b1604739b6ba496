//! Drawings of the page as SVG: the recall curve and the interval of a score.
//!
//! Colours and line styles come from the page's style sheet by class, so that they follow its light
//! and dark modes.

use std::fmt::Write as _;

use super::contestant_kind::ContestantKind;
use super::data::ContestantView;
use super::words::{cut, percent, xml};

const W: f64 = 760.0;
const H: f64 = 330.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 44.0;
/// Between the base lines of two end labels.
const LABEL: f64 = 15.0;

pub const COLOURS: usize = 8;

/// Recall against the share of the step budget, a line for each contestant.
pub fn recall(contestants: &[ContestantView], budget: u32) -> String {
    let (right, bottom) = (W - RIGHT, H - BOTTOM);
    let x = |share: f64| LEFT + share * (right - LEFT);
    let y = |recall: f64| bottom - recall * (bottom - TOP);
    let mut svg = format!(
        "<svg class=\"curve\" viewBox=\"0 0 {W} {H}\" role=\"img\" aria-labelledby=\"curve-title\">\
         <title id=\"curve-title\">Recall against the share of the step budget used; the mean height of a line is its EQA</title>"
    );
    for tenth in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{0:.1}\" y2=\"{0:.1}\"/>\
             <text class=\"tick\" x=\"{1}\" y=\"{2:.1}\" text-anchor=\"end\">{3:.0}</text>\
             <line class=\"grid\" x1=\"{4:.1}\" x2=\"{4:.1}\" y1=\"{TOP}\" y2=\"{bottom}\"/>\
             <text class=\"tick\" x=\"{4:.1}\" y=\"{5}\" text-anchor=\"middle\">{3:.0}</text>",
            y(tenth),
            LEFT - 8.0,
            y(tenth) + 4.0,
            tenth * 100.0,
            x(tenth),
            bottom + 17.0,
        );
    }
    let _ = write!(
        svg,
        "<text class=\"axis\" x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">share of the step budget used, % (budget {budget} steps an episode)</text>\
         <text class=\"axis\" transform=\"translate(12 {:.1}) rotate(-90)\" text-anchor=\"middle\">tasks solved, %</text>",
        x(0.5),
        H - 8.0,
        y(0.5)
    );
    // Floors and ceilings first: what is under test is drawn over them.
    for who in contestants.iter().rev() {
        let mut path = String::new();
        for (at, recall) in who.samples.iter().enumerate() {
            let share = at as f64 / (who.samples.len() - 1).max(1) as f64;
            let _ = write!(path, "{}{:.1} {:.1}", if at == 0 { "M" } else { "L" }, x(share), y(*recall));
        }
        let _ = write!(
            svg,
            "<path class=\"line {} c{}\" d=\"{path}\"><title>{}</title></path>",
            style(who.standing),
            who.index % COLOURS,
            xml(&who.name)
        );
    }
    for (who, at) in contestants.iter().zip(spread(contestants, y, TOP + 4.0, bottom)) {
        let end = who.samples.last().copied().unwrap_or(0.0);
        let _ = write!(
            svg,
            "<path class=\"leader c{c}\" d=\"M{0:.1} {1:.1}L{2:.1} {at:.1}\"/>\
             <text class=\"end c{c}\" x=\"{3:.1}\" y=\"{4:.1}\">{5} <tspan>{6}</tspan></text>",
            right,
            y(end),
            right + 9.0,
            right + 12.0,
            at + 4.0,
            xml(&cut(&who.name, 20)),
            percent(who.samples.iter().sum::<f64>() / who.samples.len().max(1) as f64),
            c = who.index % COLOURS,
        );
    }
    svg.push_str("</svg>");
    svg
}

fn style(standing: ContestantKind) -> &'static str {
    match standing {
        ContestantKind::Test => "test",
        ContestantKind::Ceiling => "ceiling",
        ContestantKind::Floor => "floor",
        ContestantKind::Replay => "replay",
    }
}

/// Heights of the end labels: at the ends of their lines, but at least a label apart.
fn spread(contestants: &[ContestantView], y: impl Fn(f64) -> f64, top: f64, bottom: f64) -> Vec<f64> {
    let ends = contestants.iter().map(|who| y(who.samples.last().copied().unwrap_or(0.0)));
    let mut order: Vec<(usize, f64)> = ends.enumerate().collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut least = top;
    for (_, at) in &mut order {
        *at = at.max(least);
        least = *at + LABEL;
    }
    let mut most = bottom;
    for (_, at) in order.iter_mut().rev() {
        *at = at.min(most);
        most = *at - LABEL;
    }
    let mut places = vec![0.0; contestants.len()];
    for (i, at) in order {
        places[i] = at;
    }
    places
}

/// A bar of `value` with its interval, both shares of 1.
pub fn interval(value: f64, (low, high): (f64, f64), colour: usize) -> String {
    let x = |share: f64| 1.0 + share.clamp(0.0, 1.0) * 98.0;
    format!(
        "<svg class=\"bar c{}\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         <rect class=\"track\" x=\"1\" y=\"3\" width=\"98\" height=\"4\"/>\
         <rect class=\"fill\" x=\"1\" y=\"3\" width=\"{:.1}\" height=\"4\"/>\
         <path class=\"whisker\" d=\"M{2:.1} 1V9M{2:.1} 5H{3:.1}M{3:.1} 1V9\"/></svg>",
        colour % COLOURS,
        x(value) - 1.0,
        x(low),
        x(high)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_apart_and_inside() {
        let who = |index, end| ContestantView {
            index,
            name: "<x>".into(),
            standing: ContestantKind::Test,
            samples: vec![0.0, end],
        };
        let all: Vec<_> = (0..9).map(|i| who(i, if i < 5 { 1.0 } else { 0.0 })).collect();
        let (top, bottom) = (18.0, 286.0);
        let places = spread(&all, |r| bottom - r * (bottom - TOP), top, bottom);
        let mut sorted = places.clone();
        sorted.sort_by(f64::total_cmp);
        assert!(sorted.windows(2).all(|w| w[1] - w[0] >= LABEL - 1e-9), "{places:?}");
        assert!(sorted[0] >= top && sorted[8] <= bottom);
        let svg = recall(&all, 15);
        assert!(!svg.contains("<x>") && svg.contains("&lt;x&gt;"));
    }
}
