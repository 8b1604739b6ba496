use serde::Deserialize;
use serde_json::{Map, Value};
use waldo_devices::{ActionEffect, Effects, Tool, ToolCall};

/// A command of a page: by whom, about which episode, and what.
#[derive(Debug, Deserialize)]
pub(super) struct Posted {
    /// The page, which names itself by chance.
    pub(super) hand: String,
    pub(super) episode: String,
    #[serde(flatten)]
    pub(super) what: LiveCommand,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub(super) enum LiveCommand {
    Pause,
    Resume,
    Step,
    Stop,
    Take,
    /// The agent acts again; `words` tells it what was done.
    Give {
        #[serde(default)]
        words: String,
    },
    /// What is asked about before it is carried out.
    Ask {
        /// Effects, by name; `*` is all.
        about: Vec<String>,
    },
    /// The answer to question `id`: carry it out.
    Yes {
        id: u64,
    },
    No {
        id: u64,
        #[serde(default)]
        words: String,
    },
    Edit {
        id: u64,
        #[serde(flatten)]
        call: PostedCall,
    },
    Hint {
        words: String,
    },
    Goal {
        words: String,
    },
    /// An action of the person, on the screen of this step.
    Act {
        step: u32,
        #[serde(flatten)]
        call: PostedCall,
    },
    Finish {
        answer: Option<String>,
    },
    Look,
    /// The end of a demonstration, of which nothing is kept.
    Discard,
    Release,
}

/// A call of the catalogue, or a stroke, whose meaning depends on what it begins on.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum PostedCall {
    Stroke {
        from: [f64; 2],
        to: [f64; 2],
    },
    Tool {
        tool: String,
        #[serde(default)]
        args: Map<String, Value>,
    },
}

impl PostedCall {
    pub(super) fn tool(name: &str, args: &Map<String, Value>) -> Result<ToolCall, String> {
        let tool = Tool::named(name).ok_or_else(|| format!("there is no action '{name}'"))?;
        tool.call(args)
    }
}

/// The effects of these names; `*` is all of them.
pub(super) fn effects(names: &[String]) -> Result<Effects, String> {
    names.iter().try_fold(Effects::default(), |all, name| {
        if name == "*" {
            return Ok(Effects::all());
        }
        let known = ActionEffect::ALL.iter().find(|effect| effect.name() == name);
        known
            .map(|effect| all.and(Effects::of(&[*effect])))
            .ok_or_else(|| format!("there is no effect '{name}'"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_are_named_and_grouped_once() {
        let page = include_str!("assets/live.js");
        let groups = page.split_once("const EFFECTS").and_then(|(_, rest)| rest.split_once("};")).unwrap().0;
        for effect in ActionEffect::ALL {
            assert_eq!(groups.matches(&format!("'{}'", effect.name())).count(), 1, "{}", effect.name());
        }
        assert_eq!(groups.matches("],").count(), 5);
        let read = |names: &[&str]| effects(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(
            read(&["press", "type"]).unwrap(),
            Effects::of(&[ActionEffect::Press, ActionEffect::Type])
        );
        assert_eq!(read(&["*"]).unwrap(), Effects::all());
        assert_eq!(read(&[]).unwrap(), Effects::default());
        assert!(read(&["fly"]).unwrap_err().contains("'fly'"));
    }
}
