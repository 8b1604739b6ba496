//! Tables of named rows, for terminals and for Markdown.

/// What stands in the corner, the columns, and the rows by name.
pub struct Grid {
    pub corner: String,
    pub columns: Vec<String>,
    pub rows: Vec<(String, Vec<String>)>,
}

impl Grid {
    /// For terminals: the first column to the left, the others to the right.
    pub fn text(&self) -> String {
        let head = std::iter::once((&self.corner, &self.columns));
        let rows = head.chain(self.rows.iter().map(|(name, cells)| (name, cells)));
        let lines: Vec<Vec<&String>> =
            rows.map(|(name, cells)| std::iter::once(name).chain(cells).collect()).collect();
        let width = |at: usize| {
            let cells = lines.iter().filter_map(|line| line.get(at));
            cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..=self.columns.len()).map(width).collect();
        let mut out = String::new();
        for line in lines {
            let mut shown = String::new();
            for (at, (text, width)) in line.into_iter().zip(&widths).enumerate() {
                let pad = " ".repeat(width.saturating_sub(text.chars().count()));
                shown.push_str(&if at == 0 { format!("{text}{pad}") } else { format!("  {pad}{text}") });
            }
            out.push_str(shown.trim_end());
            out.push('\n');
        }
        out
    }

    /// For Markdown, without the corner; `plain` takes from a text what would be markup.
    pub fn markdown(&self, plain: impl Fn(&str) -> String) -> String {
        let cells = |all: &[String]| all.iter().map(|cell| plain(cell)).collect::<Vec<_>>().join(" | ");
        let rule = "--:|".repeat(self.columns.len());
        let mut out = format!("| | {} |\n|---|{rule}\n", cells(&self.columns));
        out.extend(self.rows.iter().map(|(name, row)| format!("| {} | {} |\n", plain(name), cells(row))));
        out
    }
}
