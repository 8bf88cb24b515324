//! Relations by number.

use super::{Names, Reader};
use crate::{Result, views};

/// For more than so many relations all of the model are read at once.
const MANY: usize = 256;

/// Reads the named relations.
pub(super) async fn read(reader: &mut Reader, mut names: Names) -> Result<()> {
    let ids: Vec<u64> = names
        .causes
        .keys()
        .filter_map(|id| id.parse().ok())
        .collect();
    let found = match ids.len() > MANY {
        true => views::relation::all(&mut reader.db, &names.model).await?,
        false => views::relation::some(&mut reader.db, &names.model, &ids).await?,
    };
    for relation in found {
        names.put(reader, &relation.id.to_string(), &relation)?;
    }
    names.end(reader);
    Ok(())
}
