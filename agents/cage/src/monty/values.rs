//! Values on their way between the script and the host.
//!
//! Invariants: objects of the host carry their class and number in the engine's object id, so no table has to be
//! kept; what cannot leave the script is told in words that the script can act on.

use monty_types::{DictPairs, MontyClassInstance, MontyClassType, MontyObject, MontyUuid};

use crate::engine::Surface;
use crate::val::{Handle, MAX_DEPTH, Val};

/// Marks the ids of host objects, so that ids that the engine draws by lot are not taken for them.
const TAG: u64 = 0x7761_6c64_6f00_0000;

fn id_of(class: usize, id: u64, is_type: bool) -> MontyUuid {
    let class = (class as u64) << 1 | u64::from(is_type);
    MontyUuid::from_u128(u128::from(TAG | class) << 64 | u128::from(id))
}

pub(super) fn handle_of(surface: &Surface, id: MontyUuid) -> Option<Handle> {
    let number = u128::from_be_bytes(*id.as_bytes());
    let high = u64::try_from(number >> 64).ok()?;
    let is_instance = high & 1 == 0;
    let class = usize::try_from((high & !TAG) >> 1).ok()?;
    let class = surface.classes.get(class)?;
    #[expect(clippy::cast_possible_truncation, reason = "the lower half is the number")]
    let id = number as u64;
    (high & TAG == TAG && is_instance).then(|| Handle::new(class.name.clone(), id))
}

pub(super) fn class_type(name: &str, index: usize) -> MontyClassType {
    MontyClassType {
        name: name.to_owned(),
        id: id_of(index, 0, true),
        host_defined: true,
        is_dataclass: false,
        attrs: DictPairs::default(),
    }
}

pub(super) fn inside(surface: &Surface, value: Val) -> MontyObject {
    match value {
        Val::None => MontyObject::None,
        Val::Bool(b) => MontyObject::Bool(b),
        Val::Int(n) => MontyObject::Int(n),
        Val::Float(x) => MontyObject::Float(x),
        Val::Str(text) => MontyObject::String(text),
        Val::List(items) => MontyObject::List(items.into_iter().map(|v| inside(surface, v)).collect()),
        Val::Tuple(items) => MontyObject::Tuple(items.into_iter().map(|v| inside(surface, v)).collect()),
        Val::Dict(pairs) => MontyObject::dict(
            pairs.into_iter().map(|(k, v)| (inside(surface, k), inside(surface, v))).collect::<Vec<_>>(),
        ),
        Val::Handle(handle) => {
            let Some(index) = surface.classes.iter().position(|c| c.name == handle.class) else {
                return MontyObject::None;
            };
            let text = |name: &str| MontyObject::String(name.to_owned());
            // Equality compares the fields, so the number has to be among them.
            let mut attrs = Vec::with_capacity(handle.fields.len() + 1);
            if !handle.fields.iter().any(|(name, _)| name == "id") {
                let id = i64::try_from(handle.id).map_or(MontyObject::None, MontyObject::Int);
                attrs.push((text("id"), id));
            }
            attrs.extend(handle.fields.into_iter().map(|(name, v)| (text(&name), inside(surface, v))));
            let (class_type, instance_id) =
                (class_type(&handle.class, index), id_of(index, handle.id, false));
            MontyObject::ClassInstance(Box::new(MontyClassInstance {
                class_type,
                instance_id,
                attrs: attrs.into(),
            }))
        }
    }
}

/// A value as the host sees it, or why it cannot leave the script.
pub(super) fn outside(surface: &Surface, value: MontyObject, depth: usize) -> Result<Val, String> {
    if depth > MAX_DEPTH {
        return Err("a value nests too deeply".into());
    }
    let all = |items: Vec<MontyObject>| -> Result<Vec<Val>, String> {
        items.into_iter().map(|item| outside(surface, item, depth + 1)).collect()
    };
    Ok(match value {
        MontyObject::None => Val::None,
        MontyObject::Bool(b) => Val::Bool(b),
        MontyObject::Int(n) => Val::Int(n),
        MontyObject::Float(x) => Val::Float(x),
        MontyObject::String(text) => Val::Str(text),
        MontyObject::List(items) | MontyObject::Set(items) | MontyObject::FrozenSet(items) => {
            Val::List(all(items)?)
        }
        MontyObject::Tuple(items) | MontyObject::NamedTuple { values: items, .. } => Val::Tuple(all(items)?),
        MontyObject::Dict(pairs) => {
            let mut list = Vec::with_capacity(pairs.len());
            for (key, value) in pairs {
                list.push((outside(surface, key, depth + 1)?, outside(surface, value, depth + 1)?));
            }
            Val::Dict(list)
        }
        MontyObject::ClassInstance(instance) => match handle_of(surface, instance.instance_id) {
            Some(handle) if instance.class_type.host_defined => Val::Handle(handle),
            _ => {
                return Err(format!(
                    "a '{}' of the script's own cannot be handed over",
                    instance.class_type.name
                ));
            }
        },
        MontyObject::BigInt(_) => return Err("an integer is too large".into()),
        MontyObject::Cycle(..) => return Err("a value contains itself".into()),
        MontyObject::Function { .. } | MontyObject::BuiltinFunction(_) => {
            return Err("a function cannot be handed over; call it and hand over what it returns".into());
        }
        other => {
            let shown: String = other.to_string().chars().take(60).collect();
            return Err(format!("{shown} cannot be handed over"));
        }
    })
}
