//! Secrets that stand for a person for a while: bearer tokens, browser sessions, invitations.
//!
//! They are random, so a plain digest keeps them, and finding the digest by its index tells a
//! guesser nothing. What is listed carries a name and an id of its own, never the secret, and from where and with what
//! it was used last, so that its user can tell it from a stranger's.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use periapt_model::refusal::Subject;
use periapt_model::{Refusal, UserName, bounds, program};
use periapt_wire::rest::TokenInfo;

use super::origin::Origin;
use crate::db::{Tx, columns, params, word};
use crate::error::StoreError;
use crate::{Result, Store, user};

/// How long an invitation is good.
const INVITATION: Duration = Duration::from_secs(24 * 3600);
/// The use of a token is written down at most this often.
const USE_NOTED: Duration = Duration::from_secs(60);
/// Tokens and sessions of one user. The oldest ends when another is made.
const PER_USER: usize = bounds::TOKENS.length();
/// Characters of a token's name.
const NAME: usize = bounds::TOKEN_NAME_CHARACTERS.length();

/// What a secret is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// Made for a program, and sent as `Authorization: Bearer`.
    Token,
    /// Of a login, and sent in the same way.
    Login,
    /// The cookie of a browser.
    Session,
}

impl TokenKind {
    pub fn as_str(self) -> &'static str {
        match self {
            TokenKind::Token => "token",
            TokenKind::Login => "login",
            TokenKind::Session => "session",
        }
    }
}

/// A secret to be made.
#[derive(Clone, Debug)]
pub struct NewToken {
    pub kind: TokenKind,
    pub name: String,
    /// Asked for by name: another token of that name refuses it. One made by a login gets a
    /// number after its name instead.
    pub unique: bool,
    pub lifetime: Duration,
    /// Secret of the one that ends with it.
    pub replaces: Option<String>,
    /// Of the login; unknown of one that is made for use elsewhere.
    pub origin: Origin,
}

impl NewToken {
    /// The token of a login, which is never refused for its name.
    pub fn login(name: &str, lifetime: Duration) -> Self {
        Self {
            kind: TokenKind::Login,
            name: name.to_owned(),
            unique: false,
            lifetime,
            replaces: None,
            origin: Origin::default(),
        }
    }

    /// Itself, if it may be made.
    fn checked(self) -> Result<Self> {
        let name = self.name.trim().to_owned();
        if name.is_empty() || name.chars().count() > NAME || name.chars().any(char::is_control) {
            return Err(StoreError::Refused {
                refusal: Refusal::TokenNameInvalid,
                message: format!(
                    "a token's name has 1 to {NAME} characters and no control characters"
                ),
            });
        }
        if self.lifetime.is_zero() {
            return Err(StoreError::bad_request(
                "the token's lifetime must be greater than zero",
            ));
        }
        Ok(Self { name, ..self })
    }
}

/// A secret just made; it is not to be had again.
#[derive(Clone)]
pub struct IssuedToken {
    pub user: UserName,
    pub secret: String,
    /// What a request with the session's cookie repeats in a header; empty for tokens.
    pub csrf: String,
    pub info: TokenInfo,
}

/// A secret that was recognised.
#[derive(Clone)]
pub struct KnownToken {
    pub user: UserName,
    pub id: String,
    pub kind: TokenKind,
    pub csrf: String,
    pub expires_at: i64,
    /// Whether its use is to be written down again.
    pub use_is_news: bool,
}

columns! {
    struct Known {
        user: UserName = "token.account" as word,
        id: String = "token.id",
        kind: String = "token.kind",
        csrf: String = "token.csrf",
        expires_at: i64 = "token.expires_at",
        last_used: Option<i64> = "token.last_used",
    }
    const KNOWN = "FROM token
        JOIN account ON account.name = token.account AND account.disabled = 0
        WHERE token.digest = $1 AND token.expires_at > $2";
}

columns! {
    struct Listed {
        id: String = "id",
        name: String = "name",
        kind: String = "kind",
        created_at: i64 = "created_at",
        expires_at: i64 = "expires_at",
        last_used: Option<i64> = "last_used",
        address: String = "address",
        program: String = "program",
    }
    const TOKENS = "FROM token
        WHERE account = $1 AND expires_at > $2 ORDER BY created_at DESC, id";
}

impl Listed {
    fn shown(self) -> TokenInfo {
        TokenInfo {
            id: self.id,
            name: self.name,
            kind: self.kind,
            current: false,
            created_at: self.created_at,
            expires_at: self.expires_at,
            last_used: self.last_used,
            address: self.address,
            program: program::named(&self.program),
        }
    }
}

columns! {
    struct Held {
        name: String = "name",
        kind: String = "kind",
        id: String = "id",
    }
    const HELD = "FROM token WHERE account = $1 ORDER BY created_at, id";
}

impl Store {
    /// Makes a token or a session of an enabled user.
    pub async fn issue_token(&self, user: &UserName, wanted: NewToken) -> Result<IssuedToken> {
        let wanted = wanted.checked()?;
        let user = user.clone();
        self.write(move |tx| Box::pin(async move { issue(tx, &user, wanted).await }))
            .await
    }

    /// Whose token or session this is; none when it is nobody's, expired or revoked, or its user
    /// is disabled.
    pub async fn check_token(&self, secret: &str) -> Result<Option<KnownToken>> {
        let now = self.now();
        let key = params![digest(secret), now];
        let row = self.glance().await?.one(KNOWN, key).await?;
        Ok(row.map(|row| KnownToken {
            user: row.user,
            id: row.id,
            kind: match row.kind.as_str() {
                "session" => TokenKind::Session,
                "login" => TokenKind::Login,
                _ => TokenKind::Token,
            },
            csrf: row.csrf,
            expires_at: row.expires_at,
            use_is_news: row
                .last_used
                .is_none_or(|last| last <= now.saturating_sub(noted())),
        }))
    }

    /// Whether a token is still good.
    pub async fn token_stands(&self, id: &str) -> Result<bool> {
        let sql = "SELECT COUNT(*) FROM token WHERE id = $1 AND expires_at > $2";
        let params = params![id, self.now()];
        Ok(self.glance().await?.count(sql, params).await? > 0)
    }

    /// Takes note that a token was used, and from where, at most once a minute.
    pub async fn note_token_use(&self, id: &str, origin: Origin) -> Result<()> {
        let id = id.to_owned();
        self.write(move |tx| {
            Box::pin(async move {
                let sql = "UPDATE token SET last_used = $2, address = $4, program = $5
                    WHERE id = $1 AND (last_used IS NULL OR last_used <= $3)";
                let before = tx.now.saturating_sub(noted());
                let Origin { address, program } = origin;
                let params = params![id, tx.now, before, address, program];
                tx.db.execute(sql, params).await?;
                Ok(())
            })
        })
        .await
    }

    /// The tokens and sessions of a user that are still good, newest first, without secrets.
    pub async fn tokens(&self, user: &UserName) -> Result<Vec<TokenInfo>> {
        let mut db = self.snapshot().await?;
        user::require(&mut db, user).await?;
        let rows = db.all(TOKENS, params![user, self.now()]).await?;
        Ok(rows.into_iter().map(Listed::shown).collect())
    }

    /// Ends one token or session of a user.
    pub async fn remove_token(&self, user: &UserName, id: &str) -> Result<()> {
        let (user, id) = (user.clone(), id.to_owned());
        self.write(move |tx| {
            Box::pin(async move {
                let sql = "DELETE FROM token WHERE account = $1 AND id = $2";
                if tx.db.execute(sql, params![&user, &id]).await? == 0 {
                    return Err(StoreError::not_found(Subject::Token, id));
                }
                user::touch(tx, &user);
                Ok(())
            })
        })
        .await
    }

    /// Ends a token. One that is unknown is fine.
    pub async fn revoke_token(&self, secret: &str) -> Result<()> {
        let digest = digest(secret);
        self.write(move |tx| Box::pin(async move { revoke(tx, &digest).await }))
            .await
    }

    /// Trades an invitation for a password and a token. It works once.
    pub async fn register(
        &self,
        user: &UserName,
        invitation: &str,
        password: &str,
        wanted: NewToken,
    ) -> Result<IssuedToken> {
        let wanted = wanted.checked()?;
        let digest = digest(invitation);
        let params = params![&digest, user, self.now()];
        // Seen before the password is worked on, so that nobody is made to hash for strangers.
        let known = self.glance().await?.count(INVITED, params).await?;
        if known == 0 {
            return Err(invitation_refused());
        }
        let hash = user::hash(user, password).await?;
        let user = user.clone();
        self.write(move |tx| {
            Box::pin(async move {
                let params = params![&digest, &user, tx.now];
                if tx.db.count(INVITED, params).await? == 0 {
                    return Err(invitation_refused());
                }
                user::put_password(tx, &user, &hash).await?;
                issue(tx, &user, wanted).await
            })
        })
        .await
    }
}

/// Makes a token that may be made.
async fn issue(tx: &mut Tx, user: &UserName, wanted: NewToken) -> Result<IssuedToken> {
    let sql = "SELECT COUNT(*) FROM account WHERE name = $1 AND disabled = 0";
    if tx.db.count(sql, params![user]).await? == 0 {
        return Err(StoreError::not_found(Subject::User, user));
    }
    if let Some(before) = &wanted.replaces {
        revoke(tx, &digest(before)).await?;
    }
    let sql = "DELETE FROM token WHERE expires_at <= $1";
    tx.db.execute(sql, params![tx.now]).await?;
    let name = free_name(tx, user, wanted.name, wanted.kind, wanted.unique).await?;
    let lifetime = i64::try_from(wanted.lifetime.as_micros()).unwrap_or(i64::MAX);
    let issued = IssuedToken {
        user: user.clone(),
        secret: random_secret(),
        csrf: match wanted.kind {
            TokenKind::Session => random_secret(),
            TokenKind::Token | TokenKind::Login => String::new(),
        },
        info: TokenInfo {
            id: format!("{:016x}", rand::random::<u64>()),
            name,
            kind: wanted.kind.as_str().to_owned(),
            current: false,
            created_at: tx.now,
            expires_at: tx.now.saturating_add(lifetime),
            last_used: None,
            program: program::named(&wanted.origin.program),
            address: wanted.origin.address,
        },
    };
    let (info, digest) = (&issued.info, digest(&issued.secret));
    let sql = "INSERT INTO token
        (digest, account, expires_at, id, name, kind, csrf, created_at, address, program)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    let params = params![
        digest,
        user,
        info.expires_at,
        &info.id,
        &info.name,
        &info.kind,
        &issued.csrf,
        info.created_at,
        &info.address,
        wanted.origin.program
    ];
    tx.db.execute(sql, params).await?;
    if !wanted.unique {
        let sql = "UPDATE account SET last_login = $2 WHERE name = $1";
        tx.db.execute(sql, params![user, tx.now]).await?;
    }
    Ok(issued)
}

/// Ends the token with this digest. One that is unknown is fine.
async fn revoke(tx: &mut Tx, digest: &str) -> Result<()> {
    let sql = "DELETE FROM token WHERE digest = $1 RETURNING account";
    if let Some(user) = tx.db.word("user name", sql, params![digest]).await? {
        user::touch(tx, &user);
    }
    Ok(())
}

const INVITED: &str = "SELECT COUNT(*) FROM registration
    JOIN account ON account.name = registration.account AND account.disabled = 0
    WHERE registration.digest = $1 AND registration.account = $2 AND registration.expires_at > $3";

fn invitation_refused() -> StoreError {
    StoreError::Refused {
        refusal: Refusal::RegistrationInvalid,
        message: "the registration is unknown, used already, or older than a day".to_owned(),
    }
}

/// Makes a one-time token for a user; earlier ones end.
pub(crate) async fn invite(tx: &mut Tx, user: &UserName) -> Result<String> {
    let secret = random_secret();
    let sql = "DELETE FROM registration WHERE account = $1 OR expires_at <= $2";
    tx.db.execute(sql, params![user, tx.now]).await?;
    let lifetime = i64::try_from(INVITATION.as_micros()).unwrap_or(i64::MAX);
    let sql = "INSERT INTO registration (digest, account, expires_at) VALUES ($1, $2, $3)";
    let expires = tx.now.saturating_add(lifetime);
    tx.db
        .execute(sql, params![digest(&secret), user, expires])
        .await?;
    Ok(secret)
}

/// Ends everything that stands for a user.
pub(crate) async fn end_all(tx: &mut Tx, user: &UserName) -> Result<()> {
    for sql in [
        "DELETE FROM token WHERE account = $1",
        "DELETE FROM registration WHERE account = $1",
    ] {
        tx.db.execute(sql, params![user]).await?;
    }
    Ok(())
}

/// The name for a new token, after the oldest made room for it if need be.
async fn free_name(
    tx: &mut Tx,
    user: &UserName,
    name: String,
    kind: TokenKind,
    unique: bool,
) -> Result<String> {
    let held = tx.db.all(HELD, params![user]).await?;
    for token in held.iter().take((held.len() + 1).saturating_sub(PER_USER)) {
        let sql = "DELETE FROM token WHERE account = $1 AND id = $2";
        tx.db.execute(sql, params![user, &token.id]).await?;
    }
    let taken = |candidate: &str| {
        // Sessions share a name; everything else that a user has is told apart by it.
        let session = TokenKind::Session.as_str();
        held.iter()
            .any(|token| token.name == candidate && token.kind != session)
    };
    if kind == TokenKind::Session || !taken(&name) {
        return Ok(name);
    }
    if unique {
        return Err(StoreError::AlreadyExists {
            kind: Subject::Token,
            name,
        });
    }
    let mut number = 2;
    loop {
        let candidate = format!("{name}-{number}");
        if !taken(&candidate) {
            return Ok(candidate);
        }
        number += 1;
    }
}

pub(crate) fn noted() -> i64 {
    i64::try_from(USE_NOTED.as_micros()).unwrap_or(i64::MAX)
}

/// 256 random bits as text.
pub(crate) fn random_secret() -> String {
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}

/// What is stored of a random secret. A fast digest is enough: there is nothing to guess.
pub(crate) fn digest(secret: &str) -> String {
    blake3::hash(secret.as_bytes()).to_hex().to_string()
}
