//! A survey as tables for people, and as JSON for programs.

use serde_json::Value;

use super::Survey;

impl Survey {
    pub fn json(&self) -> Value {
        let missing = self.missing().into_iter().map(|(missing, tasks)| {
            serde_json::json!({ "what": missing.what, "name": missing.name, "tasks": tasks })
        });
        serde_json::json!({
            "counts": self.counts(),
            "domains": self.domains(),
            "missing": missing.collect::<Vec<_>>(),
            "tasks": self.rows,
        })
    }

    /// Tables for people, which are Markdown too: counts by domain, what is missing, and for which tasks.
    pub fn text(&self) -> String {
        let cells = |all: &[&str]| all.iter().map(|cell| (*cell).to_owned()).collect::<Vec<String>>();
        let mut rows = vec![cells(&["domain", "tasks", "judgeable", "runnable", "infeasible"])];
        for (name, n) in self.domains().into_iter().chain([("all", self.counts())]) {
            let numbers = [n.tasks, n.judgeable, n.runnable, n.infeasible].map(|n| n.to_string());
            rows.push([name.to_owned()].into_iter().chain(numbers).collect());
        }
        let mut out = table(&rows);
        let missing = self.missing();
        if missing.is_empty() {
            return out;
        }
        rows = vec![cells(&["missing", "name", "tasks"])];
        for (missing, tasks) in missing {
            rows.push(vec![missing.what.to_string(), missing.name, tasks.to_string()]);
        }
        out.push_str(&format!("\n{}", table(&rows)));
        rows = vec![cells(&["domain", "task", "judgeable", "missing"])];
        for row in self.rows.iter().filter(|row| !row.missing.is_empty()) {
            let judgeable = if row.judgeable { "yes" } else { "no" };
            rows.push(vec![row.domain.clone(), row.id.clone(), judgeable.to_owned(), row.why()]);
        }
        out.push_str(&format!("\n{}", table(&rows)));
        out
    }
}

/// A Markdown table; the first row is its head.
fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |i: usize| {
        rows.iter().filter_map(|row| row.get(i)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for (i, row) in rows.iter().enumerate() {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        out.push_str(&format!("| {} |\n", cells.collect::<Vec<_>>().join(" | ")));
        if i == 0 {
            let lines = widths.iter().map(|width| "-".repeat(*width));
            out.push_str(&format!("| {} |\n", lines.collect::<Vec<_>>().join(" | ")));
        }
    }
    out
}
