//! The tools, when each is offered, and scripts that show them at work: words alone.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Occasion {
    Always,
    Slide,
    Held,
    Drag,
    Swap,
    Turn,
    Click,
    Cycle,
    Select,
    Point,
    Draw,
    /// Drag, point or draw: whatever needs places.
    Places,
    Enter,
    /// Grids, or choices to be told apart.
    Match,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToolKind {
    Acts,
    Looks,
}

pub(super) struct ToolRow {
    pub(super) when: Occasion,
    pub(super) kind: ToolKind,
    pub(super) signature: &'static str,
    pub(super) about: &'static str,
}

impl ToolRow {
    /// Its class, which functions have none of, and its name.
    pub(super) fn name(&self) -> (Option<&'static str>, &'static str) {
        let whole = self.signature.split(['(', ' ']).next().unwrap_or(self.signature);
        whole.split_once('.').map_or((None, whole), |(class, name)| (Some(class), name))
    }
}

use Occasion::{
    Always, Click, Cycle, Drag, Draw, Enter, Held, Match, Places, Point, Select, Slide, Swap, Turn,
};
use ToolKind::{Acts, Looks};

/// Rows from words: when, whether it acts or looks, the signature and the meaning.
macro_rules! rows {
    ($($when:ident $kind:ident $signature:literal $about:literal)*) => {
        &[$(ToolRow { when: $when, kind: $kind, signature: $signature, about: $about }),*]
    };
}

pub(super) const ROWS: &[ToolRow] = rows! {
    Click Acts "click(target: Frame | Element) -> bool"
        "Clicks a CLICKABLE or NEXT thing once. Returns whether anything was seen to change."
    Cycle Acts "get_all_choices(prev_arrow: Element, next_arrow: Element, observe: Frame) -> list[SelectChoice]"
        "Clicks through all choices (40 at most), and returns them in their order: from the one that is shown where the row goes round, else from its beginning."
    Cycle Acts "SelectChoice.select() -> bool"
        "Turns back to this choice. Harmless when it is shown already. It does not hand in."
    Cycle Looks "SelectChoice.image -> Image"
        "What the observed frame showed for this choice."
    Drag Acts "drag(start: Element, end: Point) -> list[DragChoice]"
        "Nothing moves yet: returns up to nine places at and around the point, the point itself first."
    Drag Looks "DragChoice.preview -> Image"
        "How it would look with the element dropped there."
    Drag Acts "DragChoice.drop() -> bool"
        "Drags the element there and lets go. Returns whether anything was seen to change."
    Enter Acts "enter(field: Frame | Element, text: str) -> bool"
        "Clicks the field, empties it and types one line of text, exactly as given. Enter is not pressed."
    Point Acts "point(to: Point) -> bool"
        "Clicks there."
    Draw Acts "draw(points: list[Point]) -> bool"
        "Presses at the first point, moves straight from one to the next, lets go at the last."
    Select Acts "select(choice: Frame | Element) -> bool"
        "Clicks a SELECTABLE choice. A second call for the same choice does nothing."
    Slide Acts "slide_x(handle: Element, direction: 'left' | 'right', observe_frame: Frame) -> list[SlideChoice]"
        "Presses a SLIDEABLE_X handle and moves it stop by stop to the end of its track; stops that show nothing new in the frame are left out. The handle stays held until release()."
    Slide Acts "slide_y(handle: Element, direction: 'up' | 'down', observe_frame: Frame) -> list[SlideChoice]"
        "The same for a SLIDEABLE_Y handle; 'up' is towards the top of the screen."
    Turn Acts "turn(handle: Element, direction: 'clockwise' | 'counterclockwise', observe_frame: Frame, centre: Frame | Element | Point = None) -> list[SlideChoice]"
        "Presses a TURNABLE handle and takes it once round the middle of centre, 10 degrees a stop; without a centre the handle is the whole dial. It stays held until release()."
    Held Looks "SlideChoice.image -> Image"
        "What the observed frame showed at this stop."
    Held Acts "SlideChoice.refine() -> list[SlideChoice]"
        "Goes back and returns the stops close around this one, two pixels or one degree apart."
    Held Acts "SlideChoice.release() -> bool"
        "Moves the handle to this stop and lets go: the slide is over, and its other choices with it."
    Swap Acts "explore(grid: Frame) -> list[SwapChoice]"
        "Nothing moves yet: every exchange of two tiles that look different, of more than 16 tiles those of neighbours."
    Swap Looks "SwapChoice.preview -> Image"
        "How the grid would look then."
    Swap Looks "SwapChoice.grid -> list[list[Element]]"
        "The tiles by rows as they would lie then; compare them with match()."
    Swap Acts "SwapChoice.swap() -> bool"
        "Exchanges the two tiles: clicks both, and only where that changes nothing drags one onto the other."
    Always Looks "Frame.image -> Image"
        "What the frame shows now. Element.image is the same of an element."
    Always Looks "Frame.get_interactable(id: int) -> Element"
        "The element with this number in the frame, from 0; IndexError where there is none."
    Always Looks "ask(images: list[Image], question: str, answer_type: 'bool' | 'int' | 'str') -> list"
        "One answer for each image, each looked at by itself. ValueError where no answer can be had."
    Always Looks "rank(images: list[Image], task_objective: str) -> list[int]"
        "Places in the list of images, first the one that fits best. Two questions for up to 40 images."
    Always Looks "compare(images: list[Image], task_objective: str, reference: Image = None) -> list[bool]"
        "Whether each image fits, held against the reference where one is given."
    Always Looks "mark(images: list[Image], object: str) -> list[Image]"
        "Copies with a numbered box around each such thing, for counting and finding."
    Always Looks "focus(image: Image, description: str) -> list[Image]"
        "The regions that fit, enlarged. The list may be empty."
    Match Looks "match(e1: Element, e2: Element) -> bool"
        "Whether two elements look the same, wherever they stand. Costs no question."
    Places Looks "Frame.show_keypoints(region: 'all' | 'top' | 'bottom' | 'left' | 'right' = 'all') -> Image"
        "The frame with numbered points on what stands out; ask for the number that is meant. A number stays with its place."
    Places Looks "Frame.get_keypoint(id: int) -> Point"
        "The point with this number, with x and y."
    Places Looks "Point.show_neighbours() -> Image"
        "A closer look, with more numbered points around this one."
    Places Looks "Point.get_neighbour(id: int) -> Point"
        "One of them by its number."
    Always Looks "Image.crop(x, y, width, height), Image.resize(width, height) -> Image"
        "Image.size is (width, height)."
    Always Looks "Image.mean_color() -> (red, green, blue)"
        "0 to 255 each."
    Always Looks "Image.diff(other: Image) -> float"
        "The share of pixels that differ, 0 to 1."
};

pub(super) const LIVE: &[&str] = &["image", "preview"];
/// Fields that are sent along.
pub(super) const FIELDS: &[&str] = &["grid"];

/// Scripts that show the tools at work, each below the occasion that it is for.
const EXAMPLES: &str = include_str!("examples.py");

/// The occasions of the scripts, and the scripts.
pub(super) fn examples() -> impl Iterator<Item = (&'static str, &'static str)> {
    EXAMPLES.split("## ").filter_map(|part| part.trim_end().split_once('\n'))
}
