//! People as they are shown, each with the models that they were given or own: an owner has a row among
//! the accesses like everybody else.

use periapt_model::refusal::Subject;
use periapt_model::{ModelName, ModelUuid, UserName};
use periapt_wire::rest::{ControllerAccess, ModelPermission, OwnModelAccess, UserInfo};

use crate::db::{Session, columns, params, word};
use crate::error::StoreError;
use crate::{Result, Store};

columns! {
    struct Account {
        name: String = "name",
        display_name: String = "display_name",
        access: ControllerAccess = "access" as word,
        disabled: bool = "disabled",
        password_hash: String = "password_hash",
        created_by: String = "created_by",
        created_at: i64 = "created_at",
        last_login: Option<i64> = "last_login",
    }
    const USERS = "FROM account WHERE $1 = '' OR name = $1 ORDER BY name";
}

columns! {
    struct OwnModel {
        account: String = "model_access.account",
        uuid: ModelUuid = "model.uuid" as word,
        name: ModelName = "model.name" as word,
        access: ModelPermission = "model_access.access" as word,
        last_connection: Option<i64> = "model_connection.connected_at",
    }
    const OWN_MODELS = "FROM model_access JOIN model ON model.uuid = model_access.model_uuid
        LEFT JOIN model_connection ON model_connection.model_uuid = model_access.model_uuid
            AND model_connection.account = model_access.account
        WHERE $1 = '' OR model_access.account = $1 ORDER BY model.name";
}

impl Store {
    /// All users, by name.
    pub async fn users(&self) -> Result<Vec<UserInfo>> {
        read(&mut self.snapshot().await?, "").await
    }

    pub async fn user(&self, user: &UserName) -> Result<UserInfo> {
        find(&mut self.snapshot().await?, user).await
    }
}

pub(crate) async fn find(db: &mut Session, user: &UserName) -> Result<UserInfo> {
    let mut found = read(db, user.as_str()).await?;
    found
        .pop()
        .ok_or_else(|| StoreError::not_found(Subject::User, user))
}

async fn read(db: &mut Session, which: &str) -> Result<Vec<UserInfo>> {
    let accounts = db.all(USERS, params![which]).await?;
    let mut users: Vec<UserInfo> = accounts.into_iter().map(shown).collect();
    // Databases disagree about the order of names.
    users.sort_by(|a, b| a.name.cmp(&b.name));
    for model in db.all(OWN_MODELS, params![which]).await? {
        let of = |user: &UserInfo| user.name.cmp(&model.account);
        if let Ok(index) = users.binary_search_by(of)
            && let Some(user) = users.get_mut(index)
        {
            user.models.push(OwnModelAccess {
                uuid: model.uuid,
                name: model.name,
                access: model.access,
                last_connection: model.last_connection,
            });
        }
    }
    Ok(users)
}

fn shown(account: Account) -> UserInfo {
    UserInfo {
        name: account.name,
        display_name: account.display_name,
        access: account.access,
        disabled: account.disabled,
        registered: !account.password_hash.is_empty(),
        created_by: account.created_by,
        created_at: account.created_at,
        last_login: account.last_login,
        models: Vec::new(),
    }
}
