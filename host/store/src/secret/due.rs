//! Which hooks of secrets a unit has to run, as of one moment.
//!
//! Only those that its charm has: of what nobody would run nothing is due, and nothing has to be forgotten.

use std::collections::BTreeMap;

use periapt_model::cause::Cause;
use periapt_model::hook::{Kind, SecretEvent};
use periapt_model::secret::{DUE_AGAIN, DueSecret, DueSecrets, OwnerKind, SecretId, obsolete};
use periapt_model::{ModelUuid, UnitName};

use super::rows::{OF_SECRETS, OF_UNIT, READERS_OF, ReaderRow, RevisionRow, SecretRow};
use crate::Result;
use crate::db::{Session, columns, json, params, word};

/// Of a charm, which hooks it has; the rest is not even parsed.
#[derive(serde::Deserialize)]
struct OnlyHooks {
    #[serde(default)]
    hooks: Vec<String>,
}

impl OnlyHooks {
    fn has(&self, kind: Kind) -> bool {
        self.hooks.iter().any(|hook| hook == kind.as_str())
    }
}

columns! {
    struct CharmRow {
        info: OnlyHooks = "info" as json,
    }
    const CHARM = "FROM charm WHERE model_uuid = $1 AND url = $2";
}

columns! {
    struct Behind {
        id: SecretId = "secret.id" as word,
        label: String = "secret_reader.label",
        newest: u32 = "(SELECT MAX(secret_revision.revision) FROM secret_revision
            WHERE secret_revision.model_uuid = secret.model_uuid
                AND secret_revision.secret = secret.id)",
        cause: Cause = "(SELECT secret_revision.cause FROM secret_revision
            WHERE secret_revision.model_uuid = secret.model_uuid
                AND secret_revision.secret = secret.id ORDER BY secret_revision.revision DESC LIMIT 1)" as word,
    }
    const BEHIND = "FROM secret_reader
        JOIN secret ON secret.model_uuid = secret_reader.model_uuid AND secret.id = secret_reader.secret
        WHERE secret_reader.model_uuid = $1 AND secret_reader.unit = $2
            AND secret_reader.told_revision < (SELECT MAX(known.revision) FROM secret_revision AS known
                WHERE known.model_uuid = secret.model_uuid AND known.secret = secret.id)
        ORDER BY secret.id";
}

/// What is due for a unit with this charm; what brought about the revisions that it has not been told of goes to
/// `causes`.
pub(crate) async fn due(
    db: &mut Session,
    model: &ModelUuid,
    unit: &UnitName,
    charm_url: &str,
    now: i64,
    causes: &mut BTreeMap<SecretId, Cause>,
) -> Result<DueSecrets> {
    let charm = db.one(CHARM, params![model, charm_url]).await?;
    let Some(CharmRow { info: charm }) = charm else {
        return Ok(DueSecrets::default());
    };
    let mut due = DueSecrets::default();
    if charm.has(Kind::SecretChanged) {
        let behind = db.all(BEHIND, params![model, unit]).await?;
        let known = behind.iter().filter(|row| !row.cause.is_unknown());
        causes.extend(known.map(|row| (row.id.clone(), row.cause.clone())));
        due.changed = behind
            .into_iter()
            .map(|row| DueSecret {
                event: SecretEvent {
                    id: row.id,
                    label: row.label,
                    revision: row.newest,
                },
                leaders: false,
            })
            .collect();
    }
    let of_owner = [Kind::SecretExpired, Kind::SecretRotate, Kind::SecretRemove];
    if of_owner.into_iter().any(|kind| charm.has(kind)) {
        let owned = params![model, unit, &unit.application()];
        let owned: Vec<SecretRow> = db.all(OF_UNIT, owned).await?;
        of_owned(db, model, &charm, owned, now, &mut due).await?;
    }
    Ok(due)
}

/// Adds what is due of secrets that the unit or its application owns.
async fn of_owned(
    db: &mut Session,
    model: &ModelUuid,
    charm: &OnlyHooks,
    owned: Vec<SecretRow>,
    now: i64,
    due: &mut DueSecrets,
) -> Result<()> {
    let ids: Vec<String> = owned.iter().map(|row| row.id.to_string()).collect();
    let mut revisions: BTreeMap<SecretId, Vec<RevisionRow>> = BTreeMap::new();
    for row in db.some(OF_SECRETS, model, &ids).await? {
        revisions.entry(row.secret.clone()).or_default().push(row);
    }
    let mut readers: BTreeMap<SecretId, BTreeMap<String, u32>> = BTreeMap::new();
    for row in db.some(READERS_OF, model, &ids).await? {
        let ReaderRow {
            secret,
            unit,
            revision,
            ..
        } = row;
        let of_secret = readers.entry(secret).or_default();
        of_secret.insert(unit.to_string(), revision);
    }
    let mut later = Vec::new();
    for secret in owned {
        let of_revision = |revision| DueSecret {
            event: SecretEvent {
                id: secret.id.clone(),
                label: secret.label.clone(),
                revision,
            },
            leaders: secret.kind == OwnerKind::Application,
        };
        if let Some(at) = secret.next_rotate
            && charm.has(Kind::SecretRotate)
        {
            match at <= now {
                true => due.rotate.push(of_revision(secret.newest)),
                false => later.push(at),
            }
        }
        let revisions = revisions.remove(&secret.id).unwrap_or_default();
        let readers = readers.remove(&secret.id).unwrap_or_default();
        if charm.has(Kind::SecretExpired) {
            for one in &revisions {
                let Some(expires) = one.expires else {
                    continue;
                };
                let again = one
                    .expired_told_at
                    .map(|told| told.saturating_add(DUE_AGAIN));
                let at = again.unwrap_or(expires).max(expires);
                match at <= now {
                    true => due.expired.push(of_revision(one.revision)),
                    false => later.push(at),
                }
            }
        }
        if charm.has(Kind::SecretRemove) {
            let numbers: Vec<u32> = revisions.iter().map(|one| one.revision).collect();
            let unread = obsolete(&numbers, &readers);
            let untold = revisions
                .iter()
                .filter(|one| !one.obsolete_told && unread.contains(&one.revision));
            due.remove
                .extend(untold.map(|one| of_revision(one.revision)));
        }
    }
    due.next = later.into_iter().min();
    Ok(())
}
