//! The whole database as rows that belong to neither SQLite nor PostgreSQL: read at one moment
//! while everything runs, and written into an empty database of either kind.
//!
//! The tables are those that the database has, so a new migration needs no line here; only what
//! must not come back is named. A backup is written into the schema it was taken from and then
//! migrated, in one transaction: it is there as a whole or not at all. In the same transaction
//! alerts begin anew, so that no message leaves that waited when the backup was made.

use crate::db::Param;

mod export;
mod import;
#[cfg(test)]
pub(crate) mod tests;

pub use export::Moment;
#[cfg(test)]
pub(crate) use export::tables;
pub use import::Restoring;

/// Tables whose rows mean nothing elsewhere: how far processes have read the change log, who is
/// connected to them, what they ask each other, and the version of the schema, which is told apart.
const LEFT_OUT: [&str; 4] = [
    "agent_connection",
    "change_cursor",
    "node_question",
    "schema_version",
];

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    Integer,
    Text,
    Bytes,
}

impl ColumnKind {
    /// As both databases name it; none for a type that no migration uses.
    fn of(declared: &str) -> Option<Self> {
        match declared.to_ascii_lowercase().as_str() {
            "bigint" | "integer" => Some(ColumnKind::Integer),
            "text" => Some(ColumnKind::Text),
            "bytea" => Some(ColumnKind::Bytes),
            _ => None,
        }
    }
}

/// A table with its columns, in an order that its rows keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub name: String,
    pub columns: Vec<(String, ColumnKind)>,
}

/// A value of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    Null,
    Integer(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl Cell {
    /// The null of a column's type has that type.
    fn into_param(self, kind: ColumnKind) -> Param {
        match (self, kind) {
            (Cell::Integer(value), _) => Param::Int(Some(value)),
            (Cell::Text(value), _) => Param::Text(Some(value)),
            (Cell::Bytes(value), _) => Param::Bytes(value),
            (Cell::Null, ColumnKind::Integer) => Param::Int(None),
            (Cell::Null, ColumnKind::Text) => Param::Text(None),
            (Cell::Null, ColumnKind::Bytes) => Param::Bytes(Vec::new()),
        }
    }

    fn fits(&self, kind: ColumnKind) -> bool {
        matches!(
            (self, kind),
            (Cell::Null, ColumnKind::Integer | ColumnKind::Text)
                | (Cell::Integer(_), ColumnKind::Integer)
                | (Cell::Text(_), ColumnKind::Text)
                | (Cell::Bytes(_), ColumnKind::Bytes)
        )
    }

    /// Bytes that it takes, roughly.
    fn size(&self) -> usize {
        match self {
            Cell::Null | Cell::Integer(_) => 8,
            Cell::Text(text) => text.len(),
            Cell::Bytes(bytes) => bytes.len(),
        }
    }
}
