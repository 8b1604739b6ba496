use serde_json::{Map, Value};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Call {
    /// The name, with what stands before its points (`pyautogui.click`).
    pub name: String,
    /// Arguments without names, in order.
    pub positional: Vec<Value>,
    pub named: Map<String, Value>,
}

impl Call {
    pub(crate) fn bare(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    pub fn short_name(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }
}

impl std::fmt::Display for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}(", self.name)?;
        let positional = self.positional.iter().map(Value::to_string);
        let named = self.named.iter().map(|(name, value)| format!("{name}={value}"));
        let all: Vec<String> = positional.chain(named).collect();
        write!(f, "{})", all.join(", "))
    }
}

/// A place that an argument names: two numbers, or the middle of a box of four.
pub(crate) fn place(value: &Value) -> Option<[f64; 2]> {
    let mut all = Vec::new();
    if let Value::Object(map) = value {
        let part = |name: &str| map.get(name).and_then(number);
        return part("x").zip(part("y")).map(|(x, y)| [x, y]);
    }
    collect(value, &mut all);
    match all.as_slice() {
        [x, y] => Some([*x, *y]),
        [x1, y1, x2, y2] => Some([f64::midpoint(*x1, *x2), f64::midpoint(*y1, *y2)]),
        _ => None,
    }
}

fn collect(value: &Value, into: &mut Vec<f64>) {
    match value {
        Value::Number(n) => into.extend(n.as_f64()),
        Value::Array(all) => all.iter().for_each(|value| collect(value, into)),
        Value::String(text) => into.extend(numbers(text)),
        _ => {}
    }
}

pub(crate) fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(n) => n.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.filter(|n| n.is_finite())
}

/// The numbers of a text; digits within a word are none.
pub(crate) fn numbers(text: &str) -> Vec<f64> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let word = at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_');
        let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        let starts = digit(at) || bytes[at] == b'.' && digit(at + 1);
        if word || !starts {
            at += 1;
            continue;
        }
        let mut end = at;
        while digit(end) || bytes.get(end) == Some(&b'.') && digit(end + 1) {
            end += 1;
        }
        if let Ok(number) = text[at..end].parse::<f64>() {
            out.push(if at > 0 && bytes[at - 1] == b'-' { -number } else { number });
        }
        at = end;
    }
    out
}

/// A value as text: that of a string without its quotes.
pub(crate) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
