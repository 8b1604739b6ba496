//! Values that templates are tried out with: a text is `x`, a number 1, a list has one item.

use serde::Deserializer;
use serde::de::value::{Error, MapDeserializer, SeqDeserializer};
use serde::de::{DeserializeOwned, Error as _, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use crate::error::PromptError;

/// Lists that are tried out without an item, too.
const MAY_BE_EMPTY: [&str; 3] = ["docs", "reminders", "relations"];

#[derive(Clone, Copy)]
struct Sample {
    /// Whether what may be missing is there.
    there: bool,
    holds: bool,
    empty: bool,
}

/// Contexts of the template `name`: with and without what may be missing, and whatever holds.
pub(crate) fn contexts<T: DeserializeOwned>(name: &str) -> Result<Vec<T>, PromptError> {
    let all = [(true, true), (true, false), (false, true), (false, false)];
    let made = all.map(|(there, holds)| T::deserialize(Sample { there, holds, empty: false }));
    made.into_iter().collect::<Result<_, _>>().map_err(|e: Error| PromptError::Template {
        name: name.to_owned(),
        line: None,
        message: e.to_string(),
        known: String::new(),
    })
}

impl<'de> Deserializer<'de> for Sample {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("a context has a value of which there is no sample"))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bool(self.holds)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_u32(1)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_u64(1)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_char('x')
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_str("x")
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.there { visitor.visit_some(self) } else { visitor.visit_none() }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(SeqDeserializer::new((!self.empty).then_some(self).into_iter()))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let field =
            |name: &&'static str| (*name, Self { empty: !self.there && MAY_BE_EMPTY.contains(name), ..self });
        visitor.visit_map(MapDeserializer::new(fields.iter().map(field)))
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 u8 u16 f32 f64 str bytes byte_buf unit unit_struct newtype_struct tuple tuple_struct map enum
        identifier ignored_any
    }
}

impl IntoDeserializer<'_, Error> for Sample {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}
