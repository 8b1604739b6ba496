//! What makes two runs different ones.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Manifest, RunFolder};

impl RunFolder {
    /// The first difference that makes two manifests different runs; times and worker counts do not.
    pub fn difference(old: &Manifest, new: &Manifest) -> Option<String> {
        let said = |what: &str, a: String, b: String| (a != b).then(|| format!("{what} was {a}, now {b}"));
        let names =
            |m: &Manifest| m.contestants.iter().map(|c| c.name.clone()).collect::<Vec<_>>().join(", ");
        said("suite", old.suite.clone(), new.suite.clone())
            .or_else(|| {
                let (a, b) = (&old.suite_hash, &new.suite_hash);
                (a != b)
                    .then(|| format!("the suite has changed: its hash was {}, now {}", short(a), short(b)))
            })
            .or_else(|| said("agents", names(old), names(new)))
            .or_else(|| said("seed", old.seed.to_string(), new.seed.to_string()))
            .or_else(|| said("repeats", old.repeats.to_string(), new.repeats.to_string()))
            .or_else(|| said("same instance", old.same_instance.to_string(), new.same_instance.to_string()))
            .or_else(|| said("max steps", format!("{:?}", old.max_steps), format!("{:?}", new.max_steps)))
            .or_else(|| said("partition", format!("{:?}", old.partition), format!("{:?}", new.partition)))
            .or_else(|| other_tasks(old, new))
            .or_else(|| said("prompts", format!("{:?}", old.prompts), format!("{:?}", new.prompts)))
            .or_else(|| changed("parameters", &old.parameters, &new.parameters))
    }
}

fn other_tasks(old: &Manifest, new: &Manifest) -> Option<String> {
    const SHOWN: usize = 3;
    fn ids(m: &Manifest) -> Vec<&str> {
        m.tasks.iter().map(|t| t.id.as_str()).collect()
    }
    let (a, b) = (ids(old), ids(new));
    if let ("explore", [a], [b]) = (old.suite.as_str(), &*a, &*b) {
        return (a != b).then(|| format!("the app was {a}, now {b}"));
    }
    let only = |own: &[&str], other: &[&str], when: &str| {
        let own: Vec<&str> = own.iter().copied().filter(|id| !other.contains(id)).collect();
        let more = own.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let shown = own.get(..SHOWN).unwrap_or(&own).join(", ");
        (!own.is_empty()).then(|| format!("{shown}{more} only {when}"))
    };
    let told: Vec<String> = [only(&a, &b, "then"), only(&b, &a, "now")].into_iter().flatten().collect();
    let told = if told.is_empty() { "they are in another order".to_owned() } else { told.join(", ") };
    (a != b).then(|| format!("its tasks differ: {told}"))
}

fn short(hash: &str) -> String {
    hash.chars().take(12).collect()
}

/// The first place, by its name, at which two values differ.
fn changed(name: &str, old: &Value, new: &Value) -> Option<String> {
    match (old, new) {
        (Value::Object(a), Value::Object(b)) => {
            let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            names.into_iter().find_map(|key| changed(&format!("{name}.{key}"), &old[key], &new[key]))
        }
        _ => (old != new).then(|| format!("{name} was {old}, now {new}")),
    }
}
