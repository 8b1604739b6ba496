//! A small calculator with a history.
//!
//! Provider: `content://calculator/history` (`_id`, `formula`, `result`), the newest last; rows can be deleted, not
//! written.

#[cfg(test)]
mod tests;
mod value;

use crate::{apps::prelude::*, lists};

messages! {
    /// What its widgets send.
    enum Msg {
        /// A key of the pad was tapped, by what it types.
        Type(key: String) = "type",
        /// The history is asked for.
        History = "history",
        /// An old result is taken up again.
        Again(id: i64) = "again",
        Forget = "forget",
    }
}

/// The package of this app.
pub const PACKAGE: &str = "com.android.calculator2";
/// Longest formula, in characters.
const LONGEST: usize = 60;

/// The formula being typed, and what was worked out before.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Calculator {
    formula: String,
    /// Whether the formula is a result: the next digit begins anew.
    done: bool,
    history: Vec<Entered>,
    next: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Entered {
    id: i64,
    formula: String,
    result: String,
}

fn is_operator(c: char) -> bool {
    matches!(c, '+' | '-' | '×' | '÷')
}

fn key(at: usize, high: f32) -> Node {
    let [id, face, desc, types] =
        lists::fields(contents::list("keys of the calculator").get(at).unwrap_or(&""));
    let on = Msg::Type(types.to_owned());
    let operator = at % 4 == 3 || at < 3;
    let (bg, ink) = if id == "eq" {
        (Tone::Primary, Tone::OnPrimary)
    } else if operator {
        (Tone::Tint, Tone::OnTint)
    } else {
        (Tone::Card, Tone::OnSurface)
    };
    let node = if face.is_empty() {
        kit::icon_button(id, Icon::Backspace, desc, on)
    } else {
        kit::button(id, face, on).desc(desc).sp(24.0).pad(0.0, 0.0).tone(ink)
    };
    node.bg(bg).radius(high / 2.0).size(Len::Fill(1.0), Len::Dp(high))
}

impl Calculator {
    fn result(&self) -> Option<String> {
        let worth = self.formula.chars().skip(1).any(|c| is_operator(c) || c == '%' || c == '(');
        worth.then(|| value::value(&self.formula).ok()).flatten()
    }

    fn type_in(&mut self, what: &str) {
        let last = self.formula.chars().last();
        let first = what.chars().next().unwrap_or(' ');
        if self.done && (first.is_ascii_digit() || first == '.' || what == "parens") {
            self.formula.clear();
        }
        self.done = false;
        if self.formula.chars().count() >= LONGEST {
            return;
        }
        match first {
            'p' => {
                let open = self.formula.matches('(').count() > self.formula.matches(')').count();
                let ends = last.is_some_and(|c| c.is_ascii_digit() || c == ')' || c == '%');
                self.formula.push_str(match (open, ends) {
                    (true, true) => ")",
                    (false, true) => "×(",
                    _ => "(",
                });
            }
            '.' => {
                let number = self.formula.rsplit(|c: char| !(c.is_ascii_digit() || c == '.')).next();
                if !number.unwrap_or("").contains('.') {
                    self.formula.push('.');
                }
            }
            c if is_operator(c) || c == '%' => {
                while self.formula.ends_with(is_operator) {
                    self.formula.pop();
                }
                let opens = self.formula.is_empty() || self.formula.ends_with('(');
                if !opens || c == '-' {
                    self.formula.push(c);
                }
            }
            c => self.formula.push(c),
        }
    }

    fn equals(&mut self, sys: &mut Sys<'_>) {
        if self.formula.is_empty() || self.done {
            return;
        }
        match value::value(&self.formula) {
            Ok(result) => {
                self.next += 1;
                let formula = std::mem::replace(&mut self.formula, result.clone());
                self.history.push(Entered { id: self.next, formula, result });
                self.done = true;
            }
            Err(why) => sys.toast(why),
        }
    }

    fn history_page(&self) -> AppScreen {
        let clear = kit::icon_button("history_clear", Icon::Trash, "", Msg::Forget);
        let bar = kit::up_bar("History", vec![clear]);
        let rows = self
            .history
            .iter()
            .rev()
            .map(|e| {
                Node::column(vec![
                    Node::label("history_formula", &*e.formula, 15.5).muted(),
                    Node::label("history_result", format!("= {}", e.result), 20.0),
                ])
                .id("history_item")
                .cross(Align::End)
                .gap(2.0)
                .pad(24.0, 10.0)
                .tap(Msg::Again(e.id))
            })
            .collect();
        parts::screen(bar, kit::list("history_list", rows, (Icon::Clock, "No history")))
    }
}

impl App for Calculator {
    fn manifest() -> Manifest {
        Manifest {
            activities: &[".Calculator", ".HistoryActivity"],
            authorities: &["calculator"],
            tables: &["calculator/history"],
            ..Manifest::system(PACKAGE, "Calculator", Icon::Plus, Tone::Rgb(0x0f, 0x76, 0x80))
        }
    }

    fn fresh(_: &mut Seed) -> Self {
        Self { formula: String::new(), done: false, history: Vec::new(), next: 0 }
    }

    fn view(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        if at.name() == "HistoryActivity" {
            return self.history_page();
        }
        let wide = cx.landscape();
        let keys_high = if wide { cx.height * 0.68 } else { cx.height * 0.56 };
        let gap = if wide { 5.0 } else { 10.0 };
        let high = ((keys_high - 5.0 * gap) / 5.0).clamp(20.0, 84.0);
        let rows = (0..5).map(|r| Node::row((0..4).map(|c| key(r * 4 + c, high)).collect()).gap(gap));
        let pad = Node::column(rows.collect()).id("pad_numeric").gap(gap).pad(14.0, gap);
        let preview = if self.done { None } else { self.result() };
        let show = |id: &str, text: &str, size: f32, tone| {
            Node::label(id, text, size).tone(tone).fill().main(Align::End)
        };
        // Long formulas are set smaller, so that they stay whole.
        let size = match (self.formula.chars().count(), wide) {
            (0..11, false) => 48.0,
            (0..20, false) => 34.0,
            (0..40, false) => 24.0,
            (0..40, true) => 30.0,
            _ => 18.0,
        };
        let id = if self.done { "result_final" } else { "formula" };
        let mut lines = vec![Node::spring(), show(id, &self.formula, size, Tone::OnSurface)];
        lines.push(show("result_preview", preview.as_deref().unwrap_or(""), 26.0, Tone::Muted).lines(1));
        let display = Node::column(lines).id("display").tall().pad(24.0, 6.0).gap(4.0);
        let history = kit::icon_button("history", Icon::Clock, "", Msg::History);
        let bar = Node::row(vec![Node::spring().high(1.0), history]).high(48.0).pad(4.0, 0.0);
        AppScreen::new(Node::column(vec![bar, display, pad]).tall())
    }

    fn on_event(&mut self, at: &mut Activity, ev: &UiEvent, sys: &mut Sys<'_>) {
        let _ = at;
        match ev.message() {
            Some(Msg::Type(key)) => match key.as_str() {
                "clear" => {
                    self.formula.clear();
                    self.done = false;
                }
                "del" => {
                    self.done = false;
                    self.formula.pop();
                }
                "equals" => self.equals(sys),
                key => self.type_in(key),
            },
            Some(Msg::History) => sys.open(".HistoryActivity", &[]),
            Some(Msg::Again(id)) => {
                if let Some(e) = self.history.iter().find(|e| e.id == id) {
                    self.formula.clone_from(&e.result);
                    self.done = true;
                    sys.finish();
                }
            }
            Some(Msg::Forget) => self.history.clear(),
            None => {}
        }
    }

    fn rows(&self, table: &str) -> Option<Vec<ProviderRow>> {
        (table == "calculator/history").then(|| {
            self.history
                .iter()
                .map(|e| {
                    row! { _id: e.id, formula: &e.formula, result: &e.result }
                })
                .collect()
        })
    }

    fn delete_row(&mut self, _: &str, id: i64) -> bool {
        parts::remove(&mut self.history, |e| e.id == id)
    }
}
