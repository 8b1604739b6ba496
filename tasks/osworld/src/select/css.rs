//! CSS selectors over XML: names, attributes, child positions, and the four combinators.

use roxmltree::Node;

use super::{Prefix, excerpt};
use waldo_office::budget;

/// How a compound is bound to the one before it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Combinator {
    Descendant,
    Child,
    Next,
    Later,
}

#[derive(Debug)]
enum SelectorPart {
    Name(Option<String>, String),
    Attribute { space: Option<String>, name: String, how: char, value: Option<String> },
    NthChild(usize),
    LastChild,
}

type Compound = Vec<SelectorPart>;

/// Compounds that one chain may have.
const LONGEST: usize = 100;

/// The elements that a group of selectors selects below `root`, in the document's order.
pub(crate) fn select_css<'a, 'i>(
    root: Node<'a, 'i>,
    selector: &str,
    prefixes: &[Prefix<'_>],
) -> Result<Vec<Node<'a, 'i>>, String> {
    let chains = Reader { rest: selector, prefixes }
        .group()
        .map_err(|message| format!("selector '{}': {message}", excerpt(selector)))?;
    let fits = |node: Node<'a, 'i>| chains.iter().any(|chain| chain_fits(chain, node));
    Ok(root.descendants().filter(|node| node.is_element() && fits(*node)).collect())
}

fn chain_fits(chain: &[(Combinator, Compound)], node: Node) -> bool {
    let Some(((bond, compound), before)) = chain.split_last() else { return true };
    if !budget::goes_on() || !compound.iter().all(|part| part_fits(part, node)) {
        return false;
    }
    if before.is_empty() {
        return true;
    }
    let mut others: Box<dyn Iterator<Item = Node>> = match bond {
        Combinator::Descendant => Box::new(node.ancestors().skip(1).filter(Node::is_element)),
        Combinator::Child => Box::new(node.parent_element().into_iter()),
        Combinator::Next => Box::new(node.prev_sibling_element().into_iter()),
        Combinator::Later => Box::new(node.prev_siblings().skip(1).filter(Node::is_element)),
    };
    others.any(|other| chain_fits(before, other))
}

fn part_fits(part: &SelectorPart, node: Node) -> bool {
    match part {
        SelectorPart::Name(space, name) => {
            (name == "*" || name == node.tag_name().name())
                && space.as_deref().is_none_or(|space| node.tag_name().namespace() == Some(space))
        }
        SelectorPart::Attribute { space, name, how, value } => {
            let found = match space {
                Some(space) => node.attribute((space.as_str(), name.as_str())),
                None => node.attribute(name.as_str()),
            };
            let (Some(found), Some(value)) = (found, value) else { return found.is_some() };
            match how {
                '=' => found == value,
                '^' => !value.is_empty() && found.starts_with(value),
                '$' => !value.is_empty() && found.ends_with(value),
                '*' => !value.is_empty() && found.contains(value),
                '~' => found.split_ascii_whitespace().any(|word| word == value),
                _ => found == value || found.strip_prefix(value).is_some_and(|rest| rest.starts_with('-')),
            }
        }
        SelectorPart::NthChild(n) => node.prev_siblings().filter(Node::is_element).count() == *n,
        SelectorPart::LastChild => node.next_sibling_element().is_none(),
    }
}

struct Reader<'s, 'p> {
    rest: &'s str,
    prefixes: &'p [Prefix<'p>],
}

impl Reader<'_, '_> {
    fn group(&mut self) -> Result<Vec<Vec<(Combinator, Compound)>>, String> {
        let mut chains = Vec::new();
        loop {
            let mut chain = vec![(Combinator::Descendant, self.compound()?)];
            loop {
                let blank = self.blanks();
                let bond = match self.rest.chars().next() {
                    Some('>') => Combinator::Child,
                    Some('+') => Combinator::Next,
                    Some('~') => Combinator::Later,
                    Some(',') | None => break,
                    Some(_) if blank => Combinator::Descendant,
                    Some(c) => return Err(format!("'{c}' is not expected")),
                };
                if bond != Combinator::Descendant {
                    self.skip(1);
                }
                chain.push((bond, self.compound()?));
                if chain.len() > LONGEST {
                    return Err(format!("it has more than {LONGEST} steps"));
                }
            }
            chains.push(chain);
            if !self.eat(',') {
                return Ok(chains);
            }
        }
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    fn blanks(&mut self) -> bool {
        let trimmed = self.rest.trim_start();
        let any = trimmed.len() < self.rest.len();
        self.rest = trimmed;
        any
    }

    fn eat(&mut self, c: char) -> bool {
        let found = self.rest.starts_with(c);
        if found {
            self.skip(c.len_utf8());
        }
        found
    }

    /// A name; a backslash takes the next character as it is.
    fn name(&mut self) -> String {
        let mut name = String::new();
        let mut chars = self.rest.char_indices();
        let mut end = self.rest.len();
        while let Some((at, c)) = chars.next() {
            if c == '\\' {
                name.extend(chars.next().map(|(_, c)| c));
            } else if c.is_alphanumeric() || c == '_' || c == '-' || !c.is_ascii() {
                name.push(c);
            } else {
                end = at;
                break;
            }
        }
        self.skip(end);
        name
    }

    fn space(&self, prefix: &str) -> Result<String, String> {
        let found = self.prefixes.iter().find(|(name, _)| *name == prefix);
        found.map(|(_, space)| (*space).to_owned()).ok_or_else(|| format!("there is no prefix '{prefix}'"))
    }

    fn compound(&mut self) -> Result<Compound, String> {
        self.blanks();
        let mut parts = Vec::new();
        let name = if self.eat('*') { "*".to_owned() } else { self.name() };
        if self.eat('|') {
            let local = if self.eat('*') { "*".to_owned() } else { self.name() };
            parts.push(SelectorPart::Name(Some(self.space(&name)?), local));
        } else if !name.is_empty() {
            parts.push(SelectorPart::Name(None, name));
        }
        loop {
            if self.eat('[') {
                parts.push(self.attribute()?);
            } else if self.eat(':') {
                let name = self.name();
                parts.push(match name.as_str() {
                    "first-child" => SelectorPart::NthChild(1),
                    "last-child" => SelectorPart::LastChild,
                    "nth-child" => {
                        let inner = self.rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
                        let (number, rest) = inner.ok_or("nth-child needs a number")?;
                        let number = number.trim().parse().map_err(|_| "nth-child needs a number")?;
                        self.rest = rest;
                        SelectorPart::NthChild(number)
                    }
                    other => return Err(format!(":{other} is not known")),
                });
            } else if self.rest.starts_with(['#', '.']) {
                let name = if self.rest.starts_with('#') { "id" } else { "class" };
                self.skip(1);
                let how = if name == "id" { '=' } else { '~' };
                let value = Some(self.name());
                parts.push(SelectorPart::Attribute { space: None, name: name.into(), how, value });
            } else {
                break;
            }
        }
        if parts.is_empty() { Err("a selector is missing".into()) } else { Ok(parts) }
    }

    fn attribute(&mut self) -> Result<SelectorPart, String> {
        self.blanks();
        let mut name = self.name();
        let mut space = None;
        if self.rest.starts_with('|') && !self.rest.starts_with("|=") {
            self.skip(1);
            space = Some(self.space(&name)?);
            name = self.name();
        }
        self.blanks();
        if self.eat(']') {
            return Ok(SelectorPart::Attribute { space, name, how: '=', value: None });
        }
        let how = self.rest.chars().next().unwrap_or_default();
        if how != '=' {
            self.skip(how.len_utf8());
        }
        if !"=^$*~|".contains(how) || !self.eat('=') {
            return Err(format!("'{how}' is not a comparison"));
        }
        self.blanks();
        let value = match self.rest.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                self.skip(1);
                let (value, rest) = self.rest.split_once(quote).ok_or("a quote is open")?;
                self.rest = rest;
                value.to_owned()
            }
            _ => self.name(),
        };
        self.blanks();
        if !self.eat(']') {
            return Err("']' is missing".into());
        }
        Ok(SelectorPart::Attribute { space, name, how, value: Some(value) })
    }
}
