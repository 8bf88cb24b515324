//! Storage by id.

use periapt_model::storage::StorageId;

use super::{Names, Reader};
use crate::Result;
use crate::storage;

pub(super) async fn read(reader: &mut Reader, mut names: Names) -> Result<()> {
    let ids = names.causes.keys();
    let ids: Vec<StorageId> = ids.filter_map(|id| id.parse().ok()).collect();
    for storage in storage::by_ids(&mut reader.db, &names.model, &ids).await? {
        names.put(reader, &storage.id.to_string(), &storage)?;
    }
    names.end(reader);
    Ok(())
}
