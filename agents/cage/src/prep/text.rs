use ruff_python_ast::ModModule;
use ruff_python_ast::token::{Token, TokenKind};
use ruff_python_parser::{Mode, ParseErrorType, ParseOptions, Parsed, parse_unchecked};
use ruff_text_size::{Ranged, TextRange, TextSize};

use crate::error::Refusal;

const NESTING: u16 = 60;
/// Tokens of one statement: chains of operators grow the tree without nesting the text.
const STATEMENT: usize = 4_000;

pub struct ScriptText<'a> {
    pub source: &'a str,
    pub parsed: Parsed<ModModule>,
    starts: Vec<usize>,
}

impl<'a> ScriptText<'a> {
    /// Parses a script. Recursion is bounded, but not small: to be called with a large stack.
    pub fn parse(source: &'a str) -> Result<Self, Vec<Refusal>> {
        let starts: Vec<usize> =
            std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let place = |at: TextSize| place(source, &starts, at.to_usize());
        if let Some(at) = source.find('\0') {
            let (line, column) = self::place(source, &starts, at);
            return Err(vec![refusal(line, column, "a character of code zero", "remove it")]);
        }
        let options = ParseOptions::from(Mode::Module).with_max_recursion_depth(NESTING);
        let parsed = parse_unchecked(source, options);
        let errors: Vec<Refusal> = parsed
            .errors()
            .iter()
            .take(3)
            .map(|error| {
                let (line, column) = place(error.location.start());
                if matches!(error.error, ParseErrorType::RecursionLimitExceeded) {
                    refusal(line, column, "it nests too deeply", "split it into several statements")
                } else {
                    let what = format!("a syntax error: {}", lower(&error.error.to_string()));
                    refusal(line, column, &what, "write valid Python")
                }
            })
            .collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        let Some(parsed) = parsed.try_into_module() else {
            return Err(vec![refusal(1, 1, "this is not a module", "write valid Python")]);
        };
        let text = Self { source, parsed, starts };
        match text.long_statement() {
            Some(at) => {
                Err(vec![text.refuse(at, "a statement is too long", "split it into several statements")])
            }
            None => Ok(text),
        }
    }

    fn long_statement(&self) -> Option<TextRange> {
        let mut count = 0;
        for token in self.parsed.tokens() {
            count = if token.kind() == TokenKind::Newline { 0 } else { count + 1 };
            if count > STATEMENT {
                return Some(token.range());
            }
        }
        None
    }

    pub fn refuse(&self, at: impl Ranged, what: &str, advice: &str) -> Refusal {
        let (line, column) = place(self.source, &self.starts, at.range().start().to_usize());
        refusal(line, column, what, advice)
    }

    pub fn slice(&self, range: TextRange) -> &'a str {
        self.source.get(range.start().to_usize()..range.end().to_usize()).unwrap_or_default()
    }

    pub fn first(&self, kind: TokenKind, from: TextSize, to: TextSize) -> Option<TextRange> {
        self.between(from, to).iter().find(|t| t.kind() == kind).map(Ranged::range)
    }

    pub fn last(&self, kind: TokenKind, from: TextSize, to: TextSize) -> Option<TextRange> {
        self.between(from, to).iter().rev().find(|t| t.kind() == kind).map(Ranged::range)
    }

    fn between(&self, from: TextSize, to: TextSize) -> &[Token] {
        let tokens: &[Token] = self.parsed.tokens();
        let start = tokens.partition_point(|t| t.start() < from);
        let end = tokens.partition_point(|t| t.start() < to);
        tokens.get(start..end).unwrap_or_default()
    }
}

fn refusal(line: u32, column: u32, what: &str, advice: &str) -> Refusal {
    Refusal { line, column, what: what.to_owned(), advice: advice.to_owned() }
}

/// Line and column, from 1, columns in characters.
fn place(source: &str, starts: &[usize], at: usize) -> (u32, u32) {
    let line = starts.partition_point(|&start| start <= at);
    let start = starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
    let column = source.get(start..at).map_or(0, |text| text.chars().count()) + 1;
    (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
}

fn lower(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}
