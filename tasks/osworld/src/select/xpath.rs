use roxmltree::{Node, NodeId};

use super::xpath_parse::{Expr, NodeTest, PathStep, parse};
use super::{Prefix, excerpt};
use waldo_office::budget::{self, Cost};

/// A node of a result: attributes are not nodes of the tree.
#[derive(Clone, PartialEq)]
enum XPathItem<'a, 'i> {
    Node(Node<'a, 'i>),
    Attribute(NodeId, String),
}

/// What stands in the message of an evaluation that costs too much.
const TOO_MUCH: &str = "it costs more than a judgement may";

enum XPathValue<'a, 'i> {
    Nodes(Vec<XPathItem<'a, 'i>>),
    Text(String),
    Number(f64),
    Truth(bool),
}

#[derive(Clone)]
struct XPathContext<'a, 'i, 'p> {
    node: XPathItem<'a, 'i>,
    position: usize,
    size: usize,
    prefixes: &'p [Prefix<'p>],
}

/// The elements that `path` selects from `root`, in the document's order.
pub(crate) fn select_xpath<'a, 'i>(
    root: Node<'a, 'i>,
    path: &str,
    prefixes: &[Prefix<'_>],
) -> Result<Vec<Node<'a, 'i>>, String> {
    let quote = |message: String| format!("xpath '{}': {message}", excerpt(path));
    let expr = parse(path).map_err(quote)?;
    let context = XPathContext { node: XPathItem::Node(root), position: 1, size: 1, prefixes };
    let XPathValue::Nodes(found) = eval(&expr, &context).map_err(quote)? else {
        return Err(quote("it selects no elements".into()));
    };
    let mut nodes: Vec<_> = found
        .into_iter()
        .filter_map(|found| match found {
            XPathItem::Node(node) if node.is_element() => Some(node),
            _ => None,
        })
        .collect();
    nodes.sort();
    nodes.dedup();
    Ok(nodes)
}

fn eval<'a, 'i>(expr: &Expr, context: &XPathContext<'a, 'i, '_>) -> Result<XPathValue<'a, 'i>, String> {
    if !budget::goes_on() {
        return Err(TOO_MUCH.to_owned());
    }
    Ok(match expr {
        Expr::Text(text) => XPathValue::Text(text.clone()),
        Expr::Number(number) => XPathValue::Number(*number),
        Expr::Minus(inner) => XPathValue::Number(-number(&eval(inner, context)?)),
        Expr::Binary("or", a, b) => XPathValue::Truth(truth(&eval(a, context)?) || truth(&eval(b, context)?)),
        Expr::Binary("and", a, b) => {
            XPathValue::Truth(truth(&eval(a, context)?) && truth(&eval(b, context)?))
        }
        Expr::Binary("|", a, b) => match (eval(a, context)?, eval(b, context)?) {
            (XPathValue::Nodes(mut a), XPathValue::Nodes(b)) => {
                a.extend(b);
                XPathValue::Nodes(a)
            }
            _ => return Err("'|' joins only paths".into()),
        },
        Expr::Binary("+", a, b) => {
            XPathValue::Number(number(&eval(a, context)?) + number(&eval(b, context)?))
        }
        Expr::Binary("-", a, b) => {
            XPathValue::Number(number(&eval(a, context)?) - number(&eval(b, context)?))
        }
        Expr::Binary(sign, a, b) => XPathValue::Truth(compare(sign, &eval(a, context)?, &eval(b, context)?)),
        Expr::Function(name, arguments) => function(name, arguments, context)?,
        Expr::Path { from_root, steps } => {
            let start = match (&context.node, from_root) {
                (XPathItem::Node(node), true) => XPathItem::Node(node.document().root()),
                (node, _) => node.clone(),
            };
            let mut found = vec![start];
            for step in steps {
                let mut next = Vec::new();
                for node in found {
                    for taken in take(step, node, context.prefixes)? {
                        if !budget::goes_on() {
                            return Err(TOO_MUCH.to_owned());
                        }
                        if !next.contains(&taken) {
                            next.push(taken);
                        }
                    }
                }
                found = next;
            }
            XPathValue::Nodes(found)
        }
    })
}

fn take<'a, 'i>(
    step: &PathStep,
    from: XPathItem<'a, 'i>,
    prefixes: &[Prefix<'_>],
) -> Result<Vec<XPathItem<'a, 'i>>, String> {
    let XPathItem::Node(node) = from else {
        return Ok(if step.axis == "self" { vec![from] } else { Vec::new() });
    };
    let space = match &step.test {
        NodeTest::Name(Some(prefix), _) => Some(
            prefixes
                .iter()
                .find(|(name, _)| name == prefix)
                .map(|(_, space)| *space)
                .ok_or_else(|| format!("there is no prefix '{prefix}'"))?,
        ),
        _ => None,
    };
    budget::spend(Cost::Nodes, 1).map_err(|_| TOO_MUCH)?;
    let mut found: Vec<XPathItem> = if step.axis == "attribute" {
        node.attributes()
            .filter(|attribute| match &step.test {
                NodeTest::Name(prefix, name) => {
                    (name == "*" || name == attribute.name())
                        && (prefix.is_none() && name == "*" || attribute.namespace() == space)
                }
                _ => true,
            })
            .map(|attribute| XPathItem::Attribute(node.id(), attribute.value().to_owned()))
            .collect()
    } else {
        axis(step.axis, node)
            .into_iter()
            .filter(|node| match &step.test {
                NodeTest::Node => true,
                NodeTest::Text => node.is_text(),
                NodeTest::Name(prefix, name) => {
                    node.is_element()
                        && (name == "*" || name == node.tag_name().name())
                        && (prefix.is_none() && name == "*" || node.tag_name().namespace() == space)
                }
            })
            .map(XPathItem::Node)
            .collect()
    };
    for predicate in &step.predicates {
        let size = found.len();
        let mut kept = Vec::new();
        for (i, node) in found.into_iter().enumerate() {
            let context = XPathContext { node: node.clone(), position: i + 1, size, prefixes };
            #[expect(clippy::cast_precision_loss, reason = "positions are small")]
            let holds = match eval(predicate, &context)? {
                XPathValue::Number(number) => number == (i + 1) as f64,
                other => truth(&other),
            };
            if holds {
                kept.push(node);
            }
        }
        found = kept;
    }
    Ok(found)
}

fn axis<'a, 'i>(axis: &str, node: Node<'a, 'i>) -> Vec<Node<'a, 'i>> {
    match axis {
        "child" => node.children().collect(),
        "descendant" => node.descendants().skip(1).collect(),
        "descendant-or-self" => node.descendants().collect(),
        "self" => vec![node],
        "parent" => node.parent().into_iter().collect(),
        "ancestor" => node.ancestors().skip(1).collect(),
        "ancestor-or-self" => node.ancestors().collect(),
        "following-sibling" => node.next_siblings().skip(1).collect(),
        "preceding-sibling" => node.prev_siblings().skip(1).collect(),
        _ => Vec::new(),
    }
}

fn text_of(found: &XPathItem) -> String {
    if !budget::goes_on() {
        return String::new();
    }
    match found {
        XPathItem::Attribute(_, value) => value.clone(),
        XPathItem::Node(node) if node.is_text() => node.text().unwrap_or_default().to_owned(),
        XPathItem::Node(node) => {
            node.descendants().filter(|n| n.is_text()).filter_map(|n| n.text()).collect()
        }
    }
}

fn text(value: &XPathValue) -> String {
    match value {
        XPathValue::Nodes(nodes) => nodes.first().map(text_of).unwrap_or_default(),
        XPathValue::Text(text) => text.clone(),
        XPathValue::Number(number) => format!("{number}"),
        XPathValue::Truth(truth) => truth.to_string(),
    }
}

fn number(value: &XPathValue) -> f64 {
    match value {
        XPathValue::Number(number) => *number,
        XPathValue::Truth(truth) => f64::from(u8::from(*truth)),
        other => text(other).trim().parse().unwrap_or(f64::NAN),
    }
}

fn truth(value: &XPathValue) -> bool {
    match value {
        XPathValue::Nodes(nodes) => !nodes.is_empty(),
        XPathValue::Text(text) => !text.is_empty(),
        XPathValue::Number(number) => *number != 0.0 && !number.is_nan(),
        XPathValue::Truth(truth) => *truth,
    }
}

fn compare(sign: &str, a: &XPathValue, b: &XPathValue) -> bool {
    let equal = sign == "=" || sign == "!=";
    match (a, b) {
        // A set compares by any of its members.
        (XPathValue::Nodes(nodes), XPathValue::Truth(_)) if equal => {
            (truth(a) == truth(b)) == (sign == "=") || nodes.is_empty() && sign == "!="
        }
        (XPathValue::Nodes(nodes), _) => {
            nodes.iter().any(|node| compare(sign, &XPathValue::Text(text_of(node)), b))
        }
        (_, XPathValue::Nodes(nodes)) => {
            nodes.iter().any(|node| compare(sign, a, &XPathValue::Text(text_of(node))))
        }
        (XPathValue::Truth(_), _) | (_, XPathValue::Truth(_)) if equal => {
            (truth(a) == truth(b)) == (sign == "=")
        }
        (XPathValue::Text(a), XPathValue::Text(b)) if equal => (a == b) == (sign == "="),
        _ => {
            let (a, b) = (number(a), number(b));
            match sign {
                "=" => a == b,
                "!=" => a != b,
                "<" => a < b,
                "<=" => a <= b,
                ">" => a > b,
                _ => a >= b,
            }
        }
    }
}

fn function<'a, 'i>(
    name: &str,
    arguments: &[Expr],
    context: &XPathContext<'a, 'i, '_>,
) -> Result<XPathValue<'a, 'i>, String> {
    let values = arguments.iter().map(|a| eval(a, context)).collect::<Result<Vec<_>, _>>()?;
    let own = || text_of(&context.node);
    let word = |at: usize| values.get(at).map_or_else(own, text);
    #[expect(clippy::cast_precision_loss, reason = "documents are small")]
    Ok(match (name, values.as_slice()) {
        ("true", []) => XPathValue::Truth(true),
        ("false", []) => XPathValue::Truth(false),
        ("position", []) => XPathValue::Number(context.position as f64),
        ("last", []) => XPathValue::Number(context.size as f64),
        ("not", [value]) => XPathValue::Truth(!truth(value)),
        ("boolean", [value]) => XPathValue::Truth(truth(value)),
        ("count", [XPathValue::Nodes(nodes)]) => XPathValue::Number(nodes.len() as f64),
        ("contains", [_, _]) => XPathValue::Truth(word(0).contains(&word(1))),
        ("starts-with", [_, _]) => XPathValue::Truth(word(0).starts_with(&word(1))),
        ("string", [] | [_]) => XPathValue::Text(word(0)),
        ("number", [] | [_]) => XPathValue::Number(word(0).trim().parse().unwrap_or(f64::NAN)),
        ("string-length", [] | [_]) => XPathValue::Number(word(0).chars().count() as f64),
        ("normalize-space", [] | [_]) => {
            XPathValue::Text(word(0).split_ascii_whitespace().collect::<Vec<_>>().join(" "))
        }
        ("concat", [_, _, ..]) => {
            let mut all = String::new();
            for value in &values {
                let part = text(value);
                budget::spend(Cost::Bytes, part.len() as u64).map_err(|_| TOO_MUCH)?;
                all.push_str(&part);
            }
            XPathValue::Text(all)
        }
        ("translate", [_, _, _]) => {
            let (from, to): (Vec<char>, Vec<char>) = (word(1).chars().collect(), word(2).chars().collect());
            let swap = |c: char| match from.iter().position(|f| *f == c) {
                Some(at) => to.get(at).copied(),
                None => Some(c),
            };
            XPathValue::Text(word(0).chars().filter_map(swap).collect())
        }
        ("name" | "local-name", []) => XPathValue::Text(match &context.node {
            XPathItem::Node(node) => node.tag_name().name().to_owned(),
            XPathItem::Attribute(..) => String::new(),
        }),
        _ => return Err(format!("the function {name}() with {} arguments is not known", values.len())),
    })
}
