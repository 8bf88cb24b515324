//! Rows by the names of their columns.
//!
//! [`columns!`] declares in one place which columns a statement selects and what each becomes, and
//! makes of it both the text of the statement and the reading of its rows. So the list and its
//! decoding cannot drift, and nobody counts columns. The text is a constant and the columns are read
//! in the order in which it has them: no name is looked up while a row is read. A statement made
//! so ([`Select`]) has the type of its rows, and no other rows are read as that type.

use std::fmt::Display;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::DeserializeOwned;

use super::{PART, Param, Row, Session, Which, part_params};
use crate::error::Error;
use crate::params;

#[cfg(test)]
mod tests;

/// What a row of some columns becomes.
pub trait Columns {
    type Item;

    /// Reads the columns, in the order of the statement.
    fn read(cells: &mut Cells<'_>) -> Result<Self::Item, Error>;
}

/// A statement whose rows are read as `C` says.
pub struct Select<C> {
    sql: &'static str,
    rows: PhantomData<fn() -> C>,
}

impl<C> Clone for Select<C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Select<C> {}

impl<C> Select<C> {
    /// For [`columns!`], which makes the text.
    #[doc(hidden)]
    pub const fn of(sql: &'static str) -> Self {
        Self {
            sql,
            rows: PhantomData,
        }
    }

    /// The text of the statement.
    pub const fn sql(self) -> &'static str {
        self.sql
    }
}

/// The same statement about all of a model and about the named.
pub struct SelectWhich<C> {
    all: Select<C>,
    named: Select<C>,
}

impl<C> SelectWhich<C> {
    /// For [`columns!`], which makes the texts.
    #[doc(hidden)]
    pub const fn of([all, named]: [&'static str; 2]) -> Self {
        Self {
            all: Select::of(all),
            named: Select::of(named),
        }
    }
}

impl Session {
    /// All rows of a statement.
    pub async fn all<C: Columns>(
        &mut self,
        select: Select<C>,
        params: Vec<Param>,
    ) -> Result<Vec<C::Item>, Error> {
        let rows = self.fetch(select.sql, params).await?;
        rows.iter().map(|row| C::read(&mut row.cells())).collect()
    }

    /// The first row of a statement.
    pub async fn one<C: Columns>(
        &mut self,
        select: Select<C>,
        params: Vec<Param>,
    ) -> Result<Option<C::Item>, Error> {
        let row = self.fetch_optional(select.sql, params).await?;
        row.map(|row| C::read(&mut row.cells())).transpose()
    }

    /// The rows about a list of names or numbers, which `select` ends with ([`names!`](crate::names)).
    pub async fn some<C: Columns, T: Clone + Into<Param>>(
        &mut self,
        select: Select<C>,
        model: &(impl AsRef<str> + ?Sized),
        list: &[T],
    ) -> Result<Vec<C::Item>, Error> {
        let mut found = Vec::new();
        for part in list.chunks(PART) {
            found.extend(self.all(select, part_params(model, part)).await?);
        }
        Ok(found)
    }

    /// The rows of a model, or those of the named in parts, each in order.
    pub async fn which<C: Columns>(
        &mut self,
        select: SelectWhich<C>,
        model: &(impl AsRef<str> + ?Sized),
        which: Which<'_>,
    ) -> Result<Vec<C::Item>, Error> {
        match which {
            Which::All => self.all(select.all, params![model]).await,
            Which::Named(names) => self.some(select.named, model, names).await,
        }
    }

    /// The single column of the first row.
    pub async fn scalar<T: Column>(
        &mut self,
        sql: &'static str,
        params: Vec<Param>,
    ) -> Result<Option<T>, Error> {
        let row = self.fetch_optional(sql, params).await?;
        row.map(|row| T::read(&mut row.cells())).transpose()
    }

    /// The single column of each row.
    pub async fn scalars<T: Column>(
        &mut self,
        sql: &'static str,
        params: Vec<Param>,
    ) -> Result<Vec<T>, Error> {
        let rows = self.fetch(sql, params).await?;
        rows.iter().map(|row| T::read(&mut row.cells())).collect()
    }

    /// The single column of the first row, a value with a textual grammar; `what` it is called.
    pub async fn word<T>(
        &mut self,
        what: &'static str,
        sql: &'static str,
        params: Vec<Param>,
    ) -> Result<Option<T>, Error>
    where
        T: FromStr,
        T::Err: Display,
    {
        let row = self.fetch_optional(sql, params).await?;
        row.map(|row| word(row.cells().called(what))).transpose()
    }

    /// The same of a column that may be null.
    pub async fn optional_word<T>(
        &mut self,
        what: &'static str,
        sql: &'static str,
        params: Vec<Param>,
    ) -> Result<Option<Option<T>>, Error>
    where
        T: FromStr,
        T::Err: Display,
    {
        let row = self.fetch_optional(sql, params).await?;
        row.map(|row| optional_word(row.cells().called(what)))
            .transpose()
    }

    /// The single column of each row, values with a textual grammar.
    pub async fn words<T>(
        &mut self,
        what: &'static str,
        sql: &'static str,
        params: Vec<Param>,
    ) -> Result<Vec<T>, Error>
    where
        T: FromStr,
        T::Err: Display,
    {
        let rows = self.fetch(sql, params).await?;
        rows.iter()
            .map(|row| word(row.cells().called(what)))
            .collect()
    }

    /// The single column of the first row, a JSON document.
    pub async fn document<T: DeserializeOwned>(
        &mut self,
        what: &'static str,
        sql: &'static str,
        params: Vec<Param>,
    ) -> Result<Option<T>, Error> {
        let row = self.fetch_optional(sql, params).await?;
        row.map(|row| json(row.cells().called(what))).transpose()
    }

    /// Whether there is a row.
    pub async fn exists(&mut self, sql: &'static str, params: Vec<Param>) -> Result<bool, Error> {
        Ok(self.fetch_optional(sql, params).await?.is_some())
    }
}

/// The columns of a row, one after the other.
pub struct Cells<'a> {
    row: &'a Row,
    next: usize,
    /// What the next column is called, should it be unreadable.
    what: &'static str,
}

impl Row {
    /// Its columns, from the first on.
    pub fn cells(&self) -> Cells<'_> {
        Cells {
            row: self,
            next: 0,
            what: "column",
        }
    }
}

impl<'a> Cells<'a> {
    /// The same, of which the next is called so.
    pub fn called(&mut self, what: &'static str) -> &mut Self {
        self.what = what;
        self
    }

    pub fn is_null(&self) -> Result<bool, Error> {
        self.row.is_null(self.next)
    }

    pub fn skip(&mut self, columns: usize) {
        self.next += columns;
    }

    pub fn optional_int(&mut self) -> Result<Option<i64>, Error> {
        let index = self.step();
        self.row.optional_int(index)
    }

    pub fn int(&mut self) -> Result<i64, Error> {
        self.optional_int()?.ok_or_else(|| self.unfit("is null"))
    }

    /// Text without a copy, for columns that are parsed at once.
    pub fn optional_str(&mut self) -> Result<Option<&'a str>, Error> {
        let index = self.step();
        self.row.optional_str(index)
    }

    pub fn str(&mut self) -> Result<&'a str, Error> {
        self.optional_str()?.ok_or_else(|| self.unfit("is null"))
    }

    pub fn bytes(&mut self) -> Result<Vec<u8>, Error> {
        let index = self.step();
        self.row.bytes(index)
    }

    /// What is said of a column that holds nothing it may hold.
    pub fn unfit(&self, message: impl Display) -> Error {
        Error::corrupt(self.what, message)
    }

    fn step(&mut self) -> usize {
        let index = self.next;
        self.next += 1;
        index
    }
}

/// What a column holds, by its type alone.
pub trait Column: Sized {
    fn read(cells: &mut Cells<'_>) -> Result<Self, Error>;
}

impl Column for i64 {
    fn read(cells: &mut Cells<'_>) -> Result<Self, Error> {
        cells.int()
    }
}

/// A number that is never negative.
impl Column for u64 {
    fn read(cells: &mut Cells<'_>) -> Result<Self, Error> {
        u64::try_from(cells.int()?).map_err(|_| cells.unfit("is negative"))
    }
}

impl Column for u32 {
    fn read(cells: &mut Cells<'_>) -> Result<Self, Error> {
        u32::try_from(cells.int()?).map_err(|_| cells.unfit("is out of range"))
    }
}

impl Column for bool {
    fn read(cells: &mut Cells<'_>) -> Result<Self, Error> {
        Ok(cells.int()? != 0)
    }
}

impl Column for String {
    fn read(cells: &mut Cells<'_>) -> Result<Self, Error> {
        cells.str().map(str::to_owned)
    }
}

impl Column for Vec<u8> {
    fn read(cells: &mut Cells<'_>) -> Result<Self, Error> {
        cells.bytes()
    }
}

/// A column that may be null.
impl<T: Column> Column for Option<T> {
    fn read(cells: &mut Cells<'_>) -> Result<Self, Error> {
        optional(cells, 1, T::read)
    }
}

/// What so many columns hold, unless the first is null.
pub fn optional<T>(
    cells: &mut Cells<'_>,
    columns: usize,
    read: impl FnOnce(&mut Cells<'_>) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    if cells.is_null()? {
        cells.skip(columns);
        return Ok(None);
    }
    read(cells).map(Some)
}

/// A value with a textual grammar, as names and status words are.
pub fn word<T>(cells: &mut Cells<'_>) -> Result<T, Error>
where
    T: FromStr,
    T::Err: Display,
{
    cells.str()?.parse().map_err(|error| cells.unfit(error))
}

/// The same where the column may be null.
pub fn optional_word<T>(cells: &mut Cells<'_>) -> Result<Option<T>, Error>
where
    T: FromStr,
    T::Err: Display,
{
    optional(cells, 1, word)
}

/// A JSON document.
pub fn json<T: DeserializeOwned>(cells: &mut Cells<'_>) -> Result<T, Error> {
    serde_json::from_str(cells.str()?).map_err(|error| cells.unfit(error))
}

/// The same where the column may be null.
pub fn optional_json<T: DeserializeOwned>(cells: &mut Cells<'_>) -> Result<Option<T>, Error> {
    optional(cells, 1, json)
}

/// Declares columns with the statements that select them.
///
/// ```ignore
/// columns! {
///     /// A unit on its way out.
///     struct Leaving {
///         life: Life = "unit.life" as word,
///         machine: Option<MachineId> = "unit.machine_id" as optional_word,
///         forced: bool = "unit.forced",
///     }
///     const OF_UNIT = "FROM unit WHERE unit.model_uuid = $1 AND unit.name = $2";
/// }
/// let leaving: Option<Leaving> = db.one(OF_UNIT, params![model, unit]).await?;
/// ```
///
/// Each field has the text of its column and, where its type is not a [`Column`] by itself, the
/// function that reads it. `[macro!(…)] as function` is a group of columns whose list a macro
/// makes. With `struct Runs -> HookRun { id = "id", …; field: value }` the rows become a type that
/// is there already, whose fields have types; behind the semicolon is what no column has.
///
/// A statement is what follows the list of columns: an expression for `concat!`, as [`names!`] makes
/// for [`Session::some`]; `which(from, column, order)` for [`Session::which`]; or `returning(change)`
/// for the rows of a change.
#[macro_export]
macro_rules! columns {
    ($(#[$meta:meta])* $vis:vis struct $name:ident -> $item:ident $body:tt $($statements:tt)*) => {
        $(#[$meta])* $vis enum $name {}
        $crate::columns!(@into $name $item $body);
        $crate::columns!(@statements $vis $name $body $($statements)*);
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident $body:tt $($statements:tt)*) => {
        $crate::columns!(@struct [$(#[$meta])* $vis] $name $body);
        $crate::columns!(@statements $vis $name $body $($statements)*);
    };

    (@struct [$($head:tt)*] $name:ident {
        $($(#[$meta:meta])* $field:ident: $type:ty = $column:tt $(as $how:path)?),+ $(,)?
    }) => {
        $($head)* struct $name { $($(#[$meta])* pub $field: $type),+ }
        impl $crate::Columns for $name {
            type Item = Self;
            fn read(cells: &mut $crate::Cells<'_>) -> ::std::result::Result<Self, $crate::Error> {
                Ok(Self { $($field: $crate::columns!(@read cells $field $($how)?)),+ })
            }
        }
    };
    (@into $name:ident $item:ident {
        $($field:ident = $column:tt $(as $how:path)?),+ $(,)?
        $(; $($other:ident: $value:expr),+ $(,)?)?
    }) => {
        impl $crate::Columns for $name {
            type Item = $item;
            fn read(cells: &mut $crate::Cells<'_>) -> ::std::result::Result<$item, $crate::Error> {
                Ok($item {
                    $($field: $crate::columns!(@read cells $field $($how)?),)+
                    $($($other: $value,)+)?
                })
            }
        }
    };
    (@read $cells:ident $field:ident) => {
        $crate::Column::read($cells.called(stringify!($field)))?
    };
    (@read $cells:ident $field:ident $how:path) => {
        $how($cells.called(stringify!($field)))?
    };

    (@statements $vis:vis $name:ident $body:tt) => {};
    (@statements $vis:vis $name:ident $body:tt $(#[$meta:meta])* const $statement:ident =
        which($from:expr, $column:literal, $order:literal); $($rest:tt)*) => {
        $(#[$meta])* $vis const $statement: $crate::SelectWhich<$name> = $crate::SelectWhich::of(
            $crate::of_which!(
                concat!("SELECT ", $crate::column_list!($body), " ", $from), $column, $order
            )
        );
        $crate::columns!(@statements $vis $name $body $($rest)*);
    };
    (@statements $vis:vis $name:ident $body:tt $(#[$meta:meta])* const $statement:ident =
        returning($change:expr); $($rest:tt)*) => {
        $(#[$meta])* $vis const $statement: $crate::Select<$name> = $crate::Select::of(
            concat!($change, " RETURNING ", $crate::column_list!($body))
        );
        $crate::columns!(@statements $vis $name $body $($rest)*);
    };
    (@statements $vis:vis $name:ident $body:tt $(#[$meta:meta])* const $statement:ident =
        $from:expr; $($rest:tt)*) => {
        $(#[$meta])* $vis const $statement: $crate::Select<$name> = $crate::Select::of(
            concat!("SELECT ", $crate::column_list!($body), " ", $from)
        );
        $crate::columns!(@statements $vis $name $body $($rest)*);
    };
}

/// The list of the columns of a body of [`columns!`].
#[doc(hidden)]
#[macro_export]
macro_rules! column_list {
    ({
        $($(#[$meta:meta])* $field:ident $(: $type:ty)? = $column:tt $(as $how:path)?),+ $(,)?
        $(; $($rest:tt)*)?
    }) => {
        $crate::column_list!(@joined $($column)+)
    };
    (@joined $first:tt $($column:tt)*) => {
        concat!($crate::column_list!(@one $first) $(, ", ", $crate::column_list!(@one $column))*)
    };
    (@one [$($group:tt)+]) => { $($group)+ };
    (@one $column:literal) => { $column };
}
