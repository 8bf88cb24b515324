//! Rows of an answer, and what their columns hold.

use rusqlite::types::Value;
use sqlx::Row as _;
use sqlx::postgres::PgRow;

use super::sqlite::Values;
use crate::error::StoreError;

/// A row of an answer.
pub(crate) enum Row {
    Sqlite(Values),
    Postgres(PgRow),
}

impl Row {
    pub(crate) fn optional_int(&self, index: usize) -> Result<Option<i64>, StoreError> {
        match self {
            Row::Sqlite(values) => match cell(values, index)? {
                Value::Null => Ok(None),
                Value::Integer(value) => Ok(Some(*value)),
                _ => Err(unfit(index, "is no integer")),
            },
            Row::Postgres(row) => Ok(row.try_get_unchecked(index)?),
        }
    }

    pub(crate) fn optional_str(&self, index: usize) -> Result<Option<&str>, StoreError> {
        match self {
            Row::Sqlite(values) => match cell(values, index)? {
                Value::Null => Ok(None),
                Value::Text(value) => Ok(Some(value)),
                _ => Err(unfit(index, "is no text")),
            },
            Row::Postgres(row) => Ok(row.try_get_unchecked(index)?),
        }
    }

    pub(crate) fn bytes(&self, index: usize) -> Result<Vec<u8>, StoreError> {
        match self {
            Row::Sqlite(values) => match cell(values, index)? {
                Value::Blob(value) => Ok(value.clone()),
                _ => Err(unfit(index, "is no bytes")),
            },
            Row::Postgres(row) => Ok(row.try_get_unchecked(index)?),
        }
    }

    pub(crate) fn int(&self, index: usize) -> Result<i64, StoreError> {
        self.optional_int(index)?
            .ok_or_else(|| unfit(index, "is null"))
    }

    /// A number that is never negative and never null.
    pub(crate) fn count(&self, index: usize) -> Result<u64, StoreError> {
        let value = self.int(index)?;
        u64::try_from(value).map_err(|_| unfit(index, "is negative"))
    }

    pub(crate) fn flag(&self, index: usize) -> Result<bool, StoreError> {
        Ok(self.int(index)? != 0)
    }

    /// Text without a copy, for columns that are parsed at once.
    pub(crate) fn str(&self, index: usize) -> Result<&str, StoreError> {
        self.optional_str(index)?
            .ok_or_else(|| unfit(index, "is null"))
    }

    pub(crate) fn text(&self, index: usize) -> Result<String, StoreError> {
        self.str(index).map(str::to_owned)
    }

    pub(crate) fn optional_text(&self, index: usize) -> Result<Option<String>, StoreError> {
        Ok(self.optional_str(index)?.map(str::to_owned))
    }

    /// A value with a textual grammar, as names and status words are.
    pub(crate) fn parse<T>(&self, index: usize, what: &'static str) -> Result<T, StoreError>
    where
        T: std::str::FromStr,
        T::Err: std::fmt::Display,
    {
        self.str(index)?
            .parse()
            .map_err(|error: T::Err| StoreError::corrupt(what, error))
    }

    /// The same where the column may be null.
    pub(crate) fn parse_optional<T>(
        &self,
        index: usize,
        what: &'static str,
    ) -> Result<Option<T>, StoreError>
    where
        T: std::str::FromStr,
        T::Err: std::fmt::Display,
    {
        self.optional_str(index)?
            .map(|text| {
                text.parse()
                    .map_err(|error: T::Err| StoreError::corrupt(what, error))
            })
            .transpose()
    }

    /// A JSON document.
    pub(crate) fn json<T: serde::de::DeserializeOwned>(
        &self,
        index: usize,
        what: &'static str,
    ) -> Result<T, StoreError> {
        serde_json::from_str(self.str(index)?).map_err(|error| StoreError::corrupt(what, error))
    }
}

fn cell(values: &Values, index: usize) -> Result<&Value, StoreError> {
    values
        .get(index)
        .ok_or_else(|| unfit(index, "is not in the answer"))
}

fn unfit(index: usize, message: &str) -> StoreError {
    StoreError::corrupt("column", format!("{index} {message}"))
}

/// The JSON text of a value as it is stored.
pub(crate) fn to_json<T: serde::Serialize>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Internal {
        message: error.to_string(),
    })
}
