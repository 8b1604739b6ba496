//! A stand-in for a model that plays widgets as frames: no model, it understands nothing.
//!
//! Duty: answer the three stages of the frame policy for an instance of the suite, and the questions that
//! its scripts ask. The scripts (`tasks/standin`) are such as a model would write, and run in the cage like
//! any others. What takes meaning (which box is the handle, what a picture shows, where something is) comes
//! from the truth and the drawing of the instance; what pixels tell is left to the tools.
//!
//! Invariants: it answers what it is asked and nothing else, in the same form as a model; a question that it
//! has no answer to is refused, never guessed. Archetypes that are held out have no script here.

mod answers;
mod marks;
mod scripts;
mod sight;

use std::sync::{Mutex, PoisonError};

use image::RgbImage;
use serde_json::json;
use waldo_agents::frames::vision::PxRect;
use waldo_prompts::frames::{ParsedPrompt, PixelRect};

use super::{Instance, Play, generate};
use sight::PageScale;

/// Where a thing is that a script's second stage names.
#[derive(Clone, Debug, PartialEq)]
enum TargetPlace {
    Rect(PxRect),
    /// The nth from the left of those whose middles lie in it.
    Nth(PxRect, usize),
    Last(PxRect),
}

#[derive(Clone, Debug)]
struct NamedThing {
    words: String,
    at: TargetPlace,
    frame: usize,
    /// Which cell, card or row it is.
    number: usize,
}

#[derive(Debug, Default)]
struct PageKnowledge {
    sight: Option<PageScale>,
    frames: Vec<PxRect>,
    named: Vec<NamedThing>,
    /// Choices that are frames of their own: the frame and which choice it is.
    own: Vec<(usize, usize)>,
    /// How far the middle of the box around a piece lies from the piece's own.
    grip: (f64, f64),
}

#[derive(Debug)]
pub struct StandIn {
    number: usize,
    instance: Instance,
    seen: Mutex<PageKnowledge>,
}

type PictureFiles<'a> = &'a [Vec<u8>];

impl StandIn {
    /// For the instance of an archetype, under a number that its own words bear.
    pub fn new(number: usize, archetype: &str, seed: u64) -> Option<Self> {
        let instance = generate(archetype, seed).ok()?;
        Some(Self { number, instance, seen: Mutex::default() })
    }

    pub fn number_of(text: &str) -> Option<usize> {
        text.rsplit_once('#').and_then(|(_, n)| n.trim().parse().ok())
    }

    /// The text by which questions are known again.
    fn tag(&self) -> String {
        format!("#{}", self.number)
    }

    pub fn answer(&self, asked: &ParsedPrompt<'_>, files: PictureFiles<'_>) -> Result<String, String> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match asked {
            ParsedPrompt::Objective { places, .. } => Ok(self.objective(places)),
            ParsedPrompt::Structure { places, .. } => {
                let page = decode(files.first().ok_or("the second stage came without a picture")?)?;
                self.structure(&mut seen, places, &page)
            }
            ParsedPrompt::Solution { .. } => {
                let script = scripts::solution(&self.instance, &self.tag())
                    .ok_or_else(|| format!("there is no script for {}", self.instance.archetype))?;
                Ok(format!("```python\n{script}```"))
            }
            ParsedPrompt::Pick { details, boxes } => self.pick(&mut seen, details, boxes),
            ParsedPrompt::Ask { question, kind } => {
                let answers = self.ask(&seen, question, kind, files)?;
                Ok(json!({ "answers": answers }).to_string())
            }
            ParsedPrompt::Rank { .. } => Ok(json!({ "order": self.rank(&seen, files)? }).to_string()),
            ParsedPrompt::Compare { count, .. } => {
                Ok(json!({ "answers": self.compare(&seen, *count)? }).to_string())
            }
            ParsedPrompt::Boxes { .. } => Err("the stand-in draws no boxes".to_owned()),
        }
    }

    fn objective(&self, places: &[PixelRect]) -> String {
        if !scripts::known(&self.instance.archetype) {
            // Held out, so that nothing here is made for it.
            return "```python\nhand_over('the stand-in has no script for this')\n```".to_owned();
        }
        let mut lines = vec!["describe(0, 'The whole page.')".to_owned()];
        lines.extend((1..places.len()).map(|n| format!("describe({n}, 'A part of the page.')")));
        let words = format!("{} {}", self.instance.ask, self.tag());
        lines.push(format!("objective({})", json!(words)));
        format!("```python\n{}\n```", lines.join("\n"))
    }

    fn structure(
        &self,
        seen: &mut PageKnowledge,
        places: &[PixelRect],
        page: &RgbImage,
    ) -> Result<String, String> {
        let frames: Vec<PxRect> = places.iter().map(|p| PxRect::new(p.x, p.y, p.w, p.h)).collect();
        let sight = PageScale::of(&self.instance, page)?;
        let marks = marks::marks(&self.instance, &sight, page)?;
        let mut lines = Vec::new();
        *seen = PageKnowledge { sight: Some(sight), frames, ..PageKnowledge::default() };
        for mark in &marks {
            self.mark(seen, mark, &mut lines)?;
        }
        let body: Vec<String> = lines.iter().map(|line| format!("    {line}")).collect();
        Ok(format!("```python\ndef structure_abstraction(frames):\n{}\n```", body.join("\n")))
    }

    /// The lines that mark a thing, and what has to be known to find it again.
    fn mark(
        &self,
        seen: &mut PageKnowledge,
        mark: &marks::Mark,
        lines: &mut Vec<String>,
    ) -> Result<(), String> {
        use marks::Mark;
        match mark {
            Mark::Whole { rect, kind } => {
                lines.push(format!("frames[{}].set_frame_as('{kind}')", seen.frame_like(rect).unwrap_or(0)));
            }
            Mark::Grid { rect, tiles } => {
                let stage = seen.sight()?.stage;
                let frame = seen.frame_like(rect).or_else(|| seen.frame_like(&stage)).unwrap_or(0);
                lines.push(format!("frames[{frame}].grid({tiles})"));
            }
            Mark::Cells { board, rows, columns, cells } => {
                let own: Option<Vec<usize>> = cells.iter().map(|cell| seen.frame_like(cell)).collect();
                let whole = seen.frame_like(board);
                match (own, whole) {
                    (Some(own), _) => {
                        lines.extend(own.iter().map(|f| format!("frames[{f}].set_frame_as('SELECTABLE')")));
                    }
                    (None, Some(frame)) => {
                        lines.push(format!("for part in frames[{frame}].split({rows}, {columns}):"));
                        lines.push("    part.set_frame_as('SELECTABLE')".to_owned());
                    }
                    (None, None) => {
                        for (number, cell) in cells.iter().enumerate() {
                            self.mark(seen, &marks::choice(number, *cell), lines)?;
                        }
                    }
                }
            }
            Mark::Thing { words, at, kind, as_frame, number } => {
                if let (Some(as_frame), TargetPlace::Rect(rect)) = (as_frame, at)
                    && let Some(frame) = seen.frame_like(rect)
                {
                    lines.push(format!("frames[{frame}].set_frame_as('{as_frame}')"));
                    if *as_frame == "SELECTABLE" {
                        seen.own.push((frame, *number));
                    }
                    return Ok(());
                }
                let (frame, position) = seen.home(at);
                let words = format!("{words} {}", self.tag());
                let name = format!("part_{}", seen.named.len());
                lines.push(format!("{name} = frames[{frame}].get_element('{position}', {})", json!(words)));
                lines.push(format!("{name}.set_element_as('{kind}')"));
                seen.named.push(NamedThing { words, at: at.clone(), frame, number: *number });
            }
        }
        Ok(())
    }

    fn pick(&self, seen: &mut PageKnowledge, details: &str, boxes: &[PixelRect]) -> Result<String, String> {
        let named = seen.named.iter().find(|named| named.words == details);
        let named = named.ok_or_else(|| format!("nothing was named '{details}'"))?;
        let home = seen.frames.get(named.frame).copied().unwrap_or_default();
        let boxes: Vec<PxRect> =
            boxes.iter().map(|p| PxRect::new(p.x, p.y, p.w, p.h).shifted(&home)).collect();
        let found = named.at.find(&boxes);
        if let (Play::Piece { at, .. }, Some(found), Some(sight)) = (&self.instance.play, found, seen.sight)
            && details.starts_with(marks::PIECE)
        {
            // An element's middle is a whole pixel.
            let (grip, (x, y)) = (boxes[found].center(), sight.page(*at));
            seen.grip = (f64::from(grip.x) + 0.5 - x, f64::from(grip.y) + 0.5 - y);
        }
        Ok(json!({ "number": found.map(|n| n + 1) }).to_string())
    }
}

impl TargetPlace {
    fn find(&self, boxes: &[PxRect]) -> Option<usize> {
        let within = |rect: &PxRect| {
            let mut all: Vec<usize> = (0..boxes.len())
                // What is as wide as all of it is not a single one of them.
                .filter(|n| rect.contains(boxes[*n].center()) && boxes[*n].w * 2 < rect.w)
                .collect();
            all.sort_by_key(|n| boxes[*n].x);
            all
        };
        match self {
            Self::Rect(rect) => (0..boxes.len())
                .map(|n| (n, boxes[n].iou(rect)))
                .filter(|(_, shared)| *shared > 0.3)
                .max_by(|a, b| a.1.total_cmp(&b.1))
                .map(|(n, _)| n),
            Self::Nth(rect, nth) => within(rect).get(*nth).copied(),
            Self::Last(rect) => within(rect).last().copied(),
        }
    }

    fn rect(&self) -> PxRect {
        match self {
            Self::Rect(rect) | Self::Nth(rect, _) | Self::Last(rect) => *rect,
        }
    }
}

impl PageKnowledge {
    fn frame_like(&self, rect: &PxRect) -> Option<usize> {
        let all = self.frames.iter().enumerate().skip(1).map(|(n, frame)| (n, frame.iou(rect)));
        all.filter(|(_, shared)| *shared >= 0.75).max_by(|a, b| a.1.total_cmp(&b.1)).map(|(n, _)| n)
    }

    /// The smallest frame that holds a thing, and in which half of it that stands.
    fn home(&self, at: &TargetPlace) -> (usize, &'static str) {
        let page = self.frames.first().copied().unwrap_or_default();
        let rect = at.rect();
        let middle = rect.center();
        let holds = |frame: &PxRect| {
            frame.intersect(&rect).area() * 10 >= rect.area() * 9 && frame.area() * 2 >= rect.area() * 3
        };
        let frame = (0..self.frames.len())
            .filter(|n| holds(&self.frames[*n]))
            .min_by_key(|n| self.frames[*n].area())
            .unwrap_or(0);
        let home = self.frames.get(frame).copied().unwrap_or(page).center();
        let (dx, dy) = (f64::from(middle.x) - f64::from(home.x), f64::from(middle.y) - f64::from(home.y));
        let size = self.frames.get(frame).copied().unwrap_or(page);
        // Of a row only the height is known.
        let exact = matches!(at, TargetPlace::Rect(_));
        let sideways = exact && dx.abs() / f64::from(size.w.max(1)) > dy.abs() / f64::from(size.h.max(1));
        let position = match (sideways, dx < 0.0, dy < 0.0) {
            (true, true, _) => "left",
            (true, false, _) => "right",
            (false, _, true) => "up",
            (false, _, false) => "down",
        };
        (frame, position)
    }

    /// The part of the page that a picture of this size shows.
    fn part(&self, (w, h): (u32, u32)) -> Result<PxRect, String> {
        let same = |frame: &&PxRect| frame.w == w && frame.h == h;
        self.frames.iter().find(same).copied().ok_or_else(|| format!("no frame is {w} x {h} pixels large"))
    }

    fn sight(&self) -> Result<&PageScale, String> {
        self.sight.as_ref().ok_or_else(|| "the second stage was not asked for".to_owned())
    }
}

fn decode(file: &[u8]) -> Result<RgbImage, String> {
    image::load_from_memory(file).map(image::DynamicImage::into_rgb8).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests;
