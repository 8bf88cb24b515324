//! What becomes of one secret, whoever asks for it: a hook's commit, a person, or the end of what it belonged to.

use std::collections::{BTreeMap, BTreeSet};

use periapt_model::refusal::Subject;
use periapt_model::secret::{self, OwnerKind, RotatePolicy, SecretId};
use periapt_model::{ModelUuid, Refusal};

use super::rows::{
    OF_SECRET, READERS, ReaderRow, RevisionRow, SecretRow, by_id, by_label, content,
};
use super::{Sealed, leftover};
use crate::Result;
use crate::changes::namespace;
use crate::db::{Tx, params};
use crate::error::StoreError;

/// A secret that comes.
pub(crate) struct NewRow<'a> {
    pub id: &'a SecretId,
    pub kind: OwnerKind,
    /// Empty for the model.
    pub owner: &'a str,
    pub label: &'a str,
    pub description: &'a str,
    pub rotate: RotatePolicy,
    /// Of its first revision.
    pub expires: Option<i64>,
    pub content: &'a Sealed,
}

/// What is to be said of a secret otherwise; none leaves it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Described<'a> {
    pub label: Option<&'a str>,
    pub description: Option<&'a str>,
    pub rotate: Option<RotatePolicy>,
    /// Of the newest revision.
    pub expires: Option<i64>,
}

/// Adds a secret with its first revision.
pub(crate) async fn insert(tx: &mut Tx, model: &ModelUuid, new: NewRow<'_>) -> Result<()> {
    if by_id(&mut tx.db, model, new.id).await?.is_some() {
        return Err(StoreError::AlreadyExists {
            kind: Subject::Secret,
            name: new.id.to_string(),
        });
    }
    require_free(tx, model, new.kind, new.owner, new.label).await?;
    let sql = "INSERT INTO secret (model_uuid, id, owner_kind, owner, label, description, rotate,
            next_rotate, auto_prune, latest_revision, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, 1, $9, $10)";
    let row = params![
        model,
        new.id.as_str(),
        new.kind.as_str(),
        new.owner,
        new.label,
        new.description,
        new.rotate.as_str(),
        secret::next_rotate(new.rotate, tx.now),
        tx.now,
        tx.now
    ];
    tx.db.execute(sql, row).await?;
    put_revision(tx, model, new.id, 1, new.content, new.expires).await?;
    tx.touch(model, namespace::SECRET, new.id.as_str());
    tell_owner(tx, model, new.kind, new.owner);
    Ok(())
}

/// Refuses a label that another secret of the owner has. None is no label.
async fn require_free(
    tx: &mut Tx,
    model: &ModelUuid,
    kind: OwnerKind,
    owner: &str,
    label: &str,
) -> Result<()> {
    if label.is_empty() {
        return Ok(());
    }
    match by_label(&mut tx.db, model, kind, owner, label).await? {
        None => Ok(()),
        Some(_) => Err(StoreError::AlreadyExists {
            kind: Subject::Secret,
            name: label.to_owned(),
        }),
    }
}

/// Gives a secret another value, unless it is the one that its newest revision has and keeps. Whether it is
/// another revision.
pub(crate) async fn add_revision(
    tx: &mut Tx,
    model: &ModelUuid,
    row: &SecretRow,
    new: &Sealed,
    expires: Option<i64>,
    newest_goes: bool,
) -> Result<bool> {
    let before = content(&mut tx.db, model, &row.id, row.newest).await?;
    let same = before.is_some_and(|before| before.checksum == new.checksum);
    if same && !newest_goes {
        return Ok(false);
    }
    let revision = row.numbered + 1;
    let sql =
        "UPDATE secret SET latest_revision = $3, updated_at = $4 WHERE model_uuid = $1 AND id = $2";
    let values = params![model, row.id.as_str(), revision, tx.now];
    tx.db.execute(sql, values).await?;
    put_revision(tx, model, &row.id, revision, new, expires).await?;
    tx.touch(model, namespace::SECRET, row.id.as_str());
    tell_owner(tx, model, row.kind, &row.owner);
    let readers: Vec<ReaderRow> = tx.db.all(READERS, params![model, row.id.as_str()]).await?;
    for reader in readers {
        tx.touch(model, namespace::SECRET_HOOKS, reader.unit.as_str());
    }
    Ok(true)
}

async fn put_revision(
    tx: &mut Tx,
    model: &ModelUuid,
    id: &SecretId,
    revision: u32,
    content: &Sealed,
    expires: Option<i64>,
) -> Result<()> {
    let sql =
        "INSERT INTO secret_revision (model_uuid, secret, revision, backend, content_id, sealed,
            checksum, expires, created_at, cause)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    let row = params![
        model,
        id.as_str(),
        revision,
        &content.backend,
        &content.content_id,
        &content.sealed,
        &content.checksum,
        expires,
        tx.now,
        crate::why::cause(tx)
    ];
    tx.db.execute(sql, row).await?;
    leftover::named(tx, content).await
}

/// Says something else of a secret.
pub(crate) async fn describe(
    tx: &mut Tx,
    model: &ModelUuid,
    row: &SecretRow,
    said: Described<'_>,
) -> Result<()> {
    let label = said.label.unwrap_or(&row.label);
    if label != row.label {
        require_free(tx, model, row.kind, &row.owner, label).await?;
    }
    let description = said.description.unwrap_or(&row.description);
    let rotate = said.rotate.unwrap_or(row.rotate);
    let next_rotate = match rotate == row.rotate {
        true => row.next_rotate,
        false => secret::rescheduled(row.next_rotate, rotate, tx.now),
    };
    let mut changed = label != row.label || description != row.description || rotate != row.rotate;
    if changed {
        let sql = "UPDATE secret SET label = $3, description = $4, rotate = $5, next_rotate = $6, updated_at = $7
            WHERE model_uuid = $1 AND id = $2";
        let values = params![
            model,
            row.id.as_str(),
            label,
            description,
            rotate.as_str(),
            next_rotate,
            tx.now
        ];
        tx.db.execute(sql, values).await?;
    }
    if let Some(expires) = said.expires {
        let sql = "UPDATE secret_revision SET expires = $3, expired_told_at = NULL
            WHERE model_uuid = $1 AND secret = $2
                AND revision = (SELECT MAX(newest.revision) FROM secret_revision AS newest
                    WHERE newest.model_uuid = $1 AND newest.secret = $2)
                AND (expires IS NULL OR expires <> $3)";
        let values = params![model, row.id.as_str(), expires];
        changed |= tx.db.execute(sql, values).await? > 0;
    }
    if changed {
        tx.touch(model, namespace::SECRET, row.id.as_str());
        tell_owner(tx, model, row.kind, &row.owner);
    }
    Ok(())
}

/// Lets a unit or an application read a secret for as long as a relation is there, or always.
pub(crate) async fn grant(
    tx: &mut Tx,
    model: &ModelUuid,
    id: &SecretId,
    grantee: &str,
    relation: i64,
) -> Result<()> {
    let sql =
        "INSERT INTO secret_grant (model_uuid, secret, grantee, relation) VALUES ($1, $2, $3, $4)
        ON CONFLICT (model_uuid, secret, grantee, relation) DO NOTHING";
    let values = params![model, id.as_str(), grantee, relation];
    if tx.db.execute(sql, values).await? > 0 {
        tx.touch(model, namespace::SECRET, id.as_str());
    }
    Ok(())
}

/// Takes back what was granted; who may not read any more is on no revision. Whether it was granted.
pub(crate) async fn revoke(
    tx: &mut Tx,
    model: &ModelUuid,
    id: &SecretId,
    grantee: &str,
    relation: i64,
) -> Result<bool> {
    let sql = "DELETE FROM secret_grant
        WHERE model_uuid = $1 AND secret = $2 AND grantee = $3 AND relation = $4";
    let values = params![model, id.as_str(), grantee, relation];
    if tx.db.execute(sql, values).await? == 0 {
        return Ok(false);
    }
    tx.touch(model, namespace::SECRET, id.as_str());
    drop_strangers(tx, model, id).await?;
    Ok(true)
}

/// Forgets readers to whom a secret is not granted any more.
pub(super) async fn drop_strangers(tx: &mut Tx, model: &ModelUuid, id: &SecretId) -> Result<()> {
    let sql = "SELECT secret_reader.unit FROM secret_reader
        WHERE secret_reader.model_uuid = $1 AND secret_reader.secret = $2
            AND NOT EXISTS (SELECT 1 FROM secret_grant WHERE secret_grant.model_uuid = $1
                AND secret_grant.secret = $2
                AND (secret_grant.grantee = secret_reader.unit OR secret_grant.grantee =
                    (SELECT unit.application FROM unit WHERE unit.model_uuid = $1
                        AND unit.name = secret_reader.unit)))";
    let strangers: Vec<String> = tx.db.scalars(sql, params![model, id.as_str()]).await?;
    for unit in &strangers {
        let sql = "DELETE FROM secret_reader WHERE model_uuid = $1 AND secret = $2 AND unit = $3";
        tx.db
            .execute(sql, params![model, id.as_str(), unit])
            .await?;
        tx.touch(model, namespace::SECRET_HOOKS, unit.as_str());
    }
    match (strangers.is_empty(), by_id(&mut tx.db, model, id).await?) {
        (false, Some(row)) => settle(tx, model, &row).await,
        _ => Ok(()),
    }
}

/// What follows when somebody is on another revision, or there is another: revisions that nobody is on go by
/// themselves where people asked for that, and else their owner hears of them.
pub(crate) async fn settle(tx: &mut Tx, model: &ModelUuid, row: &SecretRow) -> Result<()> {
    if row.kind != OwnerKind::Model {
        tell_owner(tx, model, row.kind, &row.owner);
        return Ok(());
    }
    if !row.auto_prune {
        return Ok(());
    }
    let revisions: Vec<RevisionRow> = tx
        .db
        .all(OF_SECRET, params![model, row.id.as_str()])
        .await?;
    let revisions: Vec<u32> = revisions.iter().map(|one| one.revision).collect();
    let readers: Vec<ReaderRow> = tx.db.all(READERS, params![model, row.id.as_str()]).await?;
    let readers: BTreeMap<String, u32> = readers
        .into_iter()
        .map(|reader| (reader.unit.to_string(), reader.revision))
        .collect();
    let obsolete: BTreeSet<u32> = secret::obsolete(&revisions, &readers).into_iter().collect();
    match obsolete.is_empty() {
        true => Ok(()),
        false => remove_revisions(tx, model, row, &obsolete).await,
    }
}

/// Removes revisions; the secret goes with the last one. One that it has not is refused.
pub(crate) async fn remove_revisions(
    tx: &mut Tx,
    model: &ModelUuid,
    row: &SecretRow,
    revisions: &BTreeSet<u32>,
) -> Result<()> {
    let there: Vec<RevisionRow> = tx
        .db
        .all(OF_SECRET, params![model, row.id.as_str()])
        .await?;
    for revision in revisions {
        if !there.iter().any(|one| one.revision == *revision) {
            return Err(StoreError::Refused {
                refusal: Refusal::NotFound(Subject::Secret),
                message: format!("secret \"{}\" has no revision {revision}", row.id),
            });
        }
    }
    if there.iter().all(|one| revisions.contains(&one.revision)) {
        return remove(tx, model, row).await;
    }
    for one in there.iter().filter(|one| revisions.contains(&one.revision)) {
        leftover::leave(tx, model, &one.backend, &one.content_id).await?;
        let sql =
            "DELETE FROM secret_revision WHERE model_uuid = $1 AND secret = $2 AND revision = $3";
        let key = params![model, row.id.as_str(), one.revision];
        tx.db.execute(sql, key).await?;
    }
    tx.touch(model, namespace::SECRET, row.id.as_str());
    tell_owner(tx, model, row.kind, &row.owner);
    Ok(())
}

/// Removes a secret with all that is about it.
pub(crate) async fn remove(tx: &mut Tx, model: &ModelUuid, row: &SecretRow) -> Result<()> {
    let key = || params![model, row.id.as_str()];
    let revisions: Vec<RevisionRow> = tx.db.all(OF_SECRET, key()).await?;
    for one in &revisions {
        leftover::leave(tx, model, &one.backend, &one.content_id).await?;
    }
    let readers: Vec<ReaderRow> = tx.db.all(READERS, key()).await?;
    for reader in readers {
        tx.touch(model, namespace::SECRET_HOOKS, reader.unit.as_str());
    }
    for sql in [
        "DELETE FROM secret_revision WHERE model_uuid = $1 AND secret = $2",
        "DELETE FROM secret_reader WHERE model_uuid = $1 AND secret = $2",
        "DELETE FROM secret_grant WHERE model_uuid = $1 AND secret = $2",
        "DELETE FROM secret WHERE model_uuid = $1 AND id = $2",
    ] {
        tx.db.execute(sql, key()).await?;
    }
    tx.touch(model, namespace::SECRET, row.id.as_str());
    tell_owner(tx, model, row.kind, &row.owner);
    Ok(())
}

/// The owner may have other hooks to run.
fn tell_owner(tx: &mut Tx, model: &ModelUuid, kind: OwnerKind, owner: &str) {
    if kind != OwnerKind::Model {
        tx.touch(model, namespace::SECRET_HOOKS, owner);
    }
}
