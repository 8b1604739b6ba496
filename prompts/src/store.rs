//! The templates: embedded, or replaced by the user's own.

use std::borrow::Cow;
use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use include_dir::{Dir, include_dir};
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::error::PromptError;
use crate::filters;

static BUILTIN: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/templates");

/// What the names of template files end in.
const SUFFIX: &str = ".md.j2";

/// The templates of a run.
///
/// Every template has been filled in once with sample values when this exists, so that a mistake in a
/// user's own template shows before the run and not at its first step.
#[derive(Debug)]
pub struct Prompts {
    env: Environment<'static>,
    sources: BTreeMap<String, Cow<'static, str>>,
}

impl Prompts {
    /// The templates, some replaced, before any has been filled in.
    pub(crate) fn unchecked<N, T>(overrides: impl IntoIterator<Item = (N, T)>) -> Result<Self, PromptError>
    where
        N: AsRef<str>,
        T: Into<String>,
    {
        let mut sources = BTreeMap::new();
        collect(&BUILTIN, &mut sources);
        for (name, text) in overrides {
            let name = name.as_ref().trim_end_matches(SUFFIX).replace('\\', "/");
            match sources.get_mut(&name) {
                Some(source) => *source = Cow::Owned(text.into()),
                None => {
                    let known = sources.keys().cloned().collect::<Vec<_>>().join(", ");
                    return Err(PromptError::Unknown { name, known });
                }
            }
        }
        Ok(Self { env: environment(), sources })
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.sources.keys().map(String::as_str)
    }

    pub fn source(&self, name: &str) -> Option<&str> {
        self.sources.get(name).map(AsRef::as_ref)
    }

    pub fn is_replaced(&self, name: &str) -> bool {
        matches!(self.sources.get(name), Some(Cow::Owned(_)))
    }

    /// The SHA-256 of each template in hexadecimal, by name, for a run's manifest.
    pub fn hashes(&self) -> BTreeMap<String, String> {
        let hash = |source: &str| HEXLOWER.encode(&Sha256::digest(source));
        self.sources.iter().map(|(name, source)| (name.clone(), hash(source))).collect()
    }

    pub(crate) fn render(&self, name: &str, context: &impl Serialize) -> Result<String, PromptError> {
        let Some(source) = self.sources.get(name) else {
            let known = self.sources.keys().cloned().collect::<Vec<_>>().join(", ");
            return Err(PromptError::Unknown { name: name.to_owned(), known });
        };
        #[cfg(test)]
        tests::note(name, context);
        let text = fill(&self.env, name, source, context)?;
        Ok(tidy(&text))
    }
}

fn fill(
    env: &Environment<'static>,
    name: &str,
    source: &str,
    context: &impl Serialize,
) -> Result<String, PromptError> {
    let value = minijinja::Value::from(minijinja::value::Serde(context));
    env.template_from_named_str(name, source)
        .and_then(|template| template.render(&value))
        .map_err(|e| PromptError::template(name, &e, &value))
}

/// Fills in a template that is none of a run's.
pub(crate) fn filled(name: &str, source: &str, context: &impl Serialize) -> Result<String, PromptError> {
    fill(&environment(), name, source, context)
}

fn collect(dir: &Dir<'static>, into: &mut BTreeMap<String, Cow<'static, str>>) {
    for file in dir.files() {
        let path = file.path().to_string_lossy().replace('\\', "/");
        if let (Some(name), Some(text)) = (path.strip_suffix(SUFFIX), file.contents_utf8()) {
            into.insert(name.to_owned(), Cow::Borrowed(text));
        }
    }
    for sub in dir.dirs() {
        collect(sub, into);
    }
}

fn environment() -> Environment<'static> {
    let mut env = Environment::empty();
    env.set_undefined_behavior(UndefinedBehavior::Strict);
    env.set_auto_escape_callback(|_| AutoEscape::None);
    if let Ok(syntax) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
        env.set_syntax(syntax);
    }
    env.add_filter("one_line", |text: Option<&str>| text.map(filters::one_line).unwrap_or_default());
    env.add_filter("screen_text", filters::screen_text);
    env.add_filter("join", minijinja::filters::join);
    env.add_filter("lower", minijinja::filters::lower);
    env.add_test("none", |v: &minijinja::Value| v.is_none());
    env
}

/// At most one empty line in a row, none at either end, one newline last.
fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut empty = true;
    for line in text.trim().lines() {
        let line = line.trim_end();
        if line.is_empty() && empty {
            continue;
        }
        empty = line.is_empty();
        out.push_str(line);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use serde_json::Value;

    use super::*;

    thread_local! {
        /// What templates were filled in with.
        static NOTED: RefCell<Vec<(String, Value)>> = const { RefCell::new(Vec::new()) };
    }

    pub(super) fn note(name: &str, context: &impl Serialize) {
        NOTED.with_borrow_mut(|all| all.push((name.to_owned(), serde_json::to_value(context).unwrap())));
    }

    /// The same without anything in it: no text, no items, nothing that holds.
    fn emptied(value: &Value) -> Value {
        match value {
            Value::String(_) => "".into(),
            Value::Array(_) => Vec::<Value>::new().into(),
            Value::Bool(_) => false.into(),
            Value::Number(_) => 0.into(),
            Value::Object(fields) => {
                fields.iter().map(|(name, field)| (name.clone(), emptied(field))).collect()
            }
            Value::Null => Value::Null,
        }
    }

    #[test]
    fn every_template_is_filled_in_with_every_optional_field_and_without() {
        // Opening fills in every template with samples.
        let prompts = Prompts::builtin().unwrap();
        let samples = NOTED.take();
        for name in prompts.names() {
            let own: Vec<&Value> =
                samples.iter().filter(|(of, _)| of == name).map(|(_, value)| value).collect();
            let fields = own.first().and_then(|sample| sample.as_object()).expect(name);
            for field in fields.keys() {
                let values = || own.iter().map(|sample| &sample[field]);
                let there = values().find(|value| !value.is_null());
                assert!(there.is_some(), "{name}: no sample has '{field}'");
                let optional = values().any(Value::is_null);
                for sample in &own {
                    let mut variants = vec![emptied(sample)];
                    for value in [emptied(&sample[field]), there.cloned().unwrap_or_default()] {
                        let mut one = (*sample).clone();
                        one[field] = value;
                        variants.push(one);
                    }
                    if let Value::Bool(on) = sample[field] {
                        variants.push(emptied(sample));
                        variants.last_mut().unwrap()[field] = (!on).into();
                    }
                    if optional {
                        variants.push((*sample).clone());
                        variants.last_mut().unwrap()[field] = Value::Null;
                    }
                    for variant in variants {
                        prompts.render(name, &variant).unwrap_or_else(|e| panic!("{name} '{field}': {e}"));
                    }
                }
            }
        }
    }

    #[test]
    fn every_template_has_a_hash_and_it_follows_the_text() {
        let builtin = Prompts::builtin().unwrap().hashes();
        assert_eq!(
            builtin.keys().collect::<Vec<_>>(),
            "appagent/deploy appagent/document appagent/explore appagent/grid appagent/reask \
                 appagent/reflect frames/ask frames/boxes frames/compare frames/objective frames/pick \
                 frames/rank frames/repair frames/solution frames/structure items/rewrite levels/place \
                 levels/place_system levels/press levels/question levels/question_system planner/command \
                 planner/ground_point planner/ground_tags planner/info planner/reask planner/replan \
                 planner/system planner/turn"
                .split(' ')
                .collect::<Vec<_>>()
        );
        assert!(builtin.values().all(|h| h.len() == 64));
        let mine = Prompts::with_overrides([("appagent/reask.md.j2", "No: {{ error }}")]).unwrap().hashes();
        assert_ne!(mine["appagent/reask"], builtin["appagent/reask"]);
        assert_eq!(mine["appagent/grid"], builtin["appagent/grid"]);
    }

    #[test]
    fn a_bad_override_is_refused_at_once() {
        let refused =
            |name: &str, text: &str| Prompts::with_overrides([(name, text)]).unwrap_err().to_string();
        let message = refused("appagent/deplay", "x");
        assert!(message.contains("appagent/deplay") && message.contains("appagent/deploy,"), "{message}");
        let message = refused("appagent/reask", "a\n{{ eror }}");
        assert!(message.contains("appagent/reask") && message.contains("line 2"), "{message}");
        assert!(message.contains("it can use error, signatures[], endings"), "{message}");
        let message = refused("appagent/reask", "{% if %}");
        assert!(message.contains("appagent/reask"), "{message}");
    }
}
