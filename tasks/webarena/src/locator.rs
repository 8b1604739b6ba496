//! What a task file asks of a page: the whole of it, a script of a fixed form, or one of the original's helpers.
//!
//! Invariant: no text of a file is run that is more than a way through a page's elements to what one of them says
//! ([`LocatorScript`]): names of methods come from a list, nothing is assigned, and nothing else is called.

/// Properties and methods that tell something of an element, or lead to another.
const TELLING: &str = "querySelector querySelectorAll getElementById getElementsByClassName getElementsByTagName \
                       getAttribute hasAttribute closest outerText innerText textContent innerHTML outerHTML value \
                       selectedIndex selectedOptions options checked disabled title text href src toString trim \
                       toLowerCase includes firstElementChild lastElementChild firstChild lastChild nextSibling \
                       nextElementSibling previousElementSibling parentElement parentNode children childNodes map \
                       filter join length body";
/// What a preparation may do besides.
const DOING: &str = "click";
const VALUES: &str = "null undefined true false";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatorScript(String);

impl LocatorScript {
    pub fn looking(text: &str) -> Result<Self, String> {
        if !(text.starts_with("document.") || text.starts_with("[...document.")) {
            return Err(format!("the locator '{text}' is of no known form"));
        }
        plain(text, "").map(|()| Self(text.to_owned()))
    }

    /// Takes a script that prepares a page: it may press something.
    pub(crate) fn preparing(text: &str) -> Result<Self, String> {
        plain(text, DOING).map(|()| Self(text.to_owned()))
    }

    pub fn text(&self) -> &str {
        &self.0
    }

    /// The expression that tells of the script's value, or that it threw.
    pub(crate) fn expression(&self) -> String {
        let script = self.0.trim_end_matches([';', ' ']);
        format!(
            "(() => {{ try {{ const value = ({script}); return {{ value: value instanceof Node ? 'ref: <Node>' : value ?? null }} }} \
             catch (error) {{ return {{ threw: String(error) }} }} }})()"
        )
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Locator {
    Page,
    Script(LocatorScript),
    Role(String),
    /// Who wrote the newest review of a product.
    ReviewAuthor(String),
    ReviewRating(String),
}

impl Locator {
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Ok(Self::Page);
        }
        let Some(call) = text.strip_prefix("func:") else {
            return LocatorScript::looking(text).map(Self::Script);
        };
        let unknown = || format!("the helper '{call}' is not known");
        let (name, arguments) = called(call).ok_or_else(unknown)?;
        match (name, &arguments[..]) {
            ("gitlab_get_project_memeber_role", [page, account]) if page == "__page__" => {
                Ok(Self::Role(text_of(account).ok_or_else(unknown)?))
            }
            ("shopping_get_sku_latest_review_author", [sku]) => {
                Ok(Self::ReviewAuthor(text_of(sku).ok_or_else(unknown)?))
            }
            ("shopping_get_sku_latest_review_rating", [sku]) => {
                Ok(Self::ReviewRating(text_of(sku).ok_or_else(unknown)?))
            }
            _ => Err(unknown()),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageLocation {
    /// Where the last one was.
    Last,
    Address(String),
    Post,
    LatestOrder,
}

impl PageLocation {
    pub fn parse(text: &str) -> Result<Self, String> {
        if text == "last" {
            return Ok(Self::Last);
        }
        if !text.starts_with("func") {
            return Ok(Self::Address(text.to_owned()));
        }
        let unknown = || format!("the helper '{text}' is not known");
        let (name, arguments) = text.strip_prefix("func:").and_then(called).ok_or_else(unknown)?;
        match (name, &arguments[..]) {
            ("reddit_get_post_url", [url]) if text_of(url).as_deref() == Some("__last_url__") => {
                Ok(Self::Post)
            }
            ("shopping_get_latest_order_url", []) => Ok(Self::LatestOrder),
            _ => Err(unknown()),
        }
    }
}

fn called(text: &str) -> Option<(&str, Vec<String>)> {
    let (name, rest) = text.trim().split_once('(')?;
    let inner = rest.strip_suffix(')')?.trim();
    let arguments = match inner {
        "" => Vec::new(),
        inner => inner.split(',').map(|one| one.trim().to_owned()).collect(),
    };
    Some((name, arguments))
}

fn text_of(argument: &str) -> Option<String> {
    let quote = argument.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let inner = argument.strip_prefix(quote)?.strip_suffix(quote)?;
    (!inner.contains(['\'', '"', '\\', '\n'])).then(|| inner.to_owned())
}

#[derive(Clone, Debug, PartialEq)]
enum LocatorToken<'a> {
    Name(&'a str),
    Number,
    Text,
    Sign(&'a str),
}

const SIGNS: [&str; 13] = ["...", "=>", "?.", "||", "??", ".", "(", ")", "[", "]", "+", ",", ";"];

/// Refuses a script that is more than a way through a page.
fn plain(text: &str, doing: &str) -> Result<(), String> {
    let refused = |what: &str| format!("the script '{text}' is more than a look at a page: {what}");
    let tokens = tokens(text).map_err(|what| refused(&what))?;
    let own: Vec<&str> = tokens
        .windows(2)
        .filter_map(|pair| match pair {
            [LocatorToken::Name(name), LocatorToken::Sign("=>")] => Some(*name),
            _ => None,
        })
        .collect();
    let listed = |list: &str, name: &str| list.split_whitespace().any(|one| one == name);
    for (at, token) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let after = tokens.get(at + 1);
        match token {
            LocatorToken::Name(name) => {
                let known = match before {
                    Some(LocatorToken::Sign("." | "?.")) => listed(TELLING, name) || listed(doing, name),
                    _ => *name == "document" || own.contains(name) || listed(VALUES, name),
                };
                if !known {
                    return Err(refused(&format!("'{name}' is not known")));
                }
                // Of the names that are its own only arguments may stand there.
                if own.contains(name) && (*name == "document" || after == Some(&LocatorToken::Sign("("))) {
                    return Err(refused(&format!("'{name}' is called")));
                }
            }
            LocatorToken::Sign("[") => {
                let one = after == Some(&LocatorToken::Number)
                    && tokens.get(at + 2) == Some(&LocatorToken::Sign("]"));
                if !(one || after == Some(&LocatorToken::Sign("..."))) {
                    return Err(refused("a member by its name"));
                }
            }
            LocatorToken::Sign("(") => {
                // What is called is a method, or nothing: a bracket.
                if matches!(
                    before,
                    Some(LocatorToken::Text | LocatorToken::Number | LocatorToken::Sign(")" | "]"))
                ) {
                    return Err(refused("a value is called"));
                }
            }
            LocatorToken::Sign(";") if after.is_some() => return Err(refused("a second statement")),
            LocatorToken::Number | LocatorToken::Text | LocatorToken::Sign(_) => {}
        }
    }
    Ok(())
}

fn tokens(text: &str) -> Result<Vec<LocatorToken<'_>>, String> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..).unwrap_or_default();
        let len = match c {
            ' ' | '\n' | '\t' => {
                at += 1;
                continue;
            }
            '\'' | '"' | '`' => {
                let len = closed(rest, c).ok_or("a text without an end")?;
                if c == '`' && rest.get(..len).is_some_and(|text| text.contains("${")) {
                    return Err("a text that is put together".to_owned());
                }
                found.push(LocatorToken::Text);
                len
            }
            _ if c.is_ascii_digit() => {
                found.push(LocatorToken::Number);
                rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())
            }
            _ if c.is_ascii_alphabetic() => {
                let len = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
                found.push(LocatorToken::Name(rest.get(..len).unwrap_or_default()));
                len
            }
            _ => {
                let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign));
                let sign = sign.ok_or_else(|| format!("'{c}'"))?;
                found.push(LocatorToken::Sign(sign));
                sign.len()
            }
        };
        at += len;
    }
    Ok(found)
}

fn closed(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' if quote != '`' => return None,
            c if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_through_a_page_are_taken_and_anything_else_is_refused() {
        for text in [
            "document.querySelector('#a').outerText",
            "document.querySelectorAll(\".b\")[1].outerText",
            "document.querySelector('a').checked.toString()",
            "document.querySelector('a').outerText + (document.querySelector(\"b\")?.outerText || '')",
            "[...document.querySelector('a').querySelectorAll('b')].map(e => e.getAttribute('x') || e.getAttribute('y')).join(' ')",
        ] {
            assert!(matches!(Locator::parse(text), Ok(Locator::Script(_))), "{text}");
        }
        assert!(LocatorScript::preparing("document.querySelector('a').click()").is_ok());
        assert_eq!(Locator::parse(" \n").unwrap(), Locator::Page);
        for text in [
            "document.cookie",
            "document.querySelector('a').click()",
            "document.location",
            "document.title = 'x'",
            "document['cookie']",
            "document.body.constructor('x')()",
            "document.querySelector(`${x}`)",
            "document.title; fetch('/x')",
            "document.querySelector('a').map(document => document.title)",
            "[...document.children].map(e => e(1))",
            "document.title/1",
            "alert(1)",
            "lambda: 1",
            "document.querySelector('a",
            "func:os.system('x')",
            "func:gitlab_get_project_memeber_role(page, 'x')",
        ] {
            assert!(Locator::parse(text).is_err(), "{text}");
        }
        assert!(LocatorScript::preparing("fetch('/x')").is_err());
        let role = Locator::parse("func:gitlab_get_project_memeber_role(__page__, 'ada')").unwrap();
        assert_eq!(role, Locator::Role("ada".to_owned()));
        let author = Locator::parse("func:shopping_get_sku_latest_review_author('B00')").unwrap();
        assert_eq!(author, Locator::ReviewAuthor("B00".to_owned()));
        assert_eq!(
            PageLocation::parse("func:reddit_get_post_url('__last_url__')").unwrap(),
            PageLocation::Post
        );
        assert_eq!(
            PageLocation::parse("func:shopping_get_latest_order_url()").unwrap(),
            PageLocation::LatestOrder
        );
        assert_eq!(
            PageLocation::parse("http://h/a").unwrap(),
            PageLocation::Address("http://h/a".to_owned())
        );
        assert!(PageLocation::parse("func:other()").is_err());
    }
}
