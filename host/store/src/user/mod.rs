//! People: who they are, their passwords, whether they may log in at all.
//!
//! Passwords are kept as Argon2id hashes and worked on outside the writer, since one costs tens
//! of milliseconds. A change of a password and a disabled account end all tokens and sessions in
//! the same transaction. At least one person who can log in stays superuser, whatever is asked.

use argon2::password_hash::phc::PasswordHash;
use argon2::{Argon2, PasswordHasher, PasswordVerifier};
use periapt_model::refusal::Subject;
use periapt_model::{ModelUuid, Refusal, UserName, bounds, password};
use periapt_wire::rest::{AddUser, ChangeUser, ModelPermission, UserInfo};

use crate::changes::namespace;
use crate::db::{Session, Tx, columns, params};
use crate::error::StoreError;
use crate::tables::{Table, tables};
use crate::{Result, Store, views};

pub(crate) mod access;
mod connections;
pub(crate) mod origin;
pub(crate) mod tokens;

pub(crate) const TABLES: &[Table] = tables! {
    "model_access";
    "model_connection";
};

/// The hash of no password anybody has: checked when a user does not exist, so that the answer
/// takes as long.
pub(crate) const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5LW5vYm9keS0wMQ$X/7mMR3Dhqk3JUCyPqtkXbpO2TnGPVnMYZJ3OZB4T3s";

/// Characters of a display name.
const DISPLAY_NAME: usize = bounds::DISPLAY_NAME_CHARACTERS.length();

columns! {
    /// What a password is held against.
    struct Secret {
        hash: String = "password_hash",
        disabled: bool = "disabled",
    }
    const SECRET = "FROM account WHERE name = $1 AND password_hash <> ''";
}

/// What a user's password is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasswordCheck {
    Right,
    Wrong,
    /// The password is right and the account is disabled. Nobody without the password learns it.
    Disabled,
}

impl Store {
    /// Makes the first superuser of a controller, or gives a user a new password, which ends the
    /// user's tokens.
    pub async fn set_password(&self, user: &UserName, password: &str) -> Result<()> {
        let hash = hash(user, password).await?;
        let user = user.clone();
        self.write(move |tx| {
            Box::pin(async move {
                let sql = "INSERT INTO account (name, password_hash, created_at, access)
                    VALUES ($1, $2, $3, 'superuser')
                    ON CONFLICT (name) DO UPDATE SET password_hash = excluded.password_hash";
                tx.db.execute(sql, params![&user, hash, tx.now]).await?;
                tokens::end_all(tx, &user).await?;
                touch(tx, &user);
                Ok(())
            })
        })
        .await
    }

    /// Gives a user a new password, which ends their tokens and sessions and any invitation.
    pub async fn change_password(&self, user: &UserName, password: &str) -> Result<()> {
        let hash = hash(user, password).await?;
        let user = user.clone();
        self.write(move |tx| Box::pin(async move { put_password(tx, &user, &hash).await }))
            .await
    }

    /// Whether this is the user's password. Takes as long for a user who does not exist, has no
    /// password yet or is disabled.
    pub async fn check_password(&self, user: &UserName, password: &str) -> Result<PasswordCheck> {
        let secret = self.glance().await?.one(SECRET, params![user]).await?;
        let (hash, fitting) = match secret {
            Some(secret) if secret.disabled => (secret.hash, PasswordCheck::Disabled),
            Some(secret) => (secret.hash, PasswordCheck::Right),
            None => (NOBODY.to_owned(), PasswordCheck::Wrong),
        };
        let password = password.to_owned();
        let fits = blocking(move || {
            PasswordHash::new(&hash).is_ok_and(|hash| {
                Argon2::default()
                    .verify_password(password.as_bytes(), &hash)
                    .is_ok()
            })
        })
        .await?;
        Ok(match fits {
            true => fitting,
            false => PasswordCheck::Wrong,
        })
    }

    /// Adds a user who may log in and do nothing else yet. Without a password they are invited:
    /// the one-time token comes along.
    pub async fn add_user(
        &self,
        request: AddUser,
        by: &UserName,
    ) -> Result<(UserInfo, Option<String>)> {
        let name: UserName = request.name.parse()?;
        let display_name = display_name(&request.display_name)?;
        let hash = match &request.password {
            Some(password) => hash(&name, password).await?,
            None => String::new(),
        };
        let by = by.clone();
        self.write(move |tx| {
            Box::pin(async move {
                let sql = "INSERT INTO account (name, display_name, password_hash, access, created_by, created_at)
                    VALUES ($1, $2, $3, 'login', $4, $5) ON CONFLICT (name) DO NOTHING";
                let invited = hash.is_empty();
                let params = params![&name, display_name, hash, &by, tx.now];
                if tx.db.execute(sql, params).await? == 0 {
                    return Err(StoreError::AlreadyExists {
                        kind: Subject::User,
                        name: name.to_string(),
                    });
                }
                let invitation = match invited {
                    true => Some(tokens::invite(tx, &name).await?),
                    false => None,
                };
                touch(tx, &name);
                Ok((views::user::find(&mut tx.db, &name).await?, invitation))
            })
        })
        .await
    }

    /// Changes what is said about a user, or shuts them out: a disabled user has no tokens and
    /// sessions left and keeps their access for the day they are let in again.
    pub async fn change_user(&self, user: &UserName, change: ChangeUser) -> Result<UserInfo> {
        let user = user.clone();
        let name = match &change.display_name {
            Some(name) => Some(display_name(name)?),
            None => None,
        };
        self.write(move |tx| {
            Box::pin(async move {
                require(&mut tx.db, &user).await?;
                if let Some(name) = name {
                    let sql = "UPDATE account SET display_name = $2 WHERE name = $1";
                    tx.db.execute(sql, params![&user, name]).await?;
                }
                if let Some(disabled) = change.disabled {
                    let sql = "UPDATE account SET disabled = $2 WHERE name = $1";
                    tx.db.execute(sql, params![&user, disabled]).await?;
                    if disabled {
                        keep_a_superuser(&mut tx.db, &user).await?;
                        tokens::end_all(tx, &user).await?;
                    }
                }
                touch(tx, &user);
                views::user::find(&mut tx.db, &user).await
            })
        })
        .await
    }

    /// Removes a user with everything that is theirs. Models they own pass to `by`, so that a
    /// later user of the same name inherits nothing.
    pub async fn remove_user(&self, user: &UserName, by: &UserName) -> Result<()> {
        if user == by {
            return Err(StoreError::Refused {
                refusal: Refusal::UserOneself,
                message: "nobody removes themselves".to_owned(),
            });
        }
        let (user, by) = (user.clone(), by.clone());
        self.write(move |tx| {
            Box::pin(async move {
                require(&mut tx.db, &user).await?;
                let sql = "SELECT uuid FROM model WHERE owner = $1";
                let owned: Vec<ModelUuid> = tx.db.words("model UUID", sql, params![&user]).await?;
                tx.db
                    .execute("DELETE FROM account WHERE name = $1", params![&user])
                    .await?;
                keep_a_superuser(&mut tx.db, &user).await?;
                tx.db
                    .execute(
                        "DELETE FROM model_access WHERE account = $1",
                        params![&user],
                    )
                    .await?;
                connections::forget(tx, &user).await?;
                tokens::end_all(tx, &user).await?;
                for model in owned {
                    let sql = "UPDATE model SET owner = $2 WHERE uuid = $1";
                    tx.db.execute(sql, params![&model, &by]).await?;
                    access::put(tx, &model, &by, ModelPermission::Admin).await?;
                    tx.touch(&model, namespace::MODEL, model.as_str());
                }
                touch(tx, &user);
                Ok(())
            })
        })
        .await
    }

    /// Takes a user's password away and invites them anew; the one-time token.
    pub async fn reset_password(&self, user: &UserName) -> Result<(UserInfo, String)> {
        let user = user.clone();
        self.write(move |tx| {
            Box::pin(async move {
                put_password(tx, &user, "").await?;
                keep_a_superuser(&mut tx.db, &user).await?;
                let invitation = tokens::invite(tx, &user).await?;
                Ok((views::user::find(&mut tx.db, &user).await?, invitation))
            })
        })
        .await
    }

    /// Takes note that a user logged in.
    pub async fn note_login(&self, user: &UserName) -> Result<()> {
        let user = user.clone();
        self.write(move |tx| {
            Box::pin(async move {
                let sql = "UPDATE account SET last_login = $2 WHERE name = $1";
                tx.db.execute(sql, params![&user, tx.now]).await?;
                Ok(())
            })
        })
        .await
    }
}

/// Sets a hash; `""` is no password at all.
pub(crate) async fn put_password(tx: &mut Tx, user: &UserName, hash: &str) -> Result<()> {
    let sql = "UPDATE account SET password_hash = $2 WHERE name = $1";
    if tx.db.execute(sql, params![user, hash]).await? == 0 {
        return Err(StoreError::not_found(Subject::User, user));
    }
    tokens::end_all(tx, user).await?;
    touch(tx, user);
    Ok(())
}

/// Whoever watches the account hears of it.
pub(crate) fn touch(tx: &mut Tx, user: &UserName) {
    tx.touch_controller(namespace::USER, user.as_str());
}

pub(crate) async fn require(db: &mut Session, user: &UserName) -> Result<()> {
    let sql = "SELECT COUNT(*) FROM account WHERE name = $1";
    match db.count(sql, params![user]).await? {
        0 => Err(StoreError::not_found(Subject::User, user)),
        _ => Ok(()),
    }
}

/// Refuses what was just done when it left nobody who can log in and do everything.
pub(crate) async fn keep_a_superuser(db: &mut Session, user: &UserName) -> Result<()> {
    let sql = "SELECT COUNT(*) FROM account WHERE access = 'superuser' AND disabled = 0
        AND password_hash <> ''";
    match db.count(sql, vec![]).await? {
        0 => Err(StoreError::Refused {
            refusal: Refusal::LastSuperuser,
            message: format!("user \"{user}\" is the last superuser who can log in"),
        }),
        _ => Ok(()),
    }
}

fn display_name(text: &str) -> Result<String> {
    let text = text.trim();
    if text.chars().count() > DISPLAY_NAME || text.chars().any(char::is_control) {
        return Err(StoreError::Refused {
            refusal: Refusal::DisplayNameInvalid,
            message: format!(
                "a display name has at most {DISPLAY_NAME} characters and no control characters"
            ),
        });
    }
    Ok(text.to_owned())
}

/// The hash to store of a password that keeps the rules.
pub(crate) async fn hash(user: &UserName, password: &str) -> Result<String> {
    password::check(user, password).map_err(|error| StoreError::Refused {
        refusal: error.refusal(),
        message: error.to_string(),
    })?;
    let password = password.to_owned();
    blocking(move || {
        Argon2::default()
            .hash_password(password.as_bytes())
            .map(|hash| hash.to_string())
            .map_err(|error| StoreError::internal(error.to_string()))
    })
    .await?
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| StoreError::internal(error.to_string()))
}
