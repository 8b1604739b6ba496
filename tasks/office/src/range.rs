//! Cells and ranges of a sheet. Rows and columns count from 1.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub top: u32,
    pub left: u32,
    pub bottom: u32,
    pub right: u32,
}

impl Range {
    pub fn holds_range(self, other: Self) -> bool {
        self.top <= other.top
            && self.left <= other.left
            && self.bottom >= other.bottom
            && self.right >= other.right
    }

    pub fn area(self) -> u64 {
        let length = |from: u32, to: u32| (u64::from(to) + 1).saturating_sub(u64::from(from));
        length(self.top, self.bottom).saturating_mul(length(self.left, self.right))
    }

    /// Its cells `(row, column)`, row by row.
    pub fn cells(self) -> impl Iterator<Item = (u32, u32)> {
        (self.top..=self.bottom)
            .flat_map(move |row| (self.left..=self.right).map(move |column| (row, column)))
    }
}

/// `B3` or `$B$3` as `(row, column)`.
pub fn parse_cell(text: &str) -> Option<(u32, u32)> {
    let text = text.replace('$', "");
    let at = text.find(|c: char| c.is_ascii_digit())?;
    let (letters, digits) = text.split_at(at);
    let mut column = 0_u32;
    for c in letters.chars() {
        let c = c.to_ascii_uppercase();
        if !c.is_ascii_uppercase() {
            return None;
        }
        column = column.checked_mul(26)?.checked_add(u32::from(c) - u32::from('A') + 1)?;
    }
    let row: u32 = digits.parse().ok()?;
    (row > 0 && column > 0).then_some((row, column))
}

/// `A1:B6`, or one cell.
pub fn parse_range(text: &str) -> Option<Range> {
    let (first, last) = text.split_once(':').unwrap_or((text, text));
    let ((top, left), (bottom, right)) = (parse_cell(first)?, parse_cell(last)?);
    Some(Range { top, left, bottom, right })
}

/// Ranges with blanks between them; what is not a range is left out.
pub fn parse_ranges(text: &str) -> Vec<Range> {
    text.split_whitespace().filter_map(parse_range).collect()
}

pub fn column_name(mut column: u32) -> String {
    let mut name = String::new();
    while column > 0 {
        let letter = u8::try_from((column - 1) % 26).unwrap_or_default();
        name.insert(0, char::from(b'A' + letter));
        column = (column - 1) / 26;
    }
    name
}

/// `B3`.
pub fn cell_name(row: u32, column: u32) -> String {
    format!("{}{row}", column_name(column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_cells() {
        for (name, cell) in
            [("A1", (1, 1)), ("Z9", (9, 26)), ("AA10", (10, 27)), ("XFD1048576", (1_048_576, 16384))]
        {
            assert_eq!(parse_cell(name), Some(cell));
            assert_eq!(cell_name(cell.0, cell.1), name);
        }
        assert_eq!(parse_cell("A0"), None);
        assert_eq!(parse_cell("1"), None);
        assert_eq!(parse_ranges("$A$1:B2 C3").len(), 2);
        assert_eq!(
            parse_range("A1:B2").unwrap().cells().collect::<Vec<_>>(),
            [(1, 1), (1, 2), (2, 1), (2, 2)]
        );
    }
}
