//! Text: measuring, wrapping, ellipsis, and glyphs as coverage masks, kept once drawn.

use std::{collections::HashMap, sync::Arc};

use ab_glyph::{Font as _, FontRef, PxScale, ScaleFont as _, point};

static REGULAR: &[u8] = include_bytes!("../../assets/dejavu-sans-regular.ttf");
static BOLD: &[u8] = include_bytes!("../../assets/dejavu-sans-bold.ttf");

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) enum Weight {
    #[default]
    Regular,
    Bold,
}

/// A face at a size in pixels (of the em).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Face {
    pub weight: Weight,
    pub px: u32,
}

#[derive(Debug)]
pub(crate) struct Glyph {
    /// Left edge from the pen.
    pub x: i32,
    /// Top edge from the baseline.
    pub y: i32,
    pub w: i32,
    pub mask: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TextLine {
    pub text: String,
    pub width: i32,
    /// Where it begins in the whole text, in characters.
    pub start: usize,
}

pub struct TextFaces {
    faces: [Option<FontRef<'static>>; 2],
    advances: HashMap<(char, Weight), f32>,
    glyphs: HashMap<(char, Face), Option<Arc<Glyph>>>,
}

impl std::fmt::Debug for TextFaces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Text({} glyphs)", self.glyphs.len())
    }
}

impl Default for TextFaces {
    fn default() -> Self {
        let faces = [REGULAR, BOLD].map(|face| FontRef::try_from_slice(face).ok());
        Self { faces, advances: HashMap::new(), glyphs: HashMap::new() }
    }
}

fn px(v: f32) -> i32 {
    v.ceil() as i32
}

fn real(v: u32) -> f32 {
    v as f32
}

impl TextFaces {
    fn face(&self, weight: Weight) -> Option<&FontRef<'static>> {
        match weight {
            Weight::Regular => self.faces[0].as_ref(),
            Weight::Bold => self.faces[1].as_ref(),
        }
    }

    fn advance(&mut self, c: char, weight: Weight) -> f32 {
        if let Some(a) = self.advances.get(&(c, weight)) {
            return *a;
        }
        let a = self.face(weight).map_or(0.6, |f| {
            let units = f.units_per_em().unwrap_or(2048.0);
            f.h_advance_unscaled(f.glyph_id(c)) / units
        });
        self.advances.insert((c, weight), a);
        a
    }

    pub fn width(&mut self, text: &str, face: Face) -> i32 {
        px(self.width_real(text, face))
    }

    fn width_real(&mut self, text: &str, face: Face) -> f32 {
        text.chars().map(|c| self.advance(c, face.weight)).sum::<f32>() * real(face.px)
    }

    pub(crate) fn line_height(face: Face) -> i32 {
        px(real(face.px) * 1.22)
    }

    /// From a line's top to its baseline, in pixels.
    pub(crate) fn ascent(face: Face) -> i32 {
        px(real(face.px) * 0.95)
    }

    /// Breaks text into lines no wider than `width` pixels; what goes beyond `max_lines` is cut with an
    /// ellipsis. Breaks at spaces, and within a word only where the word alone is too wide.
    pub(crate) fn wrap(&mut self, text: &str, face: Face, width: i32, max_lines: usize) -> Vec<TextLine> {
        if max_lines == 1 {
            let text = self.ellipsise(&text.replace('\n', " "), face, width);
            return vec![TextLine { width: self.width(&text, face), text, start: 0 }];
        }
        let mut lines: Vec<TextLine> = Vec::new();
        let mut at = 0;
        for paragraph in text.split('\n') {
            self.wrap_paragraph(paragraph, at, face, width, &mut lines);
            at += paragraph.chars().count() + 1;
            if lines.len() > max_lines {
                break;
            }
        }
        if lines.len() > max_lines {
            lines.truncate(max_lines);
            if let Some(last) = lines.last_mut() {
                let cut = self.ellipsise(&format!("{}…", last.text), face, width);
                last.width = self.width(&cut, face);
                last.text = cut;
            }
        }
        lines
    }

    fn ellipsise(&mut self, text: &str, face: Face, width: i32) -> String {
        if self.width(text, face) <= width {
            return text.to_owned();
        }
        let mut kept: String = text.trim_end_matches('…').to_owned();
        while !kept.is_empty() {
            kept.pop();
            let tried = format!("{}…", kept.trim_end());
            if self.width(&tried, face) <= width {
                return tried;
            }
        }
        "…".to_owned()
    }

    fn wrap_paragraph(&mut self, text: &str, at: usize, face: Face, width: i32, out: &mut Vec<TextLine>) {
        let limit = f64::from(width);
        let em = real(face.px);
        let chars: Vec<char> = text.chars().collect();
        let (mut begin, mut run, mut space) = (0, 0.0_f32, None::<usize>);
        let mut i = 0;
        while i < chars.len() {
            let Some(&c) = chars.get(i) else { break };
            if c == ' ' {
                space = Some(i);
            }
            run += self.advance(c, face.weight) * em;
            if f64::from(run) > limit && c != ' ' && i > begin {
                let end = space.filter(|s| *s > begin).unwrap_or(i);
                let line: String = chars.get(begin..end).unwrap_or_default().iter().collect();
                out.push(TextLine { width: self.width(&line, face), text: line, start: at + begin });
                begin = if space.is_some_and(|s| s > begin) { end + 1 } else { end };
                (i, run, space) = (begin, 0.0, None);
                continue;
            }
            i += 1;
        }
        let line: String = chars.get(begin..).unwrap_or_default().iter().collect();
        out.push(TextLine { width: self.width(&line, face), text: line, start: at + begin });
    }

    /// A character's mask; nothing for blanks.
    pub(crate) fn glyph(&mut self, c: char, face: Face) -> Option<Arc<Glyph>> {
        if let Some(g) = self.glyphs.get(&(c, face)) {
            return g.clone();
        }
        let drawn = self.draw(c, face).map(Arc::new);
        self.glyphs.insert((c, face), drawn.clone());
        drawn
    }

    fn draw(&self, c: char, face: Face) -> Option<Glyph> {
        let font = self.face(face.weight)?;
        let units = font.units_per_em()?;
        let scale = PxScale::from(real(face.px) * font.height_unscaled() / units);
        let glyph = font.as_scaled(scale).glyph_id(c).with_scale_and_position(scale, point(0.0, 0.0));
        let outline = font.outline_glyph(glyph)?;
        let bounds = outline.px_bounds();
        let (w, h) = (px(bounds.width()), px(bounds.height()));
        let mut mask = vec![0_u8; usize::try_from(w * h).unwrap_or(0)];
        outline.draw(|x, y, cover| {
            let at = y as usize * usize::try_from(w).unwrap_or(0) + x as usize;
            if let Some(m) = mask.get_mut(at) {
                *m = (cover.clamp(0.0, 1.0) * 255.0) as u8;
            }
        });
        Some(Glyph { x: px(bounds.min.x), y: px(bounds.min.y), w, mask })
    }

    /// The character boundary of a line nearest to `x` pixels from its start.
    pub(crate) fn caret_at(&mut self, line: &str, face: Face, x: i32) -> usize {
        let mut run = 0.0;
        for (i, c) in line.chars().enumerate() {
            let step = self.advance(c, face.weight) * real(face.px);
            if px(run + step / 2.0) > x {
                return i;
            }
            run += step;
        }
        line.chars().count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACE: Face = Face { weight: Weight::Regular, px: 30 };

    #[test]
    fn text_wraps_at_spaces_and_keeps_its_characters() {
        let mut text = TextFaces::default();
        let lines = text.wrap("the quick brown fox jumps", FACE, 250, 9);
        assert!(lines.len() > 1);
        assert!(lines.iter().all(|l| l.width <= 250), "{lines:?}");
        let joined: Vec<_> = lines.iter().map(|l| l.text.as_str()).collect();
        assert_eq!(joined.join(" "), "the quick brown fox jumps");
        for line in &lines {
            let at: String =
                "the quick brown fox jumps".chars().skip(line.start).take(line.text.len()).collect();
            assert_eq!(at, line.text);
        }
    }

    #[test]
    fn long_words_lines_and_narrow_columns_end() {
        let mut text = TextFaces::default();
        let lines = text.wrap("abcdefghijklmnopqrstuvwxyz", FACE, 100, 99);
        assert_eq!(lines.iter().map(|l| l.text.as_str()).collect::<String>(), "abcdefghijklmnopqrstuvwxyz");
        let cut = text.wrap("the quick brown fox jumps", FACE, 200, 1);
        assert_eq!(cut.len(), 1);
        assert!(cut[0].text.ends_with('…') && cut[0].width <= 200, "{cut:?}");
        let mut text = TextFaces::default();
        assert_eq!(text.wrap("abc", FACE, 1, 9).len(), 3);
        assert_eq!(text.wrap("", FACE, 0, 1).len(), 1);
        let mut text = TextFaces::default();
        for c in ['A', 'ж', 'Ω', 'ß', '→'] {
            assert!(text.glyph(c, FACE).unwrap().mask.iter().any(|m| *m > 200), "{c}");
        }
        assert!(text.glyph(' ', FACE).is_none());
        assert_eq!(text.caret_at("abc", FACE, 0), 0);
        assert_eq!(text.caret_at("abc", FACE, 500), 3);
    }
}
