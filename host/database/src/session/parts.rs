//! Statements about lists of names or numbers, in parts of one size: both databases then see the
//! same few statements, however long the list is.

use super::Param;
use crate::params;

/// Values of one statement. [`names!`] has as many.
pub const PART: usize = 16;

/// A statement up to its list of names or numbers, and what follows the list. `$1` is the model.
#[macro_export]
macro_rules! names {
    ($before:expr, $after:expr) => {
        concat!(
            $before,
            " ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) ",
            $after
        )
    };
}

/// The model and the values of one part, the last repeated until the part is full.
pub fn part_params<T: Clone + Into<Param>>(
    model: &(impl AsRef<str> + ?Sized),
    part: &[T],
) -> Vec<Param> {
    let filled = part
        .iter()
        .chain(std::iter::repeat_n(part.last(), PART).flatten());
    let mut all = params![model];
    all.extend(filled.take(PART).cloned().map(Into::into));
    all
}

/// All of a kind in a model, or those with certain names: what a view is asked for, which then has
/// one reading for lists, single entities and the feed.
#[derive(Clone, Copy, Debug)]
pub enum Which<'a> {
    All,
    Named(&'a [String]),
}

/// The same statement about all and about the named. `$select` ends within its conditions, of
/// which the model as `$1` is the first; `$column` holds the name.
#[macro_export]
macro_rules! of_which {
    ($select:expr, $column:literal, $order:literal) => {
        [
            concat!($select, " ", $order),
            concat!(
                $select,
                " AND ",
                $column,
                " IN ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) ",
                $order
            ),
        ]
    };
}
