//! What a hook did to secrets, which it read, and what follows from that it ran.

use std::collections::BTreeSet;

use periapt_contract::Effect;
use periapt_contract::secret::{Changes, Grant, Owner, Reader, RemovedSecret};
use periapt_model::Refusal;
use periapt_model::hook::{Info, Kind, SecretEvent};
use periapt_model::refusal::Subject;
use periapt_model::secret::{OwnerKind, SecretId, rotated};

use super::effects::Committing;
use crate::Result;
use crate::changes::namespace;
use crate::db::{Tx, params};
use crate::error::StoreError;
use crate::relation::rows as relations;
use crate::secret::{self, Described, NewRow, Sealed, SecretRow};

/// Everything that the hook asked for, then what it was about.
pub(super) async fn apply(tx: &mut Tx, of: Committing<'_>, changes: &Changes) -> Result<()> {
    let renewed = match changes.changes_nothing() {
        true => BTreeSet::new(),
        false => change(tx, of, changes).await?,
    };
    match of.hook {
        Some(Info {
            kind,
            secret: Some(event),
            ..
        }) => ran(tx, of, *kind, event, renewed.contains(&event.id)).await,
        _ => Ok(()),
    }
}

/// The secrets that have another value.
async fn change(tx: &mut Tx, of: Committing<'_>, changes: &Changes) -> Result<BTreeSet<SecretId>> {
    let model = of.model;
    let mut renewed = BTreeSet::new();
    // Whole secrets first, since labels are free then; revisions after what follows them.
    for (id, removed) in &changes.removed {
        if removed.revisions.is_empty() {
            remove(tx, of, id, removed).await?;
        }
    }
    // Labels that are handed over are given up before any is taken, in whatever order they come.
    let labelled = changes.changed.iter();
    let labelled = labelled.filter(|(_, changed)| changed.described.label.is_some());
    for (id, changed) in labelled.filter(|_| changes.changed.len() > 1) {
        let row = require_owned(tx, of, id, changed.owner).await?;
        let sql = "UPDATE secret SET label = '' WHERE model_uuid = $1 AND id = $2";
        tx.db.execute(sql, params![model, row.id.as_str()]).await?;
    }
    for (id, changed) in &changes.changed {
        let row = require_owned(tx, of, id, changed.owner).await?;
        let said = &changed.described;
        let described = Described {
            label: said.label.as_deref(),
            description: said.description.as_deref(),
            rotate: said.rotate,
            expires: match &changed.content {
                Some(_) => None,
                None => said.expires,
            },
        };
        secret::describe(tx, model, &row, described).await?;
        if changed.content.is_some() {
            let content = sealed(of, id)?;
            let removed = changes.removed.get(id);
            let newest_goes = removed.is_some_and(|one| one.revisions.contains(&row.newest));
            let added =
                secret::add_revision(tx, model, &row, content, said.expires, newest_goes).await?;
            match added {
                true => {
                    renewed.insert(id.clone());
                }
                false => {
                    let again = Described {
                        expires: said.expires,
                        ..Described::default()
                    };
                    let row = require_owned(tx, of, id, changed.owner).await?;
                    secret::describe(tx, model, &row, again).await?;
                }
            }
        }
    }
    for (id, removed) in &changes.removed {
        if !removed.revisions.is_empty() {
            remove(tx, of, id, removed).await?;
        }
    }
    for (id, new) in &changes.added {
        let (application, unit) = (of.unit.application(), of.unit);
        let said = &new.described;
        let row = NewRow {
            id,
            kind: new.owner.into(),
            owner: match new.owner {
                Owner::Application => application.as_str(),
                Owner::Unit => unit.as_str(),
            },
            label: said.label.as_deref().unwrap_or_default(),
            description: said.description.as_deref().unwrap_or_default(),
            rotate: said.rotate.unwrap_or_default(),
            expires: said.expires,
            content: sealed(of, id)?,
        };
        secret::insert(tx, model, row).await?;
    }
    for (id, grants) in &changes.grants {
        let row = require_owned(tx, of, id, grants.owner).await?;
        for grant in &grants.revoked {
            let relation = number(grant.relation);
            secret::revoke(tx, model, &row.id, &grant.to, relation).await?;
        }
        for grant in &grants.granted {
            if is_related(tx, of, grant).await? {
                let relation = number(grant.relation);
                secret::grant(tx, model, &row.id, &grant.to, relation).await?;
            }
        }
    }
    for (id, reader) in &changes.read {
        read(tx, of, id, reader).await?;
    }
    Ok(renewed)
}

/// Removes a secret or revisions of it. One that went meanwhile is gone, as it was to be.
async fn remove(
    tx: &mut Tx,
    of: Committing<'_>,
    id: &SecretId,
    removed: &RemovedSecret,
) -> Result<()> {
    let Some(row) = owned(tx, of, id, removed.owner).await? else {
        return Ok(());
    };
    match removed.revisions.is_empty() {
        true => secret::remove(tx, of.model, &row).await,
        false => secret::remove_revisions(tx, of.model, &row, &removed.revisions).await,
    }
}

fn number(relation: u64) -> i64 {
    i64::try_from(relation).unwrap_or(i64::MAX)
}

/// What the caller sealed of the hook's contents.
fn sealed<'a>(of: Committing<'a>, id: &SecretId) -> Result<&'a Sealed> {
    let found = of.sealed.get(id);
    found.ok_or_else(|| StoreError::internal(format!("nothing was sealed for secret {id}")))
}

/// A secret of the unit, or of its application; none when it is gone.
async fn owned(
    tx: &mut Tx,
    of: Committing<'_>,
    id: &SecretId,
    owner: Owner,
) -> Result<Option<SecretRow>> {
    let Some(row) = secret::by_id(&mut tx.db, of.model, id).await? else {
        return Ok(None);
    };
    if !row.is_of(of.unit, &of.unit.application()) || row.kind != OwnerKind::from(owner) {
        return Err(StoreError::Refused {
            refusal: Refusal::Unauthorized,
            message: format!("secret {} is not of unit {}", id.uri(), of.unit),
        });
    }
    Ok(Some(row))
}

async fn require_owned(
    tx: &mut Tx,
    of: Committing<'_>,
    id: &SecretId,
    owner: Owner,
) -> Result<SecretRow> {
    let found = owned(tx, of, id, owner).await?;
    found.ok_or_else(|| StoreError::not_found(Subject::Secret, id.uri()))
}

/// Whether there is the relation in which something is granted: one that went meanwhile grants nothing. Refuses a
/// grant to somebody who is not at its other end.
async fn is_related(tx: &mut Tx, of: Committing<'_>, grant: &Grant) -> Result<bool> {
    let Some(relation) = relations::find(&mut tx.db, of.model, grant.relation).await? else {
        return Ok(false);
    };
    let application = of.unit.application();
    let other = relation.seen_by(&application).map(|(_, other)| other);
    let remote = grant.to.split('/').next().unwrap_or_default();
    if other.is_none_or(|other| other.application.as_str() != remote) {
        return Err(StoreError::Refused {
            refusal: Refusal::Unauthorized,
            message: format!(
                "\"{}\" takes no part in relation {} with \"{application}\"",
                grant.to, grant.relation
            ),
        });
    }
    // A unit that left since reads nothing any more.
    Ok(true)
}

/// The unit is on this revision from now on. What it may not read any more, or is gone, it is on none of.
async fn read(tx: &mut Tx, of: Committing<'_>, id: &SecretId, reader: &Reader) -> Result<()> {
    let (model, unit) = (of.model, of.unit);
    let Some(row) = secret::by_id(&mut tx.db, model, id).await? else {
        return Ok(());
    };
    let own = row.is_of(unit, &unit.application());
    if own || !secret::may_read(&mut tx.db, model, &row, unit).await? {
        return Ok(());
    }
    // One that went since it was read holds nobody: the unit is on the newest, and hears of it.
    let sql =
        "SELECT 1 FROM secret_revision WHERE model_uuid = $1 AND secret = $2 AND revision = $3";
    let key = params![model, id.as_str(), reader.revision];
    let on = match tx.db.exists(sql, key).await? {
        true => reader.revision,
        false => row.newest,
    };
    if !reader.label.is_empty() {
        // A label finds the secret that it was given last.
        let sql = "UPDATE secret_reader SET label = '' WHERE model_uuid = $1 AND unit = $2
            AND label = $3 AND secret <> $4";
        let values = params![model, unit, &reader.label, id.as_str()];
        tx.db.execute(sql, values).await?;
    }
    let sql = "INSERT INTO secret_reader (model_uuid, secret, unit, label, revision, told_revision)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (model_uuid, secret, unit) DO UPDATE
        SET label = excluded.label, revision = excluded.revision,
            told_revision = CASE WHEN secret_reader.told_revision > excluded.told_revision
                THEN secret_reader.told_revision ELSE excluded.told_revision END";
    let values = params![model, id.as_str(), unit, &reader.label, on, reader.revision];
    tx.db.execute(sql, values).await?;
    tx.touch(model, namespace::SECRET, id.as_str());
    secret::settle(tx, model, &row).await
}

/// A hook of a secret has run, or was skipped.
async fn ran(
    tx: &mut Tx,
    of: Committing<'_>,
    kind: Kind,
    event: &SecretEvent,
    renewed: bool,
) -> Result<()> {
    let (model, unit) = (of.model, of.unit);
    let id = event.id.as_str();
    if kind == Kind::SecretChanged {
        let sql = "UPDATE secret_reader SET told_revision = $4
            WHERE model_uuid = $1 AND secret = $2 AND unit = $3 AND told_revision < $4";
        let values = params![model, id, unit, event.revision];
        tx.db.execute(sql, values).await?;
        return Ok(());
    }
    let Some(row) = secret::by_id(&mut tx.db, model, &event.id).await? else {
        return Ok(());
    };
    if !row.is_of(unit, &unit.application()) {
        return Ok(());
    }
    match kind {
        Kind::SecretRotate => {
            let next = rotated(row.rotate, renewed, tx.now);
            let sql = "UPDATE secret SET next_rotate = $3 WHERE model_uuid = $1 AND id = $2";
            tx.db.execute(sql, params![model, id, next]).await?;
        }
        Kind::SecretExpired => {
            let sql = "UPDATE secret_revision SET expired_told_at = $4
                WHERE model_uuid = $1 AND secret = $2 AND revision = $3";
            let values = params![model, id, event.revision, tx.now];
            tx.db.execute(sql, values).await?;
        }
        Kind::SecretRemove => {
            let sql = "UPDATE secret_revision SET obsolete_told = 1
                WHERE model_uuid = $1 AND secret = $2 AND revision = $3";
            tx.db
                .execute(sql, params![model, id, event.revision])
                .await?;
        }
        _ => return Ok(()),
    }
    tx.touch(model, namespace::SECRET, id);
    // Another unit that leads next is not to run it again.
    tx.touch(model, namespace::SECRET_HOOKS, row.owner.as_str());
    Ok(())
}
