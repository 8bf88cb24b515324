//! Secrets by id, without their values.

use std::collections::BTreeSet;

use periapt_model::secret::SecretId;

use super::{Names, Reader};
use crate::Result;
use crate::secret;

pub(super) async fn read(reader: &mut Reader, mut names: Names) -> Result<()> {
    let ids = names.causes.keys();
    let ids: BTreeSet<SecretId> = ids.filter_map(|id| id.parse().ok()).collect();
    for secret in secret::by_ids(&mut reader.db, &names.model, &ids).await? {
        names.put(reader, secret.id.as_str(), &secret)?;
    }
    names.end(reader);
    Ok(())
}
