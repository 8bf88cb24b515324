//! `secret-add`, `-get`, `-set`, `-grant`, `-revoke`, `-info-get`, `-ids`, `-remove`: values that only those
//! read who were granted them.
//!
//! A secret belongs to a unit or, through its leader, to an application, and has revisions, whose content
//! never changes. Who reads one is kept on the revision that it read first until it asks for a newer one.
//! What a hook does to secrets, and which revision it read, is committed with everything else it asked for.
//!
//! Content is shown nowhere: its [`Debug`] and the words of its effects have names alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::bounds::SECRET_BYTES;
use crate::effects::Effect;
use crate::{CallError, RelationAnswers, text};

#[cfg(test)]
mod tests;
mod txn;

pub use txn::Mode;
pub(crate) use txn::Secrets;

/// What names a secret for as long as it is there: 20 letters and digits, written `secret:ID`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SecretId(String);

/// How the name of a secret begins where it stands among other values.
pub const SCHEME: &str = "secret:";

impl SecretId {
    /// Of 96 random bits, as Juju's ids have.
    pub fn of_random(bytes: [u8; 12]) -> Self {
        const DIGITS: &[u8; 32] = b"0123456789abcdefghijklmnopqrstuv";
        let mut number = bytes
            .iter()
            .fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
        let mut id = [b'0'; 20];
        for place in id.iter_mut().rev() {
            *place = DIGITS[(number % 32) as usize];
            number /= 32;
        }
        Self(id.iter().map(|digit| char::from(*digit)).collect())
    }

    /// Without `secret:`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// As charms and people pass it on.
    pub fn uri(&self) -> String {
        format!("{SCHEME}{}", self.0)
    }
}

impl fmt::Display for SecretId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What is not the name of a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotASecret(String);

impl fmt::Display for NotASecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "\"{}\" does not name a secret: secret: and 20 digits or lower-case letters up to v do",
            self.0
        )
    }
}

impl std::error::Error for NotASecret {}

impl FromStr for SecretId {
    type Err = NotASecret;

    /// With `secret:` or without.
    fn from_str(text: &str) -> Result<Self, NotASecret> {
        let id = text.strip_prefix(SCHEME).unwrap_or(text);
        let digit = |c: char| matches!(c, '0'..='9' | 'a'..='v');
        match id.len() == 20 && id.chars().all(digit) {
            true => Ok(Self(id.to_owned())),
            false => Err(NotASecret(text::clean_line_at_most(text, 100))),
        }
    }
}

impl TryFrom<String> for SecretId {
    type Error = NotASecret;

    fn try_from(text: String) -> Result<Self, NotASecret> {
        text.parse()
    }
}

impl From<SecretId> for String {
    fn from(id: SecretId) -> Self {
        id.0
    }
}

/// The values of one revision, by key. Never shown.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Content(BTreeMap<String, String>);

impl Content {
    /// # Errors
    /// `Invalid` for none, for a key that is given twice or cannot be one (Juju's rule), `Limit` for too much.
    pub fn new(values: impl IntoIterator<Item = (String, String)>) -> Result<Self, CallError> {
        let mut content = BTreeMap::new();
        let mut bytes = 0;
        for (key, value) in values {
            if !is_key(&key) {
                return Err(CallError::invalid(format!(
                    "\"{}\" cannot be the key of a secret: use at least 3 lower-case letters, digits and dashes, begin with a letter and end with no dash",
                    text::clean_line_at_most(&key, 100)
                )));
            }
            bytes += key.len() + value.len();
            if content.contains_key(&key) {
                return Err(CallError::invalid(format!("the key {key} is given twice")));
            }
            content.insert(key, value);
        }
        if content.is_empty() {
            return Err(CallError::invalid("a secret has at least one value"));
        }
        match SECRET_BYTES.exceeded_by(bytes) {
            true => Err(CallError::limit(format!(
                "the secret would have {bytes} bytes; at most {} are kept",
                SECRET_BYTES.most
            ))),
            false => Ok(Self(content)),
        }
    }

    pub fn values(&self) -> &BTreeMap<String, String> {
        &self.0
    }

    pub fn into_values(self) -> BTreeMap<String, String> {
        self.0
    }

    /// Bytes of keys and values.
    pub fn bytes(&self) -> usize {
        let sizes = self.0.iter().map(|(key, value)| key.len() + value.len());
        sizes.sum()
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} values", self.0.len())
    }
}

fn is_key(key: &str) -> bool {
    key.len() >= 3
        && key.starts_with(|c: char| c.is_ascii_lowercase())
        && !key.ends_with('-')
        && key
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// To whom a secret of a charm belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Owner {
    /// All units may read it, the leader alone may change it.
    Application,
    Unit,
}

/// How often a secret is to be given a new value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RotatePolicy {
    #[default]
    Never,
    Hourly,
    Daily,
    Weekly,
    Monthly,
    Quarterly,
    Yearly,
}

impl RotatePolicy {
    pub const ALL: &'static [RotatePolicy] = &[
        RotatePolicy::Never,
        RotatePolicy::Hourly,
        RotatePolicy::Daily,
        RotatePolicy::Weekly,
        RotatePolicy::Monthly,
        RotatePolicy::Quarterly,
        RotatePolicy::Yearly,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            RotatePolicy::Never => "never",
            RotatePolicy::Hourly => "hourly",
            RotatePolicy::Daily => "daily",
            RotatePolicy::Weekly => "weekly",
            RotatePolicy::Monthly => "monthly",
            RotatePolicy::Quarterly => "quarterly",
            RotatePolicy::Yearly => "yearly",
        }
    }

    /// From one rotation to the next; a month has 30 days, a quarter 90 and a year 365. None for never.
    pub fn every(self) -> Option<Duration> {
        const HOUR: u64 = 3600;
        let hours = match self {
            RotatePolicy::Never => return None,
            RotatePolicy::Hourly => 1,
            RotatePolicy::Daily => 24,
            RotatePolicy::Weekly => 7 * 24,
            RotatePolicy::Monthly => 30 * 24,
            RotatePolicy::Quarterly => 90 * 24,
            RotatePolicy::Yearly => 365 * 24,
        };
        Some(Duration::from_secs(hours * HOUR))
    }
}

impl fmt::Display for RotatePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for RotatePolicy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = RotatePolicy::ALL.iter().copied();
        let found = found.into_iter().find(|policy| policy.as_str() == text);
        found.ok_or_else(|| {
            let known: Vec<&str> = RotatePolicy::ALL.iter().map(|one| one.as_str()).collect();
            format!(
                "\"{}\" is not how often a secret is rotated: {}",
                text::clean_line_at_most(text, 100),
                known.join(", ")
            )
        })
    }
}

/// The first second of the year 9999.
const TIMES_END: i64 = 253_370_764_800;

/// What is said of a secret beside its content; none says nothing of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Described {
    /// By which its owner finds it, unique among the owner's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotate: Option<RotatePolicy>,
    /// When the newest revision expires, microseconds UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<i64>,
}

impl Described {
    /// That the newest revision expires then, seconds since the epoch as charms say it.
    ///
    /// # Errors
    /// `Invalid` for a time that no calendar shows.
    pub fn expires_at(seconds: i64) -> Result<i64, CallError> {
        match (0..TIMES_END).contains(&seconds) {
            true => Ok(seconds * 1_000_000),
            false => Err(CallError::invalid(format!(
                "a secret expires at a number of seconds since 1970, and before the year 9999; {seconds} is none"
            ))),
        }
    }
}

/// A secret as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct OwnedSecret {
    pub id: SecretId,
    pub owner: Owner,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    #[serde(default)]
    pub rotate: RotatePolicy,
    /// Microseconds UTC, as all times here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_rotate: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<i64>,
    /// Those that were not removed, in order; the last is the newest. Empty while the hook that adds it runs.
    pub revisions: Vec<u32>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub grants: BTreeSet<Grant>,
}

/// Who may read a secret, as long as a relation is there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Grant {
    pub relation: u64,
    /// A unit, or an application for all of its units.
    pub to: String,
}

/// By what a hook names a secret that it reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Named {
    Id(SecretId),
    /// The label that its owner, or this unit as its reader, gave it.
    Label(String),
}

/// One revision that a unit may read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ReadSecret {
    pub id: SecretId,
    pub revision: u32,
    pub content: Content,
    /// Whether it is the unit's or its application's; who owns one reads its newest revision and is on none.
    pub owned: bool,
    /// On which revision the unit is, and by which label it finds the secret, before this is read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<Reader>,
}

/// What is kept of a unit that reads a secret.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Reader {
    pub revision: u32,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
}

/// What an agent answers for `secret`.
pub trait SecretAnswers: RelationAnswers {
    /// An id that nobody has.
    fn new_secret_id(&mut self) -> Result<SecretId, CallError> {
        Err(CallError::unanswered())
    }

    /// Secrets of the unit and of its application, as of the last commit. Asked at most once, on first use.
    fn owned_secrets(&mut self) -> Result<Vec<OwnedSecret>, CallError> {
        Err(CallError::unanswered())
    }

    /// The revision on which the unit is (the newest for one that is on none), or the `newest`. `NotFound` for
    /// what is not there, `Denied` for what was not granted.
    fn read_secret(&mut self, _of: &Named, _newest: bool) -> Result<ReadSecret, CallError> {
        Err(CallError::unanswered())
    }
}

/// A secret that a hook adds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct NewSecret {
    pub owner: Owner,
    pub content: Content,
    #[serde(default)]
    pub described: Described,
}

/// What a hook changes of a secret that was there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ChangedSecret {
    pub owner: Owner,
    /// Of a new revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Content>,
    #[serde(default)]
    pub described: Described,
}

/// Revisions that a hook removes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RemovedSecret {
    pub owner: Owner,
    /// Empty for the whole secret.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub revisions: BTreeSet<u32>,
}

/// What a hook says of one who may read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ChangedGrants {
    pub owner: Owner,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub granted: BTreeSet<Grant>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub revoked: BTreeSet<Grant>,
}

/// What a hook changes of secrets. What is removed is in no other part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Changes {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub added: BTreeMap<SecretId, NewSecret>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub changed: BTreeMap<SecretId, ChangedSecret>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub grants: BTreeMap<SecretId, ChangedGrants>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub removed: BTreeMap<SecretId, RemovedSecret>,
    /// On which revisions of others' secrets the unit is from now on.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub read: BTreeMap<SecretId, Reader>,
}

impl Effect for Changes {
    fn changes_nothing(&self) -> bool {
        *self == Self::default()
    }

    fn needs_leadership(&self) -> bool {
        let added = self.added.values().map(|one| one.owner);
        let changed = self.changed.values().map(|one| one.owner);
        let grants = self.grants.values().map(|one| one.owner);
        let removed = self.removed.values().map(|one| one.owner);
        added
            .chain(changed)
            .chain(grants)
            .chain(removed)
            .any(|owner| owner == Owner::Application)
    }

    fn words(&self) -> Vec<String> {
        let added = self.added.keys().map(|id| format!("secret {id} added"));
        let changed = self.changed.iter().map(|(id, one)| match &one.content {
            Some(_) => format!("secret {id}, a new revision"),
            None => format!("secret {id}"),
        });
        let grants = self.grants.iter().flat_map(|(id, one)| {
            let granted = one.granted.iter();
            let granted = granted.map(move |grant| format!("secret {id} granted to {}", grant.to));
            let revoked = one.revoked.iter();
            granted
                .chain(revoked.map(move |grant| format!("secret {id} revoked from {}", grant.to)))
        });
        let removed = self
            .removed
            .iter()
            .map(|(id, one)| match one.revisions.len() {
                0 => format!("secret {id} removed"),
                1 => format!("secret {id}, a revision removed"),
                more => format!("secret {id}, {more} revisions removed"),
            });
        let read = self.read.iter();
        let read =
            read.map(|(id, reader)| format!("secret {id} read at revision {}", reader.revision));
        added
            .chain(changed)
            .chain(grants)
            .chain(removed)
            .chain(read)
            .collect()
    }
}
