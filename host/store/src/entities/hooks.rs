//! Runs of hooks by id.

use super::{Names, Reader};
use crate::Result;
use crate::hook::runs;

pub(super) async fn read(reader: &mut Reader, mut names: Names) -> Result<()> {
    let ids: Vec<i64> = names
        .causes
        .keys()
        .filter_map(|id| id.parse().ok())
        .collect();
    let found = reader.db.some(runs::BY_ID, &names.model, &ids).await?;
    for run in found {
        names.put(reader, &run.id.to_string(), &run)?;
    }
    // One that is pruned by now is no news; whoever saw it run need not hear that it is forgotten.
    Ok(())
}
