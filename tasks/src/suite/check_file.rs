//! A `[[check]]` as it is written: one shape for each kind, which says every field of it once. Reading, the names in
//! messages and the JSON schema come from these shapes.

use schemars::JsonSchema;
use serde::de::{DeserializeOwned, IntoDeserializer as _};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::answer::AnswerType;
use super::condition::{Condition, Number, OnText, OnValue, Unconditional};
use super::problem::{Problem, read, suggest};

/// What a check of any kind may say of partial credit.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Credit {
    /// The name of the checkpoint that it is.
    pub checkpoint: Option<String>,
    /// What it is worth of the partial credit; a checkpoint is worth 1 when absent.
    #[schemars(with = "Option<Number>")]
    pub points: Option<Value>,
}

/// The server state of a web task.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StateCheck {
    /// JSON pointer; empty for all of it.
    pub pointer: String,
}

/// A JavaScript expression in the top page.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct JsCheck {
    /// The expression; it may be a promise, and what throws has failed.
    pub expr: String,
}

/// A kind that has no fields beside its conditions.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Bare {}

/// Requests of the pages.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RequestCheck {
    /// The method; any when absent.
    pub method: Option<String>,
    /// The path.
    pub path: String,
    /// Exactly so many; at least one when absent.
    #[schemars(with = "Option<Number>")]
    pub count: Option<Value>,
    /// What the body holds.
    pub body: Option<Value>,
}

/// A file that was downloaded.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DownloadCheck {
    /// Its name, with `*` and `?`.
    pub name: String,
}

/// A file of a desktop's HOME.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HomeFileCheck {
    /// Its path below HOME.
    pub path: String,
    /// Characters of it.
    #[schemars(with = "Option<Number>")]
    pub length: Option<Value>,
    /// There is none; `false`: there is one.
    pub absent: Option<bool>,
}

/// The agent's answer: one of `equals`, `one_of`, `number` and `list`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AnswerCheck {
    /// The right answer.
    pub equals: Option<Value>,
    /// Right answers.
    pub one_of: Option<Vec<Value>>,
    /// The one number in the answer.
    #[schemars(with = "Option<Number>")]
    pub number: Option<Value>,
    /// How far from it the number may be.
    #[schemars(with = "Option<Number>")]
    pub tolerance: Option<Value>,
    /// Items, in any order.
    pub list: Option<Vec<Value>>,
    /// The type by which it is compared; when absent, that which the right answer seems to be of.
    #[serde(rename = "type")]
    pub kind: Option<AnswerType>,
    /// The unit of a number, such as `$`, `minutes` or `kg`: another one is wrong, and none is taken for it.
    pub unit: Option<String>,
    /// Values that would be other answers: none of them may stand beside the right one.
    pub among: Option<Vec<Value>>,
    /// Whether only the value counts, and a sentence is wrong; the goal has to say so.
    pub bare: Option<bool>,
}

/// What a shell command prints on a phone or desktop.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ShellCheck {
    /// The command.
    pub command: String,
    /// JSON pointer into what it prints, where that is JSON.
    pub pointer: Option<String>,
}

/// A spreadsheet in HOME.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SheetCheck {
    /// Its path below HOME.
    pub path: String,
    /// The sheet's name; the first when absent.
    pub sheet: Option<String>,
    /// A cell, such as `B2`; all rows when absent.
    pub cell: Option<String>,
    /// JSON pointer into what was found.
    pub pointer: Option<String>,
}

/// A text document in HOME.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DocumentCheck {
    /// Its path below HOME.
    pub path: String,
    /// JSON pointer into its paragraphs; the texts of all when absent.
    pub pointer: Option<String>,
}

/// A setting of the desktop.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SettingCheck {
    /// Its schema.
    pub schema: String,
    /// Its key.
    pub key: String,
}

/// Windows of a desktop.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WindowCheck {
    /// The program.
    pub program: Option<String>,
    /// The title, with `*` and `?`.
    pub name: Option<String>,
    /// Exactly so many.
    #[schemars(with = "Option<Number>")]
    pub count: Option<Value>,
    /// There is none; `false`: there is one.
    pub absent: Option<bool>,
}

/// What programs tell assistive technology.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ElementCheck {
    /// The role.
    pub role: Option<String>,
    /// The name, with `*` and `?`.
    pub name: Option<String>,
    /// JSON pointer into what was found.
    pub pointer: Option<String>,
}

/// Entries that changed between the start and the end: one of `added`, `removed` and `altered`, or conditions on the value
/// that an entry has then.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ChangeCheck {
    /// The store, such as `content://notes/notes`, `settings/system`, `files` or `sheet/prices.xlsx`.
    #[serde(rename = "in")]
    pub store: String,
    /// The key of the entry, with `*` and `?`.
    pub key: Option<String>,
    /// Columns of a row that was added, or the value of an entry that is not a row.
    pub added: Option<Value>,
    /// Columns that a row had that was removed, or the value of an entry that is not a row.
    pub removed: Option<Value>,
    /// Columns that became different, with what they are now; no other column may differ. Or the new value.
    pub altered: Option<Value>,
    /// What `altered` was before.
    pub from: Option<Value>,
    /// Exactly so many entries; one when absent.
    #[schemars(with = "Option<Number>")]
    pub count: Option<Value>,
}

/// Rows that are there in the end: one of `rows` and `count`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RowsCheck {
    /// The store, such as `content://notes/notes`.
    #[serde(rename = "in")]
    pub store: String,
    /// Only rows that have these columns; all rows when absent.
    #[serde(default, rename = "where")]
    pub filter: Map<String, Value>,
    /// Exactly these rows, each by columns that it has, in any order.
    pub rows: Option<Vec<Value>>,
    /// Exactly so many rows.
    #[schemars(with = "Option<Number>")]
    pub count: Option<Value>,
}

/// Fields of a kind, and its conditions beside them.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(deny_unknown_fields, inline)]
pub(super) struct With<O, C> {
    #[schemars(flatten)]
    pub own: O,
    #[schemars(flatten)]
    pub on: C,
    #[schemars(flatten)]
    pub credit: Credit,
}

impl<O: DeserializeOwned, C: DeserializeOwned> With<O, C> {
    fn fields() -> Vec<&'static str> {
        [fields_of::<O>(), fields_of::<C>(), fields_of::<Credit>()].concat()
    }

    fn read(given: Map<String, Value>) -> Result<Self, Problem> {
        let parted = |given: Map<String, Value>, names: &[&str]| -> (Map<_, _>, Map<_, _>) {
            given.into_iter().partition(|(name, _)| names.contains(&name.as_str()))
        };
        let (on, rest) = parted(given, fields_of::<C>());
        let (credit, own) = parted(rest, fields_of::<Credit>());
        let [own, on, credit] = [own, on, credit].map(Value::Object);
        Ok(Self { own: read(&own)?, on: read(&on)?, credit: read(&credit)? })
    }
}

macro_rules! kinds {
    ($($(#[doc = $about:literal])* $kind:ident = $name:literal: $own:ident, $on:ident;)*) => {
        /// A `[[check]]` after rendering.
        #[derive(Clone, Debug, JsonSchema)]
        #[serde(tag = "kind")]
        #[expect(clippy::large_enum_variant, reason = "it is read once for each check of a task")]
        pub(super) enum CheckFile {
            $($(#[doc = $about])* #[serde(rename = $name)] $kind(With<$own, $on>),)*
        }

        impl CheckFile {
            pub(super) fn credit(&self) -> &Credit {
                match self { $(Self::$kind(With { credit, .. }) => credit,)* }
            }

            pub(super) fn conditions(&self) -> Result<Vec<Condition>, Problem> {
                match self { $(Self::$kind(With { on, .. }) => on.conditions(),)* }
            }
        }

        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum CheckKind { $($kind,)* }

        impl CheckKind {
            const ALL: &[(&'static str, Self)] = &[$(($name, Self::$kind),)*];

            fn fields(self) -> Vec<&'static str> {
                match self { $(Self::$kind => With::<$own, $on>::fields(),)* }
            }

            fn read(self, given: Map<String, Value>) -> Result<CheckFile, Problem> {
                match self { $(Self::$kind => With::read(given).map(CheckFile::$kind),)* }
            }
        }
    };
}

kinds! {
    /// The server state.
    State = "state": StateCheck, OnValue;
    /// A JavaScript expression in the top page.
    Js = "js": JsCheck, OnValue;
    /// The address in front.
    Url = "url": Bare, OnText;
    /// The visible text of the page in front.
    Text = "text": Bare, OnText;
    /// Requests of the pages.
    Request = "request": RequestCheck, Unconditional;
    /// Downloaded files.
    Download = "file": DownloadCheck, OnText;
    /// A file of HOME, on desktops.
    HomeFile = "file": HomeFileCheck, OnText;
    /// The agent's answer.
    Answer = "answer": AnswerCheck, Unconditional;
    /// What a shell command prints, on phones and desktops.
    Shell = "shell": ShellCheck, OnValue;
    /// The app in front, on phones and desktops.
    Foreground = "foreground": Bare, OnText;
    /// A spreadsheet, on desktops.
    Sheet = "sheet": SheetCheck, OnValue;
    /// A text document, on desktops.
    Document = "document": DocumentCheck, OnValue;
    /// A setting, on desktops.
    Setting = "setting": SettingCheck, OnValue;
    /// Windows, on desktops.
    Window = "window": WindowCheck, OnText;
    /// Elements that programs tell of, on desktops.
    Element = "element": ElementCheck, OnValue;
    /// Entries that changed between the start and the end.
    Change = "change": ChangeCheck, OnValue;
    /// Rows that are there in the end.
    Rows = "rows": RowsCheck, Unconditional;
}

impl CheckFile {
    /// Reads a rendered check.
    pub fn read(mut given: Map<String, Value>) -> Result<Self, Problem> {
        let of_any: Vec<&str> = CheckKind::ALL.iter().flat_map(|(_, kind)| kind.fields()).collect();
        let stranger = given.keys().find(|name| *name != "kind" && !of_any.contains(&name.as_str()));
        let Some(named) = given.get("kind") else {
            let missing = Problem::new("", "the field 'kind' is missing");
            return Err(stranger.map_or(missing, |name| unknown(name, &[&["kind"], &of_any[..]].concat())));
        };
        let name: String = read(named).map_err(|problem| problem.below("kind"))?;
        let mut kinds = CheckKind::ALL.iter().filter(|(known, _)| *known == name).map(|(_, kind)| *kind);
        // Of files there are two kinds: downloads, and those of HOME, which have a path.
        let kind = if given.contains_key("path") { kinds.next_back() } else { kinds.next() };
        let Some(kind) = kind else {
            let mut known: Vec<&str> = CheckKind::ALL.iter().map(|(name, _)| *name).collect();
            known.dedup();
            return Err(Problem::new("kind", format!("unknown name '{name}'; {}", suggest(&name, &known))));
        };
        given.shift_remove("kind");
        let own = kind.fields();
        if let Some(name) = given.keys().find(|name| !own.contains(&name.as_str())) {
            if !of_any.contains(&name.as_str()) {
                return Err(unknown(name, &of_any));
            }
            let message = format!("a check of this kind has no '{name}'; {}", suggest(name, &own));
            return Err(Problem::new(name, message));
        }
        kind.read(given)
    }
}

fn unknown(name: &str, known: &[&str]) -> Problem {
    let mut all: Vec<&str> = Vec::new();
    for name in known {
        if !all.contains(name) {
            all.push(name);
        }
    }
    Problem::new(name, format!("unknown field '{name}'; {}", suggest(name, &all)))
}

/// The names of a struct's fields, as its own `Deserialize` tells them.
fn fields_of<T: DeserializeOwned>() -> &'static [&'static str] {
    let mut names: &'static [&'static str] = &[];
    // It reads nothing, and so fails once it has told them.
    let _ = T::deserialize(FieldNames(&mut names));
    names
}

struct FieldNames<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for FieldNames<'_> {
    type Error = serde::de::value::Error;

    fn deserialize_struct<V: serde::de::Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        *self.0 = fields;
        self.deserialize_any(visitor)
    }

    fn deserialize_any<V: serde::de::Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        ().into_deserializer().deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
