//! Secrets of the unit under test, and those of others that it may read.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use periapt_contract::secret::{
    Changes as Effect, Content, Described, Grant, Mode, Named, OwnedSecret, Owner, ReadSecret,
    Reader, RotatePolicy as Policy, SecretId,
};
use periapt_contract::{CallError, SecretAnswers};

use super::TestHost;
use crate::secret::SecretHost;
use crate::{
    HostError, RotatePolicy, SecretGrant, SecretInfo, SecretMode, SecretOptions, SecretOwner,
    SecretValues,
};

const MICROSECONDS: i64 = 1_000_000;

/// One secret.
#[derive(Clone)]
pub struct TestSecret {
    /// None for one of others.
    pub owner: Option<Owner>,
    /// Whether the unit may read one of others.
    pub granted: bool,
    pub label: String,
    pub description: String,
    pub rotate: Policy,
    pub expires: Option<i64>,
    pub contents: BTreeMap<u32, Content>,
    pub grants: BTreeSet<Grant>,
    /// On which revision of others' the unit is.
    pub reader: Option<Reader>,
}

impl TestSecret {
    /// One with a first revision.
    pub fn new(owner: Option<Owner>, content: Content) -> Self {
        Self {
            owner,
            granted: owner.is_none(),
            label: String::new(),
            description: String::new(),
            rotate: Policy::Never,
            expires: None,
            contents: [(1, content)].into(),
            grants: BTreeSet::new(),
            reader: None,
        }
    }

    /// The newest revision.
    pub fn newest(&self) -> u32 {
        self.contents.keys().next_back().copied().unwrap_or(0)
    }

    /// By which the unit finds it.
    pub fn known_as(&self) -> &str {
        match (&self.owner, &self.reader) {
            (None, Some(reader)) => &reader.label,
            _ => &self.label,
        }
    }

    fn add(&mut self, described: Described) {
        if let Some(label) = described.label {
            self.label = label;
        }
        if let Some(description) = described.description {
            self.description = description;
        }
        self.rotate = described.rotate.unwrap_or(self.rotate);
        self.expires = described.expires.or(self.expires);
    }
}

impl SecretAnswers for TestHost {
    fn new_secret_id(&mut self) -> Result<SecretId, CallError> {
        self.made_secrets += 1;
        let mut bytes = [0; 12];
        bytes[4..].copy_from_slice(&self.made_secrets.to_be_bytes());
        Ok(SecretId::of_random(bytes))
    }

    fn owned_secrets(&mut self) -> Result<Vec<OwnedSecret>, CallError> {
        let owned = self.secrets.iter();
        let owned = owned.filter_map(|(id, secret)| {
            Some(OwnedSecret {
                id: id.clone(),
                owner: secret.owner?,
                label: secret.label.clone(),
                description: secret.description.clone(),
                rotate: secret.rotate,
                next_rotate: None,
                expires: secret.expires,
                revisions: secret.contents.keys().copied().collect(),
                grants: secret.grants.clone(),
            })
        });
        Ok(owned.collect())
    }

    fn read_secret(&mut self, of: &Named, newest: bool) -> Result<ReadSecret, CallError> {
        let meant = |id: &SecretId, secret: &TestSecret| match of {
            Named::Id(named) => named == id,
            Named::Label(label) => !label.is_empty() && secret.known_as() == label,
        };
        let mut found = self.secrets.iter();
        let found = found.find(|(id, secret)| meant(id, secret));
        let (id, secret) = found.ok_or_else(|| CallError::not_found("there is no such secret"))?;
        if secret.owner.is_none() && !secret.granted {
            return Err(CallError::denied(format!(
                "{} was not granted to this unit",
                id.uri()
            )));
        }
        let reader = secret.reader.clone().filter(|_| secret.owner.is_none());
        let revision = match &reader {
            Some(reader) if !newest => reader.revision,
            _ => secret.newest(),
        };
        let content = secret.contents.get(&revision).cloned();
        Ok(ReadSecret {
            id: id.clone(),
            revision,
            content: content.ok_or_else(|| CallError::not_found("the revision is gone"))?,
            owned: secret.owner.is_some(),
            reader,
        })
    }
}

pub(super) fn commit(host: &mut TestHost, changes: &Effect) -> Result<(), CallError> {
    for (id, new) in &changes.added {
        let mut secret = TestSecret::new(Some(new.owner), new.content.clone());
        secret.add(new.described.clone());
        host.secrets.insert(id.clone(), secret);
    }
    for (id, changed) in &changes.changed {
        if let Some(secret) = host.secrets.get_mut(id) {
            secret.add(changed.described.clone());
            if let Some(content) = &changed.content {
                let revision = secret.newest() + 1;
                secret.contents.insert(revision, content.clone());
            }
        }
    }
    for (id, changed) in &changes.grants {
        if let Some(secret) = host.secrets.get_mut(id) {
            secret.grants.extend(changed.granted.iter().cloned());
            secret
                .grants
                .retain(|grant| !changed.revoked.contains(grant));
        }
    }
    for (id, removed) in &changes.removed {
        if removed.revisions.is_empty() {
            host.secrets.remove(id);
        } else if let Some(secret) = host.secrets.get_mut(id) {
            secret
                .contents
                .retain(|revision, _| !removed.revisions.contains(revision));
        }
    }
    for (id, reader) in &changes.read {
        // A label is of one secret.
        let others = host.secrets.iter_mut().filter(|(other, _)| *other != id);
        for other in others.filter_map(|(_, secret)| secret.reader.as_mut()) {
            if other.label == reader.label {
                other.label.clear();
            }
        }
        if let Some(secret) = host.secrets.get_mut(id) {
            secret.reader = Some(reader.clone());
        }
    }
    Ok(())
}

impl SecretHost for RefCell<TestHost> {
    fn secret_add(
        &self,
        owner: SecretOwner,
        values: &SecretValues,
        options: &SecretOptions,
    ) -> Result<String, HostError> {
        let owner = match owner {
            SecretOwner::Application => Owner::Application,
            SecretOwner::Unit => Owner::Unit,
        };
        self.borrow_mut().transaction(|txn, host| {
            let content = Content::new(values.clone())?;
            let added = txn.secret_add(host, owner, content, described(options)?)?;
            Ok(added.uri())
        })
    }

    fn secret_get(
        &self,
        secret: Option<&str>,
        label: Option<&str>,
        mode: SecretMode,
    ) -> Result<SecretValues, HostError> {
        let mode = match mode {
            SecretMode::Kept => Mode::Kept,
            SecretMode::Refresh => Mode::Refresh,
            SecretMode::Peek => Mode::Peek,
        };
        self.borrow_mut().transaction(|txn, host| {
            let content = txn.secret_get(host, secret, label, mode)?;
            Ok(content.into_values())
        })
    }

    fn secret_set(
        &self,
        secret: &str,
        values: Option<&SecretValues>,
        options: &SecretOptions,
    ) -> Result<(), HostError> {
        self.borrow_mut().transaction(|txn, host| {
            let content = values.cloned().map(Content::new).transpose()?;
            txn.secret_set(host, secret, content, described(options)?)
        })
    }

    fn secret_grant(
        &self,
        secret: &str,
        relation: &str,
        unit: Option<&str>,
    ) -> Result<(), HostError> {
        self.borrow_mut()
            .transaction(|txn, host| txn.secret_grant(host, secret, relation, unit))
    }

    fn secret_revoke(
        &self,
        secret: &str,
        relation: Option<&str>,
        to: Option<&str>,
    ) -> Result<(), HostError> {
        self.borrow_mut()
            .transaction(|txn, host| txn.secret_revoke(host, secret, relation, to))
    }

    fn secret_info(
        &self,
        secret: Option<&str>,
        label: Option<&str>,
    ) -> Result<SecretInfo, HostError> {
        let info = self
            .borrow_mut()
            .transaction(|txn, host| txn.secret_info(host, secret, label))?;
        Ok(shown(info))
    }

    fn secret_ids(&self) -> Result<Vec<String>, HostError> {
        let ids = self
            .borrow_mut()
            .transaction(|txn, host| txn.secret_ids(host))?;
        Ok(ids.iter().map(SecretId::uri).collect())
    }

    fn secret_remove(&self, secret: &str, revision: Option<u32>) -> Result<(), HostError> {
        self.borrow_mut()
            .transaction(|txn, host| txn.secret_remove(host, secret, revision))
    }
}

fn described(options: &SecretOptions) -> Result<Described, CallError> {
    Ok(Described {
        label: options.label.clone(),
        description: options.description.clone(),
        rotate: options.rotate.map(|policy| match policy {
            RotatePolicy::Never => Policy::Never,
            RotatePolicy::Hourly => Policy::Hourly,
            RotatePolicy::Daily => Policy::Daily,
            RotatePolicy::Weekly => Policy::Weekly,
            RotatePolicy::Monthly => Policy::Monthly,
            RotatePolicy::Quarterly => Policy::Quarterly,
            RotatePolicy::Yearly => Policy::Yearly,
        }),
        expires: options.expires.map(Described::expires_at).transpose()?,
    })
}

fn shown(secret: OwnedSecret) -> SecretInfo {
    let grants = secret.grants.into_iter();
    SecretInfo {
        id: secret.id.uri(),
        owner: match secret.owner {
            Owner::Application => SecretOwner::Application,
            Owner::Unit => SecretOwner::Unit,
        },
        label: secret.label,
        description: secret.description,
        rotate: match secret.rotate {
            Policy::Never => RotatePolicy::Never,
            Policy::Hourly => RotatePolicy::Hourly,
            Policy::Daily => RotatePolicy::Daily,
            Policy::Weekly => RotatePolicy::Weekly,
            Policy::Monthly => RotatePolicy::Monthly,
            Policy::Quarterly => RotatePolicy::Quarterly,
            Policy::Yearly => RotatePolicy::Yearly,
        },
        next_rotate: secret.next_rotate.map(|time| time / MICROSECONDS),
        expires: secret.expires.map(|time| time / MICROSECONDS),
        revisions: secret.revisions,
        grants: grants
            .map(|grant| SecretGrant {
                relation: grant.relation.to_string(),
                to: grant.to,
            })
            .collect(),
    }
}
