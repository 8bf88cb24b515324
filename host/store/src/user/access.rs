//! Who may do what: on the controller, and in each model.
//!
//! A model's owner has a row like everybody else; it says `admin` and stays while they own the
//! model. A superuser counts as admin everywhere without any row. What a request needs to know is
//! one indexed read.

use periapt_model::{ModelUuid, Refusal, UserName};
use periapt_wire::rest::{
    ControllerAccess, ModelAccess, ModelPermission, ModelSummary, OwnModelAccess, UserInfo,
};

use crate::changes::namespace;
use crate::db::{Session, Tx, columns, params, word};
use crate::error::StoreError;
use crate::{Result, Store, user, views};

/// A model and what somebody may do in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelStanding {
    pub model: ModelUuid,
    pub access: ModelPermission,
}

/// The models that an enabled user, `$1`, can see.
macro_rules! seen {
    ($rest:literal) => {
        concat!(
            "FROM model JOIN account ON account.name = $1 AND account.disabled = 0
            LEFT JOIN model_access ON model_access.model_uuid = model.uuid
                AND model_access.account = account.name
            WHERE (account.access = 'superuser' OR model_access.access IS NOT NULL) ",
            $rest
        )
    };
}

columns! {
    struct Own -> OwnModelAccess {
        uuid = "model.uuid" as word,
        name = "model.name" as word,
        access = "CASE WHEN account.access = 'superuser' THEN 'admin' ELSE model_access.access END"
            as word,
        last_connection = "(SELECT model_connection.connected_at FROM model_connection
            WHERE model_connection.model_uuid = model.uuid
                AND model_connection.account = account.name)",
    }
    const OWN = seen!("ORDER BY model.name");
}

columns! {
    /// Read with every request, so without what only lists show.
    struct Named -> ModelStanding {
        model = "model.uuid" as word,
        access = "CASE WHEN account.access = 'superuser' THEN 'admin' ELSE model_access.access END"
            as word,
    }
    const NAMED = seen!(
        "AND (model.uuid = $2 OR model.name = $2)
        ORDER BY CASE WHEN model.uuid = $2 THEN 0 ELSE 1 END"
    );
}

columns! {
    struct Access {
        user: String = "model_access.account",
        display_name: String = "COALESCE(account.display_name, '')",
        access: ModelPermission = "model_access.access" as word,
        owner: bool = "CASE WHEN model.owner = model_access.account THEN 1 ELSE 0 END",
        last_connection: Option<i64> = "model_connection.connected_at",
    }
    const ACCESS = "FROM model_access JOIN model ON model.uuid = model_access.model_uuid
        LEFT JOIN account ON account.name = model_access.account
        LEFT JOIN model_connection ON model_connection.model_uuid = model_access.model_uuid
            AND model_connection.account = model_access.account
        WHERE model_access.model_uuid = $1 AND ($2 = '' OR model_access.account = $2)
        ORDER BY model_access.account";
}

impl Store {
    /// What an enabled user may do on the controller; none for everybody else.
    pub async fn standing(&self, user: &UserName) -> Result<Option<ControllerAccess>> {
        let sql = "SELECT access FROM account WHERE name = $1 AND disabled = 0";
        let mut db = self.glance().await?;
        Ok(db.word("controller access", sql, params![user]).await?)
    }

    /// The model that an enabled user names by its name or UUID, and what they may do there; none
    /// when there is no such model for them.
    pub async fn model_standing(
        &self,
        user: &UserName,
        model: &str,
    ) -> Result<Option<ModelStanding>> {
        let mut db = self.glance().await?;
        Ok(db.one(NAMED, params![user, model]).await?)
    }

    /// The models that a user can see, by name, with what they may do there.
    pub async fn own_models(&self, user: &UserName) -> Result<Vec<OwnModelAccess>> {
        Ok(self.glance().await?.all(OWN, params![user]).await?)
    }

    /// The models that a user can see, as listed.
    pub async fn readable_models(&self, user: &UserName) -> Result<Vec<ModelSummary>> {
        let own = self.own_models(user).await?;
        let mut models = self.models().await?;
        models.retain(|model| own.iter().any(|own| own.uuid == model.uuid));
        Ok(models)
    }

    /// Gives a user at least this access to the controller.
    pub async fn grant_controller(
        &self,
        user: &UserName,
        access: ControllerAccess,
    ) -> Result<UserInfo> {
        self.set_controller_access(user, move |present| present.max(access))
            .await
    }

    /// Takes superuser from a user. Logging in is taken by disabling them.
    pub async fn revoke_controller(
        &self,
        user: &UserName,
        access: ControllerAccess,
    ) -> Result<UserInfo> {
        if access == ControllerAccess::Login {
            return Err(StoreError::Refused {
                refusal: Refusal::AccessLogin,
                message: format!("every user may log in; to shut \"{user}\" out, disable them"),
            });
        }
        self.set_controller_access(user, |_| ControllerAccess::Login)
            .await
    }

    async fn set_controller_access(
        &self,
        user: &UserName,
        change: impl FnOnce(ControllerAccess) -> ControllerAccess + Send + 'static,
    ) -> Result<UserInfo> {
        let user = user.clone();
        self.write(move |tx| {
            Box::pin(async move {
                let present = views::user::find(&mut tx.db, &user).await?.access;
                let wanted = change(present);
                if wanted != present {
                    let sql = "UPDATE account SET access = $2 WHERE name = $1";
                    tx.db.execute(sql, params![&user, wanted.as_str()]).await?;
                    if wanted < present {
                        user::keep_a_superuser(&mut tx.db, &user).await?;
                    }
                    user::touch(tx, &user);
                }
                views::user::find(&mut tx.db, &user).await
            })
        })
        .await
    }

    /// Who may do what in a model, by name. Superusers have no row of their own.
    pub async fn model_access(&self, model: &ModelUuid) -> Result<Vec<ModelAccess>> {
        let mut db = self.snapshot().await?;
        crate::require_model(&mut db, model).await?;
        read_access(&mut db, model, "").await
    }

    /// Gives a user at least this access to a model.
    pub async fn grant_model(
        &self,
        model: &ModelUuid,
        user: &UserName,
        access: ModelPermission,
    ) -> Result<ModelAccess> {
        self.set_model_access(model, user, move |present| present.max(Some(access)))
            .await
    }

    /// Takes this access, and what includes it, from a user.
    pub async fn revoke_model(
        &self,
        model: &ModelUuid,
        user: &UserName,
        access: ModelPermission,
    ) -> Result<ModelAccess> {
        self.set_model_access(model, user, move |present| present.min(access.below()))
            .await
    }

    async fn set_model_access(
        &self,
        model: &ModelUuid,
        user: &UserName,
        change: impl FnOnce(Option<ModelPermission>) -> Option<ModelPermission> + Send + 'static,
    ) -> Result<ModelAccess> {
        let (model, user) = (model.clone(), user.clone());
        self.write(move |tx| {
            Box::pin(async move {
                crate::require_model(&mut tx.db, &model).await?;
                let about = views::user::find(&mut tx.db, &user).await?;
                let present = read_access(&mut tx.db, &model, user.as_str()).await?.pop();
                let owner = present.as_ref().is_some_and(|present| present.owner);
                let last_connection = present.as_ref().and_then(|present| present.last_connection);
                let before = present.and_then(|present| present.access);
                let wanted = change(before);
                if owner && wanted != Some(ModelPermission::Admin) {
                    return Err(StoreError::Refused {
                        refusal: Refusal::OwnerAccess,
                        message: format!("user \"{user}\" owns the model and stays its admin"),
                    });
                }
                match wanted {
                    _ if wanted == before => {}
                    Some(access) => put(tx, &model, &user, access).await?,
                    None => {
                        let sql = "DELETE FROM model_access WHERE model_uuid = $1 AND account = $2";
                        tx.db.execute(sql, params![&model, &user]).await?;
                        touch(tx, &model, &user);
                    }
                }
                Ok(ModelAccess {
                    user: user.to_string(),
                    display_name: about.display_name,
                    access: wanted,
                    owner,
                    last_connection,
                })
            })
        })
        .await
    }
}

/// Sets what a user may do in a model.
pub(crate) async fn put(
    tx: &mut Tx,
    model: &ModelUuid,
    user: &UserName,
    access: ModelPermission,
) -> Result<()> {
    let sql = "INSERT INTO model_access (model_uuid, account, access) VALUES ($1, $2, $3)
        ON CONFLICT (model_uuid, account) DO UPDATE SET access = excluded.access";
    tx.db
        .execute(sql, params![model, user, access.as_str()])
        .await?;
    touch(tx, model, user);
    Ok(())
}

fn touch(tx: &mut Tx, model: &ModelUuid, user: &UserName) {
    tx.touch_controller(namespace::USER, format!("{user}/{model}"));
}

async fn read_access(db: &mut Session, model: &ModelUuid, user: &str) -> Result<Vec<ModelAccess>> {
    let rows = db.all(ACCESS, params![model, user]).await?;
    let access = |row: Access| ModelAccess {
        user: row.user,
        display_name: row.display_name,
        access: Some(row.access),
        owner: row.owner,
        last_connection: row.last_connection,
    };
    Ok(rows.into_iter().map(access).collect())
}
