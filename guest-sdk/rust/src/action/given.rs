//! Parameters of an action, on their way into the charm's own struct.

use serde::de::{DeserializeOwned, Visitor};
use serde::{Deserializer, forward_to_deserialize_any};
use serde_json::{Map, Value};

use crate::{Error, Result};

/// Reads the parameters, a JSON object as text.
pub(crate) fn read<P: DeserializeOwned>(parameters: &str) -> Result<P> {
    serde_json::from_str(parameters)
        .and_then(|given| P::deserialize(Given(given)))
        .map_err(|error| Error::Parameters(error.to_string()))
}

/// An object that also serves `()`, so that an action without parameters takes `()`.
struct Given(Map<String, Value>);

impl<'de> Deserializer<'de> for Given {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        Value::Object(self.0).deserialize_any(visitor)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
