//! Statements about lists of names or numbers, in parts of one size: both databases then see the
//! same few statements, however long the list is.

use periapt_model::ModelUuid;

use super::{Param, params};

/// Values of one statement. [`names!`] has as many.
pub(crate) const PART: usize = 16;

/// A statement up to its list of names or numbers, and what follows the list. `$1` is the model.
macro_rules! names {
    ($before:expr, $after:expr) => {
        concat!(
            $before,
            " ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) ",
            $after
        )
    };
}
pub(crate) use names;

/// The model and the values of one part, the last repeated until the part is full.
pub(crate) fn part_params<T: Clone + Into<Param>>(model: &ModelUuid, part: &[T]) -> Vec<Param> {
    let filled = part
        .iter()
        .chain(std::iter::repeat_n(part.last(), PART).flatten());
    let mut all = params![model];
    all.extend(filled.take(PART).cloned().map(Into::into));
    all
}
