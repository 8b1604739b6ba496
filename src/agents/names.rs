//! Names of agents on the command line.

use std::ffi::OsStr;
use std::str::FromStr as _;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use waldo_http::Address;

use super::exec_args::is_address;
use super::registry::names;

#[derive(Clone, Default)]
pub struct AgentNames;

impl TypedValueParser for AgentNames {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        match value.to_str().filter(|text| is_address(text) && Address::from_str(text).is_ok()) {
            Some(address) => Ok(address.to_owned()),
            None => PossibleValuesParser::new(names()).parse_ref(command, arg, value),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(names().map(PossibleValue::new)))
    }
}
