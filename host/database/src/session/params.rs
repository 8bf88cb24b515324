//! Values that go into a statement.

/// One bound value. The null of a type keeps its type, which PostgreSQL wants to know.
#[derive(Clone, Debug)]
pub enum Param {
    Int(Option<i64>),
    Text(Option<String>),
    Bytes(Vec<u8>),
}

/// The values of one statement, in the order of `$1`, `$2`, ...
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => { vec![$($crate::Param::from($value)),*] };
}

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

/// Texts and names.
impl<T: AsRef<str> + ?Sized> From<&T> for Param {
    fn from(value: &T) -> Self {
        Param::Text(Some(value.as_ref().to_owned()))
    }
}

/// A name, or the null of text.
impl<T: AsRef<str> + ?Sized> From<Option<&T>> for Param {
    fn from(value: Option<&T>) -> Self {
        Param::Text(value.map(|value| value.as_ref().to_owned()))
    }
}

impl From<String> for Param {
    fn from(value: String) -> Self {
        Param::Text(Some(value))
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
