//! People by name, and which models each may read.

use std::collections::BTreeSet;

use periapt_model::{ModelName, ModelUuid, UserName};
use periapt_wire::rest::{ControllerAccess, ModelPermission, OwnModelAccess, UserInfo};

use crate::db::{Session, columns, params, word};
use crate::{Result, Store};

/// What a person may hear of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Nobody by that name, or disabled.
    Nothing,
    Models(BTreeSet<ModelUuid>),
    /// A superuser.
    Everything,
}

impl Reach {
    /// Whether a model may be read.
    pub fn includes(&self, model: &ModelUuid) -> bool {
        match self {
            Reach::Nothing => false,
            Reach::Models(models) => models.contains(model),
            Reach::Everything => true,
        }
    }
}

impl Store {
    /// The models a person owns or was given access to.
    pub async fn reach(&self, user: &UserName) -> Result<Reach> {
        let mut db = self.snapshot().await?;
        let standing = db.one(STANDING, params![user]).await?;
        match standing {
            None => Ok(Reach::Nothing),
            Some(standing) if standing.disabled => Ok(Reach::Nothing),
            Some(standing) if standing.access == "superuser" => Ok(Reach::Everything),
            Some(_) => {
                let models = models(&mut db, user).await?;
                Ok(Reach::Models(
                    models.into_iter().map(|model| model.uuid).collect(),
                ))
            }
        }
    }
}

columns! {
    struct Standing {
        access: String = "access",
        disabled: bool = "disabled",
    }
    const STANDING = "FROM account WHERE name = $1";
}

columns! {
    struct Account {
        display_name: String = "display_name",
        access: String = "access",
        disabled: bool = "disabled",
        password_hash: String = "password_hash",
        created_by: String = "created_by",
        created_at: i64 = "created_at",
        last_login: Option<i64> = "last_login",
    }
    const ACCOUNT = "FROM account WHERE name = $1";
}

columns! {
    struct ModelOfUser {
        uuid: ModelUuid = "model.uuid" as word,
        name: ModelName = "model.name" as word,
        access: String = "CASE WHEN model.owner = $1 THEN 'admin' ELSE model_access.access END",
    }
    const MODELS = "FROM model LEFT JOIN model_access
            ON model_access.model_uuid = model.uuid AND model_access.account = $1
        WHERE model.owner = $1 OR model_access.account = $1 ORDER BY model.name";
}

/// One person as listed.
pub(super) async fn read(db: &mut Session, user: &UserName) -> Result<Option<UserInfo>> {
    let Some(row) = db.one(ACCOUNT, params![user]).await? else {
        return Ok(None);
    };
    Ok(Some(UserInfo {
        name: user.to_string(),
        display_name: row.display_name,
        access: match row.access.as_str() {
            "superuser" => ControllerAccess::Superuser,
            _ => ControllerAccess::Login,
        },
        disabled: row.disabled,
        registered: !row.password_hash.is_empty(),
        created_by: row.created_by,
        created_at: row.created_at,
        last_login: row.last_login,
        models: models(db, user).await?,
    }))
}

async fn models(db: &mut Session, user: &UserName) -> Result<Vec<OwnModelAccess>> {
    let rows = db.all(MODELS, params![user]).await?.into_iter();
    let models = rows.map(|row| OwnModelAccess {
        uuid: row.uuid,
        name: row.name,
        access: match row.access.as_str() {
            "admin" => ModelPermission::Admin,
            "write" => ModelPermission::Write,
            _ => ModelPermission::Read,
        },
    });
    Ok(models.collect())
}
