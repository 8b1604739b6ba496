//! Makes a script fit for the engine, or refuses it, before anything of it runs.
//!
//! Invariants: a script that passes calls nothing that is not there, as far as its text shows; every line of
//! it keeps its number, so that what goes wrong later is told at the line where its author wrote it.

mod edit;
mod known;
mod names;
mod refuse;
mod rewrite;
mod text;

use std::collections::BTreeSet;

use crate::engine::Surface;
use crate::error::Refusal;

use names::BoundNames;
pub use text::ScriptText;

/// Functions for what the engine and its modules lack, in blocks with two empty lines between them.
const PRELUDE: &str = concat!(include_str!("../prelude.py"), "\n\n", include_str!("../modules.py"));

#[derive(Debug)]
pub struct Prepared {
    /// What is needed of the prelude, then the rewritten script.
    pub text: String,
    before: u32,
    lines: Vec<String>,
}

impl Prepared {
    /// The line of the script of a line of [`Self::text`], none for the prelude's lines.
    pub(crate) fn own_line(&self, line: u32) -> Option<u32> {
        let own = line.checked_sub(self.before)?;
        (own >= 1 && own as usize <= self.lines.len()).then_some(own)
    }

    /// The script's own text of a line, as it was written.
    pub(crate) fn original_line(&self, line: u32) -> &str {
        line.checked_sub(1).and_then(|i| self.lines.get(i as usize)).map_or("", |l| l.trim())
    }
}

/// Checks and rewrites a script. Recursion is bounded, but not small: to be called with a large stack.
pub fn prepare(
    source: &str,
    entry: Option<&str>,
    surface: &Surface,
    most: usize,
) -> Result<Prepared, Vec<Refusal>> {
    let refusal =
        |what: String, advice: &str| Refusal { line: 1, column: 1, what, advice: advice.to_owned() };
    if source.len() > most {
        return Err(vec![refusal(format!("the script has {} bytes", source.len()), "write less")]);
    }
    let text = ScriptText::parse(source)?;
    let mut names = BoundNames::of(text.parsed.suite());
    let imports = names.import_known(text.parsed.suite(), surface);
    let refusals = refuse::refusals(&text, &names, surface, entry);
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let Some(script) = rewrite::rewrite(&text, &names, surface) else {
        return Err(vec![refusal("the script cannot be taken apart".into(), "write simpler statements")]);
    };
    let prelude = unshadowed(prelude(&format!("{imports}{script}")), &names) + &imports;
    let before = u32::try_from(prelude.matches('\n').count()).unwrap_or(0);
    let lines = source.lines().map(str::to_owned).collect();
    Ok(Prepared { text: prelude + &script, before, lines })
}

/// The blocks of the prelude that a script needs, in their order.
fn prelude(script: &str) -> String {
    let blocks: Vec<(&str, BTreeSet<&str>)> =
        PRELUDE.split("\n\n\n").map(|block| (block.trim(), own_names(block))).collect();
    let defines = |block: &str, name: &str| {
        let rest = block.strip_prefix("def ").or_else(|| block.strip_prefix("class ")).unwrap_or(block);
        rest.strip_prefix(name).is_some_and(|rest| !rest.starts_with(is_part))
    };
    let mut wanted: Vec<&str> = own_names(script).into_iter().collect();
    let mut needed = BTreeSet::new();
    while let Some(name) = wanted.pop() {
        if let Some(index) = blocks.iter().position(|(block, _)| defines(block, name))
            && needed.insert(index)
            && let Some((_, uses)) = blocks.get(index)
        {
            wanted.extend(uses);
        }
    }
    let mut text = String::new();
    for block in needed.into_iter().filter_map(|index| blocks.get(index)) {
        text.push_str(block.0);
        text.push('\n');
    }
    text
}

/// The prelude with its own names for the builtins that the script binds itself.
fn unshadowed(prelude: String, names: &BoundNames) -> String {
    let own = |word: &str| {
        let builtin = known::BUILTINS.contains(word) || known::EXCEPTIONS.contains(word);
        builtin && names.has(word)
    };
    let mut aliases = BTreeSet::new();
    let mut text = String::with_capacity(prelude.len());
    let mut rest = prelude.as_str();
    while let Some(start) = rest.find(is_part) {
        let (before, from) = rest.split_at(start);
        let (word, after) = from.split_at(from.find(|c| !is_part(c)).unwrap_or(from.len()));
        text.push_str(before);
        if own(word) {
            aliases.insert(word);
            text.push_str("_w_own_");
        }
        text.push_str(word);
        rest = after;
    }
    text.push_str(rest);
    aliases.into_iter().map(|word| format!("_w_own_{word} = {word}\n")).collect::<String>() + &text
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn own_names(text: &str) -> BTreeSet<&str> {
    text.split(|c| !is_part(c)).filter(|word| word.starts_with(refuse::OWN)).collect()
}
