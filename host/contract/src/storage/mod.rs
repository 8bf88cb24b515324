//! `storage-list`, `storage-get`, `storage-add`: directories that a unit is given and that may outlive it.
//!
//! What is written to storage is there at once, and stays also when the hook fails: nothing of it is part of
//! the hook's transaction. What is, is what a hook asks to be given in addition.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use periapt_plan::nearest::suggestion;
use serde::{Deserialize, Serialize};

use crate::bounds::STORAGES_ADDED;
use crate::effects::{Effect, changes};
use crate::txn::Share;
use crate::{CallError, HookTxn, text};

#[cfg(test)]
mod tests;

/// What names a storage for as long as it is there: `data/0`. The number is one of the model's own sequence
/// and is never given again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct StorageId {
    name: String,
    number: u64,
}

impl StorageId {
    /// # Errors
    /// The name cannot be that of a storage.
    pub fn new(name: &str, number: u64) -> Result<Self, NotAStorage> {
        format!("{name}/{number}").parse()
    }

    /// As the charm's metadata declares it.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn number(&self) -> u64 {
        self.number
    }

    /// As it stands in a tag and in the name of its directory: `data-0`.
    pub fn dashed(&self) -> String {
        format!("{}-{}", self.name, self.number)
    }
}

impl fmt::Display for StorageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.name, self.number)
    }
}

/// What is not the name of a storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAStorage(String);

impl fmt::Display for NotAStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "\"{}\" does not name a storage: use NAME/NUMBER, as in data/0",
            self.0
        )
    }
}

impl std::error::Error for NotAStorage {}

impl FromStr for StorageId {
    type Err = NotAStorage;

    fn from_str(text: &str) -> Result<Self, NotAStorage> {
        let bad = || NotAStorage(text::clean_line_at_most(text, 100));
        let (name, digits) = text.rsplit_once('/').ok_or_else(bad)?;
        let number: u64 = digits.parse().map_err(|_| bad())?;
        let canonical = number.to_string() == digits;
        match canonical && is_storage_name(name) {
            true => Ok(Self {
                name: name.to_owned(),
                number,
            }),
            false => Err(bad()),
        }
    }
}

impl TryFrom<String> for StorageId {
    type Error = NotAStorage;

    fn try_from(text: String) -> Result<Self, NotAStorage> {
        text.parse()
    }
}

impl From<StorageId> for String {
    fn from(id: StorageId) -> Self {
        id.to_string()
    }
}

/// Whether a charm may declare a storage of this name.
pub fn is_storage_name(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

/// What a charm sees a storage as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Block,
    Filesystem,
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Block => "block",
            Kind::Filesystem => "filesystem",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A storage that the unit has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Attached {
    pub id: StorageId,
    pub kind: Kind,
    /// Where the charm finds it: a directory.
    pub location: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
}

/// A storage that the charm declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Declared {
    /// How many more of it the unit may be given, as of the last commit; none for any number.
    pub room: Option<u32>,
    /// Whether one is there for all units of the application, and no unit can add another.
    pub shared: bool,
}

/// What an agent answers for `storage`.
pub trait StorageAnswers {
    /// What the unit has as its hook begins, in the order of ids: also what is to be detached, until the hook
    /// that says so has ended.
    fn attached_storage(&mut self) -> Result<Vec<Attached>, CallError> {
        Err(CallError::unanswered())
    }

    /// What the charm declares, by name. Asked at most once, on first use.
    fn declared_storage(&mut self) -> Result<BTreeMap<String, Declared>, CallError> {
        Err(CallError::unanswered())
    }

    /// What the hook is about; none in a hook that is about no storage.
    fn hook_storage(&self) -> Option<StorageId> {
        None
    }
}

changes! {
    /// What a commit adds: so many storages, by the name that the charm declares.
    Changes: String => u32
}

impl Effect for Changes {
    fn changes_nothing(&self) -> bool {
        self.is_empty()
    }

    fn words(&self) -> Vec<String> {
        let words = |(name, count): (&String, &u32)| match count {
            1 => format!("added storage {name}"),
            count => format!("added storage {name} {count} times"),
        };
        self.iter().map(words).collect()
    }
}

/// What a hook asks to be given in addition.
#[derive(Debug, Default)]
pub(crate) struct Storages {
    declared: Option<BTreeMap<String, Declared>>,
    added: BTreeMap<String, u32>,
}

impl Share for Storages {
    type Changes = Changes;

    fn into_changes(self) -> Changes {
        self.added.into_iter().collect()
    }
}

impl Storages {
    fn declared(
        &mut self,
        agent: &mut (impl StorageAnswers + ?Sized),
    ) -> Result<&BTreeMap<String, Declared>, CallError> {
        let declared = match self.declared.take() {
            Some(declared) => declared,
            None => agent.declared_storage()?,
        };
        Ok(self.declared.insert(declared))
    }

    fn find(
        &mut self,
        agent: &mut (impl StorageAnswers + ?Sized),
        name: &str,
    ) -> Result<Declared, CallError> {
        let declared = self.declared(agent)?;
        declared.get(name).copied().ok_or_else(|| {
            CallError::not_found(format!(
                "the charm's metadata declares no storage \"{}\"{}",
                text::clean_line_at_most(name, 100),
                suggestion(name, declared.keys().map(String::as_str))
            ))
        })
    }
}

impl HookTxn {
    /// What the unit has of one storage of its charm, or of all.
    ///
    /// # Errors
    /// `NotFound` for a name that the charm does not declare, and what the agent answers.
    pub fn storage_ids(
        &mut self,
        agent: &mut (impl StorageAnswers + ?Sized),
        name: Option<&str>,
    ) -> Result<Vec<StorageId>, CallError> {
        if let Some(name) = name {
            self.storage.find(agent, name)?;
        }
        let ids = agent.attached_storage()?.into_iter().map(|one| one.id);
        let of_name = |id: &StorageId| name.is_none_or(|name| id.name() == name);
        Ok(ids.filter(of_name).collect())
    }

    /// One that the unit has: the one that is named, or else the one that the hook is about.
    ///
    /// # Errors
    /// `Invalid` where none is named in a hook that is about no storage, `NotFound` for one that the unit does not
    /// have, and what the agent answers.
    pub fn storage_get(
        &mut self,
        agent: &mut (impl StorageAnswers + ?Sized),
        id: Option<&str>,
    ) -> Result<Attached, CallError> {
        let id = match id {
            Some(id) => id
                .parse::<StorageId>()
                .map_err(|error| CallError::invalid(error.to_string()))?,
            None => agent.hook_storage().ok_or_else(|| {
                CallError::invalid("this hook is about no storage: name one, as in data/0")
            })?,
        };
        let attached = agent.attached_storage()?;
        let known: Vec<String> = attached.iter().map(|one| one.id.to_string()).collect();
        let found = attached.into_iter().find(|one| one.id == id);
        found.ok_or_else(|| {
            let word = id.to_string();
            CallError::not_found(format!(
                "the unit has no storage {word}{}",
                suggestion(&word, known.iter().map(String::as_str))
            ))
        })
    }

    /// Asks for so many more of a storage that the charm declares. They come after the commit, each with its
    /// `storage-attached`.
    ///
    /// # Errors
    /// `NotFound` for a name that the charm does not declare, `Invalid` for none, `Denied` for one that the
    /// application's units share, `Limit` beyond what the charm declares, and what the agent answers.
    pub fn storage_add(
        &mut self,
        agent: &mut (impl StorageAnswers + ?Sized),
        name: &str,
        count: u32,
    ) -> Result<(), CallError> {
        let declared = self.storage.find(agent, name)?;
        if count == 0 {
            return Err(CallError::invalid("add at least one storage"));
        }
        if declared.shared {
            return Err(CallError::denied(format!(
                "all units of the application share the storage {name}; a unit adds none of its own"
            )));
        }
        let added = &mut self.storage.added;
        let before = added.get(name).copied().unwrap_or_default();
        let after = before.saturating_add(count);
        if let Some(room) = declared.room
            && after > room
        {
            return Err(CallError::limit(format!(
                "the unit may be given {room} more of the storage {name} as its charm declares it, not {after}"
            )));
        }
        let all: u64 = added.values().map(|count| u64::from(*count)).sum();
        if all + u64::from(count) > STORAGES_ADDED.most {
            return Err(CallError::limit(format!(
                "one hook adds at most {} storages; add the rest in a later one",
                STORAGES_ADDED.most
            )));
        }
        added.insert(name.to_owned(), after);
        Ok(())
    }
}
