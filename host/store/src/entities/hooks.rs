//! Runs of hooks by id.

use super::{Names, Reader};
use crate::db::{PART, names, part_params};
use crate::{Result, hook_runs};

pub(super) async fn read(reader: &mut Reader, mut names: Names) -> Result<()> {
    let ids: Vec<i64> = names
        .causes
        .keys()
        .filter_map(|id| id.parse().ok())
        .collect();
    for part in ids.chunks(PART) {
        let sql = names!(
            concat!(
                "SELECT ",
                hook_runs::columns!(),
                " FROM hook_run WHERE model_uuid = $1 AND id IN"
            ),
            ""
        );
        let rows = reader
            .db
            .fetch(sql, part_params(&names.model, part))
            .await?;
        for row in &rows {
            let run = hook_runs::read(row)?;
            names.put(reader, &run.id.to_string(), &run)?;
        }
    }
    // One that is pruned by now is no news; whoever saw it run need not hear that it is forgotten.
    Ok(())
}
