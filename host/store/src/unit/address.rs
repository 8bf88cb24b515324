//! Addresses of units: each unit of the controller has a number of its own from its birth to its end.

use std::collections::BTreeSet;

use periapt_model::reach::UNIT_ADDRESSES;

use crate::Result;
use crate::db::{Tx, params};

/// Of the whole controller.
const SEQUENCE: &str = "unit address";

/// Numbers for so many new units. They are given in turn, so that one is given again as late as may be;
/// none for a unit where all are taken.
pub(crate) async fn take(tx: &mut Tx, count: u64) -> Result<Vec<Option<u64>>> {
    let from = tx.take_numbers("", SEQUENCE, count).await?;
    let turn = |number: u64| number % UNIT_ADDRESSES + 1;
    let next: Vec<u64> = (from..).map(turn).take(length(count)).collect();
    let (Some(first), Some(last)) = (next.first(), next.last()) else {
        return Ok(Vec::new());
    };
    let sql = "SELECT COUNT(*) FROM unit WHERE address >= $1 AND address <= $2";
    let in_one_piece = last.checked_sub(*first) == Some(count.saturating_sub(1));
    if in_one_piece && tx.db.count(sql, params![*first, *last]).await? == 0 {
        return Ok(next.into_iter().map(Some).collect());
    }
    let sql = "SELECT address FROM unit WHERE address IS NOT NULL";
    let taken: Vec<i64> = tx.db.scalars(sql, vec![]).await?;
    let taken: BTreeSet<u64> = taken.into_iter().map(i64::unsigned_abs).collect();
    let free = (from..).take(length(UNIT_ADDRESSES)).map(turn);
    let free = free.filter(|number| !taken.contains(number)).map(Some);
    let numbers = free.chain(std::iter::repeat(None));
    Ok(numbers.take(length(count)).collect())
}

fn length(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
