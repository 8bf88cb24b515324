//! Who is it? Passwords and tokens in, identities out.
//!
//! The store keeps and compares the secrets; this room reads the forms in which they arrive
//! (websocket login, `Authorization: Bearer`, `Authorization: Basic` with a user name or a tag),
//! slows down whoever guesses, and bounds how many password hashes are computed at once. It
//! outlives the API server, so that a restart of that forgets no guess.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use periapt_engine::SharedClock;
use periapt_model::{Tag, UserName};
use periapt_store::{Store, StoreError};
use thiserror::Error;
use tokio::sync::Semaphore;

use crate::identity::Identity;

mod throttle;

use throttle::Throttle;

/// How long a bearer token of a person is good.
pub const TOKEN_LIFE: Duration = Duration::from_secs(30 * 24 * 3600);

/// A password hash takes tens of milliseconds of a core and tens of megabytes; logins wait for
/// their turn rather than take the controller's breath.
const HASHES_AT_ONCE: usize = 2;

/// Longer ones are refused unread.
const CREDENTIAL_BYTES: usize = 1024;

/// Why somebody is not let in.
#[derive(Debug, Error)]
pub enum AuthError {
    #[error("no credentials were given")]
    Missing,
    /// The text is Juju's; clients compare it.
    #[error("invalid entity name or password")]
    Invalid,
    #[error("the token is not valid or has expired")]
    Token,
    #[error("too many failed logins; try again in {} s", .0.as_secs().max(1))]
    Throttled(Duration),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Proves identities against the store.
pub struct Authenticator {
    store: Store,
    throttle: Throttle,
    hashes: Semaphore,
}

impl Authenticator {
    pub fn new(store: Store, clock: SharedClock) -> Arc<Self> {
        Arc::new(Self {
            store,
            throttle: Throttle::new(clock),
            hashes: Semaphore::new(HASHES_AT_ONCE),
        })
    }

    /// A person's password for a bearer token.
    pub async fn issue_token(
        &self,
        user: &str,
        password: &str,
        peer: Option<IpAddr>,
    ) -> Result<(UserName, String), AuthError> {
        let name: UserName = user.parse().map_err(|_| AuthError::Invalid)?;
        self.guarded(&Tag::User(name.clone()), password, peer)
            .await?;
        let token = self.store.issue_token(&name, TOKEN_LIFE).await?;
        Ok((name, token))
    }

    /// A login on a websocket: a tag with its password, a user's tag with a token, or a token
    /// alone.
    pub async fn login(
        &self,
        tag: Option<&str>,
        secret: Option<&str>,
        peer: Option<IpAddr>,
    ) -> Result<Identity, AuthError> {
        let secret = secret
            .filter(|secret| !secret.is_empty())
            .ok_or(AuthError::Missing)?;
        match tag.filter(|tag| !tag.is_empty()) {
            None => self.bearer(secret, peer).await,
            Some(tag) => {
                self.prove(&tag.parse().map_err(|_| AuthError::Invalid)?, secret, peer)
                    .await
            }
        }
    }

    /// The value of an `Authorization` header.
    pub async fn header(
        &self,
        value: Option<&str>,
        peer: Option<IpAddr>,
    ) -> Result<Identity, AuthError> {
        let (scheme, rest) = value
            .and_then(|value| value.split_once(' '))
            .ok_or(AuthError::Missing)?;
        if scheme.eq_ignore_ascii_case("bearer") {
            return self.bearer(rest.trim(), peer).await;
        }
        if !scheme.eq_ignore_ascii_case("basic") {
            return Err(AuthError::Missing);
        }
        let decoded = BASE64_STANDARD
            .decode(rest.trim())
            .ok()
            .and_then(|bytes| String::from_utf8(bytes).ok());
        let decoded = decoded.ok_or(AuthError::Invalid)?;
        let (name, secret) = decoded.split_once(':').ok_or(AuthError::Invalid)?;
        // A tag has a kind that is not the beginning of a user's name by accident: `user-` and
        // `agent-` are read as tags, anything else as a user.
        let tag = match name.parse::<Tag>() {
            Ok(tag @ (Tag::User(_) | Tag::Agent(_))) => tag,
            _ => Tag::User(name.parse().map_err(|_| AuthError::Invalid)?),
        };
        self.prove(&tag, secret, peer).await
    }

    async fn bearer(&self, token: &str, peer: Option<IpAddr>) -> Result<Identity, AuthError> {
        let who = "a token";
        self.throttle
            .check(who, peer)
            .map_err(AuthError::Throttled)?;
        if token.len() <= CREDENTIAL_BYTES
            && let Some(name) = self.store.check_token(token).await?
        {
            return Ok(Identity::User { name });
        }
        self.throttle.failed(who, peer);
        Err(AuthError::Token)
    }

    async fn prove(
        &self,
        tag: &Tag,
        secret: &str,
        peer: Option<IpAddr>,
    ) -> Result<Identity, AuthError> {
        if let Tag::User(name) = tag
            && secret.len() <= CREDENTIAL_BYTES
            && self.store.check_token(secret).await?.as_ref() == Some(name)
        {
            return Ok(Identity::User { name: name.clone() });
        }
        self.guarded(tag, secret, peer).await?;
        match tag {
            Tag::User(name) => Ok(Identity::User { name: name.clone() }),
            Tag::Agent(model) => Ok(Identity::Agent {
                model: model.clone(),
            }),
            _ => Err(AuthError::Invalid),
        }
    }

    /// Compares a password, counting failures.
    async fn guarded(
        &self,
        tag: &Tag,
        password: &str,
        peer: Option<IpAddr>,
    ) -> Result<(), AuthError> {
        let who = tag.to_string();
        self.throttle
            .check(&who, peer)
            .map_err(AuthError::Throttled)?;
        if self.matches(tag, password).await? {
            self.throttle.succeeded(&who, peer);
            return Ok(());
        }
        self.throttle.failed(&who, peer);
        tracing::info!(target: "audit", who = %who, method = "login", result = "refused", peer = ?peer, "login refused");
        Err(AuthError::Invalid)
    }

    async fn matches(&self, tag: &Tag, password: &str) -> Result<bool, AuthError> {
        if password.len() > CREDENTIAL_BYTES {
            return Ok(false);
        }
        // The semaphore is never closed; without a permit the bound is all that is missing.
        let _turn = self.hashes.acquire().await;
        Ok(match tag {
            Tag::User(name) => self.store.check_password(name, password).await?,
            Tag::Agent(_) => self.store.check_agent_password(tag, password).await?,
            _ => false,
        })
    }
}
