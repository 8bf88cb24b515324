//! A file becomes the next revision of a resource.

use std::collections::BTreeMap;

use periapt_model::charm::{CharmInfo, ResourceKind};
use periapt_model::nearest::suggestion;
use periapt_model::refusal::Subject;
use periapt_model::{ApplicationName, ModelUuid, Refusal, UserName};
use periapt_wire::rest::AttachedResource;

use super::{Content, drop_unused, tell, upload};
use crate::db::{Tx, columns, params};
use crate::error::StoreError;
use crate::{Result, Store, application, charm};

columns! {
    pub(super) struct Attached -> AttachedResource {
        revision = "revision",
        sha256 = "sha256",
        size = "size",
        uploaded_by = "uploaded_by",
        uploaded_at = "uploaded_at",
    }
    const ATTACHED = "FROM resource WHERE model_uuid = $1 AND application = $2 AND name = $3";
}

impl Store {
    /// Refuses what could not be attached whatever its content, before anybody sends it.
    pub async fn require_resource(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
        name: &str,
    ) -> Result<()> {
        let mut db = self.snapshot().await?;
        let url = application::require_alive(&mut db, model, application).await?;
        let charm = charm::find(&mut db, model, &url).await?;
        require_file(application, &charm, name)
    }

    /// Attaches a file whose bytes are stored. The same bytes again change nothing; others are the next
    /// revision, of which the charm hears by `upgrade-charm`.
    pub async fn attach_resource(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
        name: &str,
        by: &UserName,
        sha256: &str,
    ) -> Result<AttachedResource> {
        let (model, application, by) = (model.clone(), application.clone(), by.clone());
        let (name, sha256) = (name.to_owned(), sha256.to_owned());
        self.write(move |tx| {
            Box::pin(async move {
                let url = application::require_alive(&mut tx.db, &model, &application).await?;
                let charm = charm::find(&mut tx.db, &model, &url).await?;
                let uploaded = upload::add(tx, &model, &by, &sha256).await?;
                let content = upload::take(tx, &model, uploaded.id).await?;
                if attach(tx, &model, &application, &charm, &name, content).await? {
                    tell(tx, &model, &application).await?;
                }
                let attached = tx
                    .db
                    .one(ATTACHED, params![&model, &application, &name])
                    .await?;
                attached.ok_or_else(|| StoreError::not_found(Subject::Resource, &name))
            })
        })
        .await
    }

    /// Drops bytes that were stored for a resource and that nothing refers to, since they were refused.
    pub async fn drop_refused_resource(&self, sha256: &str) -> Result<()> {
        let sha256 = sha256.to_owned();
        self.write_aside(move |tx| Box::pin(async move { drop_unused(tx, &sha256).await }))
            .await
    }
}

/// Attaches uploads by the names of resources that the charm declares. Whether that changed anything.
pub(crate) async fn attach_uploads(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    charm: &CharmInfo,
    uploads: &BTreeMap<String, u64>,
) -> Result<bool> {
    let mut changed = false;
    for (name, id) in uploads {
        require_file(application, charm, name)?;
        let content = upload::take(tx, model, *id).await?;
        changed |= attach(tx, model, application, charm, name, content).await?;
    }
    Ok(changed)
}

async fn attach(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    charm: &CharmInfo,
    name: &str,
    content: Content,
) -> Result<bool> {
    require_file(application, charm, name)?;
    let key = params![model, application, name];
    let before = tx.db.one(ATTACHED, key).await?;
    if before
        .as_ref()
        .is_some_and(|before| before.sha256 == content.sha256)
    {
        return Ok(false);
    }
    let revision = before.as_ref().map_or(0, |before| before.revision) + 1;
    let sql = "INSERT INTO resource
            (model_uuid, application, name, revision, sha256, size, uploaded_by, uploaded_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (model_uuid, application, name) DO UPDATE SET revision = excluded.revision,
            sha256 = excluded.sha256, size = excluded.size,
            uploaded_by = excluded.uploaded_by, uploaded_at = excluded.uploaded_at";
    let values = params![
        model,
        application,
        name,
        revision,
        content.sha256,
        content.size,
        content.uploaded_by,
        content.uploaded_at
    ];
    tx.db.execute(sql, values).await?;
    if let Some(before) = before {
        drop_unused(tx, &before.sha256).await?;
    }
    Ok(true)
}

/// Refuses a name that the charm does not declare, or declares for an image.
fn require_file(application: &ApplicationName, charm: &CharmInfo, name: &str) -> Result<()> {
    let declared = &charm.metadata.resources;
    let Some(resource) = declared.get(name) else {
        let shown: String = name.chars().take(80).collect();
        let known = declared.keys().map(String::as_str);
        return Err(StoreError::Refused {
            refusal: Refusal::NotFound(Subject::Resource),
            message: format!(
                "the charm of \"{application}\" has no resource \"{shown}\"{}",
                suggestion(name, known)
            ),
        });
    };
    match resource.kind {
        ResourceKind::File => Ok(()),
        ResourceKind::OciImage => Err(StoreError::Refused {
            refusal: Refusal::ResourceIsImage,
            message: format!(
                "resource \"{name}\" of \"{application}\" is an image of a container, and nothing here runs images"
            ),
        }),
    }
}
