//! Values that go into a statement.

use periapt_model::{ApplicationName, Life, MachineId, ModelName, ModelUuid, UnitName, UserName};

/// One bound value. The null of a type keeps its type, which PostgreSQL wants to know.
#[derive(Clone, Debug)]
pub(crate) enum Param {
    Int(Option<i64>),
    Text(Option<String>),
    Bytes(Vec<u8>),
}

/// The values of one statement, in the order of `$1`, `$2`, ...
macro_rules! params {
    ($($value:expr),* $(,)?) => { vec![$($crate::db::Param::from($value)),*] };
}
pub(crate) use params;

impl From<i64> for Param {
    fn from(value: i64) -> Self {
        Param::Int(Some(value))
    }
}

impl From<u32> for Param {
    fn from(value: u32) -> Self {
        Param::Int(Some(i64::from(value)))
    }
}

impl From<u64> for Param {
    fn from(value: u64) -> Self {
        Param::Int(Some(i64::try_from(value).unwrap_or(i64::MAX)))
    }
}

impl From<bool> for Param {
    fn from(value: bool) -> Self {
        Param::Int(Some(i64::from(value)))
    }
}

impl From<Option<i64>> for Param {
    fn from(value: Option<i64>) -> Self {
        Param::Int(value)
    }
}

impl From<Option<u64>> for Param {
    fn from(value: Option<u64>) -> Self {
        Param::Int(value.map(|value| i64::try_from(value).unwrap_or(i64::MAX)))
    }
}

impl From<&str> for Param {
    fn from(value: &str) -> Self {
        Param::Text(Some(value.to_owned()))
    }
}

impl From<String> for Param {
    fn from(value: String) -> Self {
        Param::Text(Some(value))
    }
}

impl From<&String> for Param {
    fn from(value: &String) -> Self {
        Param::Text(Some(value.clone()))
    }
}

impl From<Option<String>> for Param {
    fn from(value: Option<String>) -> Self {
        Param::Text(value)
    }
}

impl From<Vec<u8>> for Param {
    fn from(value: Vec<u8>) -> Self {
        Param::Bytes(value)
    }
}

impl From<Life> for Param {
    fn from(value: Life) -> Self {
        Param::from(value.as_str())
    }
}

macro_rules! name_params {
    ($($type:ty),+) => { $(
        impl From<&$type> for Param {
            fn from(value: &$type) -> Self {
                Param::from(value.as_str())
            }
        }
    )+ };
}
name_params!(
    ApplicationName,
    MachineId,
    ModelName,
    ModelUuid,
    UnitName,
    UserName
);

impl From<Option<&MachineId>> for Param {
    fn from(value: Option<&MachineId>) -> Self {
        Param::Text(value.map(|id| id.as_str().to_owned()))
    }
}
