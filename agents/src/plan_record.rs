//! What a planner's step leaves in the record beside the decision itself.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use waldo_devices::Tag;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<Tag>,
    pub role: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Grounding {
    pub grounder: String,
    pub action: String,
    pub description: String,
    /// The point in physical pixels; absent when it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<[f64; 2]>,
    /// The first point, where a second shot led to another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_point: Option<[f64; 2]>,
    /// The element at the point; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hit: Option<Hit>,
    /// How often the grounder was asked: 2 with a second shot.
    pub shots: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    pub took: Duration,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContextUse {
    pub tokens: u64,
    pub limit: u64,
    pub whole: u32,
    pub short: u32,
    pub left_out: u32,
    pub pictures: u32,
}

/// What kind of data an entry is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InfoType {
    /// Facts that are needed later.
    #[default]
    DataUpdate,
    /// Things still to be worked through.
    QueueElements,
}

/// One change of the memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum MemoryOp {
    /// Keeps a value, in place of an earlier one of the same key.
    StoreInfo {
        /// Its name.
        key: String,
        /// What kind of data it is.
        #[serde(default)]
        info_type: InfoType,
        /// Text or JSON.
        value: Value,
        /// What it is.
        #[serde(default)]
        description: String,
    },
    /// Forgets a value; one that does not exist is not an error.
    DeleteInfo {
        /// Its name.
        key: String,
        /// Why.
        #[serde(default)]
        description: String,
    },
    /// Nothing.
    NoOp,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlanRecord {
    /// How often it was planned: above 1 after descriptions that could not be located.
    pub plans: u32,
    /// The action as the planner wrote it, in canonical form.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub action: Value,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub memory_ops: Vec<MemoryOp>,
    #[serde(skip_serializing_if = "Value::is_null")]
    pub memory: Value,
    /// Keys that were dropped because it was full.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forgotten: Vec<String>,
    /// What was located, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groundings: Vec<Grounding>,
    /// What waldo told the planner about its going.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    pub context: ContextUse,
}
