//! Secrets as units read them, and as people are shown them.

use std::collections::{BTreeMap, BTreeSet};

use periapt_model::refusal::Subject;
use periapt_model::secret::{CharmOwner, Grant, OwnedSecret, OwnerKind, Reader, SecretId};
use periapt_model::{ModelUuid, Refusal, UnitName};
use periapt_wire::agent::secrets::NamedSecret;
use periapt_wire::rest::{Page, SecretGrant, SecretInfo, SecretOwner, SecretQuery, SecretRevision};

use super::rows::{
    AFTER, AFTER_OF, GRANTS_OF, GrantRow, LABELLED, OF_SECRETS, OF_UNIT, READER, READERS_OF,
    ReaderRow, RevisionRow, SecretRow, by_id, by_label, content, may_read, named,
};
use super::{NO_RELATION, StoredSecret};
use crate::db::{Session, params};
use crate::error::StoreError;
use crate::page::Paging;
use crate::{Result, Store, require_model, unit};

impl Store {
    /// Secrets of a unit and of its application.
    pub async fn owned_secrets(
        &self,
        model: &ModelUuid,
        of: &UnitName,
    ) -> Result<Vec<OwnedSecret>> {
        let mut db = self.snapshot().await?;
        unit::require(&mut db, model, of).await?;
        let rows: Vec<SecretRow> = db
            .all(OF_UNIT, params![model, of, &of.application()])
            .await?;
        let mut about = About::read(&mut db, model, &rows).await?;
        let owned = rows.into_iter().map(|row| {
            let (revisions, grants) = (about.revisions(&row.id), about.grants(&row.id));
            OwnedSecret {
                owner: match row.kind {
                    OwnerKind::Unit => CharmOwner::Unit,
                    OwnerKind::Application | OwnerKind::Model => CharmOwner::Application,
                },
                label: row.label,
                description: row.description,
                rotate: row.rotate,
                next_rotate: row.next_rotate,
                expires: revisions.last().and_then(|newest| newest.expires),
                revisions: revisions.iter().map(|one| one.revision).collect(),
                grants: grants
                    .into_iter()
                    .filter_map(|grant| {
                        Some(Grant {
                            relation: u64::try_from(grant.relation).ok()?,
                            to: grant.grantee,
                        })
                    })
                    .collect(),
                id: row.id,
            }
        });
        Ok(owned.collect())
    }

    /// The revision on which a unit is, the newest for one that is on none, or the `newest`.
    ///
    /// # Errors
    /// Code `not found`, and `unauthorized access` for what was not granted to it.
    pub async fn unit_secret(
        &self,
        model: &ModelUuid,
        by: &UnitName,
        of: &NamedSecret,
        newest: bool,
    ) -> Result<StoredSecret> {
        let mut db = self.snapshot().await?;
        unit::require(&mut db, model, by).await?;
        let row = found_by_unit(&mut db, model, by, of).await?;
        if !may_read(&mut db, model, &row, by).await? {
            return Err(StoreError::Refused {
                refusal: Refusal::Unauthorized,
                message: format!("unit {by} may not read secret {}", row.id.uri()),
            });
        }
        let owned = row.is_of(by, &by.application());
        let reader: Option<ReaderRow> = match owned {
            true => None,
            false => db.one(READER, params![model, row.id.as_str(), by]).await?,
        };
        let revision = match &reader {
            Some(reader) if !newest => reader.revision,
            _ => row.newest,
        };
        let content = content(&mut db, model, &row.id, revision).await?;
        let content = content.ok_or_else(|| StoreError::Refused {
            refusal: Refusal::NotFound(Subject::Secret),
            message: format!(
                "revision {revision} of secret {} was removed; the newest is there",
                row.id.uri()
            ),
        })?;
        Ok(StoredSecret {
            id: row.id,
            revision,
            content,
            owned,
            reader: reader.map(|reader| Reader {
                revision: reader.revision,
                label: reader.label,
            }),
        })
    }

    /// A page of the secrets of a model, by id.
    pub async fn secrets(
        &self,
        model: &ModelUuid,
        query: &SecretQuery,
    ) -> Result<Page<SecretInfo>> {
        let paging = Paging::of(query.limit)?;
        let after = query.after.as_deref().unwrap_or_default();
        let mut db = self.snapshot().await?;
        require_model(&mut db, model).await?;
        let mut rows = match query.owner.as_deref().filter(|owner| !owner.is_empty()) {
            None => db.all(AFTER, params![model, after, paging.rows()]).await?,
            Some(owner) => {
                db.all(AFTER_OF, params![model, after, paging.rows(), owner])
                    .await?
            }
        };
        let next = paging.cut(&mut rows, |last| last.id.to_string());
        let items = infos(&mut db, model, rows).await?;
        Ok(Page { items, next })
    }

    /// One secret, by its id or the name of a user secret.
    pub async fn secret(&self, model: &ModelUuid, secret: &str) -> Result<SecretInfo> {
        let mut db = self.snapshot().await?;
        require_model(&mut db, model).await?;
        let row = named(&mut db, model, secret).await?;
        info(&mut db, model, row).await
    }

    /// A revision of a secret for a person, the newest when none is named.
    pub async fn secret_revision(
        &self,
        model: &ModelUuid,
        secret: &str,
        revision: Option<u32>,
    ) -> Result<StoredSecret> {
        let mut db = self.snapshot().await?;
        require_model(&mut db, model).await?;
        let row = named(&mut db, model, secret).await?;
        let revision = revision.unwrap_or(row.newest);
        let content = content(&mut db, model, &row.id, revision).await?;
        let content = content.ok_or_else(|| StoreError::Refused {
            refusal: Refusal::NotFound(Subject::Secret),
            message: format!("secret \"{}\" has no revision {revision}", row.id),
        })?;
        Ok(StoredSecret {
            id: row.id,
            revision,
            content,
            owned: false,
            reader: None,
        })
    }
}

/// What a unit means: an id; else the label that it gave a secret of another, or that a secret of its own has.
async fn found_by_unit(
    db: &mut Session,
    model: &ModelUuid,
    by: &UnitName,
    of: &NamedSecret,
) -> Result<SecretRow> {
    if let Some(id) = &of.id {
        let found = by_id(db, model, id).await?;
        return found.ok_or_else(|| StoreError::not_found(Subject::Secret, id.uri()));
    }
    let label = of.label.as_deref().unwrap_or_default();
    if label.is_empty() {
        return Err(StoreError::bad_request(
            "a secret is named by its id or by a label",
        ));
    }
    let reader: Option<ReaderRow> = db.one(LABELLED, params![model, by, label]).await?;
    if let Some(reader) = reader
        && let Some(found) = by_id(db, model, &reader.secret).await?
    {
        return Ok(found);
    }
    for (kind, owner) in [
        (OwnerKind::Unit, by.to_string()),
        (OwnerKind::Application, by.application().to_string()),
    ] {
        if let Some(found) = by_label(db, model, kind, &owner, label).await? {
            return Ok(found);
        }
    }
    Err(StoreError::Refused {
        refusal: Refusal::NotFound(Subject::Secret),
        message: format!("no secret has the label \"{label}\""),
    })
}

/// One secret as people are shown it.
pub(super) async fn info(
    db: &mut Session,
    model: &ModelUuid,
    row: SecretRow,
) -> Result<SecretInfo> {
    let id = row.id.clone();
    let found = infos(db, model, vec![row]).await?.pop();
    found.ok_or_else(|| StoreError::not_found(Subject::Secret, id))
}

/// Secrets by id, as people are shown them; those that are gone are missing.
pub(crate) async fn by_ids(
    db: &mut Session,
    model: &ModelUuid,
    ids: &BTreeSet<SecretId>,
) -> Result<Vec<SecretInfo>> {
    let mut rows = Vec::new();
    for id in ids {
        rows.extend(by_id(db, model, id).await?);
    }
    infos(db, model, rows).await
}

async fn infos(
    db: &mut Session,
    model: &ModelUuid,
    rows: Vec<SecretRow>,
) -> Result<Vec<SecretInfo>> {
    let mut about = About::read(db, model, &rows).await?;
    let sql = "SELECT name FROM model WHERE uuid = $1";
    let name: Option<String> = db.scalar(sql, params![model]).await?;
    let name = name.unwrap_or_default();
    let shown = rows.into_iter().map(|row| {
        let (revisions, grants) = (about.revisions(&row.id), about.grants(&row.id));
        let readers = about.readers.remove(&row.id).unwrap_or_default();
        SecretInfo {
            owner: SecretOwner {
                kind: row.kind,
                name: match row.kind {
                    OwnerKind::Model => name.clone(),
                    OwnerKind::Application | OwnerKind::Unit => row.owner,
                },
            },
            label: row.label,
            description: row.description,
            rotate: row.rotate,
            next_rotate: row.next_rotate,
            expires: revisions.last().and_then(|newest| newest.expires),
            auto_prune: row.auto_prune,
            created_at: row.created_at,
            updated_at: row.updated_at,
            revisions: revisions
                .into_iter()
                .map(|one| SecretRevision {
                    revision: one.revision,
                    backend: one.backend,
                    created_at: one.created_at,
                    expires: one.expires,
                    readers: readers
                        .iter()
                        .filter(|reader| reader.revision == one.revision)
                        .map(|reader| reader.unit.to_string())
                        .collect(),
                })
                .collect(),
            grants: grants
                .into_iter()
                .map(|grant| SecretGrant {
                    to: grant.grantee,
                    relation: match grant.relation {
                        NO_RELATION => None,
                        relation => u64::try_from(relation).ok(),
                    },
                })
                .collect(),
            id: row.id,
        }
    });
    Ok(shown.collect())
}

/// What belongs to some secrets.
#[derive(Default)]
struct About {
    revisions: BTreeMap<SecretId, Vec<RevisionRow>>,
    readers: BTreeMap<SecretId, Vec<ReaderRow>>,
    grants: BTreeMap<SecretId, Vec<GrantRow>>,
}

impl About {
    async fn read(db: &mut Session, model: &ModelUuid, rows: &[SecretRow]) -> Result<Self> {
        let ids: Vec<String> = rows.iter().map(|row| row.id.to_string()).collect();
        let mut about = Self::default();
        for row in db.some(OF_SECRETS, model, &ids).await? {
            let of_secret = about.revisions.entry(row.secret.clone()).or_default();
            of_secret.push(row);
        }
        for row in db.some(READERS_OF, model, &ids).await? {
            let of_secret = about.readers.entry(row.secret.clone()).or_default();
            of_secret.push(row);
        }
        for row in db.some(GRANTS_OF, model, &ids).await? {
            let of_secret = about.grants.entry(row.secret.clone()).or_default();
            of_secret.push(row);
        }
        Ok(about)
    }

    fn revisions(&mut self, id: &SecretId) -> Vec<RevisionRow> {
        self.revisions.remove(id).unwrap_or_default()
    }

    fn grants(&mut self, id: &SecretId) -> Vec<GrantRow> {
        self.grants.remove(id).unwrap_or_default()
    }
}
