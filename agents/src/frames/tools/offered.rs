//! Which tools are offered for the kinds that were found, with their words in the prompt and the surface of
//! the cage: one table for both, so that what is described can be called, and nothing else.

mod table;

use waldo_cage::{ClassSpec, Surface};
use waldo_prompts::frames::Tool;

use crate::frames::world::{ElementKind, FrameKind, World};
use table::Occasion::{
    Always, Click, Cycle, Drag, Draw, Enter, Held, Match, Places, Point, Select, Slide, Swap, Turn,
};
use table::ToolKind::{Acts, Looks};
use table::{FIELDS, LIVE, Occasion, ROWS, ToolKind, ToolRow};

/// What only methods have in their signature.
const METHOD: char = '(';

#[derive(Clone, Debug)]
pub(crate) struct ToolOffer {
    needs: Vec<Occasion>,
    pub(crate) next: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ToolDoc {
    /// `structure` or `solution`: the stage whose scripts have it.
    pub stage: &'static str,
    pub signature: &'static str,
    pub about: &'static str,
    /// The kinds of things that it is offered for; empty for all.
    pub kinds: &'static [&'static str],
}

pub fn documented() -> impl Iterator<Item = ToolDoc> {
    ROWS.iter().map(|row| ToolDoc {
        stage: "solution",
        signature: row.signature,
        about: row.about,
        kinds: match row.when {
            Always => &[],
            Slide => &["SLIDEABLE_X", "SLIDEABLE_Y"],
            Turn => &["TURNABLE"],
            Held => &["SLIDEABLE_X", "SLIDEABLE_Y", "TURNABLE"],
            Drag => &["DRAGGABLE"],
            Swap => &["SWAPPABLE"],
            Click => &["CLICKABLE", "NEXT"],
            Cycle => &["CLICKABLE"],
            Select => &["SELECTABLE", "CLICKABLE"],
            Point => &["POINTABLE"],
            Draw => &["DRAWABLE"],
            Places => &["DRAGGABLE", "POINTABLE", "DRAWABLE", "TURNABLE"],
            Enter => &["INPUTTABLE"],
            Match => &["SWAPPABLE", "DRAGGABLE", "CLICKABLE"],
        },
    })
}

impl ToolOffer {
    pub(crate) fn of(world: &World) -> Self {
        let element = |kind| world.element_has(kind);
        let frame = |kind| world.frame_has(kind);
        let next = element(ElementKind::Next) || frame(FrameKind::Next);
        let slides = element(ElementKind::SlideableX) || element(ElementKind::SlideableY);
        let turns = element(ElementKind::Turnable);
        let (drags, swaps) = (element(ElementKind::Draggable), element(ElementKind::Swappable));
        let (clicks, selects) = (element(ElementKind::Clickable), frame(FrameKind::Selectable));
        let (points, draws) = (frame(FrameKind::Pointable), frame(FrameKind::Drawable));
        let enters = element(ElementKind::Inputtable) || frame(FrameKind::Inputtable);
        let table = [
            (Always, true),
            (Slide, slides),
            (Turn, turns),
            (Held, slides || turns),
            (Drag, drags),
            (Swap, swaps),
            (Click, clicks || next),
            (Cycle, clicks),
            (Select, selects || clicks),
            (Point, points),
            (Draw, draws),
            (Places, drags || points || draws || turns),
            (Enter, enters),
            (Match, swaps || drags || clicks),
        ];
        let needs = table.into_iter().filter(|(_, offered)| *offered).map(|(need, _)| need).collect();
        Self { needs, next }
    }

    fn rows(&self) -> impl Iterator<Item = &'static ToolRow> + '_ {
        ROWS.iter().filter(|row| self.needs.contains(&row.when))
    }

    fn part(&self, part: ToolKind) -> Vec<Tool> {
        let rows = self.rows().filter(|row| row.kind == part);
        rows.map(|row| Tool { signature: row.signature.to_owned(), about: row.about.to_owned() }).collect()
    }

    pub(crate) fn actions(&self) -> Vec<Tool> {
        self.part(Acts)
    }

    pub(crate) fn vision(&self) -> Vec<Tool> {
        self.part(Looks)
    }

    pub(crate) fn examples(&self) -> Vec<String> {
        let needed = |of: &str| self.needs.iter().any(|need| format!("{need:?}") == of);
        table::examples().filter(|(of, _)| needed(of)).map(|(_, script)| script.to_owned()).collect()
    }

    pub(crate) fn surface(&self) -> Surface {
        let placed = ["id", "x", "y", "size", "interactable"];
        let mut classes = vec![
            ClassSpec::new("Frame").fields(&placed).fields(&["description", "elements", "grid"]),
            ClassSpec::new("Element").fields(&placed).fields(&["details"]).live(&["image"]),
            ClassSpec::new("Point").fields(&["id", "x", "y"]),
            ClassSpec::new("Image").fields(&["id", "size", "width", "height"]),
            ClassSpec::new("SelectChoice").fields(&["id", "index"]),
            ClassSpec::new("DragChoice").fields(&["id", "x", "y"]),
            ClassSpec::new("SwapChoice").fields(&["id", "grid"]),
            ClassSpec::new("SlideChoice").fields(&["id", "position"]),
        ];
        let mut functions = Vec::new();
        for row in self.rows() {
            let (class, name) = row.name();
            let Some(class) = class else {
                functions.push(name);
                continue;
            };
            let Some(spec) = classes.iter_mut().find(|spec| spec.name == class) else { continue };
            if LIVE.contains(&name) {
                spec.live.push(name.to_owned());
            } else if row.signature.contains(METHOD) && !FIELDS.contains(&name) {
                spec.methods.push(name.to_owned());
            }
        }
        if let Some(image) = classes.iter_mut().find(|spec| spec.name == "Image") {
            image.methods.push("resize".to_owned());
        }
        let surface = Surface { classes, ..Surface::default() }.functions(&functions);
        surface.constants("FrameKind", FrameKind::NAMES).constants("ElementKind", ElementKind::NAMES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::vision::PxRect;

    #[test]
    fn only_what_fits_is_offered() {
        let mut world = World::of(&[PxRect::new(0, 0, 9, 9)]);
        world.frames[0].kind = Some(FrameKind::Pointable);
        let offer = ToolOffer::of(&world);
        let surface = offer.surface();
        for name in ["point", "ask", "rank", "compare", "mark", "focus"] {
            assert!(surface.functions.iter().any(|f| f == name), "{name}");
        }
        for name in ["drag", "slide_x", "enter", "click", "explore", "draw"] {
            assert!(!surface.functions.iter().any(|f| f == name), "{name}");
        }
        assert!(surface.find_class("Point").unwrap().methods.contains(&"show_neighbours".to_owned()));
        assert!(!offer.next);
        let examples = offer.examples();
        assert!(examples.len() == 1 && examples[0].contains("point(near"), "{examples:?}");
    }

    fn everything() -> ToolOffer {
        let needs = vec![
            Always, Slide, Turn, Held, Drag, Swap, Click, Cycle, Select, Point, Draw, Places, Enter, Match,
        ];
        ToolOffer { needs, next: true }
    }

    #[test]
    fn a_prompt_with_all_tools() {
        let offer = everything();
        let solution = waldo_prompts::frames::Solution {
            task: "Set the dial to the mark. Then press \"Go\".".to_owned(),
            objective: "slide the knob until the dial is at the mark, then click the button".to_owned(),
            relations: vec!["Frame 0 to Frame 1: shows what the knob does".to_owned()],
            actions: offer.actions(),
            vision: offer.vision(),
            examples: offer.examples(),
            questions: 60,
            inputs: 118,
            seconds: 300,
            next: offer.next,
        };
        let text = waldo_prompts::Prompts::builtin().unwrap().frames_solution(&solution).unwrap();
        insta::assert_snapshot!("solution_with_all_tools", text);
    }

    #[test]
    fn whatever_is_described_can_be_called() {
        let all = everything();
        let surface = all.surface();
        for row in ROWS {
            let (class, name) = row.name();
            let there = class.map_or(surface.functions.iter().any(|f| f == name), |class| {
                let spec = surface.find_class(class).unwrap();
                [&spec.methods, &spec.live, &spec.fields].iter().any(|list| list.iter().any(|n| n == name))
            });
            assert!(there, "{}", row.signature);
        }
        assert_eq!(all.actions().len() + all.vision().len(), ROWS.len());
    }
}
