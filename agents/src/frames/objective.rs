//! The first stage's reply: descriptions, relations and the objective, read and never run.

use waldo_cage::{LiteralCall, ScriptEngine, StraightArg, Val};

use super::world::{Relation, World};

/// Bytes of a reply's script.
const SOURCE: usize = 32 << 10;
/// Characters of one text; longer ones are cut.
const TEXT: usize = 600;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Objective {
    Taken,
    /// A person has to take over, for this reason.
    HandOver(String),
}

/// Takes a reply's calls into a world.
///
/// # Errors
/// What is wrong, with lines, for the model: nothing was taken then.
pub(crate) fn take(source: &str, engine: &dyn ScriptEngine, world: &mut World) -> Result<Objective, String> {
    let calls = engine
        .literal_calls(source, SOURCE)
        .map_err(|refusals| refusals.iter().map(|r| format!("- {r}")).collect::<Vec<_>>().join("\n"))?;
    let mut next = world.clone();
    next.relations.clear();
    next.objective.clear();
    let mut errors = Vec::new();
    for call in &calls {
        if call.receiver.is_none() && call.function == "hand_over" {
            let reason = CallArguments::of(call, &["reason"]).and_then(|given| given.text(0));
            return Ok(Objective::HandOver(
                reason.unwrap_or_else(|_| "the page asks for a person".to_owned()),
            ));
        }
        if let Err(error) = one(call, &mut next) {
            errors.push(format!("- line {}: {error}", call.line));
        }
    }
    if next.objective.is_empty() {
        errors.push("- there is no objective(...): call it once, with what has to be true at the end".into());
    }
    for (frame, n) in next.frames.iter().zip(0..) {
        if frame.description.is_empty() {
            errors.push(format!("- Frame {n} has no description: call describe({n}, ...)"));
        }
    }
    if !errors.is_empty() {
        return Err(errors.join("\n"));
    }
    *world = next;
    Ok(Objective::Taken)
}

fn one(call: &LiteralCall, world: &mut World) -> Result<(), String> {
    if call.receiver.is_some() {
        return Err("call describe, relate, objective or hand_over by name alone".into());
    }
    let count = world.frames.len();
    let known = |frame: usize| {
        if frame < count {
            Ok(frame)
        } else {
            Err(format!("there is no Frame {frame}: there are {count}, from 0"))
        }
    };
    match call.function.as_str() {
        "describe" => {
            let given = CallArguments::of(call, &["frame_id", "description"])?;
            let frame = known(given.frame(0)?)?;
            world.frames[frame].description = given.text(1)?;
        }
        "relate" => {
            let given = CallArguments::of(call, &["frame_id1", "frame_id2", "relationship"])?;
            let from = known(given.frame(0)?)?;
            let to = match given.value(1) {
                None | Some(Val::None) => None,
                Some(_) => Some(known(given.frame(1)?)?),
            };
            if to == Some(from) {
                return Err("a frame is not related to itself".into());
            }
            world.relations.push(Relation {
                from: (from, from),
                to: to.map(|to| (to, to)),
                text: given.text(2)?,
            });
        }
        "objective" => {
            if !world.objective.is_empty() {
                return Err("objective(...) is called a second time: put all of it into one".into());
            }
            world.objective = CallArguments::of(call, &["description"])?.text(0)?;
        }
        other => return Err(format!("there is no {other}(): use describe, relate, objective or hand_over")),
    }
    Ok(())
}

struct CallArguments<'a> {
    names: &'a [&'a str],
    values: Vec<Option<&'a Val>>,
}

impl<'a> CallArguments<'a> {
    fn of(call: &'a LiteralCall, names: &'a [&'a str]) -> Result<Self, String> {
        let literal = |arg: &'a StraightArg| match arg {
            StraightArg::Value(value) => Ok(value),
            _ => Err("give numbers and texts, no names".to_owned()),
        };
        if call.args.len() > names.len() {
            return Err(format!("{}() takes {}", call.function, names.join(", ")));
        }
        let mut values = vec![None; names.len()];
        for (slot, arg) in values.iter_mut().zip(&call.args) {
            *slot = Some(literal(arg)?);
        }
        for (name, arg) in &call.kwargs {
            let Some(place) = names.iter().position(|n| n == name) else {
                return Err(format!("{}() has no {name}: it takes {}", call.function, names.join(", ")));
            };
            if values[place].replace(literal(arg)?).is_some() {
                return Err(format!("{name} is given twice"));
            }
        }
        Ok(Self { names, values })
    }

    fn value(&self, n: usize) -> Option<&'a Val> {
        self.values.get(n).copied().flatten()
    }

    fn frame(&self, n: usize) -> Result<usize, String> {
        let value = self.value(n).and_then(Val::as_int).and_then(|id| usize::try_from(id).ok());
        value.ok_or_else(|| format!("{} has to be a frame's number", self.names[n]))
    }

    fn text(&self, n: usize) -> Result<String, String> {
        match self.value(n).and_then(Val::as_str).map(str::trim) {
            Some(text) if !text.is_empty() => Ok(text.chars().take(TEXT).collect()),
            _ => Err(format!("{} has to be a text that is not empty", self.names[n])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::vision::PxRect;

    fn take(source: &str, world: &mut World) -> Result<Objective, String> {
        super::take(source, &waldo_cage::WorkerEngine::of_this_program().unwrap(), world)
    }

    fn world() -> World {
        World::of(&[PxRect::new(0, 0, 9, 9), PxRect::new(9, 0, 9, 9)])
    }

    #[test]
    fn a_good_reply_is_taken_and_may_hand_over() {
        let reply = take("hand_over('it wants proof of a person')", &mut world());
        assert_eq!(reply, Ok(Objective::HandOver("it wants proof of a person".into())));
        let mut world = world();
        let source = "describe(0, 'A dial.')\ndescribe(frame_id=1, description='A lamp.')\nrelate(0, 1, 'sets')\nrelate(1, relationship='shows it')\nobjective('turn until it shines')\n";
        assert_eq!(take(source, &mut world), Ok(Objective::Taken));
        assert_eq!(world.frames[1].description, "A lamp.");
        assert_eq!(world.relations.len(), 2);
        assert_eq!(world.relations[1].to, None);
        assert_eq!(world.objective, "turn until it shines");
    }

    #[test]
    fn all_faults_are_told_with_their_lines_and_nothing_is_taken() {
        let mut world = world();
        let error =
            take("describe(5, 'x')\nrelate(0, 0, 'y')\nfly()\nobjective('')\n", &mut world).unwrap_err();
        for part in
            ["line 1: there is no Frame 5", "line 2", "line 3: there is no fly", "line 4", "Frame 1 has no"]
        {
            assert!(error.contains(part), "{part} in {error}");
        }
        assert!(world.objective.is_empty());
        assert!(take("x = 1", &mut world).unwrap_err().contains("line 1"));
    }
}
