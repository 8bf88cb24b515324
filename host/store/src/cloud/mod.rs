//! Clouds: what there is, and where a new model goes.
//!
//! A cloud has a type, which says whose provider gives its machines, and regions. A model is in one
//! region of one cloud for as long as it lives, and uses one credential that its owner has there.
//! Without one that is named it gets a credential of its own, which is all that the cloud `local`
//! needs; a credential that no model uses any more goes with the last that did.

use periapt_model::refusal::Subject;
use periapt_model::{ModelName, ModelUuid, UserName};
use periapt_wire::agent::uniter::CloudAccess;
use periapt_wire::rest::{AddModel, Cloud, CloudCredential};

use crate::db::{Session, Tx, columns, optional_word, params};
use crate::error::StoreError;
use crate::{Result, Store};

#[cfg(test)]
mod tests;

/// The cloud of the controller itself, and of a model that names none.
pub const CONTROLLER_CLOUD: &str = "local";

/// The way of proving who one is that needs nothing to prove it with.
const AUTH_EMPTY: &str = "empty";

/// Where a new model goes.
pub(crate) struct Place {
    pub cloud: String,
    pub region: String,
    pub credential: String,
}

columns! {
    /// A region with its cloud; none of a cloud without.
    struct Region {
        name: String = "cloud.name",
        kind: String = "cloud.type",
        region: Option<String> = "cloud_region.name",
    }
    const CLOUDS = "FROM cloud LEFT JOIN cloud_region ON cloud_region.cloud = cloud.name
        ORDER BY cloud.name, cloud_region.position";
}

columns! {
    /// A credential with a model that uses it; none of one that is not used.
    struct Held {
        cloud: String = "held.cloud",
        name: String = "held.name",
        auth_type: String = "held.auth_type",
        refused: String = "held.refused",
        since: i64 = "held.since",
        model: Option<ModelName> = "model.name" as optional_word,
    }
    const CREDENTIALS = "FROM cloud_credential AS held LEFT JOIN model
            ON model.cloud = held.cloud AND model.owner = held.owner
            AND model.credential = held.name
        WHERE held.owner = $1 ORDER BY held.cloud, held.name, model.name";
}

impl Store {
    /// All clouds, by name, with their regions, the first of which is the default.
    pub async fn clouds(&self) -> Result<Vec<Cloud>> {
        let rows = self.glance().await?.all(CLOUDS, params![]).await?;
        let mut clouds: Vec<Cloud> = Vec::new();
        for row in rows {
            if clouds.last().is_none_or(|last| last.name != row.name) {
                clouds.push(Cloud {
                    name: row.name,
                    kind: row.kind,
                    regions: Vec::new(),
                });
            }
            if let (Some(last), Some(region)) = (clouds.last_mut(), row.region) {
                last.regions.push(region);
            }
        }
        Ok(clouds)
    }

    /// The credentials of a user, by cloud and name, with the models that use each.
    pub async fn credentials(&self, owner: &UserName) -> Result<Vec<CloudCredential>> {
        let mut db = self.glance().await?;
        let mut credentials: Vec<CloudCredential> = Vec::new();
        for row in db.all(CREDENTIALS, params![owner]).await? {
            let known = credentials.last();
            if known.is_none_or(|last| (&last.cloud, &last.name) != (&row.cloud, &row.name)) {
                credentials.push(CloudCredential {
                    cloud: row.cloud,
                    name: row.name,
                    auth_type: row.auth_type,
                    valid: row.refused.is_empty(),
                    reason: row.refused,
                    since: row.since,
                    models: Vec::new(),
                });
            }
            if let (Some(last), Some(model)) = (credentials.last_mut(), row.model) {
                last.models.push(model);
            }
        }
        Ok(credentials)
    }
}

columns! {
    struct Used {
        name: String = "cloud.name",
        kind: String = "cloud.type",
        region: String = "model.region",
        auth_type: String = "held.auth_type",
    }
    const USED = "FROM model JOIN cloud ON cloud.name = model.cloud
        JOIN cloud_credential AS held ON held.cloud = model.cloud
            AND held.owner = model.owner AND held.name = model.credential
        WHERE model.uuid = $1";
}

/// The cloud of a model with the credential that it uses there. No cloud has an API of its own yet, and
/// none needs anything to prove who one is with.
pub(crate) async fn access(db: &mut Session, model: &ModelUuid) -> Result<CloudAccess> {
    let used = db.one(USED, params![model]).await?;
    let used = used.ok_or_else(|| StoreError::not_found(Subject::Model, model))?;
    Ok(CloudAccess {
        name: used.name,
        kind: used.kind,
        region: used.region,
        endpoint: None,
        auth_type: used.auth_type,
        attributes: Default::default(),
    })
}

/// Finds where a new model of `owner` goes. A cloud that is not there is a wrong request, not a wrong
/// address.
pub(crate) async fn place(db: &mut Session, request: &AddModel, owner: &UserName) -> Result<Place> {
    let cloud = request.cloud.as_deref().unwrap_or(CONTROLLER_CLOUD);
    let sql = "SELECT 1 FROM cloud WHERE name = $1";
    if !db.exists(sql, params![cloud]).await? {
        return Err(StoreError::not_found(Subject::Cloud, cloud));
    }
    let region = request.region.as_deref().unwrap_or_default();
    let sql = "SELECT name FROM cloud_region WHERE cloud = $1 AND ($2 = '' OR name = $2)
        ORDER BY position LIMIT 1";
    let found = db.scalar(sql, params![cloud, region]).await?;
    let missing = || StoreError::not_found(Subject::Region, format!("{cloud}/{region}"));
    let found = found.ok_or_else(missing)?;
    let credential = match request.credential.as_deref() {
        Some(named) => {
            let sql = "SELECT 1 FROM cloud_credential
                WHERE cloud = $1 AND owner = $2 AND name = $3";
            let params = params![cloud, owner, named];
            if !db.exists(sql, params).await? {
                let name = format!("{cloud}/{owner}/{named}");
                return Err(StoreError::not_found(Subject::Credential, name));
            }
            named
        }
        None => request.name.as_str(),
    };
    Ok(Place {
        cloud: cloud.to_owned(),
        region: found,
        credential: credential.to_owned(),
    })
}

/// Makes the credential of a model that named none, for this model alone.
pub(crate) async fn add_own_credential(tx: &mut Tx, owner: &UserName, place: &Place) -> Result<()> {
    let Place {
        cloud, credential, ..
    } = place;
    let sql = "INSERT INTO cloud_credential (cloud, owner, name, auth_type)
        VALUES ($1, $2, $3, $4) ON CONFLICT (cloud, owner, name) DO NOTHING";
    let params = params![cloud, owner, credential, AUTH_EMPTY];
    if tx.db.execute(sql, params).await? == 0 {
        return Err(StoreError::AlreadyExists {
            kind: Subject::Credential,
            name: format!("{cloud}/{owner}/{credential}"),
        });
    }
    Ok(())
}

/// Removes the credentials that no model uses any more.
pub(crate) async fn remove_unused(tx: &mut Tx) -> Result<()> {
    let sql = "DELETE FROM cloud_credential WHERE NOT EXISTS (SELECT 1 FROM model
        WHERE model.cloud = cloud_credential.cloud AND model.owner = cloud_credential.owner
            AND model.credential = cloud_credential.name)";
    tx.db.execute(sql, params![]).await?;
    Ok(())
}
