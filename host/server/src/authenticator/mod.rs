//! Who is it? Passwords, tokens and cookies in, identities out.
//!
//! The store keeps and compares the secrets; this room reads the forms in which they arrive
//! (websocket login, `Authorization: Bearer`, `Authorization: Basic` with a user name or a tag, a
//! browser's cookie), slows down whoever guesses, and bounds how many password hashes are
//! computed at once, for all and for each address. It outlives the API server, so that a restart
//! of that forgets no guess.
//!
//! Only what people choose is guessed: tokens and the passwords of agents are random, are compared
//! by a fast digest, and a wrong one makes nobody wait. So nobody can lock an agent out by
//! guessing under its name, from whichever address.
//!
//! Where an account logged in before, its guesses wait in a line instead of being refused, and no
//! longer than a few seconds each: whoever guesses from behind the same address delays its owner
//! and does not keep them out.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use periapt_engine::SharedClock;
use periapt_model::{Refusal, Tag, UserName};
use periapt_store::{
    IssuedToken, KnownToken, NewToken, PasswordCheck, Store, StoreError, TokenKind,
};
use periapt_wire::rest::LoginRequest;
use thiserror::Error;
use tokio::sync::Semaphore;

use crate::identity::Identity;

mod caller;
mod lines;
mod throttle;

pub use caller::Caller;

use lines::Lines;
use throttle::{Attempt, Throttle};

/// How long a login is good that says nothing else. Clients that keep a password log in anew by themselves.
pub const LOGIN_LIFE: Duration = Duration::from_secs(24 * 3600);
/// How long a token made for a program is good.
pub const TOKEN_LIFE: Duration = Duration::from_secs(30 * 24 * 3600);
/// How long one may be made to be good: a stolen token ends some day.
pub const LONGEST_TOKEN_LIFE: Duration = Duration::from_secs(400 * 24 * 3600);
/// How long a browser stays signed in: a long working day.
pub const SESSION_LIFE: Duration = Duration::from_secs(12 * 3600);
/// What a login calls its token when it has no better name.
const LOGIN_TOKEN: &str = "cli";

/// A password hash takes tens of milliseconds of a core and tens of megabytes; logins wait for
/// their turn rather than take the controller's breath.
const HASHES_AT_ONCE: usize = 2;
/// Logins of one address that wait for a hash, and of one account where it is at home.
const LINE: usize = 8;
/// After which one who found the line full may come back.
const LINE_MOVES: Duration = Duration::from_secs(1);

/// Longer ones are refused unread.
const CREDENTIAL_BYTES: usize = 1024;

/// A token's use is handed to the store at most this often.
const USE_NOTED: Duration = Duration::from_secs(60);

/// Why somebody is not let in.
#[derive(Debug, Error)]
pub enum AuthError {
    #[error("no credentials were given")]
    Missing,
    /// The text is Juju's; clients compare it.
    #[error("invalid entity name or password")]
    Invalid,
    /// The same for one who was told so again and again: nothing to write down.
    #[error("invalid entity name or password")]
    Repeated,
    /// The password is right.
    #[error("this account is disabled")]
    Disabled,
    #[error("the token is not valid or has expired")]
    Token,
    #[error("too many failed logins; try again in {} s", wait_seconds(.0))]
    Throttled(Duration),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The token in the value of an `Authorization` header.
pub(crate) fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Whole seconds after which a try is looked at again.
pub(crate) fn wait_seconds(wait: &Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

/// An identity with the token it was proven by, if it was one.
#[derive(Clone)]
pub struct Proof {
    pub identity: Identity,
    pub token: Option<KnownToken>,
}

/// Proves identities against the store.
pub struct Authenticator {
    store: Store,
    clock: SharedClock,
    throttle: Throttle,
    hashes: Semaphore,
    /// For those who are at home where they come from.
    own_hashes: Semaphore,
    strangers: Lines<Option<IpAddr>>,
    at_home: Lines<Attempt>,
    /// Tokens whose use was handed to the store lately.
    noted: Mutex<HashMap<String, Duration>>,
}

impl Authenticator {
    pub fn new(store: Store, clock: SharedClock) -> Arc<Self> {
        Arc::new(Self {
            store,
            throttle: Throttle::new(clock.clone()),
            clock,
            hashes: Semaphore::new(HASHES_AT_ONCE),
            own_hashes: Semaphore::new(1),
            strangers: Lines::new(LINE),
            at_home: Lines::new(LINE),
            noted: Mutex::default(),
        })
    }

    /// A person's password for a bearer token.
    pub async fn issue_token(
        &self,
        login: &LoginRequest,
        life: Duration,
        caller: &Caller,
    ) -> Result<IssuedToken, AuthError> {
        let name = login.name.as_deref().unwrap_or(LOGIN_TOKEN);
        let wanted = NewToken::login(name, life);
        self.issue(&login.user, &login.password, wanted, caller)
            .await
    }

    /// A person's password for a browser's session, with which another of that browser ends.
    pub async fn open_session(
        &self,
        user: &str,
        password: &str,
        before: Option<String>,
        caller: &Caller,
    ) -> Result<IssuedToken, AuthError> {
        let wanted = NewToken {
            kind: TokenKind::Session,
            replaces: before,
            ..NewToken::login("browser", SESSION_LIFE)
        };
        self.issue(user, password, wanted, caller).await
    }

    async fn issue(
        &self,
        user: &str,
        password: &str,
        wanted: NewToken,
        caller: &Caller,
    ) -> Result<IssuedToken, AuthError> {
        let user = user.strip_prefix("user-").unwrap_or(user);
        let name: UserName = user.parse().map_err(|_| AuthError::Invalid)?;
        self.confirm(&name, password, caller.peer).await?;
        let wanted = NewToken {
            origin: caller.origin(),
            ..wanted
        };
        Ok(self.store.issue_token(&name, wanted).await?)
    }

    /// Whether this is the user's password, as careful as a login.
    pub async fn confirm(
        &self,
        user: &UserName,
        password: &str,
        peer: Option<IpAddr>,
    ) -> Result<(), AuthError> {
        self.guarded(&Tag::User(user.clone()), password, peer).await
    }

    /// An invitation for a password and a bearer token.
    pub async fn register(
        &self,
        user: &UserName,
        invitation: &str,
        password: &str,
        caller: &Caller,
    ) -> Result<IssuedToken, AuthError> {
        let attempt = Attempt::of_person(Tag::User(user.clone()), caller.peer);
        let issued = self.in_turn(&attempt, || async {
            let wanted = NewToken {
                origin: caller.origin(),
                ..NewToken::login(LOGIN_TOKEN, LOGIN_LIFE)
            };
            let done = self
                .store
                .register(user, invitation, password, wanted)
                .await;
            if let Err(StoreError::Refused { refusal, .. }) = &done
                && *refusal == Refusal::RegistrationInvalid
            {
                self.throttle.failed(&attempt);
            }
            Ok::<_, AuthError>(done?)
        });
        let issued = issued.await?;
        self.throttle.succeeded(&attempt);
        Ok(issued)
    }

    /// A login on a websocket: a tag with its password, a user's tag with a token, or a token
    /// alone.
    pub async fn login(
        &self,
        tag: Option<&str>,
        secret: Option<&str>,
        caller: &Caller,
    ) -> Result<Identity, AuthError> {
        let secret = secret
            .filter(|secret| !secret.is_empty())
            .ok_or(AuthError::Missing)?;
        let proof = match tag.filter(|tag| !tag.is_empty()) {
            None => self.token(secret, TokenKind::Token, caller).await?,
            Some(tag) => {
                let tag: Tag = tag.parse().map_err(|_| AuthError::Invalid)?;
                self.prove(&tag, secret, caller).await?
            }
        };
        if let Identity::User { name } = &proof.identity {
            self.store.note_login(name).await?;
        }
        Ok(proof.identity)
    }

    /// The value of an `Authorization` header.
    pub async fn header(&self, value: &str, caller: &Caller) -> Result<Proof, AuthError> {
        if let Some(secret) = bearer(value) {
            return self.token(secret, TokenKind::Token, caller).await;
        }
        let (scheme, rest) = value.split_once(' ').ok_or(AuthError::Missing)?;
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
            Ok(tag @ (Tag::User(_) | Tag::Agent(..))) => tag,
            _ => Tag::User(name.parse().map_err(|_| AuthError::Invalid)?),
        };
        self.prove(&tag, secret, caller).await
    }

    /// The value of a browser's cookie.
    pub async fn cookie(&self, secret: &str, caller: &Caller) -> Result<Proof, AuthError> {
        self.token(secret, TokenKind::Session, caller).await
    }

    /// A cookie is not accepted as a bearer token, nor a token as a cookie: each is protected by other
    /// guards.
    async fn token(
        &self,
        secret: &str,
        kind: TokenKind,
        caller: &Caller,
    ) -> Result<Proof, AuthError> {
        if secret.is_empty() || secret.len() > CREDENTIAL_BYTES {
            return Err(AuthError::Token);
        }
        let known = self.store.check_token(secret).await?;
        let known = known
            .filter(|known| (known.kind == TokenKind::Session) == (kind == TokenKind::Session))
            .ok_or(AuthError::Token)?;
        self.note_use(&known, caller);
        Ok(Proof {
            identity: Identity::User {
                name: known.user.clone(),
            },
            token: Some(known),
        })
    }

    /// Writes down that a token is in use, beside the request and not before its answer.
    fn note_use(&self, token: &KnownToken, caller: &Caller) {
        if !token.use_is_news {
            return;
        }
        let now = self.clock.monotonic();
        {
            let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
            if noted
                .get(&token.id)
                .is_some_and(|last| now < *last + USE_NOTED)
            {
                return;
            }
            noted.retain(|_, last| now < *last + USE_NOTED);
            noted.insert(token.id.clone(), now);
        }
        let (store, id, origin) = (self.store.clone(), token.id.clone(), caller.origin());
        tokio::spawn(async move {
            if let Err(error) = store.note_token_use(&id, origin).await {
                tracing::debug!(%error, "the use of a token was not written down");
            }
        });
    }

    async fn prove(&self, tag: &Tag, secret: &str, caller: &Caller) -> Result<Proof, AuthError> {
        if let Tag::User(name) = tag
            && let Ok(proof) = self.token(secret, TokenKind::Token, caller).await
            && proof
                .token
                .as_ref()
                .is_some_and(|token| token.user == *name)
        {
            return Ok(proof);
        }
        self.guarded(tag, secret, caller.peer).await?;
        let identity = match tag {
            Tag::User(name) => Identity::User { name: name.clone() },
            Tag::Agent(model, agent) => Identity::Agent {
                model: model.clone(),
                agent: agent.clone(),
            },
            _ => return Err(AuthError::Invalid),
        };
        Ok(Proof {
            identity,
            token: None,
        })
    }

    /// Compares a password, counting failures.
    async fn guarded(
        &self,
        tag: &Tag,
        password: &str,
        peer: Option<IpAddr>,
    ) -> Result<(), AuthError> {
        let person = matches!(tag, Tag::User(_));
        let attempt = match person {
            true => Attempt::of_person(tag, peer),
            false => Attempt::of_agent(tag, peer),
        };
        let fits = match person {
            true => {
                let compare = || async {
                    let fits = self.matches(tag, password).await?;
                    if fits != PasswordCheck::Right {
                        self.throttle.failed(&attempt);
                    }
                    Ok::<_, AuthError>(fits)
                };
                self.in_turn(&attempt, compare).await?
            }
            false => self.matches(tag, password).await?,
        };
        match fits {
            PasswordCheck::Right => {
                if person {
                    self.throttle.succeeded(&attempt);
                }
                return Ok(());
            }
            PasswordCheck::Disabled => return Err(AuthError::Disabled),
            PasswordCheck::Wrong => {}
        }
        if !person {
            let repeated = self.throttle.check(&attempt).is_err();
            self.throttle.failed(&attempt);
            if repeated {
                return Err(AuthError::Repeated);
            }
        }
        tracing::info!(target: "audit", who = %tag, method = "login", result = "refused", peer = ?peer, "login refused");
        Err(AuthError::Invalid)
    }

    /// Does what takes a hash when it is the person's turn, or says how long to wait for it.
    /// Many tries at a time wait here for the ones before them to be counted.
    async fn in_turn<T, F: Future<Output = Result<T, AuthError>>>(
        &self,
        attempt: &Attempt,
        work: impl FnOnce() -> F,
    ) -> Result<T, AuthError> {
        let full = || AuthError::Throttled(LINE_MOVES);
        if self.throttle.is_at_home(attempt) {
            let line = self.at_home.join(attempt.clone()).ok_or_else(full)?;
            let _front = line.front().await;
            if let Err(wait) = self.throttle.check(attempt) {
                self.clock.sleep(wait).await;
            }
            // Neither semaphore is closed; without a permit the bound is all that is missing.
            let _turn = self.own_hashes.acquire().await;
            return work().await;
        }
        self.throttle.check(attempt).map_err(AuthError::Throttled)?;
        let line = self.strangers.join(attempt.address()).ok_or_else(full)?;
        let _front = line.front().await;
        let _turn = self.hashes.acquire().await;
        self.throttle.check(attempt).map_err(AuthError::Throttled)?;
        work().await
    }

    async fn matches(&self, tag: &Tag, password: &str) -> Result<PasswordCheck, AuthError> {
        if password.len() > CREDENTIAL_BYTES {
            return Ok(PasswordCheck::Wrong);
        }
        Ok(match tag {
            Tag::User(name) => self.store.check_password(name, password).await?,
            Tag::Agent(model, agent) => {
                let fits = self.store.check_agent_password(model, agent, password);
                match fits.await? {
                    true => PasswordCheck::Right,
                    false => PasswordCheck::Wrong,
                }
            }
            _ => PasswordCheck::Wrong,
        })
    }
}
