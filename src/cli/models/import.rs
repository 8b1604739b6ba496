//! Model files of MMBench-GUI as contestants.
//!
//! Invariant: a key that stands in a file is never written on: its variable is named, and what cannot be taken over is
//! said.

use serde_json::{Map, Value};
use url::Url;
use waldo_agents::native::{Profile, ProfileUse, of_model};

/// The longest name of a contestant.
const NAME_CHARS: usize = 60;
/// Names of prompts that mean the model's own, or the benchmark's.
const USUAL_PROMPTS: [&str; 3] = ["", "model_default", "benchmark_default"];
/// The endpoint of a model that has to be served first.
const LOCAL: &str = "http://127.0.0.1:8000/v1";
/// The model that the benchmark asks for where a file names none.
const USUAL_MODEL: &str = "gpt-4o";

struct ImportEndpoint {
    base_url: String,
    model: String,
    has_key: bool,
    local: bool,
}

/// The models of a file as sections of `waldo.toml`.
pub fn contestants(file: &Value) -> Result<String, String> {
    let models = file.get("model").and_then(Value::as_object).filter(|all| !all.is_empty());
    let models = models
        .ok_or("it has no \"model\" with a model in it: give a file such as MMBench-GUI's configs/*.json")?;
    let mut out = String::new();
    for (name, model) in models {
        let model = model.as_object().ok_or_else(|| format!("model.{name} is not a JSON object"))?;
        out.push_str(&contestant(name, model)?);
        out.push('\n');
    }
    for (data, entry) in file.get("data").and_then(Value::as_object).into_iter().flatten() {
        for (field, value) in entry.as_object().into_iter().flatten() {
            let about = if field == "parse_function" {
                "Python; a profile's reply form stands in for it"
            } else {
                "of the benchmark's own data"
            };
            out.push_str(&note(&format!("left out: data.{data}.{field} = {} ({about})", plain(value))));
        }
    }
    Ok(out)
}

fn contestant(name: &str, entry: &Map<String, Value>) -> Result<String, String> {
    let path = entry
        .get("model_path")
        .and_then(Value::as_str)
        .ok_or_else(|| format!("model.{name} has no model_path"))?;
    let ImportEndpoint { base_url, model, has_key, local } =
        endpoint(path).map_err(|error| format!("model.{name}.model_path {error}"))?;
    let row = row_name(name);
    let profile = of_model(&model, ProfileUse::Agent).or_else(|| of_model(name, ProfileUse::Agent));
    let mut out = String::new();
    if local {
        out.push_str(&note(&format!(
            "serve {path} as an OpenAI-compatible endpoint first, and give its address here"
        )));
    }
    out.push_str(&format!("[contestant.{}]\nagent = \"native\"\n", string(&row)));
    match &profile {
        Some(profile) => out.push_str(&format!("profile = {}\n", string(profile.name()))),
        None => {
            out.push_str(&note("no profile is known for it: add profile = \"NAME\", of `waldo models list`"))
        }
    }
    out.push_str(&format!("model = {}\nbase-url = {}\n", string(&model), string(&base_url)));
    if has_key {
        let variable = variable(&row);
        out.push_str(&note(&format!("the key was left out of this file: export {variable}=...")));
        out.push_str(&format!("api-key-env = {}\n", string(&variable)));
    }
    out.push_str(&generation(entry.get("generate_cfg")));
    out.push_str(&arguments(entry, profile.as_ref(), &row));
    for field in ["preprocess_function", "generate_function", "postprocess_function"] {
        let function = entry.get(field).and_then(Value::as_str).unwrap_or_default();
        if function.contains('.') {
            out.push_str(&note(&format!("left out: {field} = {function} (Python; a profile is data)")));
        }
    }
    for (data, function) in entry.get("custom_prompt").and_then(Value::as_object).into_iter().flatten() {
        let function = plain(function);
        out.push_str(&note(&format!("left out: custom_prompt.{data} = {function} (Python; write its wording into templates of a profile of your own)")));
    }
    Ok(out)
}

fn generation(given: Option<&Value>) -> String {
    let mut out = String::new();
    let mut extra = Vec::new();
    for (field, value) in given.and_then(Value::as_object).into_iter().flatten() {
        match (field.as_str(), value) {
            ("max_tokens" | "max_new_tokens" | "max_completion_tokens", Value::Number(n)) => {
                out.push_str(&format!("max-tokens = {n}\n"));
            }
            ("temperature", Value::Number(n)) => {
                out.push_str(&format!("temperature = {:?}\n", n.as_f64().unwrap_or_default()));
            }
            (_, value) => extra.extend(inline(value).map(|value| format!("{} = {value}", string(field)))),
        }
    }
    if !extra.is_empty() {
        out.push_str(&format!("extra-body = {{ {} }}\n", extra.join(", ")));
    }
    out
}

/// What a file says in `kwargs`.
fn arguments(entry: &Map<String, Value>, profile: Option<&Profile>, row: &str) -> String {
    let mut out = String::new();
    let mut bounds = Vec::new();
    for (field, value) in entry.get("kwargs").and_then(Value::as_object).into_iter().flatten() {
        match (field.as_str(), value) {
            ("img_detail", Value::String(detail)) if ["low", "high", "auto"].contains(&detail.as_str()) => {
                out.push_str(&format!("image-detail = {}\n", string(detail)));
            }
            ("img_size", Value::Number(n)) if n.as_i64() == Some(-1) => {}
            ("system_prompt", Value::String(text)) if USUAL_PROMPTS.contains(&text.as_str()) => {}
            ("system_prompt", _)
                if entry
                    .get("custom_prompt")
                    .is_some_and(|custom| custom.as_object().is_some_and(|all| !all.is_empty())) =>
            {
                out.push_str(&note("left out: system_prompt (custom_prompt stands above it)"));
            }
            ("system_prompt", text) => out.push_str(&note(&format!(
                "left out: system_prompt = {} (write it into system.md.j2 of a profile of your own)",
                plain(text)
            ))),
            ("min_pixels" | "max_pixels", Value::Number(n)) => {
                bounds.push(format!("{} = {n}", field.replace('_', "-")))
            }
            (_, value) => out.push_str(&note(&format!("left out: {field} = {}", plain(value)))),
        }
    }
    if !bounds.is_empty() {
        let from = profile.map_or("PROFILE", Profile::name);
        out.push_str(&note(&format!(
            "pixel bounds belong in a profile: waldo models new ./{row}-profile --from {from}, then [picture] {}",
            bounds.join(", ")
        )));
    }
    out
}

/// The endpoint that a path names: `BASE?api_key=KEY&model=NAME`, or a model to be served.
fn endpoint(path: &str) -> Result<ImportEndpoint, String> {
    if !path.contains("://") {
        return Ok(ImportEndpoint {
            base_url: LOCAL.to_owned(),
            model: path.to_owned(),
            has_key: false,
            local: true,
        });
    }
    let mut url = Url::parse(path).map_err(|_| "is not an address".to_owned())?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("is an address of {}, not of http or https", url.scheme()));
    }
    let query =
        |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    let (key, mut model) = (query("api_key"), query("model"));
    if model.is_none() {
        // Key and model may be run together by a sign of equality.
        model = key.as_ref().and_then(|key| Some(key.rsplit_once('=')?.1.to_owned()));
    }
    let has_key = key.is_some() || !url.username().is_empty() || url.password().is_some();
    url.set_query(None);
    url.set_fragment(None);
    let _ = url.set_username("");
    let _ = url.set_password(None);
    let base_url = url.as_str().trim_end_matches('/').to_owned();
    Ok(ImportEndpoint {
        base_url,
        model: model.unwrap_or_else(|| USUAL_MODEL.to_owned()),
        has_key,
        local: false,
    })
}

fn row_name(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
    let clean: String = name.chars().map(|c| if fits(c) { c } else { '-' }).take(NAME_CHARS).collect();
    let clean = clean.trim_start_matches(['-', '_', '.', '+']);
    if clean.is_empty() { "model".to_owned() } else { clean.to_owned() }
}

fn variable(row: &str) -> String {
    let name: String =
        row.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    let start = if name.starts_with(|c: char| c.is_ascii_digit()) { "MODEL_" } else { "" };
    format!("{start}{name}_API_KEY")
}

fn note(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("# {clean}\n")
}

/// A value in a comment, without what may be a key.
fn plain(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.chars().take(200).collect()
}

fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out + "\""
}

/// An inline value of TOML; nothing for null, which TOML lacks.
fn inline(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => string(text),
        Value::Array(all) => format!("[{}]", all.iter().filter_map(inline).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let field =
                |(name, value): (&String, &Value)| Some(format!("{} = {}", string(name), inline(value)?));
            format!("{{ {} }}", map.iter().filter_map(field).collect::<Vec<_>>().join(", "))
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn addresses_lose_their_keys_and_name_their_models() {
        for (path, base, model, has_key) in [
            ("http://10.0.0.3:8000/v1?api_key=abc&model=ui-tars", "http://10.0.0.3:8000/v1", "ui-tars", true),
            ("https://api.example/v1?api_key=your-key=gpt-x", "https://api.example/v1", "gpt-x", true),
            ("https://me:pw@api.example/v1/", "https://api.example/v1", "gpt-4o", true),
            ("org/UI-TARS-1.5-7B", LOCAL, "org/UI-TARS-1.5-7B", false),
        ] {
            let got = endpoint(path).unwrap();
            assert_eq!(
                (got.base_url.as_str(), got.model.as_str(), got.has_key),
                (base, model, has_key),
                "{path}"
            );
        }
        assert!(endpoint("ftp://x/y").is_err());
    }

    #[test]
    fn what_a_file_says_is_taken_over_or_named() {
        let file = json!({
            "model": { "tars 7b": {
                "model_path": "http://127.0.0.1:9/v1?api_key=hunter22&model=ui-tars-1.5",
                "generate_cfg": { "max_tokens": 512, "temperature": 1, "top_p": 0.9, "stop": ["a\"b"], "seed": null },
                "postprocess_function": "models.mine.post",
                "generate_function": "generate",
                "custom_prompt": { "GUIElementGrounding": "models.mine.prompt" },
                "kwargs": { "system_prompt": "Be good.", "max_pixels": 2_116_800, "img_size": -1, "img_detail": "low", "shortest_edge": 9 },
            } },
            "data": { "GUIElementGrounding": { "mode": "all", "parse_function": "models.mine.parse" } },
        });
        let text = contestants(&file).unwrap();
        assert!(!text.contains("hunter22"), "{text}");
        for line in [
            "[contestant.\"tars-7b\"]",
            "profile = \"ui-tars-1.5\"",
            "api-key-env = \"TARS_7B_API_KEY\"",
            "max-tokens = 512",
            "temperature = 1.0",
            "extra-body = { \"top_p\" = 0.9, \"stop\" = [\"a\\\"b\"] }",
            "image-detail = \"low\"",
            "# left out: postprocess_function = models.mine.post (Python; a profile is data)",
            "# left out: system_prompt (custom_prompt stands above it)",
            "# left out: shortest_edge = 9",
        ] {
            assert!(text.lines().any(|has| has == line), "{line}\n{text}");
        }
        assert!(text.contains("[picture] max-pixels = 2116800") && text.contains("parse_function"), "{text}");
        assert!(!text.contains("generate_function"));
        for bad in [json!([]), json!({"model": {}}), json!({"model": {"a": 5}}), json!({"model": {"a": {}}})]
        {
            assert!(contestants(&bad).is_err(), "{bad}");
        }
    }
}
