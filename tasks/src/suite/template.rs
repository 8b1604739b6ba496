//! Templates in task files: minijinja with strict undefined, so a misspelt name is an error.

use minijinja::value::ValueKind;
use minijinja::{Environment, UndefinedBehavior};
use serde_json::{Map, Value};

use super::problem::{Problem, join, suggest};

/// Renders the templates of one task file against what has been drawn so far.
pub(super) struct Templates {
    env: Environment<'static>,
    names: Map<String, Value>,
}

impl Templates {
    pub fn new(names: Map<String, Value>) -> Self {
        let mut env = Environment::new();
        env.set_undefined_behavior(UndefinedBehavior::Strict);
        env.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        env.add_filter("sh", shell_word);
        env.add_filter("sql", sql_text);
        Self { env, names }
    }

    pub fn define(&mut self, name: &str, value: Value) {
        self.names.insert(name.to_owned(), value);
    }

    /// Renders one text; `path` names its field in a problem.
    pub fn text(&self, template: &str, path: &str) -> Result<String, Problem> {
        if !is_template(template) {
            return Ok(template.to_owned());
        }
        let rendered = self.env.render_str(template, self.context());
        let mut text = rendered.map_err(|error| self.problem(template, path, &error))?;
        // The engine leaves out a new line at the end; a file or a text to type that has one is meant to.
        if template.ends_with('\n') {
            text.push('\n');
        }
        Ok(text)
    }

    /// Renders every text within `value`. A text that is one expression and nothing else becomes what
    /// the expression gives when that is a list or a table.
    pub fn value(&self, value: &Value, path: &str) -> Result<Value, Problem> {
        match value {
            Value::String(template) => match self.compound(template) {
                Some(compound) => Ok(compound),
                None => self.text(template, path).map(Value::String),
            },
            Value::Array(list) => {
                list.iter().enumerate().map(|(n, item)| self.value(item, &format!("{path}[{n}]"))).collect()
            }
            Value::Object(map) => self.map(map, path).map(Value::Object),
            other => Ok(other.clone()),
        }
    }

    /// Renders every text within `map`, keys included.
    pub fn map(&self, map: &Map<String, Value>, path: &str) -> Result<Map<String, Value>, Problem> {
        let rendered = |(key, item): (&String, &Value)| {
            let path = join(path, key);
            Ok((self.text(key, &path)?, self.value(item, &path)?))
        };
        map.iter().map(rendered).collect()
    }

    fn compound(&self, template: &str) -> Option<Value> {
        let inner = template.trim().strip_prefix("{{")?.strip_suffix("}}")?;
        if inner.contains("{{") || inner.contains("}}") || inner.contains("{%") {
            return None;
        }
        let value = self.env.compile_expression(inner.trim()).ok()?.eval(self.context()).ok()?;
        matches!(value.kind(), ValueKind::Seq | ValueKind::Map | ValueKind::Iterable)
            .then(|| serde_json::to_value(&value).ok())?
    }

    fn context(&self) -> minijinja::Value {
        minijinja::Value::from(minijinja::value::Serde(&self.names))
    }

    fn problem(&self, template: &str, path: &str, error: &minijinja::Error) -> Problem {
        let detail = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
        let hint = if error.kind() == minijinja::ErrorKind::UndefinedError {
            let names: Vec<&str> = self.names.keys().map(String::as_str).collect();
            format!("{}; defined here are {}", unknown(template, &names), names.join(", "))
        } else {
            String::new()
        };
        Problem::new(path, format!("template: {detail}{hint}"))
    }
}

/// The names in a template that are not defined, each with the one that was meant where one is like it.
fn unknown(template: &str, names: &[&str]) -> String {
    let env = Environment::new();
    let Ok(parsed) = env.template_from_str(template) else { return String::new() };
    let found = parsed.undeclared_variables(false).into_iter();
    let mut found: Vec<String> = found.filter(|name| !names.contains(&name.as_str())).collect();
    found.sort();
    let told = found.iter().map(|name| match suggest(name, names) {
        near if near.starts_with("did you mean") => format!(": '{name}' is not defined, {near}"),
        _ => format!(": '{name}' is not defined"),
    });
    told.collect()
}

fn shell_word(text: String) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn sql_text(text: String) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn is_template(text: &str) -> bool {
    ["{{", "{%", "{#"].iter().any(|mark| text.contains(mark))
}
