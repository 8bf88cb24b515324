//! Rows of an answer, and what their columns hold.

use rusqlite::types::Value;
use sqlx::Row as _;
use sqlx::ValueRef as _;
use sqlx::postgres::PgRow;

use super::sqlite::Values;
use crate::error::Error;

/// A row of an answer.
pub struct Row(pub(super) Answer);

/// The same as each of the drivers gives it.
pub(super) enum Answer {
    Sqlite(Values),
    Postgres(PgRow),
}

impl Row {
    pub(super) fn is_null(&self, index: usize) -> Result<bool, Error> {
        match &self.0 {
            Answer::Sqlite(values) => Ok(matches!(cell(values, index)?, Value::Null)),
            Answer::Postgres(row) => Ok(row.try_get_raw(index)?.is_null()),
        }
    }

    pub fn optional_int(&self, index: usize) -> Result<Option<i64>, Error> {
        match &self.0 {
            Answer::Sqlite(values) => match cell(values, index)? {
                Value::Null => Ok(None),
                Value::Integer(value) => Ok(Some(*value)),
                _ => Err(unfit(index, "is no integer")),
            },
            Answer::Postgres(row) => Ok(row.try_get_unchecked(index)?),
        }
    }

    pub fn optional_str(&self, index: usize) -> Result<Option<&str>, Error> {
        match &self.0 {
            Answer::Sqlite(values) => match cell(values, index)? {
                Value::Null => Ok(None),
                Value::Text(value) => Ok(Some(value)),
                _ => Err(unfit(index, "is no text")),
            },
            Answer::Postgres(row) => Ok(row.try_get_unchecked(index)?),
        }
    }

    pub fn bytes(&self, index: usize) -> Result<Vec<u8>, Error> {
        match &self.0 {
            Answer::Sqlite(values) => match cell(values, index)? {
                Value::Blob(value) => Ok(value.clone()),
                _ => Err(unfit(index, "is no bytes")),
            },
            Answer::Postgres(row) => Ok(row.try_get_unchecked(index)?),
        }
    }

    pub fn int(&self, index: usize) -> Result<i64, Error> {
        self.optional_int(index)?
            .ok_or_else(|| unfit(index, "is null"))
    }

    /// A number that is never negative and never null.
    pub fn count(&self, index: usize) -> Result<u64, Error> {
        let value = self.int(index)?;
        u64::try_from(value).map_err(|_| unfit(index, "is negative"))
    }

    pub fn flag(&self, index: usize) -> Result<bool, Error> {
        Ok(self.int(index)? != 0)
    }

    /// Text without a copy, for columns that are parsed at once.
    pub fn str(&self, index: usize) -> Result<&str, Error> {
        self.optional_str(index)?
            .ok_or_else(|| unfit(index, "is null"))
    }

    pub fn text(&self, index: usize) -> Result<String, Error> {
        self.str(index).map(str::to_owned)
    }

    pub fn optional_text(&self, index: usize) -> Result<Option<String>, Error> {
        Ok(self.optional_str(index)?.map(str::to_owned))
    }

    /// A value with a textual grammar, as names and status words are.
    pub fn parse<T>(&self, index: usize, what: &'static str) -> Result<T, Error>
    where
        T: std::str::FromStr,
        T::Err: std::fmt::Display,
    {
        self.str(index)?
            .parse()
            .map_err(|error: T::Err| Error::corrupt(what, error))
    }

    /// The same where the column may be null.
    pub fn parse_optional<T>(&self, index: usize, what: &'static str) -> Result<Option<T>, Error>
    where
        T: std::str::FromStr,
        T::Err: std::fmt::Display,
    {
        self.optional_str(index)?
            .map(|text| {
                text.parse()
                    .map_err(|error: T::Err| Error::corrupt(what, error))
            })
            .transpose()
    }

    /// A JSON document.
    pub fn json<T: serde::de::DeserializeOwned>(
        &self,
        index: usize,
        what: &'static str,
    ) -> Result<T, Error> {
        serde_json::from_str(self.str(index)?).map_err(|error| Error::corrupt(what, error))
    }
}

fn cell(values: &Values, index: usize) -> Result<&Value, Error> {
    values
        .get(index)
        .ok_or_else(|| unfit(index, "is not in the answer"))
}

fn unfit(index: usize, message: &str) -> Error {
    Error::corrupt("column", format!("{index} {message}"))
}

/// The JSON text of a value as it is stored.
pub fn to_json<T: serde::Serialize>(value: &T) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|error| Error::Internal {
        message: error.to_string(),
    })
}
