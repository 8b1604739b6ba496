//! Scripts that are no more than a list of calls with literal arguments: read, never run.
//!
//! For stages whose reply only states facts. What is not such a call is refused with its place.

use ruff_python_ast::{Expr, ExprCall, Number, Operator, Stmt, UnaryOp};
use ruff_text_size::{Ranged as _, TextRange};

use crate::engine::{LiteralCall, StraightArg};
use crate::error::Refusal;
use crate::prep::ScriptText;
use crate::val::Val;

const STACK: usize = 32 << 20;

/// The calls of a script of at most `most` bytes. Comments, texts that stand alone and `pass` say nothing.
///
/// # Errors
/// What is more than a call with literal arguments, each with its place.
pub fn literal_calls(source: &str, most: usize) -> Result<Vec<LiteralCall>, Vec<Refusal>> {
    let refusal = |what: String| {
        vec![Refusal {
            line: 1,
            column: 1,
            what,
            advice: "write one call a line, with literal arguments".into(),
        }]
    };
    if source.len() > most {
        return Err(refusal(format!("the script has {} bytes, more than {most}", source.len())));
    }
    // What the parser builds may be deep enough to overflow an ordinary stack when it is dropped.
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || calls(source));
        match thread.map(|t| t.join()) {
            Ok(Ok(calls)) => calls,
            Ok(Err(_)) | Err(_) => Err(refusal("the script cannot be read".into())),
        }
    })
}

fn calls(source: &str) -> Result<Vec<LiteralCall>, Vec<Refusal>> {
    let text = ScriptText::parse(source)?;
    let mut calls = Vec::new();
    let mut refusals = Vec::new();
    for stmt in text.parsed.suite() {
        let done = match stmt {
            Stmt::Pass(_) => Ok(None),
            Stmt::Expr(stmt) => match &*stmt.value {
                Expr::Call(call) => one(&text, call).map(Some),
                Expr::StringLiteral(_) => Ok(None),
                other => Err(other.range()),
            },
            other => Err(other.range()),
        };
        match done {
            Ok(call) => calls.extend(call),
            Err(at) => {
                let what = "this is more than a call with literal arguments";
                refusals.push(text.refuse(at, what, "write one call a line, with literal arguments"));
            }
        }
    }
    if refusals.is_empty() { Ok(calls) } else { Err(refusals) }
}

fn one(text: &ScriptText<'_>, call: &ExprCall) -> Result<LiteralCall, TextRange> {
    let (receiver, function) = match &*call.func {
        Expr::Name(name) => (None, name.id.to_string()),
        Expr::Attribute(attribute) => (Some(argument(&attribute.value)?), attribute.attr.to_string()),
        other => return Err(other.range()),
    };
    let args = call.arguments.args.iter().map(argument).collect::<Result<_, _>>()?;
    let kwargs = call.arguments.keywords.iter().map(|keyword| match &keyword.arg {
        Some(name) => Ok((name.to_string(), argument(&keyword.value)?)),
        None => Err(keyword.range),
    });
    let line = text.refuse(call.range(), "", "").line;
    Ok(LiteralCall { line, receiver, function, args, kwargs: kwargs.collect::<Result<_, _>>()? })
}

fn argument(expr: &Expr) -> Result<StraightArg, TextRange> {
    if let Some(value) = literal(expr) {
        return Ok(StraightArg::Value(value));
    }
    match expr {
        Expr::Name(name) => Ok(StraightArg::Place { name: name.id.to_string(), index: None }),
        Expr::Subscript(subscript) => match (&*subscript.value, literal(&subscript.slice)) {
            (Expr::Name(name), Some(Val::Int(index))) => {
                Ok(StraightArg::Place { name: name.id.to_string(), index: Some(index) })
            }
            _ => Err(subscript.range),
        },
        Expr::List(list) => list.elts.iter().map(argument).collect::<Result<_, _>>().map(StraightArg::List),
        Expr::Tuple(tuple) => {
            tuple.elts.iter().map(argument).collect::<Result<_, _>>().map(StraightArg::List)
        }
        other => Err(other.range()),
    }
}

fn literal(expr: &Expr) -> Option<Val> {
    match expr {
        Expr::NoneLiteral(_) => Some(Val::None),
        Expr::BooleanLiteral(value) => Some(Val::Bool(value.value)),
        Expr::StringLiteral(value) => Some(Val::Str(value.value.to_str().to_owned())),
        Expr::NumberLiteral(number) => match &number.value {
            Number::Int(n) => n.as_i64().map(Val::Int),
            Number::Float(x) => Some(Val::Float(*x)),
            Number::Complex { .. } => None,
        },
        Expr::UnaryOp(op) if op.op == UnaryOp::USub => match literal(&op.operand)? {
            Val::Int(n) => n.checked_neg().map(Val::Int),
            Val::Float(x) => Some(Val::Float(-x)),
            _ => None,
        },
        // Long texts are often written as a sum of lines.
        Expr::BinOp(op) if op.op == Operator::Add => match (literal(&op.left)?, literal(&op.right)?) {
            (Val::Str(a), Val::Str(b)) => Some(Val::Str(a + &b)),
            _ => None,
        },
        Expr::List(list) => list.elts.iter().map(literal).collect::<Option<_>>().map(Val::List),
        Expr::Tuple(tuple) => tuple.elts.iter().map(literal).collect::<Option<_>>().map(Val::Tuple),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_with_literals_are_read() {
        let source = "\"\"\"Says it.\"\"\"\n# a note\ndescribe(frames[0], 'a ' + 'list', n=-2)\nframes[1].relate([frames[0], 3], None)\n";
        let calls = literal_calls(source, 1_000).unwrap();
        let place = |index| StraightArg::Place { name: "frames".into(), index: Some(index) };
        assert_eq!(calls.len(), 2);
        assert_eq!(calls[0].line, 3);
        assert_eq!(calls[0].args, [place(0), StraightArg::Value("a list".into())]);
        assert_eq!(calls[0].kwargs, [("n".to_owned(), StraightArg::Value(Val::Int(-2)))]);
        assert_eq!(calls[1].receiver, Some(place(1)));
        assert_eq!(calls[1].function, "relate");
        assert_eq!(calls[1].args[0], StraightArg::List(vec![place(0), StraightArg::Value(Val::Int(3))]));
    }

    #[test]
    fn more_than_calls_is_refused_with_its_line() {
        let source = "objective('x')\nfor f in frames:\n    describe(f)\nx = 1\ndescribe(f'{x}')\n";
        let refusals = literal_calls(source, 1_000).unwrap_err();
        assert_eq!(refusals.iter().map(|r| r.line).collect::<Vec<_>>(), [2, 4, 5]);
        assert!(literal_calls("objective('x')", 5).is_err());
        assert!(literal_calls(&format!("f({}1)", "1 + ".repeat(12_000)), 64 << 10).is_err());
        assert!(literal_calls(&format!("f({}", "(".repeat(30_000)), 64 << 10).is_err());
    }
}
