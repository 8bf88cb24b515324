//! People: passwords and bearer tokens.
//!
//! Passwords are kept as Argon2id hashes and worked on outside the writer, since one costs tens
//! of milliseconds. Tokens are random, so a plain digest keeps them.

use std::time::Duration;

use argon2::password_hash::phc::PasswordHash;
use argon2::{Argon2, PasswordHasher, PasswordVerifier};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use periapt_model::UserName;

use crate::db::params;
use crate::error::StoreError;
use crate::{Result, Store};

/// The hash of no password anybody has: checked when a user does not exist, so that the answer
/// takes as long.
pub(crate) const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5LW5vYm9keS0wMQ$X/7mMR3Dhqk3JUCyPqtkXbpO2TnGPVnMYZJ3OZB4T3s";

impl Store {
    /// Makes a user or gives one a new password, which ends the user's tokens.
    pub async fn set_password(&self, user: &UserName, password: &str) -> Result<()> {
        if password.is_empty() {
            return Err(StoreError::bad_request("a password must not be empty"));
        }
        let password = password.to_owned();
        let hash = blocking(move || {
            Argon2::default()
                .hash_password(password.as_bytes())
                .map(|hash| hash.to_string())
                .map_err(|error| StoreError::Internal {
                    message: error.to_string(),
                })
        })
        .await??;
        let user = user.clone();
        self.write(move |tx| {
            Box::pin(async move {
                let sql =
                    "INSERT INTO account (name, password_hash, created_at) VALUES ($1, $2, $3)
                    ON CONFLICT (name) DO UPDATE SET password_hash = excluded.password_hash";
                tx.db.execute(sql, params![&user, hash, tx.now]).await?;
                tx.db
                    .execute("DELETE FROM token WHERE account = $1", params![&user])
                    .await
                    .map(|_| ())
            })
        })
        .await
    }

    /// Whether this is the user's password. Takes as long for a user who does not exist.
    pub async fn check_password(&self, user: &UserName, password: &str) -> Result<bool> {
        let sql = "SELECT password_hash FROM account WHERE name = $1";
        let row = self
            .glance()
            .await?
            .fetch_optional(sql, params![user])
            .await?;
        let (known, hash) = match row {
            Some(row) => (true, row.text(0)?),
            None => (false, NOBODY.to_owned()),
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
        Ok(known && fits)
    }

    /// Whether anybody can log in at all.
    pub async fn has_users(&self) -> Result<bool> {
        Ok(self
            .glance()
            .await?
            .count("SELECT COUNT(*) FROM account", vec![])
            .await?
            > 0)
    }

    /// A new bearer token of a user.
    pub async fn issue_token(&self, user: &UserName, lifetime: Duration) -> Result<String> {
        let token = random_secret();
        let (user, digest) = (user.clone(), digest(&token));
        let lifetime = i64::try_from(lifetime.as_micros()).unwrap_or(i64::MAX);
        self.write(move |tx| {
            Box::pin(async move {
                let known = tx
                    .db
                    .count(
                        "SELECT COUNT(*) FROM account WHERE name = $1",
                        params![&user],
                    )
                    .await?;
                if known == 0 {
                    return Err(StoreError::not_found("user", &user));
                }
                tx.db
                    .execute("DELETE FROM token WHERE expires_at <= $1", params![tx.now])
                    .await?;
                let sql = "INSERT INTO token (digest, account, expires_at) VALUES ($1, $2, $3)";
                let expires = tx.now.saturating_add(lifetime);
                tx.db
                    .execute(sql, params![digest, &user, expires])
                    .await
                    .map(|_| ())
            })
        })
        .await?;
        Ok(token)
    }

    /// Whose token this is; none when it is nobody's, expired or revoked.
    pub async fn check_token(&self, token: &str) -> Result<Option<UserName>> {
        let sql = "SELECT account FROM token WHERE digest = $1 AND expires_at > $2";
        let row = self
            .glance()
            .await?
            .fetch_optional(sql, params![digest(token), self.now()])
            .await?;
        row.map(|row| row.parse(0, "user name")).transpose()
    }

    /// Ends a token. One that is unknown is fine.
    pub async fn revoke_token(&self, token: &str) -> Result<()> {
        let params = params![digest(token)];
        self.write(move |tx| {
            Box::pin(async move {
                tx.db
                    .execute("DELETE FROM token WHERE digest = $1", params)
                    .await
                    .map(|_| ())
            })
        })
        .await
    }
}

/// 256 random bits as text.
pub(crate) fn random_secret() -> String {
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}

/// What is stored of a random secret. A fast digest is enough: there is nothing to guess.
pub(crate) fn digest(secret: &str) -> String {
    blake3::hash(secret.as_bytes()).to_hex().to_string()
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| StoreError::Internal {
            message: error.to_string(),
        })
}
