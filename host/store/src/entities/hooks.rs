//! Runs of hooks by id.

use periapt_wire::rest::HookRun;

use super::{Names, Reader};
use crate::Result;
use crate::db::{PART, names, part_params};

pub(super) async fn read(reader: &mut Reader, mut names: Names) -> Result<()> {
    let ids: Vec<i64> = names
        .causes
        .keys()
        .filter_map(|id| id.parse().ok())
        .collect();
    for part in ids.chunks(PART) {
        let sql = names!(
            "SELECT id, unit, application, hook, charm, started_at, duration, result, code, message, effects, waited
            FROM hook_run WHERE model_uuid = $1 AND id IN",
            ""
        );
        let rows = reader
            .db
            .fetch(sql, part_params(&names.model, part))
            .await?;
        for row in &rows {
            let run = HookRun {
                id: row.int(0)?,
                unit: row.parse(1, "unit name")?,
                application: row.parse(2, "application name")?,
                hook: row.text(3)?,
                charm: row.text(4)?,
                started_at: row.int(5)?,
                duration: row.int(6)?,
                result: row.text(7)?,
                code: row.text(8)?,
                message: row.text(9)?,
                effects: row.json(10, "effects")?,
                waited: row.int(11)?,
            };
            names.put(reader, &run.id.to_string(), &run)?;
        }
    }
    // One that is pruned by now is no news; whoever saw it run need not hear that it is forgotten.
    Ok(())
}
