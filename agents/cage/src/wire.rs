//! What parent and worker say to each other: frames of a length and a body, values laid flat.
//!
//! Neither side trusts the other's lengths: a frame has a highest size, and a value a highest depth and
//! number of nodes. Values are laid flat because a nested encoding would let a hostile worker overflow
//! the parent's stack while it decodes.

use serde::{Deserialize, Serialize};

use crate::engine::{ExcKind, Surface};
use crate::error::{Refusal, ScriptError};
use crate::limits::{Limit, ScriptLimits};
use crate::val::{Handle, MAX_DEPTH, Val};

/// Bytes of the largest frame, its length not counted.
const MAX_FRAME: usize = 4 << 20;
/// Bytes before a frame's body, which say how long that is.
pub const HEAD: usize = 4;
const MAX_NODES: usize = 200_000;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum ToWorker {
    /// The one run of this worker; always the first frame.
    Start(Box<Start>),
    /// The result of the call or look-up that it waits for.
    Answer(HostAnswer),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Start {
    pub source: String,
    pub entry: Option<String>,
    pub args: Vec<FlatValue>,
    pub surface: Surface,
    pub limits: ScriptLimits,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum HostAnswer {
    Value(FlatValue),
    Raise(ExcKind, String),
    /// The end, which the script cannot catch.
    Abort,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ToParent {
    pub printed: String,
    /// Interpreter time up to now, in microseconds.
    pub spent_us: u64,
    /// What is wanted, or how it ended.
    pub what: WorkerEvent,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum WorkerEvent {
    Call {
        /// Class and number of the receiver, none for a function.
        receiver: Option<(String, u64)>,
        function: String,
        args: Vec<FlatValue>,
        kwargs: Vec<(String, FlatValue)>,
    },
    Attr {
        receiver: (String, u64),
        name: String,
    },
    Done(FlatValue),
    Refused(Vec<Refusal>),
    /// The script raised; its `printed` is empty, see [`ToParent::printed`].
    Raised(ScriptError),
    Limit(Limit, Option<u32>),
    /// An [`HostAnswer::Abort`] was carried out, at this line.
    Aborted(Option<u32>),
    Fault(String),
}

/// A value laid flat: nodes in the order of a walk that names every container before its items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct FlatValue(Vec<FlatNode>);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum FlatNode {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(String),
    /// So many nodes follow at the next level.
    List(u32),
    Tuple(u32),
    Dict(u32),
    Handle(String, u64, Vec<String>),
}

/// A value or frame that is too large, too deep or broken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    #[error("a value has more than {MAX_NODES} parts or {MAX_DEPTH} levels")]
    TooLarge,
    #[error("a frame of {0} bytes")]
    Frame(usize),
    #[error("a frame that makes no sense: {0}")]
    Broken(&'static str),
}

impl FlatValue {
    pub fn of(value: &Val) -> Result<Self, WireError> {
        let mut nodes = Vec::new();
        lay(value, &mut nodes, 0)?;
        Ok(Self(nodes))
    }

    pub fn raise(self) -> Result<Val, WireError> {
        if self.0.len() > MAX_NODES {
            return Err(WireError::TooLarge);
        }
        let mut nodes = self.0.into_iter();
        let value = build(&mut nodes, 0)?;
        if nodes.next().is_some() {
            return Err(WireError::Broken("a value with a tail"));
        }
        Ok(value)
    }
}

fn lay(value: &Val, nodes: &mut Vec<FlatNode>, depth: usize) -> Result<(), WireError> {
    if depth > MAX_DEPTH || nodes.len() >= MAX_NODES {
        return Err(WireError::TooLarge);
    }
    let count = |n: usize| u32::try_from(n).map_err(|_| WireError::TooLarge);
    match value {
        Val::None => nodes.push(FlatNode::None),
        Val::Bool(b) => nodes.push(FlatNode::Bool(*b)),
        Val::Int(n) => nodes.push(FlatNode::Int(*n)),
        Val::Float(x) => nodes.push(FlatNode::Float(*x)),
        Val::Str(text) => nodes.push(FlatNode::Str(text.clone())),
        Val::List(items) => {
            nodes.push(FlatNode::List(count(items.len())?));
            items.iter().try_for_each(|item| lay(item, nodes, depth + 1))?;
        }
        Val::Tuple(items) => {
            nodes.push(FlatNode::Tuple(count(items.len())?));
            items.iter().try_for_each(|item| lay(item, nodes, depth + 1))?;
        }
        Val::Dict(pairs) => {
            nodes.push(FlatNode::Dict(count(pairs.len())?));
            for (key, value) in pairs {
                lay(key, nodes, depth + 1)?;
                lay(value, nodes, depth + 1)?;
            }
        }
        Val::Handle(handle) => {
            let names = handle.fields.iter().map(|(name, _)| name.clone()).collect();
            nodes.push(FlatNode::Handle(handle.class.clone(), handle.id, names));
            handle.fields.iter().try_for_each(|(_, field)| lay(field, nodes, depth + 1))?;
        }
    }
    Ok(())
}

fn build(nodes: &mut std::vec::IntoIter<FlatNode>, depth: usize) -> Result<Val, WireError> {
    if depth > MAX_DEPTH {
        return Err(WireError::TooLarge);
    }
    // Counts are the sender's: no room is reserved for them.
    let items = |nodes: &mut std::vec::IntoIter<FlatNode>, n: u32| -> Result<Vec<Val>, WireError> {
        let mut items = Vec::new();
        for _ in 0..n {
            items.push(build(nodes, depth + 1)?);
        }
        Ok(items)
    };
    Ok(match nodes.next().ok_or(WireError::Broken("a value that ends early"))? {
        FlatNode::None => Val::None,
        FlatNode::Bool(b) => Val::Bool(b),
        FlatNode::Int(n) => Val::Int(n),
        FlatNode::Float(x) => Val::Float(x),
        FlatNode::Str(text) => Val::Str(text),
        FlatNode::List(n) => Val::List(items(nodes, n)?),
        FlatNode::Tuple(n) => Val::Tuple(items(nodes, n)?),
        FlatNode::Dict(n) => {
            let mut pairs = Vec::new();
            for _ in 0..n {
                pairs.push((build(nodes, depth + 1)?, build(nodes, depth + 1)?));
            }
            Val::Dict(pairs)
        }
        FlatNode::Handle(class, id, names) => {
            let mut fields = Vec::new();
            for name in names {
                fields.push((name, build(nodes, depth + 1)?));
            }
            Val::Handle(Handle { class, id, fields })
        }
    })
}

/// A frame with its length before it.
pub fn encode<T: Serialize>(frame: &T) -> Result<Vec<u8>, WireError> {
    let body = postcard::to_allocvec(frame).map_err(|_| WireError::Broken("it cannot be encoded"))?;
    if body.len() > MAX_FRAME {
        return Err(WireError::Frame(body.len()));
    }
    let length = u32::try_from(body.len()).map_err(|_| WireError::Frame(body.len()))?;
    let mut bytes = Vec::with_capacity(body.len() + HEAD);
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(&body);
    Ok(bytes)
}

pub fn length(head: [u8; HEAD]) -> Result<usize, WireError> {
    let length = usize::try_from(u32::from_le_bytes(head)).map_err(|_| WireError::Frame(usize::MAX))?;
    if length > MAX_FRAME { Err(WireError::Frame(length)) } else { Ok(length) }
}

pub fn decode<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, WireError> {
    postcard::from_bytes(body).map_err(|_| WireError::Broken("it cannot be decoded"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn values() -> impl Strategy<Value = Val> {
        let leaf = prop_oneof![
            Just(Val::None),
            any::<bool>().prop_map(Val::Bool),
            any::<i64>().prop_map(Val::Int),
            (-1e9..1e9f64).prop_map(Val::Float),
            ".{0,8}".prop_map(Val::Str),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Val::List),
                prop::collection::vec(inner.clone(), 0..5).prop_map(Val::Tuple),
                prop::collection::vec((inner.clone(), inner.clone()), 0..3).prop_map(Val::Dict),
                (any::<u64>(), inner)
                    .prop_map(|(id, field)| Val::Handle(Handle::new("Frame", id).with("x", field))),
            ]
        })
    }

    proptest! {
        #[test]
        fn values_come_back(value in values()) {
            let frame = HostAnswer::Value(FlatValue::of(&value).unwrap());
            let bytes = encode(&frame).unwrap();
            prop_assert_eq!(length(bytes[..4].try_into().unwrap()).unwrap(), bytes.len() - 4);
            let HostAnswer::Value(back) = decode(&bytes[4..]).unwrap() else { panic!() };
            prop_assert_eq!(back.raise().unwrap(), value);
        }

        #[test]
        fn garbage_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(ToParent { what: WorkerEvent::Done(flat), .. }) = decode::<ToParent>(&bytes) {
                let _ = flat.raise();
            }
            let _ = decode::<ToWorker>(&bytes);
        }
    }

    #[test]
    fn deep_values_are_refused_without_recursion() {
        let deep = FlatValue(vec![FlatNode::List(1); 150_000]);
        assert_eq!(deep.raise(), Err(WireError::TooLarge));
        let mut value = Val::None;
        for _ in 0..MAX_DEPTH + 2 {
            value = Val::List(vec![value]);
        }
        assert_eq!(FlatValue::of(&value), Err(WireError::TooLarge));
    }

    #[test]
    fn lying_counts_cost_nothing() {
        assert!(FlatValue(vec![FlatNode::List(u32::MAX)]).raise().is_err());
        assert!(FlatValue(vec![FlatNode::None, FlatNode::None]).raise().is_err());
        assert!(length([0xff; 4]).is_err());
    }
}
