use clap::Subcommand;
use serde_json::{Value, json};

use waldo_agents::model::Wire;
use waldo_tasks::suite::schema;

use super::{Result, print_json};
use crate::config::{
    self, ConfigError, Definition, PROJECT_FILE, Setting, Settings, StartEnvironment, ValueMeaning,
    ValueSource,
};
use crate::exit;

/// Show the configuration and where it comes from.
///
/// Nearer layers win, value by value: defaults, the user's file, the project's file, environment
/// variables, flags. docs/config.md lists every field.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: Command,
    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Every value, and where it comes from. Keys and passwords are never printed.
    Show,
    /// The JSON schema of a configuration file, or of a suite's files, for editors.
    Schema {
        /// The file: a configuration, the suite.toml of a suite, or a task of it.
        #[arg(long, value_enum, default_value_t)]
        of: SchemaOf,
    },
    /// Trust the project's file as it is now, with its addresses, key variables and programs.
    Trust,
    /// Where configuration files are looked for.
    Path,
}

/// What a schema is of.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum SchemaOf {
    #[default]
    Config,
    Suite,
    Task,
}

impl SchemaOf {
    fn schema(self) -> Value {
        match self {
            Self::Config => config::schema(&super::command()),
            Self::Suite => schema::of_suite(),
            Self::Task => schema::of_task(),
        }
    }
}

impl Args {
    /// Whether the command is of use although the configuration is broken.
    pub fn bears_errors(&self) -> bool {
        !matches!(self.what, Command::Show)
    }
}

pub fn run(args: &Args, settings: Result<Settings, ConfigError>) -> Result<u8> {
    match args.what {
        Command::Schema { of } => print_json(&of.schema())?,
        Command::Path => path(args)?,
        Command::Trust => trust(args)?,
        Command::Show => show(args, &settings?)?,
    }
    Ok(exit::OK)
}

fn trust(args: &Args) -> Result<()> {
    let (path, claims) = config::trust(&StartEnvironment::here())?;
    if args.json {
        return print_json(&json!({ "path": path, "trusted": claims }));
    }
    if claims.is_empty() {
        println!("nothing in {} needs trust", path.display());
    }
    for claim in &claims {
        println!("trusted: {claim}");
    }
    Ok(())
}

fn path(args: &Args) -> Result<()> {
    let here = StartEnvironment::here();
    let user = here.user_file();
    let project = here.project_file();
    if args.json {
        return print_json(&json!({ "user": user, "project": project }));
    }
    match &user {
        Some(path) => {
            println!("user     {}{}", path.display(), if path.is_file() { "" } else { " (not there)" })
        }
        None => println!("user     (no HOME and no XDG_CONFIG_HOME)"),
    }
    match &project {
        Some(path) => println!("project  {}", path.display()),
        None => println!("project  no {PROJECT_FILE} here or in a folder above"),
    }
    Ok(())
}

/// The settings, with the vendor's address and key where none are named.
fn completed(settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    let wire: Wire = settings.value("model.wire").and_then(|name| name.parse().ok()).unwrap_or_default();
    for setting in settings
        .all
        .iter_mut()
        .filter(|setting| setting.key.section.name == "model" && setting.values.is_empty())
    {
        match setting.key.name() {
            "base-url" => setting.values = vec![wire.usual_address().to_owned()],
            "api-key-env" => setting.values = vec![wire.usual_key().to_owned()],
            _ => {}
        }
    }
    settings
}

fn show(args: &Args, settings: &Settings) -> Result<()> {
    let settings = &completed(settings);
    if args.json {
        let files: Vec<Value> =
            settings.files.iter().map(|(role, path)| json!({ "role": role, "path": path })).collect();
        let all: Vec<Value> = settings.all.iter().map(as_json).collect();
        let contestants: serde_json::Map<String, Value> =
            settings.contestants.iter().map(|(name, fields)| (name.clone(), defined(fields))).collect();
        return print_json(&json!({
            "files": files, "settings": all, "contestants": contestants, "notes": settings.unknown_variables,
        }));
    }
    for setting in &settings.all {
        let mut value = setting.shown().join(", ");
        if value.is_empty() {
            value.push('-');
        }
        if let Some(set) = key_is_set(setting) {
            value.push_str(if set { " (set)" } else { " (not set)" });
        }
        let source = match &setting.source {
            ValueSource::Default => "default".to_owned(),
            ValueSource::File(role, path) => format!("{} {}", role.as_str(), path.display()),
            ValueSource::Variable(name) => format!("environment {name}"),
        };
        println!("{:<25} {value:<32} {source}", setting.key.path());
    }
    for (name, fields) in &settings.contestants {
        for field in fields {
            let (mut value, (role, path)) = (field.shown(), &field.from);
            if field.names_a_key() {
                value.push_str(if is_set(&field.value) { " (set)" } else { " (not set)" });
            }
            let key = format!("contestant.{name}.{}", field.name);
            println!("{key:<25} {value:<32} {} {}", role.as_str(), path.display());
        }
    }
    for note in &settings.unknown_variables {
        println!("note: {note}");
    }
    Ok(())
}

fn defined(fields: &Definition) -> Value {
    let told = fields.iter().map(|field| {
        let (role, path) = &field.from;
        let mut shown = json!({ "key": field.name, "value": field.shown(), "source": role, "from": path });
        if field.names_a_key() {
            shown["set"] = is_set(&field.value).into();
        }
        shown
    });
    told.collect()
}

fn is_set(variable: &str) -> bool {
    crate::environment::var_os(variable).is_some_and(|value| !value.is_empty())
}

fn as_json(setting: &Setting) -> Value {
    let typed = |text: String| match serde_json::from_str::<Value>(&text) {
        Ok(value @ (Value::Number(_) | Value::Bool(_) | Value::Object(_))) => value,
        _ => Value::String(text),
    };
    let mut values: Vec<Value> = setting.shown().into_iter().map(typed).collect();
    let value = match setting.key.is_list() {
        true => Value::Array(values),
        false => values.pop().unwrap_or(Value::Null),
    };
    let (source, from) = match &setting.source {
        ValueSource::Default => (json!("default"), Value::Null),
        ValueSource::File(role, path) => (json!(role), json!(path)),
        ValueSource::Variable(name) => (json!("environment"), json!(name)),
    };
    let mut shown = json!({ "key": setting.key.path(), "value": value, "source": source, "from": from });
    if let Some(set) = key_is_set(setting) {
        shown["set"] = set.into();
    }
    shown
}

/// For a field that names the variable of a key: whether there is a key.
fn key_is_set(setting: &Setting) -> Option<bool> {
    let name = setting.values.first().filter(|_| setting.key.meaning() == ValueMeaning::KeyVariable)?;
    Some(is_set(name))
}
