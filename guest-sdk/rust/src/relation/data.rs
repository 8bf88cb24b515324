//! Structs in bags of settings, and back.
//!
//! A bag is flat text by key. A field of text stands there as it is, so that charms written
//! without this crate read it; every other value stands there as JSON.

use std::cell::Cell;
use std::collections::BTreeMap;

use serde::de::value::MapDeserializer;
use serde::de::{DeserializeOwned, Error as _, IntoDeserializer, Visitor};
use serde::{Deserializer, Serialize, forward_to_deserialize_any};
use serde_json::{Error, Value};

/// The key that holds [`RelationData::VERSION`]. No field may have this name.
pub const VERSION_KEY: &str = "data-version";

/// Keys that the host writes into every unit's bag.
const NETWORK_KEYS: [&str; 3] = ["egress-subnets", "ingress-address", "private-address"];

/// What one end of a relation publishes for the other, as a struct with a version.
///
/// Each field is a key of the bag. A field that is none or an empty text has no key, so fields
/// that may be empty need `#[serde(default)]`. Keys that the struct does not have are ignored.
///
/// Both ends are refreshed one after the other, so each meets older and newer data. To stay
/// readable, only ever add fields, with `#[serde(default)]`, and raise [`Self::VERSION`] when
/// you do. A reader that knows version 1 reads version 2 as far as it knows it and says so in
/// its log.
///
/// ```
/// use periapt_charm::RelationData;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize)]
/// #[serde(rename_all = "kebab-case")]
/// struct Website {
///     title: String,
///     pages: u32,
///     /// Since version 2.
///     #[serde(default)]
///     languages: Vec<String>,
/// }
///
/// impl RelationData for Website {
///     const VERSION: u32 = 2;
/// }
/// ```
pub trait RelationData: Serialize + DeserializeOwned {
    /// The version of this shape of the data.
    const VERSION: u32 = 1;
}

/// The version in a bag, where it says one.
pub(crate) fn version_of(bag: &BTreeMap<String, String>) -> Option<u32> {
    bag.get(VERSION_KEY)?.trim().parse().ok()
}

/// The struct in a bag; none where the bag has none of its keys.
pub(crate) fn read<T: RelationData>(bag: &BTreeMap<String, String>) -> Result<Option<T>, String> {
    let published = Cell::new(bag.contains_key(VERSION_KEY));
    match T::deserialize(Settings {
        bag,
        published: &published,
    }) {
        Ok(data) => Ok(Some(data)),
        Err(_) if !published.get() => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// The keys of a struct, none for those it leaves empty.
pub(crate) fn write<T: RelationData>(data: &T) -> Result<BTreeMap<String, Option<String>>, String> {
    let Value::Object(fields) = serde_json::to_value(data).map_err(|error| error.to_string())?
    else {
        return Err("only a struct or a map can be published".to_owned());
    };
    if fields.contains_key(VERSION_KEY) {
        return Err(format!(
            "no field may be called {VERSION_KEY}: the version stands there"
        ));
    }
    let texts = fields.into_iter().map(|(key, value)| {
        let text = match value {
            Value::Null => None,
            Value::String(text) => Some(text).filter(|text| !text.is_empty()),
            other => Some(other.to_string()),
        };
        (key, text)
    });
    let version = (VERSION_KEY.to_owned(), Some(T::VERSION.to_string()));
    Ok(texts.chain([version]).collect())
}

/// What of `wanted` differs from the bag.
pub(crate) fn changes(
    wanted: BTreeMap<String, Option<String>>,
    bag: &BTreeMap<String, String>,
) -> Vec<(String, Option<String>)> {
    wanted
        .into_iter()
        .filter(|(key, value)| bag.get(key) != value.as_ref())
        .collect()
}

/// A bag as serde sees it: a struct, or a map.
struct Settings<'a> {
    bag: &'a BTreeMap<String, String>,
    /// Whether anything of the struct is in the bag.
    published: &'a Cell<bool>,
}

impl Settings<'_> {
    fn entries(&self) -> MapDeserializer<'static, std::vec::IntoIter<(String, Setting)>, Error> {
        let own = |key: &str| key != VERSION_KEY;
        let entries: Vec<(String, Setting)> = self
            .bag
            .iter()
            .filter(|(key, _)| own(key))
            .map(|(key, text)| (key.clone(), Setting(text.clone())))
            .collect();
        MapDeserializer::new(entries.into_iter())
    }
}

impl<'de> Deserializer<'de> for Settings<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let said = |key: &String| !NETWORK_KEYS.contains(&key.as_str());
        self.published
            .set(self.published.get() || self.bag.keys().any(said));
        if !self.published.get() {
            return Err(Error::custom("nothing is published"));
        }
        visitor.visit_map(self.entries())
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let any = fields.iter().any(|field| self.bag.contains_key(*field));
        self.published.set(self.published.get() || any);
        if !self.published.get() {
            return Err(Error::custom("nothing is published"));
        }
        visitor.visit_map(self.entries())
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// One setting. What the field asks for decides whether the text is text or JSON.
struct Setting(String);

impl<'de> IntoDeserializer<'de, Error> for Setting {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// Methods that read the text as JSON.
macro_rules! from_json {
    ($($method:ident($($name:ident: $kind:ty),*)),* $(,)?) => {
        $(
            fn $method<V: Visitor<'de>>(self, $($name: $kind,)* visitor: V) -> Result<V::Value, Error> {
                let value: Value = serde_json::from_str(&self.0)?;
                value.$method($($name,)* visitor)
            }
        )*
    };
}

impl<'de> Deserializer<'de> for Setting {
    type Error = Error;

    /// A field that takes anything gets the text.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_string(self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    /// A variant without data is a plain word.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let value = if self.0.starts_with('{') {
            serde_json::from_str(&self.0)?
        } else {
            Value::String(self.0)
        };
        value.deserialize_enum(name, variants, visitor)
    }

    from_json! {
        deserialize_bool(),
        deserialize_i8(), deserialize_i16(), deserialize_i32(), deserialize_i64(), deserialize_i128(),
        deserialize_u8(), deserialize_u16(), deserialize_u32(), deserialize_u64(), deserialize_u128(),
        deserialize_f32(), deserialize_f64(),
        deserialize_unit(), deserialize_unit_struct(name: &'static str),
        deserialize_seq(), deserialize_tuple(length: usize),
        deserialize_tuple_struct(name: &'static str, length: usize),
        deserialize_map(),
        deserialize_struct(name: &'static str, fields: &'static [&'static str]),
    }

    forward_to_deserialize_any! { char str string bytes byte_buf identifier ignored_any }
}
