//! Which fields a step of each verb takes, from the catalogue's parameters; and their JSON schema.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use waldo_devices::Tool;
use waldo_devices::catalogue::ParamKind;

use super::{Step, Verb};

const ELEMENT: [&str; 6] = ["role", "name", "contains", "value", "nth", "at"];

/// A value in a file, or a template that renders to one.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
#[expect(dead_code, reason = "for the schema alone")]
pub(super) enum Templated<T> {
    /// The value.
    Plain(T),
    /// The template.
    Template(String),
}

impl Verb {
    pub fn all() -> impl Iterator<Item = Self> {
        Tool::ALL.iter().map(|tool| Self::Do(*tool)).chain([Self::Answer, Self::Infeasible])
    }

    pub fn fields(self) -> Vec<&'static str> {
        let mut all = vec!["do"];
        match self {
            Self::Do(tool) => {
                let spec = tool.spec();
                let mut aims = false;
                for param in spec.params {
                    match (param.kind, param.name) {
                        _ if tool == Tool::Scroll && param.kind == ParamKind::Direction => {
                            all.extend(["down", "right"]);
                        }
                        (kind, _) if kind.is_target() => aims = true,
                        (ParamKind::Direction, _) => all.push("towards"),
                        (ParamKind::Distance, _) => all.push("far"),
                        (ParamKind::Tab, _) => all.push("tab"),
                        (ParamKind::Files, _) => all.push("files"),
                        (ParamKind::Path, _) => all.push("path"),
                        (ParamKind::Reply, _) => all.push("accept"),
                        (_, "key") => all.extend(["key", "chord"]),
                        (_, name @ ("text" | "option" | "url" | "app")) => all.push(name),
                        _ => {}
                    }
                }
                if tool == Tool::Drag {
                    all.extend(["to", "path"]);
                }
                if aims {
                    all.extend(ELEMENT);
                    all.push("means");
                }
                if !spec.params.is_empty() {
                    all.push("with");
                }
            }
            Self::Answer | Self::Infeasible => all.push("text"),
        }
        all.push("until");
        all
    }
}

/// A [`Step`] as a task file writes it: the fields of its verb, and templates in place of numbers.
pub enum StepFile {}

impl JsonSchema for StepFile {
    fn schema_name() -> Cow<'static, str> {
        "Step".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut fields = Step::json_schema(generator).to_value()["properties"].take();
        fields["towards"]["enum"] = json!(ParamKind::Direction.words());
        fields["far"]["enum"] = json!(ParamKind::Distance.words());
        fields["key"] = fields["chord"].clone();
        generator.definitions_mut().insert(FIELDS.to_owned(), json!({ "properties": fields }));
        let kinds: Vec<Value> = Verb::all().map(of_verb).collect();
        schemars::json_schema!({ "oneOf": kinds })
    }
}

/// Where the schema holds what the fields are; steps of all verbs refer to it.
const FIELDS: &str = "StepFields";

fn of_verb(verb: Verb) -> Value {
    let mut properties = Map::new();
    for field in verb.fields() {
        let shape = match field {
            "do" => json!({ "const": verb.name() }),
            field => json!({ "$ref": format!("#/$defs/{FIELDS}/properties/{field}") }),
        };
        properties.insert(field.to_owned(), shape);
    }
    let mut required = vec!["do"];
    let description = match verb {
        Verb::Do(tool) => tool.spec().says("the element"),
        Verb::Answer => {
            required.push("text");
            "Gives the answer, at the end.".to_owned()
        }
        Verb::Infeasible => {
            required.push("text");
            "Says why the task cannot be done, at the end.".to_owned()
        }
    };
    json!({
        "type": "object", "description": description, "properties": properties, "required": required,
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_may_have_the_fields_of_its_verb_alone_and_every_field_is_some_verbs() {
        let fields = |name: &str| Verb::Do(Tool::named(name).unwrap()).fields();
        assert_eq!(fields("type"), ["do", "text", "with", "until"]);
        assert!(fields("tap").contains(&"nth") && !fields("tap").contains(&"text"));
        assert!(fields("drag").contains(&"to") && fields("scroll").contains(&"down"));
        assert!(!fields("scroll").contains(&"towards") && fields("swipe").contains(&"towards"));
        assert_eq!(Verb::Answer.fields(), ["do", "text", "until"]);
        let shape = schemars::schema_for!(Step).to_value();
        for field in shape["properties"].as_object().unwrap().keys() {
            assert!(Verb::all().any(|verb| verb.fields().contains(&field.as_str())), "{field}");
        }
        for verb in Verb::all() {
            for field in verb.fields() {
                assert!(
                    field == "key" || !shape["properties"][field].is_null(),
                    "{field} of {}",
                    verb.name()
                );
            }
        }
    }
}
