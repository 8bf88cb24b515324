//! Operations by id.

use super::{Names, Reader};
use crate::Result;
use crate::operation;

pub(super) async fn read(reader: &mut Reader, mut names: Names) -> Result<()> {
    let ids: Vec<i64> = names
        .causes
        .keys()
        .filter_map(|id| id.parse().ok())
        .collect();
    for operation in operation::briefs(&mut reader.db, &names.model, &ids).await? {
        names.put(reader, &operation.id.to_string(), &operation)?;
    }
    // One that is forgotten by now is no news.
    Ok(())
}
