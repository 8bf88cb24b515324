//! Configuration values, and their way into the charm's own struct.

use std::fmt;

use serde::de::value::MapDeserializer;
use serde::de::{DeserializeOwned, IntoDeserializer, Visitor};
use serde::{Deserializer, forward_to_deserialize_any};

use crate::world::World;
use crate::world::bindings::periapt::charm::{config as wit, types};
use crate::{Context, Error, HostError, Result};

/// A configuration value, typed as the charm's config schema declares it.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `string`.
    Text(String),
    /// `int`.
    Integer(i64),
    /// `float`.
    Number(f64),
    /// `boolean`.
    Boolean(bool),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Text(text) => f.write_str(text),
            Value::Integer(number) => number.fmt(f),
            Value::Number(number) => number.fmt(f),
            Value::Boolean(truth) => truth.fmt(f),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Text(text)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Value::Integer(number)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Value::Number(number)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Value::Boolean(truth)
    }
}

/// What a charm may ask of the host about configuration.
#[allow(missing_docs)]
pub trait ConfigHost {
    fn config_get(&self, key: &str) -> Result<Option<Value>, HostError>;
    fn config_all(&self) -> Result<Vec<(String, Value)>, HostError>;
}

impl ConfigHost for World {
    fn config_get(&self, key: &str) -> Result<Option<Value>, HostError> {
        Ok(wit::get(key)?.map(Value::from))
    }

    fn config_all(&self) -> Result<Vec<(String, Value)>, HostError> {
        Ok(wit::all()?
            .into_iter()
            .map(|(name, value)| (name, value.into()))
            .collect())
    }
}

impl From<types::Value> for Value {
    fn from(value: types::Value) -> Self {
        match value {
            types::Value::Text(text) => Value::Text(text),
            types::Value::Integer(number) => Value::Integer(number),
            types::Value::Number(number) => Value::Number(number),
            types::Value::Boolean(truth) => Value::Boolean(truth),
        }
    }
}

impl<C: DeserializeOwned> Context<'_, C> {
    /// The configuration as it was when the hook began.
    pub fn config(&self) -> Result<C> {
        into_struct(self.host.config_all()?)
    }

    /// One option by name, without the struct.
    pub fn config_value(&self, key: &str) -> Result<Option<Value>> {
        Ok(self.host.config_get(key)?)
    }
}

/// All options that have a value, as the charm's struct.
fn into_struct<C: DeserializeOwned>(values: Vec<(String, Value)>) -> Result<C> {
    let entries = values
        .into_iter()
        .map(|(name, value)| (name, Scalar(value)));
    C::deserialize(AsStruct(MapDeserializer::new(entries)))
        .map_err(|error: serde::de::value::Error| Error::Config(error.to_string()))
}

/// A map that also serves `()`, so that a charm without options writes `type Config = ()`.
struct AsStruct<'de, I: Iterator<Item = (String, Scalar)>>(
    MapDeserializer<'de, I, serde::de::value::Error>,
);

impl<'de, I: Iterator<Item = (String, Scalar)>> Deserializer<'de> for AsStruct<'de, I> {
    type Error = serde::de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_map(self.0)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// One value as serde sees it. An option that has no value is absent, so a present one is
/// always `Some`, and text serves as the name of a unit variant.
struct Scalar(Value);

impl<'de> IntoDeserializer<'de, serde::de::value::Error> for Scalar {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Scalar {
    type Error = serde::de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match self.0 {
            Value::Text(text) => visitor.visit_string(text),
            Value::Integer(number) => visitor.visit_i64(number),
            Value::Number(number) => visitor.visit_f64(number),
            Value::Boolean(truth) => visitor.visit_bool(truth),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.0
            .to_string()
            .into_deserializer()
            .deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests;
