//! What units used and measured: requests by the minute, and the metrics of their charms.

use crate::tables::{Table, tables};

pub(crate) const TABLES: &[Table] = tables! {
    "traffic", Unit "unit = $2";
    "metric", Unit "unit = $2";
};
