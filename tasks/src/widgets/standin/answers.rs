//! Answers on pictures, from the truth and the drawing of an instance.

use serde_json::{Value, json};
use waldo_agents::frames::vision::PxRect;

use super::super::cycle::MONTHS;
use super::super::{Play, Truth, WidgetAnswer, WidgetEnd};
use super::scripts::texts_in;
use super::sight::{colour, half};
use super::{PageKnowledge, PictureFiles, StandIn, decode};

impl StandIn {
    fn shares(&self, seen: &PageKnowledge, files: PictureFiles<'_>) -> Result<Vec<Vec<f64>>, String> {
        let (way, count) = match &self.instance.play {
            Play::Slide { from, to, .. } => ([*from, *to], 1),
            Play::Handles { from, to, .. } => ([*from, *to], 2),
            _ => return Err("nothing slides here".to_owned()),
        };
        let sight = seen.sight()?;
        let accent = colour(&self.instance, "accent")?;
        let [w, h] = half(&self.instance.render["data"]);
        let half = if way[0][0] == way[1][0] { [h, w] } else { [w, h] };
        let share = |file: &Vec<u8>| {
            let picture = decode(file)?;
            let part = seen.part(picture.dimensions())?;
            let found = sight.shares(&picture, &part, way, half, accent, count);
            found.ok_or_else(|| "the handle is not to be seen".to_owned())
        };
        files.iter().map(share).collect()
    }

    /// The number that a slider's readout shows at a share of its way.
    #[expect(clippy::cast_possible_truncation, reason = "numbers of a readout")]
    fn value(&self, share: f64) -> i64 {
        let data = &self.instance.render["data"];
        let told = if data["effects"].is_array() { &data["effects"][0] } else { data };
        let number = |name: &str| told[name].as_f64().unwrap_or(0.0);
        let step = told["step"].as_f64().unwrap_or(1.0);
        let steps = ((number("high") - number("low")) / step * share).round();
        (number("low") + steps * step) as i64
    }

    /// The text on each card or row, in the order of the drawing's cells.
    fn numbers(&self) -> Vec<i64> {
        let svg = self.instance.render["svg"].as_str().unwrap_or_default();
        let own: Vec<i64> = texts_in(svg).iter().filter_map(|text| text.parse().ok()).collect();
        let first = |text: &String| {
            let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
            digits.parse().ok()
        };
        match &self.instance.play {
            // Rows bear a unit, and lie in another order than they are drawn in.
            Play::Rows(_) => {
                let drawn: Vec<i64> = texts_in(svg).iter().filter_map(first).collect();
                let tiles = self.instance.render["data"]["tiles"].as_array().cloned().unwrap_or_default();
                let at = |id: &Value| drawn.get(usize::try_from(id.as_u64()?).ok()?).copied();
                tiles.iter().filter_map(at).collect()
            }
            _ => own,
        }
    }

    /// Which cell each choice is, as scripts list them: frames by their numbers, then elements by theirs.
    fn cells(&self, seen: &PageKnowledge) -> Vec<usize> {
        let mut named: Vec<_> = seen.named.iter().filter(|named| !named.words.starts_with("the ")).collect();
        named.sort_by_key(|named| named.frame);
        let mut own = seen.own.clone();
        own.sort_unstable();
        own.iter().map(|(_, number)| *number).chain(named.iter().map(|named| named.number)).collect()
    }

    pub(super) fn ask(
        &self,
        seen: &PageKnowledge,
        question: &str,
        kind: &str,
        files: PictureFiles<'_>,
    ) -> Result<Vec<Value>, String> {
        let it = &self.instance;
        let unknown = || format!("the stand-in has no answer to: {question}");
        let one = |value: Value| Ok(vec![value; files.len()]);
        match (&it.play, &it.answer, kind) {
            (Play::Slide { start, from, to }, WidgetAnswer::Shares(right), "str") => {
                let ahead = right.first().is_some_and(|share| share > start);
                let words = if from[0] == to[0] { ["down", "up"] } else { ["left", "right"] };
                one(json!(words[usize::from(ahead)]))
            }
            (Play::Slide { .. } | Play::Handles { .. }, _, "int") => {
                let which = usize::from(question.contains("higher"));
                let shares = self.shares(seen, files)?;
                Ok(shares
                    .iter()
                    .map(|shares| json!(self.value(*shares.get(which).unwrap_or(&0.0))))
                    .collect())
            }
            (Play::Cycle { start, count, .. }, _, "int") if *count == MONTHS.len() => one(json!(start + 1)),
            (Play::Cells { .. }, WidgetAnswer::Cells(right), "bool") => {
                Ok((0..files.len()).map(|n| json!(right.contains(&n))).collect())
            }
            (Play::Cells { .. }, _, "int") => {
                let (numbers, cells) = (self.numbers(), self.cells(seen));
                let answers: Vec<Value> =
                    cells.iter().filter_map(|cell| numbers.get(*cell)).map(|n| json!(n)).collect();
                if answers.len() == files.len() { Ok(answers) } else { Err(unknown()) }
            }
            (Play::Rows(_), _, "int") => Ok(self.numbers().iter().map(|n| json!(n)).collect()),
            (Play::Cells { on, .. }, WidgetAnswer::Cells(right), "str") => {
                let count = right.iter().chain(on).max().map_or(0, |most| most + 1);
                let unlike = (0..count).filter(|n| right.contains(n) != on.contains(n));
                one(json!(unlike.map(|n| n.to_string()).collect::<Vec<_>>().join(",")))
            }
            (Play::Fields { .. }, WidgetAnswer::Texts(texts), "str") => {
                one(json!(texts.first().ok_or_else(unknown)?))
            }
            (_, _, "str") => {
                let file = files.first().ok_or_else(unknown)?;
                let part = seen.part(decode(file)?.dimensions())?;
                one(json!(self.places(seen, question, &part).ok_or_else(unknown)?))
            }
            _ => Err(unknown()),
        }
    }

    /// Places in pixels of a picture of the part `part` of the page.
    fn places(&self, seen: &PageKnowledge, question: &str, part: &PxRect) -> Option<String> {
        let sight = seen.sight().ok()?;
        let within = |(x, y): (f64, f64)| (x - f64::from(part.x), y - f64::from(part.y));
        let write = |(x, y): (f64, f64)| format!("{},{}", x.round(), y.round());
        let at = |place: [f64; 2]| write(within(sight.page(place)));
        Some(match (&self.instance.play, &self.instance.answer, &self.instance.truth) {
            (Play::Spots(spots), WidgetAnswer::One(right), _) => at(*spots.get(*right)?),
            (Play::Piece { ends, .. }, WidgetAnswer::One(right), truth) => {
                let (x, y) = within(sight.page(*ends.get(*right)?));
                // Where it is put exactly, what counts is the piece and not the box around it.
                let (dx, dy) = if matches!(truth, Truth::Near { .. }) { seen.grip } else { (0.0, 0.0) };
                write((x + dx, y + dy))
            }
            (Play::Ground(_), WidgetAnswer::Path(way), _) => {
                way.iter().map(|place| at(*place)).collect::<Vec<_>>().join(";")
            }
            (Play::Colour { square: [x, y, w, h], .. }, ..) if question.contains("square") => {
                format!("{},{}", at([*x, *y]), at([x + w, y + h]))
            }
            // The wanted colour is the upper one of the two patches on the right.
            (Play::Colour { .. }, ..) => at([380.0, 88.0]),
            _ => return None,
        })
    }

    pub(super) fn rank(&self, seen: &PageKnowledge, files: PictureFiles<'_>) -> Result<Vec<usize>, String> {
        let mut order: Vec<usize> = (0..files.len()).collect();
        match (&self.instance.play, &self.instance.answer) {
            (Play::Slide { .. }, WidgetAnswer::Shares(right)) => {
                let right = right.first().copied().unwrap_or_default();
                let shares = self.shares(seen, files)?;
                let off = |n: &usize| (shares[*n].first().copied().unwrap_or_default() - right).abs();
                order.sort_by(|a, b| off(a).total_cmp(&off(b)));
            }
            (Play::Cells { .. }, WidgetAnswer::Cells(right)) => order.sort_by_key(|n| !right.contains(n)),
            _ => return Err("the stand-in cannot tell which is best".to_owned()),
        }
        Ok(order)
    }

    pub(super) fn compare(&self, _seen: &PageKnowledge, count: usize) -> Result<Vec<bool>, String> {
        match (&self.instance.play, &self.instance.answer) {
            (Play::Cycle { start, count: all, end, .. }, WidgetAnswer::One(right)) => {
                // Rows that go round are listed from the picture that was shown first.
                let first = if *end == WidgetEnd::Wraps { *start } else { 0 };
                Ok((0..count).map(|n| (first + n) % all == *right).collect())
            }
            (Play::Cells { .. }, WidgetAnswer::Cells(right)) => {
                Ok((0..count).map(|n| right.contains(&n)).collect())
            }
            _ => Err("the stand-in cannot tell which fit".to_owned()),
        }
    }
}
