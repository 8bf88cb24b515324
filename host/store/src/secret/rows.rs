//! Rows of secrets.

use periapt_model::nearest::suggestion;
use periapt_model::refusal::Subject;
use periapt_model::secret::{OwnerKind, RotatePolicy, SecretId};
use periapt_model::{ApplicationName, ModelUuid, Refusal, UnitName};

use super::Sealed;
use crate::db::{Cells, Session, columns, names, params, word};
use crate::error::StoreError;
use crate::{DatabaseError, Result};

columns! {
    #[derive(Clone, Debug)]
    pub(crate) struct SecretRow {
        id: SecretId = "secret.id" as word,
        kind: OwnerKind = "secret.owner_kind" as owner_kind,
        /// The application or the unit; empty for the model.
        owner: String = "secret.owner",
        label: String = "secret.label",
        description: String = "secret.description",
        rotate: RotatePolicy = "secret.rotate" as word,
        next_rotate: Option<i64> = "secret.next_rotate",
        auto_prune: bool = "secret.auto_prune",
        /// The last number that was given to a revision, which may be gone.
        numbered: u32 = "secret.latest_revision",
        newest: u32 = "COALESCE((SELECT MAX(secret_revision.revision) FROM secret_revision
            WHERE secret_revision.model_uuid = secret.model_uuid
                AND secret_revision.secret = secret.id), 0)",
        created_at: i64 = "secret.created_at",
        updated_at: i64 = "secret.updated_at",
    }
    const ONE = "FROM secret WHERE secret.model_uuid = $1 AND secret.id = $2";
    const BY_LABEL = "FROM secret WHERE secret.model_uuid = $1 AND secret.owner_kind = $2
        AND secret.owner = $3 AND secret.label = $4";
    const OF_OWNER = "FROM secret WHERE secret.model_uuid = $1 AND secret.owner_kind = $2
        AND secret.owner = $3 ORDER BY secret.id";
    const OF_UNIT = "FROM secret WHERE secret.model_uuid = $1
        AND ((secret.owner_kind = 'unit' AND secret.owner = $2)
            OR (secret.owner_kind = 'application' AND secret.owner = $3))
        ORDER BY secret.id";
    const AFTER = "FROM secret WHERE secret.model_uuid = $1 AND secret.id > $2
        ORDER BY secret.id LIMIT $3";
    const AFTER_OF = "FROM secret WHERE secret.model_uuid = $1 AND secret.id > $2
        AND ((secret.owner_kind = 'model' AND $4 = 'model')
            OR (secret.owner_kind <> 'model' AND secret.owner = $4))
        ORDER BY secret.id LIMIT $3";
}

columns! {
    #[derive(Clone, Debug)]
    pub(crate) struct RevisionRow {
        secret: SecretId = "secret_revision.secret" as word,
        revision: u32 = "secret_revision.revision",
        backend: String = "secret_revision.backend",
        content_id: String = "secret_revision.content_id",
        expires: Option<i64> = "secret_revision.expires",
        expired_told_at: Option<i64> = "secret_revision.expired_told_at",
        obsolete_told: bool = "secret_revision.obsolete_told",
        created_at: i64 = "secret_revision.created_at",
    }
    const OF_SECRET = "FROM secret_revision WHERE model_uuid = $1 AND secret = $2 ORDER BY revision";
    const OF_SECRETS = names!(
        "FROM secret_revision WHERE secret_revision.model_uuid = $1 AND secret_revision.secret IN",
        "ORDER BY secret_revision.secret, secret_revision.revision"
    );
}

columns! {
    struct SealedRow -> Sealed {
        backend = "backend",
        content_id = "content_id",
        sealed = "sealed",
        checksum = "checksum",
    }
    const CONTENT = "FROM secret_revision WHERE model_uuid = $1 AND secret = $2 AND revision = $3";
}

columns! {
    pub(crate) struct ReaderRow {
        secret: SecretId = "secret_reader.secret" as word,
        unit: UnitName = "secret_reader.unit" as word,
        label: String = "secret_reader.label",
        revision: u32 = "secret_reader.revision",
    }
    const READERS = "FROM secret_reader WHERE model_uuid = $1 AND secret = $2 ORDER BY unit";
    const READERS_OF = names!(
        "FROM secret_reader WHERE secret_reader.model_uuid = $1 AND secret_reader.secret IN",
        "ORDER BY secret_reader.secret, secret_reader.unit"
    );
    const READER = "FROM secret_reader WHERE model_uuid = $1 AND secret = $2 AND unit = $3";
    const LABELLED = "FROM secret_reader WHERE model_uuid = $1 AND unit = $2 AND label = $3
        ORDER BY secret LIMIT 1";
}

columns! {
    pub(crate) struct GrantRow {
        secret: SecretId = "secret_grant.secret" as word,
        grantee: String = "secret_grant.grantee",
        relation: i64 = "secret_grant.relation",
    }
    const GRANTS_OF = names!(
        "FROM secret_grant WHERE secret_grant.model_uuid = $1 AND secret_grant.secret IN",
        "ORDER BY secret_grant.secret, secret_grant.grantee, secret_grant.relation"
    );
}

fn owner_kind(cells: &mut Cells<'_>) -> std::result::Result<OwnerKind, DatabaseError> {
    let text = cells.str()?;
    let found = OwnerKind::ALL.iter().copied();
    let found = found.into_iter().find(|kind| kind.as_str() == text);
    found.ok_or_else(|| cells.unfit(text))
}

impl SecretRow {
    pub(crate) fn is_of(&self, unit: &UnitName, application: &ApplicationName) -> bool {
        match self.kind {
            OwnerKind::Model => false,
            OwnerKind::Application => self.owner == application.as_str(),
            OwnerKind::Unit => self.owner == unit.as_str(),
        }
    }
}

/// One secret; none when it is gone.
pub(crate) async fn by_id(
    db: &mut Session,
    model: &ModelUuid,
    id: &SecretId,
) -> Result<Option<SecretRow>> {
    Ok(db.one(ONE, params![model, id.as_str()]).await?)
}

/// The secret of an owner with a label, which is not empty.
pub(super) async fn by_label(
    db: &mut Session,
    model: &ModelUuid,
    kind: OwnerKind,
    owner: &str,
    label: &str,
) -> Result<Option<SecretRow>> {
    let key = params![model, kind.as_str(), owner, label];
    Ok(db.one(BY_LABEL, key).await?)
}

/// What people mean: an id, or the name of a user secret.
pub(super) async fn named(db: &mut Session, model: &ModelUuid, text: &str) -> Result<SecretRow> {
    if let Ok(id) = text.parse::<SecretId>()
        && let Some(found) = by_id(db, model, &id).await?
    {
        return Ok(found);
    }
    if let Some(found) = by_label(db, model, OwnerKind::Model, "", text).await? {
        return Ok(found);
    }
    Err(StoreError::Refused {
        refusal: Refusal::NotFound(Subject::Secret),
        message: missing(db, model, text).await?,
    })
}

/// That there is no such secret, with the user secret that was perhaps meant.
pub(super) async fn missing(db: &mut Session, model: &ModelUuid, text: &str) -> Result<String> {
    let sql =
        "SELECT label FROM secret WHERE model_uuid = $1 AND owner_kind = 'model' ORDER BY label";
    let known: Vec<String> = db.scalars(sql, params![model]).await?;
    let shown: String = text.chars().take(80).collect();
    Ok(format!(
        "secret \"{shown}\" not found{}",
        suggestion(text, known.iter().map(String::as_str))
    ))
}

/// The content of a revision; none of one that is gone.
pub(super) async fn content(
    db: &mut Session,
    model: &ModelUuid,
    id: &SecretId,
    revision: u32,
) -> Result<Option<Sealed>> {
    let key = params![model, id.as_str(), revision];
    Ok(db.one(CONTENT, key).await?)
}

/// Whether a unit may read a secret: it is its own or its application's, or was granted to either.
pub(crate) async fn may_read(
    db: &mut Session,
    model: &ModelUuid,
    secret: &SecretRow,
    unit: &UnitName,
) -> Result<bool> {
    let application = unit.application();
    if secret.is_of(unit, &application) {
        return Ok(true);
    }
    let sql = "SELECT 1 FROM secret_grant WHERE model_uuid = $1 AND secret = $2
        AND (grantee = $3 OR grantee = $4) LIMIT 1";
    let key = params![model, secret.id.as_str(), unit, &application];
    Ok(db.exists(sql, key).await?)
}
