//! Secrets: values that only those read who were granted them.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::event::{Event, attribute};
use crate::host::HostRef;
use crate::world::World;
use crate::world::bindings::periapt::charm::secret as wit;
use crate::{Context, HostError, Relation, Result};

/// Values of a secret by key. A key has at least three lower-case letters, digits and dashes.
pub type SecretValues = BTreeMap<String, String>;

/// To whom a secret belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SecretOwner {
    /// All its units may read it, the leader alone may add and change it.
    Application,
    /// This unit.
    Unit,
}

/// How often a secret is to be given a new value: its owner's `secret_rotate` runs then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum RotatePolicy {
    Never,
    Hourly,
    Daily,
    Weekly,
    Monthly,
    Quarterly,
    Yearly,
}

/// Which revision of a secret is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SecretMode {
    /// The one on which the unit is: the newest of when it read the secret first, or refreshed it last.
    Kept,
    /// The newest, on which the unit is from now on.
    Refresh,
    /// The newest, this once.
    Peek,
}

/// What is said of a secret beside its values; what is none stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SecretOptions {
    /// By which its owner finds it, unique among the owner's.
    pub label: Option<String>,
    /// For people.
    pub description: Option<String>,
    /// How often it is to be given a new value.
    pub rotate: Option<RotatePolicy>,
    /// When its newest revision expires, seconds since the epoch.
    pub expires: Option<i64>,
}

impl SecretOptions {
    /// Nothing but a label.
    pub fn labelled(label: impl Into<String>) -> Self {
        Self {
            label: Some(label.into()),
            ..Self::default()
        }
    }

    /// With a description for people.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// To be given a new value so often.
    #[must_use]
    pub fn rotate(mut self, policy: RotatePolicy) -> Self {
        self.rotate = Some(policy);
        self
    }

    /// The newest revision expires so long from now.
    #[must_use]
    pub fn expires_in(mut self, time: Duration) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let seconds = now.unwrap_or_default().saturating_add(time).as_secs();
        self.expires = Some(i64::try_from(seconds).unwrap_or(i64::MAX));
        self
    }

    /// The newest revision expires at this time: with [`Context::now`], also in a test whose clock is moved.
    #[must_use]
    pub fn expires_at(mut self, time: SystemTime) -> Self {
        let seconds = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        self.expires = Some(i64::try_from(seconds.as_secs()).unwrap_or(i64::MAX));
        self
    }
}

/// Who may read a secret.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SecretGrant {
    /// The number of the relation for as long as which it holds.
    pub relation: String,
    /// A unit, or an application for all of its units.
    pub to: String,
}

/// What is known of a secret of this unit or its application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretInfo {
    /// `secret:ID`.
    pub id: String,
    /// To whom it belongs.
    pub owner: SecretOwner,
    /// Its owner's label; may be empty.
    pub label: String,
    /// For people; may be empty.
    pub description: String,
    /// How often it is to be given a new value.
    pub rotate: RotatePolicy,
    /// Seconds since the epoch, as all times here.
    pub next_rotate: Option<i64>,
    /// When the newest revision expires.
    pub expires: Option<i64>,
    /// Those that were not removed, in order; the last is the newest. Empty in the hook that adds it.
    pub revisions: Vec<u32>,
    /// Who may read it.
    pub grants: Vec<SecretGrant>,
}

/// What a hook of a secret is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretEvent {
    /// `secret:ID`.
    pub id: String,
    /// By which this unit, as its owner or as its reader, finds it; empty if it gave it none.
    pub label: String,
    /// The revision that expired, or that nobody is on. None in the other hooks.
    pub revision: Option<u32>,
}

impl SecretEvent {
    pub(crate) fn of(event: &Event) -> Result<Self> {
        let value = |name| attribute(&event.attributes, name);
        let id = value("secret-id").ok_or_else(|| {
            crate::Error::Failed(format!("{}: the host gave no secret-id", event.name()))
        })?;
        Ok(Self {
            id: id.to_owned(),
            label: value("secret-label").unwrap_or_default().to_owned(),
            revision: value("secret-revision").and_then(|revision| revision.parse().ok()),
        })
    }

    /// The event of a hook of this secret, for the harness's `run_event`.
    pub fn event(&self, hook: crate::Hook) -> Event {
        Event {
            occasion: crate::Occasion::Unit(hook),
            attributes: self.attributes(),
        }
    }

    fn attributes(&self) -> Vec<(String, String)> {
        let revision = self.revision.map(|revision| revision.to_string());
        let label = Some(self.label.clone()).filter(|label| !label.is_empty());
        [
            ("secret-id", Some(self.id.clone())),
            ("secret-label", label),
            ("secret-revision", revision),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect()
    }
}

/// What a charm may ask of the host about secrets.
#[allow(missing_docs)]
pub trait SecretHost {
    fn secret_add(
        &self,
        owner: SecretOwner,
        values: &SecretValues,
        options: &SecretOptions,
    ) -> Result<String, HostError>;
    fn secret_get(
        &self,
        secret: Option<&str>,
        label: Option<&str>,
        mode: SecretMode,
    ) -> Result<SecretValues, HostError>;
    fn secret_set(
        &self,
        secret: &str,
        values: Option<&SecretValues>,
        options: &SecretOptions,
    ) -> Result<(), HostError>;
    fn secret_grant(
        &self,
        secret: &str,
        relation: &str,
        unit: Option<&str>,
    ) -> Result<(), HostError>;
    fn secret_revoke(
        &self,
        secret: &str,
        relation: Option<&str>,
        to: Option<&str>,
    ) -> Result<(), HostError>;
    fn secret_info(
        &self,
        secret: Option<&str>,
        label: Option<&str>,
    ) -> Result<SecretInfo, HostError>;
    fn secret_ids(&self) -> Result<Vec<String>, HostError>;
    fn secret_remove(&self, secret: &str, revision: Option<u32>) -> Result<(), HostError>;
}

impl SecretHost for World {
    fn secret_add(
        &self,
        owner: SecretOwner,
        values: &SecretValues,
        options: &SecretOptions,
    ) -> Result<String, HostError> {
        let owner = match owner {
            SecretOwner::Application => wit::Owner::Application,
            SecretOwner::Unit => wit::Owner::Unit,
        };
        Ok(wit::add(owner, &pairs(values), &described(options))?)
    }

    fn secret_get(
        &self,
        secret: Option<&str>,
        label: Option<&str>,
        mode: SecretMode,
    ) -> Result<SecretValues, HostError> {
        let mode = match mode {
            SecretMode::Kept => wit::Mode::Kept,
            SecretMode::Refresh => wit::Mode::Refresh,
            SecretMode::Peek => wit::Mode::Peek,
        };
        Ok(wit::get(secret, label, mode)?.into_iter().collect())
    }

    fn secret_set(
        &self,
        secret: &str,
        values: Option<&SecretValues>,
        options: &SecretOptions,
    ) -> Result<(), HostError> {
        let values = values.map(pairs);
        Ok(wit::set(secret, values.as_deref(), &described(options))?)
    }

    fn secret_grant(
        &self,
        secret: &str,
        relation: &str,
        unit: Option<&str>,
    ) -> Result<(), HostError> {
        Ok(wit::grant(secret, relation, unit)?)
    }

    fn secret_revoke(
        &self,
        secret: &str,
        relation: Option<&str>,
        to: Option<&str>,
    ) -> Result<(), HostError> {
        Ok(wit::revoke(secret, relation, to)?)
    }

    fn secret_info(
        &self,
        secret: Option<&str>,
        label: Option<&str>,
    ) -> Result<SecretInfo, HostError> {
        let info = wit::info_get(secret, label)?;
        let grants = info.grants.into_iter();
        Ok(SecretInfo {
            id: info.id,
            owner: match info.owner {
                wit::Owner::Application => SecretOwner::Application,
                wit::Owner::Unit => SecretOwner::Unit,
            },
            label: info.label,
            description: info.description,
            rotate: match info.rotate {
                wit::RotatePolicy::Never => RotatePolicy::Never,
                wit::RotatePolicy::Hourly => RotatePolicy::Hourly,
                wit::RotatePolicy::Daily => RotatePolicy::Daily,
                wit::RotatePolicy::Weekly => RotatePolicy::Weekly,
                wit::RotatePolicy::Monthly => RotatePolicy::Monthly,
                wit::RotatePolicy::Quarterly => RotatePolicy::Quarterly,
                wit::RotatePolicy::Yearly => RotatePolicy::Yearly,
            },
            next_rotate: info.next_rotate,
            expires: info.expires,
            revisions: info.revisions,
            grants: grants
                .map(|grant| SecretGrant {
                    relation: grant.relation,
                    to: grant.to,
                })
                .collect(),
        })
    }

    fn secret_ids(&self) -> Result<Vec<String>, HostError> {
        Ok(wit::ids()?)
    }

    fn secret_remove(&self, secret: &str, revision: Option<u32>) -> Result<(), HostError> {
        Ok(wit::remove(secret, revision)?)
    }
}

fn pairs(values: &SecretValues) -> Vec<(String, String)> {
    values.clone().into_iter().collect()
}

fn described(options: &SecretOptions) -> wit::Described {
    wit::Described {
        label: options.label.clone(),
        description: options.description.clone(),
        rotate: options.rotate.map(|policy| match policy {
            RotatePolicy::Never => wit::RotatePolicy::Never,
            RotatePolicy::Hourly => wit::RotatePolicy::Hourly,
            RotatePolicy::Daily => wit::RotatePolicy::Daily,
            RotatePolicy::Weekly => wit::RotatePolicy::Weekly,
            RotatePolicy::Monthly => wit::RotatePolicy::Monthly,
            RotatePolicy::Quarterly => wit::RotatePolicy::Quarterly,
            RotatePolicy::Yearly => wit::RotatePolicy::Yearly,
        }),
        expires: options.expires,
    }
}

/// A password, a token or the like: so many letters and digits, of the host's randomness.
///
/// # Errors
/// Where there is no randomness to be had.
pub fn generated(characters: usize) -> Result<String> {
    const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let mut made = String::with_capacity(characters);
    let mut bytes = [0; 64];
    while made.len() < characters {
        getrandom::fill(&mut bytes)
            .map_err(|error| crate::Error::Failed(format!("no randomness: {error}")))?;
        // What is beyond the last whole set of letters would make some of them likelier.
        let fair = bytes.iter().filter(|byte| **byte < 248);
        let letters = fair.map(|byte| char::from(LETTERS[usize::from(*byte % 62)]));
        made.extend(letters.take(characters - made.len()));
    }
    Ok(made)
}

/// Keys and values as the map that secrets are made of.
pub fn secret_values<'a>(values: impl IntoIterator<Item = (&'a str, &'a str)>) -> SecretValues {
    let values = values.into_iter();
    values
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

/// One secret: of this unit, of its application, or one that was granted to it.
pub struct Secret<'a> {
    host: HostRef<'a>,
    id: Option<String>,
    label: Option<String>,
}

impl Secret<'_> {
    /// Its values, of the revision on which the unit is. Whoever owns it reads the newest.
    ///
    /// # Errors
    /// Where it is not there or was not granted.
    pub fn values(&self) -> Result<SecretValues> {
        self.read(SecretMode::Kept)
    }

    /// Its newest values, which the unit reads from now on.
    ///
    /// # Errors
    /// As for [`Secret::values`].
    pub fn refresh(&self) -> Result<SecretValues> {
        self.read(SecretMode::Refresh)
    }

    /// Its newest values, this once.
    ///
    /// # Errors
    /// As for [`Secret::values`].
    pub fn peek(&self) -> Result<SecretValues> {
        self.read(SecretMode::Peek)
    }

    /// Gives it new values: a revision that its readers hear of with `secret_changed`. Of a secret of the
    /// unit or, on the leader, of the application.
    ///
    /// # Errors
    /// Where it is not the unit's to change.
    pub fn set(&self, values: &SecretValues) -> Result<()> {
        let none = SecretOptions::default();
        Ok(self.host.secret_set(&self.id()?, Some(values), &none)?)
    }

    /// Changes what is said of it.
    ///
    /// # Errors
    /// As for [`Secret::set`].
    pub fn describe(&self, options: &SecretOptions) -> Result<()> {
        Ok(self.host.secret_set(&self.id()?, None, options)?)
    }

    /// Lets the application at the other end of a relation read it, for as long as the relation is there.
    ///
    /// # Errors
    /// As for [`Secret::set`].
    pub fn grant(&self, relation: &Relation) -> Result<()> {
        Ok(self.host.secret_grant(&self.id()?, relation.id(), None)?)
    }

    /// Lets one unit at the other end of a relation read it.
    ///
    /// # Errors
    /// As for [`Secret::set`].
    pub fn grant_unit(&self, relation: &Relation, unit: &str) -> Result<()> {
        let id = self.id()?;
        Ok(self.host.secret_grant(&id, relation.id(), Some(unit))?)
    }

    /// Takes back what was granted in a relation.
    ///
    /// # Errors
    /// As for [`Secret::set`].
    pub fn revoke(&self, relation: &Relation) -> Result<()> {
        let id = self.id()?;
        Ok(self.host.secret_revoke(&id, Some(relation.id()), None)?)
    }

    /// Takes back what was granted to an application or a unit.
    ///
    /// # Errors
    /// As for [`Secret::set`].
    pub fn revoke_from(&self, to: &str) -> Result<()> {
        Ok(self.host.secret_revoke(&self.id()?, None, Some(to))?)
    }

    /// What is known of it. Of a secret of the unit or its application.
    ///
    /// # Errors
    /// Where it is another's.
    pub fn info(&self) -> Result<SecretInfo> {
        let info = self
            .host
            .secret_info(self.id.as_deref(), self.label.as_deref());
        Ok(info?)
    }

    /// Removes it with all its revisions.
    ///
    /// # Errors
    /// As for [`Secret::set`].
    pub fn remove(&self) -> Result<()> {
        Ok(self.host.secret_remove(&self.id()?, None)?)
    }

    /// Removes one revision, as `secret_remove` asks its owner to.
    ///
    /// # Errors
    /// As for [`Secret::set`], and where it has no such revision.
    pub fn remove_revision(&self, revision: u32) -> Result<()> {
        Ok(self.host.secret_remove(&self.id()?, Some(revision))?)
    }

    fn read(&self, mode: SecretMode) -> Result<SecretValues> {
        let (id, label) = (self.id.as_deref(), self.label.as_deref());
        Ok(self.host.secret_get(id, label, mode)?)
    }

    fn id(&self) -> Result<String> {
        match &self.id {
            Some(id) => Ok(id.clone()),
            None => Ok(self.info()?.id),
        }
    }
}

impl<'a, C> Context<'a, C> {
    /// Adds a secret and says its id, `secret:ID`, which may be published in a relation. One of the
    /// application is the leader's to add.
    ///
    /// # Errors
    /// Where a key cannot be one, or another secret of the owner has the label.
    pub fn add_secret(
        &self,
        owner: SecretOwner,
        values: &SecretValues,
        options: &SecretOptions,
    ) -> Result<String> {
        Ok(self.host.secret_add(owner, values, options)?)
    }

    /// The secret of this id, `secret:ID`.
    pub fn secret(&self, id: impl Into<String>) -> Secret<'a> {
        Secret {
            host: self.host,
            id: Some(id.into()),
            label: None,
        }
    }

    /// The secret that has this label: the owner's, or the one under which this unit read it first.
    pub fn secret_labelled(&self, label: impl Into<String>) -> Secret<'a> {
        Secret {
            host: self.host,
            id: None,
            label: Some(label.into()),
        }
    }

    /// The secret of this id, to be found by `label` once it was read.
    pub fn secret_as(&self, id: impl Into<String>, label: impl Into<String>) -> Secret<'a> {
        Secret {
            host: self.host,
            id: Some(id.into()),
            label: Some(label.into()),
        }
    }

    /// Secrets of this unit and of its application, each as `secret:ID`.
    ///
    /// # Errors
    /// What the host answers.
    pub fn secret_ids(&self) -> Result<Vec<String>> {
        Ok(self.host.secret_ids()?)
    }
}
