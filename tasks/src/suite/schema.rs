//! The JSON schemas of the files of a suite, for editors.

use schemars::{Schema, schema_for};
use serde_json::Value;

use super::file::{SuiteFile, TaskFile};

pub fn of_suite() -> Value {
    written(&schema_for!(SuiteFile))
}

/// The schema of a file in `tasks/`. Texts may hold templates.
pub fn of_task() -> Value {
    written(&schema_for!(TaskFile))
}

/// As it is written, which brings the keywords into their order.
fn written(schema: &Schema) -> Value {
    serde_json::to_value(schema).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use boon::{Compiler, SchemaIndex, Schemas};

    use super::*;
    use crate::suite::problem::parse_toml;

    fn files(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                files(&path, found);
            } else if path.ends_with("suite.toml") || path.parent().is_some_and(|of| of.ends_with("tasks")) {
                found.push(path);
            }
        }
    }

    fn read(text: &str) -> Value {
        parse_toml("a file", text).unwrap()
    }

    /// Both schemas, as a validator of JSON schemas understands them.
    struct Both {
        schemas: Schemas,
        suite: SchemaIndex,
        task: SchemaIndex,
    }

    impl Both {
        fn compiled() -> Self {
            let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
            let mut compile = |at: &str, schema: Value| {
                compiler.add_resource(at, schema).unwrap();
                compiler.compile(at, &mut schemas).unwrap()
            };
            let suite = compile("http://waldo.test/suite.json", of_suite());
            let task = compile("http://waldo.test/task.json", of_task());
            Self { schemas, suite, task }
        }

        fn suite(&self, file: &Value) -> Result<(), String> {
            self.schemas.validate(file, self.suite).map_err(|error| format!("{error:#}"))
        }

        fn task(&self, file: &Value) -> Result<(), String> {
            self.schemas.validate(file, self.task).map_err(|error| format!("{error:#}"))
        }
    }

    #[test]
    fn the_committed_schemas_are_current() {
        let current = |schema: &Value| serde_json::to_string_pretty(schema).unwrap() + "\n";
        let suite = include_str!("../../../schemas/suite.schema.json");
        assert!(
            suite == current(&of_suite()),
            "run: waldo config schema --of suite > schemas/suite.schema.json"
        );
        let task = include_str!("../../../schemas/task.schema.json");
        assert!(task == current(&of_task()), "run: waldo config schema --of task > schemas/task.schema.json");
    }

    #[test]
    fn every_file_of_the_built_in_suites_is_valid() {
        let schemas = Both::compiled();
        let mut all = Vec::new();
        files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("suites"), &mut all);
        assert!(all.len() > 50, "{all:?}");
        let mut wrong = Vec::new();
        for path in all {
            let is_suite = path.ends_with("suite.toml");
            let value = read(&std::fs::read_to_string(&path).unwrap());
            let fits = if is_suite { schemas.suite(&value) } else { schemas.task(&value) };
            wrong.extend(fits.err().map(|error| format!("{}: {error}", path.display())));
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn what_the_loader_refuses_for_its_shape_the_schema_refuses_too() {
        let schemas = Both::compiled();
        let good = "id = 'a'\ntitle = 'A'\ncategory = 'c'\ngoal = 'g'\nstart = '/'\n";
        let steps = |step: &str| format!("{good}[[reference]]\n{step}");
        let checks = |check: &str| format!("{good}[[check]]\n{check}");
        for fine in [
            good.to_owned(),
            steps("do = 'tap'\nrole = 'button'\nnth = '{{ n }}'"),
            steps("do = 'swipe'\nrole = 'list'\ntowards = 'up'"),
            checks("kind = 'state'\npointer = ''\nlength = '{{ n }}'"),
            checks("kind = 'file'\nname = '*.csv'"),
            checks("kind = 'file'\npath = 'a.txt'\nabsent = true"),
            format!("{good}[params]\nn = {{ int = [1, 2] }}"),
        ] {
            assert_eq!(schemas.task(&read(&fine)), Ok(()), "{fine}");
        }
        for bad in [
            good.replace("title", "titel"),
            good.replace("'g'", "3"),
            steps("do = 'tapp'"),
            steps("do = 'tap'\ntext = 'x'"),
            steps("do = 'swipe'\nrole = 'list'\ntowards = 'upwards'"),
            checks("kind = 'state'"),
            checks("kind = 'stat'\npointer = ''"),
            checks("kind = 'state'\npointer = ''\nexpr = '1'"),
            checks("kind = 'url'\nlength = 1"),
            checks("pointer = ''"),
            format!("{good}[params]\nn = {{ chose = [1, 2] }}"),
        ] {
            assert!(schemas.task(&read(&bad)).is_err(), "{bad}");
        }
    }
}
