//! Changes of a text that keep its lines: what is on a line stays on it.

use ruff_text_size::{TextRange, TextSize};

#[derive(Debug, Default)]
pub(crate) struct Edits {
    all: Vec<Edit>,
}

#[derive(Debug)]
struct Edit {
    at: TextSize,
    /// What closes comes before what opens at the same place, the innermost first.
    order: (u8, isize),
    end: TextSize,
    text: String,
}

impl Edits {
    /// Puts something before what starts here; what was put first stays outermost.
    pub fn open(&mut self, at: TextSize, text: impl Into<String>) {
        let order = (1, self.sequence());
        self.all.push(Edit { at, order, end: at, text: text.into() });
    }

    /// Puts something after what ends here; what was put first stays outermost.
    pub fn close(&mut self, at: TextSize, text: impl Into<String>) {
        let order = (0, -self.sequence());
        self.all.push(Edit { at, order, end: at, text: text.into() });
    }

    pub fn replace(&mut self, range: TextRange, text: impl Into<String>) {
        let order = (2, self.sequence());
        self.all.push(Edit { at: range.start(), order, end: range.end(), text: text.into() });
    }

    fn sequence(&self) -> isize {
        isize::try_from(self.all.len()).unwrap_or(isize::MAX)
    }

    /// The changed text, none where changes overlap: then the script is better refused than garbled.
    pub fn apply(mut self, source: &str) -> Option<String> {
        self.all.sort_by_key(|edit| (edit.at, edit.order));
        let mut text = String::with_capacity(source.len() + source.len() / 4);
        let mut done = 0;
        for edit in &self.all {
            let (at, end) = (edit.at.to_usize(), edit.end.to_usize());
            text.push_str(source.get(done..at)?);
            text.push_str(&edit.text);
            // Breaks inside what goes away are kept, so that later lines keep their numbers.
            let gone = source.get(at..end)?;
            text.extend(std::iter::repeat_n('\n', gone.matches('\n').count()));
            done = end;
        }
        text.push_str(source.get(done..)?);
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(n: u32) -> TextSize {
        TextSize::new(n)
    }

    #[test]
    fn insertions_nest_and_overlaps_are_noticed() {
        let mut edits = Edits::default();
        edits.open(at(0), "f(");
        edits.close(at(3), ")");
        edits.open(at(0), "g[");
        edits.close(at(3), "]");
        assert_eq!(edits.apply("abc").as_deref(), Some("f(g[abc])"));
        let mut edits = Edits::default();
        edits.open(at(1), "<");
        edits.close(at(1), ">");
        edits.replace(TextRange::new(at(1), at(3)), "X");
        assert_eq!(edits.apply("a\nb").as_deref(), Some("a><X\n"));
        let mut edits = Edits::default();
        edits.replace(TextRange::new(at(0), at(2)), "x");
        edits.replace(TextRange::new(at(1), at(3)), "y");
        assert_eq!(edits.apply("abc"), None);
    }
}
