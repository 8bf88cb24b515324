//! People by name, and which models each may read.

use std::collections::BTreeSet;

use periapt_model::{ModelUuid, UserName};
use periapt_wire::rest::{ControllerAccess, ModelPermission, OwnModelAccess, UserInfo};

use crate::db::{Row, Session, params};
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
        let sql = "SELECT access, disabled FROM account WHERE name = $1";
        let row = db.fetch_optional(sql, params![user]).await?;
        match row {
            None => Ok(Reach::Nothing),
            Some(row) if row.flag(1)? => Ok(Reach::Nothing),
            Some(row) if row.str(0)? == "superuser" => Ok(Reach::Everything),
            Some(_) => {
                let models = models(&mut db, user).await?;
                Ok(Reach::Models(
                    models.into_iter().map(|model| model.uuid).collect(),
                ))
            }
        }
    }
}

/// One person as listed.
pub(super) async fn read(db: &mut Session, user: &UserName) -> Result<Option<UserInfo>> {
    let sql =
        "SELECT display_name, access, disabled, password_hash, created_by, created_at, last_login
        FROM account WHERE name = $1";
    let Some(row) = db.fetch_optional(sql, params![user]).await? else {
        return Ok(None);
    };
    Ok(Some(UserInfo {
        name: user.to_string(),
        display_name: row.text(0)?,
        access: match row.str(1)? {
            "superuser" => ControllerAccess::Superuser,
            _ => ControllerAccess::Login,
        },
        disabled: row.flag(2)?,
        registered: !row.str(3)?.is_empty(),
        created_by: row.text(4)?,
        created_at: row.int(5)?,
        last_login: row.optional_int(6)?,
        models: models(db, user).await?,
    }))
}

async fn models(db: &mut Session, user: &UserName) -> Result<Vec<OwnModelAccess>> {
    let sql = "SELECT model.uuid, model.name,
            CASE WHEN model.owner = $1 THEN 'admin' ELSE model_access.access END
        FROM model LEFT JOIN model_access
            ON model_access.model_uuid = model.uuid AND model_access.account = $1
        WHERE model.owner = $1 OR model_access.account = $1 ORDER BY model.name";
    let rows = db.fetch(sql, params![user]).await?;
    rows.iter().map(read_model).collect()
}

fn read_model(row: &Row) -> Result<OwnModelAccess> {
    Ok(OwnModelAccess {
        uuid: row.parse(0, "model UUID")?,
        name: row.parse(1, "model name")?,
        access: match row.str(2)? {
            "admin" => ModelPermission::Admin,
            "write" => ModelPermission::Write,
            _ => ModelPermission::Read,
        },
    })
}
