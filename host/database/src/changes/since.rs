//! What changed after a position, for those who keep what they read and bring it up to date.

use super::{Change, position, pruned_to};
use crate::error::Error;
use crate::session::Session;
use crate::{OpenDatabase, columns, params};

/// The change log of one model after a position.
#[derive(Clone, Debug)]
pub struct Since {
    /// How far the log had come.
    pub position: i64,
    /// Ascending; none where not all of them can be named: the log does not reach back so far,
    /// there are too many, or only newer programs know what changed.
    pub changes: Option<Vec<Change>>,
}

columns! {
    struct Logged {
        position: i64 = "id",
        namespace: String = "namespace",
        key: String = "key",
    }
    const AFTER = "FROM change_log WHERE id > $1 AND model_uuid = $2 ORDER BY id LIMIT $3";
}

impl OpenDatabase {
    /// What changed in a model after a position, `most` changes at most, as the session's snapshot
    /// has it.
    pub async fn changes_since(
        &self,
        db: &mut Session,
        model: &(impl AsRef<str> + ?Sized),
        after: i64,
        most: usize,
    ) -> Result<Since, Error> {
        let position = position(db).await?;
        let unknown = Since {
            position,
            changes: None,
        };
        if after > position || pruned_to(db).await? > after {
            return Ok(unknown);
        }
        let limit = i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1);
        let rows = db.all(AFTER, params![after, model, limit]).await?;
        if rows.len() > most {
            return Ok(unknown);
        }
        let known = self.inner.options.namespaces.known;
        let changes = rows.into_iter().map(|row| {
            Some(Change {
                position: row.position,
                model: model.as_ref().to_owned(),
                namespace: known(&row.namespace)?,
                key: row.key,
            })
        });
        Ok(Since {
            position,
            changes: changes.collect(),
        })
    }
}
