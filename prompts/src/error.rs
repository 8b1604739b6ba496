#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PromptError {
    #[error("there is no template named '{name}' to replace; the names are {known}")]
    Unknown {
        name: String,
        /// The names there are, joined by commas.
        known: String,
    },
    #[error("template '{name}'{}: {message}{}", at(*.line), known_are(.known))]
    Template {
        name: String,
        /// The line, from 1, where it is known.
        line: Option<usize>,
        message: String,
        /// What a template of this name can use, where it used something else; may be empty.
        known: String,
    },
}

fn at(line: Option<usize>) -> String {
    line.map(|n| format!(" (line {n})")).unwrap_or_default()
}

fn known_are(known: &str) -> String {
    if known.is_empty() { String::new() } else { format!("; it can use {known}") }
}

impl PromptError {
    pub fn name(&self) -> &str {
        match self {
            Self::Unknown { name, .. } | Self::Template { name, .. } => name,
        }
    }

    /// The line of the template, from 1, where it is known.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::Unknown { .. } => None,
            Self::Template { line, .. } => *line,
        }
    }

    /// What is wrong, without name and line.
    pub fn reason(&self) -> String {
        match self {
            Self::Unknown { .. } => self.to_string(),
            Self::Template { message, known, .. } => format!("{message}{}", known_are(known)),
        }
    }

    pub(crate) fn template(name: &str, error: &minijinja::Error, context: &minijinja::Value) -> Self {
        let undefined = error.kind() == minijinja::ErrorKind::UndefinedError;
        let message = match error.detail() {
            Some(detail) => format!("{}: {detail}", error.kind()),
            None => error.kind().to_string(),
        };
        let known = if undefined { placeholders(context) } else { String::new() };
        Self::Template { name: name.to_owned(), line: error.line(), message, known }
    }
}

/// The names in a context: `goal, functions[] (signature, purpose, example), ...`.
fn placeholders(context: &minijinja::Value) -> String {
    let names = |value: &minijinja::Value| -> Vec<String> {
        let is_map = value.kind() == minijinja::value::ValueKind::Map;
        let keys = is_map.then(|| value.try_iter().ok()).flatten();
        keys.into_iter().flatten().map(|key| key.to_string()).collect()
    };
    let described = names(context).into_iter().map(|name| {
        let value = context.get_attr(&name).unwrap_or_default();
        let first = (value.kind() == minijinja::value::ValueKind::Seq)
            .then(|| value.get_item_by_index(0).ok())
            .flatten();
        let (mark, inner) = match first {
            Some(first) => ("[]", names(&first)),
            None => ("", names(&value)),
        };
        if inner.is_empty() {
            format!("{name}{mark}")
        } else {
            format!("{name}{mark} ({})", inner.join(", "))
        }
    });
    described.collect::<Vec<_>>().join(", ")
}
