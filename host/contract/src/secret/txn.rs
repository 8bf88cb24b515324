//! A hook's share of secrets: what it adds, changes, grants and removes, and what it read.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    ChangedGrants, ChangedSecret, Changes, Content, Described, Grant, Named, NewSecret,
    OwnedSecret, Owner, ReadSecret, Reader, RemovedSecret, SecretAnswers, SecretId,
};
use crate::bounds::{SECRET_LABEL_BYTES, SECRETS_CHANGED, SECRETS_READ, TEXT_BYTES};
use crate::leadership::leader_only;
use crate::relation::find;
use crate::txn::{Share, require_room};
use crate::{CallError, HookTxn, text};

/// Which revision a hook reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The one on which the unit is; from the first time on the newest of then.
    Kept,
    /// The newest, on which the unit is from now on.
    Refresh,
    /// The newest, this once.
    Peek,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Secrets {
    /// As of the last commit, once they were asked for.
    owned: Option<BTreeMap<SecretId, OwnedSecret>>,
    pub(super) changes: Changes,
    /// What was read in this hook and is on record with it, so that it stays the same to its end.
    kept: BTreeMap<SecretId, ReadSecret>,
    /// So many were read.
    reads: usize,
}

impl Share for Secrets {
    type Changes = Changes;

    fn written(&self) -> usize {
        const EACH: usize = 256;
        let added = self.changes.added.values().map(|one| one.content.bytes());
        let changed = self.changes.changed.values();
        let changed = changed.map(|one| one.content.as_ref().map_or(0, Content::bytes));
        added.chain(changed).map(|bytes| EACH + bytes).sum()
    }

    fn into_changes(self) -> Changes {
        let mut changes = self.changes;
        changes
            .grants
            .retain(|_, one| !one.granted.is_empty() || !one.revoked.is_empty());
        changes
    }
}

impl Secrets {
    fn owned(
        &mut self,
        agent: &mut (impl SecretAnswers + ?Sized),
    ) -> Result<&BTreeMap<SecretId, OwnedSecret>, CallError> {
        let owned = match self.owned.take() {
            Some(owned) => owned,
            None => {
                let owned = agent.owned_secrets()?.into_iter();
                owned.map(|secret| (secret.id.clone(), secret)).collect()
            }
        };
        Ok(self.owned.insert(owned))
    }

    /// Secrets of the unit and its application, with what this hook did to them.
    fn all(
        &mut self,
        agent: &mut (impl SecretAnswers + ?Sized),
    ) -> Result<Vec<OwnedSecret>, CallError> {
        let before: Vec<OwnedSecret> = self.owned(agent)?.values().cloned().collect();
        let changes = &self.changes;
        let added = changes.added.iter().map(|(id, new)| OwnedSecret {
            id: id.clone(),
            owner: new.owner,
            label: String::new(),
            description: String::new(),
            rotate: super::RotatePolicy::Never,
            next_rotate: None,
            expires: None,
            revisions: Vec::new(),
            grants: BTreeSet::new(),
        });
        let mut all: Vec<OwnedSecret> = before.into_iter().chain(added).collect();
        all.retain_mut(|secret| changes.apply(secret));
        Ok(all)
    }

    /// One that the unit may change: its own, or its application's if it leads.
    fn managed(
        &mut self,
        agent: &mut (impl SecretAnswers + ?Sized),
        secret: &str,
    ) -> Result<OwnedSecret, CallError> {
        let id: SecretId = parse(secret)?;
        let found = self.all(agent)?.into_iter().find(|one| one.id == id);
        let found = found.ok_or_else(|| {
            CallError::not_found(format!(
                "{} is no secret of this unit or its application",
                id.uri()
            ))
        })?;
        if found.owner == Owner::Application {
            leader_only(agent, "can manage secrets of the application")?;
        }
        Ok(found)
    }

    fn require_more(&self) -> Result<(), CallError> {
        let changes = &self.changes;
        let all = changes.added.len() + changes.changed.len() + changes.grants.len();
        match SECRETS_CHANGED.exceeded_by(all + changes.removed.len() + 1) {
            true => Err(CallError::limit(format!(
                "the hook would change more than the {} secrets that one hook may",
                SECRETS_CHANGED.most
            ))),
            false => Ok(()),
        }
    }

    /// Texts as they are kept. A label is the owner's once.
    fn described(
        &mut self,
        agent: &mut (impl SecretAnswers + ?Sized),
        described: Described,
        of: Option<&SecretId>,
        owner: Owner,
    ) -> Result<Described, CallError> {
        if let Some(label) = &described.label {
            check_label(label)?;
            let others = self.all(agent)?;
            let taken = others.iter().any(|other| {
                other.owner == owner && other.label == *label && Some(&other.id) != of
            });
            if taken && !label.is_empty() {
                return Err(CallError::invalid(format!(
                    "another secret of the same owner has the label \"{label}\""
                )));
            }
        }
        let description = described.description.as_deref();
        Ok(Described {
            description: description
                .map(|description| text::clean_at_most(description, TEXT_BYTES.length())),
            ..described
        })
    }

    fn grants_of(&mut self, secret: &OwnedSecret) -> &mut ChangedGrants {
        let entry = self.changes.grants.entry(secret.id.clone());
        entry.or_insert_with(|| ChangedGrants {
            owner: secret.owner,
            granted: BTreeSet::new(),
            revoked: BTreeSet::new(),
        })
    }
}

impl Changes {
    /// What becomes of `secret`; false where it is removed.
    fn apply(&self, secret: &mut OwnedSecret) -> bool {
        let described = match (self.added.get(&secret.id), self.changed.get(&secret.id)) {
            (Some(new), _) => Some(&new.described),
            (None, Some(changed)) => Some(&changed.described),
            (None, None) => None,
        };
        if let Some(described) = described.cloned() {
            secret.label = described.label.unwrap_or_else(|| secret.label.clone());
            let before = secret.description.clone();
            secret.description = described.description.unwrap_or(before);
            secret.rotate = described.rotate.unwrap_or(secret.rotate);
            secret.expires = described.expires.or(secret.expires);
        }
        if let Some(grants) = self.grants.get(&secret.id) {
            secret.grants.extend(grants.granted.iter().cloned());
            secret
                .grants
                .retain(|grant| !grants.revoked.contains(grant));
        }
        match self.removed.get(&secret.id) {
            Some(removed) if removed.revisions.is_empty() => false,
            Some(removed) => {
                secret
                    .revisions
                    .retain(|one| !removed.revisions.contains(one));
                true
            }
            None => true,
        }
    }
}

impl HookTxn {
    /// Adds a secret; its id holds already.
    ///
    /// # Errors
    /// `Denied` for a secret of the application from a unit that does not lead, `Invalid` for a label that
    /// another one has, and the limits.
    pub fn secret_add(
        &mut self,
        agent: &mut (impl SecretAnswers + ?Sized),
        owner: Owner,
        content: Content,
        described: Described,
    ) -> Result<SecretId, CallError> {
        if owner == Owner::Application {
            leader_only(agent, "can add secrets of the application")?;
        }
        self.secrets.require_more()?;
        let described = self.secrets.described(agent, described, None, owner)?;
        let own = self.secrets.written();
        require_room(own + content.bytes(), self.room(own))?;
        let id = agent.new_secret_id()?;
        let new = NewSecret {
            owner,
            content,
            described,
        };
        self.secrets.changes.added.insert(id.clone(), new);
        Ok(id)
    }

    /// Changes what is said of a secret and, with `content`, adds a revision. Of several in one hook the
    /// last is the revision.
    ///
    /// # Errors
    /// `NotFound` for a secret that is neither the unit's nor its application's, and as for [`Self::secret_add`].
    pub fn secret_set(
        &mut self,
        agent: &mut (impl SecretAnswers + ?Sized),
        secret: &str,
        content: Option<Content>,
        described: Described,
    ) -> Result<(), CallError> {
        let secret = self.secrets.managed(agent, secret)?;
        self.secrets.require_more()?;
        let described = self
            .secrets
            .described(agent, described, Some(&secret.id), secret.owner)?;
        let own = self.secrets.written();
        let more = content.as_ref().map_or(0, Content::bytes);
        require_room(own + more, self.room(own))?;
        if let Some(new) = self.secrets.changes.added.get_mut(&secret.id) {
            new.content = content.unwrap_or_else(|| new.content.clone());
            new.described.add(described);
            return Ok(());
        }
        let changed = self.secrets.changes.changed.entry(secret.id);
        let changed = changed.or_insert_with(|| ChangedSecret {
            owner: secret.owner,
            content: None,
            described: Described::default(),
        });
        changed.content = content.or_else(|| changed.content.take());
        changed.described.add(described);
        Ok(())
    }

    /// The values of a secret: of the unit, of its application, or one that was granted to it. Given a
    /// `label`, a reader finds the secret by it from now on.
    ///
    /// # Errors
    /// `NotFound` for what is not there, `Denied` for what was not granted, and what the agent answers.
    pub fn secret_get(
        &mut self,
        agent: &mut (impl SecretAnswers + ?Sized),
        secret: Option<&str>,
        label: Option<&str>,
        mode: Mode,
    ) -> Result<Content, CallError> {
        let named = match (secret, label) {
            (Some(secret), _) => Named::Id(parse(secret)?),
            (None, Some(label)) => Named::Label(label.to_owned()),
            (None, None) => {
                return Err(CallError::invalid(
                    "say which secret is to be read: its id, or its label",
                ));
            }
        };
        if let Some(label) = label {
            check_label(label)?;
        }
        if let Some(content) = self.secrets.changes.written_here(&named)? {
            return Ok(content);
        }
        let named = self.secrets.labelled_here(named);
        let given = match &named {
            Named::Id(_) => label.map(str::to_owned),
            Named::Label(_) => None,
        };
        if mode == Mode::Kept
            && let Named::Id(id) = &named
            && let Some(kept) = self.secrets.kept.get(id).cloned()
        {
            let content = kept.content.clone();
            self.secrets.keep(kept, given);
            return Ok(content);
        }
        self.secrets.reads += 1;
        if SECRETS_READ.exceeded_by(self.secrets.reads) {
            return Err(CallError::limit(format!(
                "one hook reads {} secrets at most",
                SECRETS_READ.most
            )));
        }
        let read = agent.read_secret(&named, mode != Mode::Kept)?;
        let content = read.content.clone();
        if mode == Mode::Peek {
            return Ok(content);
        }
        self.secrets.keep(read, given);
        Ok(content)
    }

    /// Lets the other end of a relation, or one unit there, read a secret for as long as the relation is there.
    ///
    /// # Errors
    /// `NotFound` for a secret that is not to be managed, a relation that is not there and a unit that is not
    /// in it.
    pub fn secret_grant(
        &mut self,
        agent: &mut (impl SecretAnswers + ?Sized),
        secret: &str,
        relation: &str,
        unit: Option<&str>,
    ) -> Result<(), CallError> {
        let secret = self.secrets.managed(agent, secret)?;
        let relation = find(agent, relation)?;
        let to = match unit {
            None => relation.remote_application.clone(),
            Some(unit) if relation.members.iter().any(|member| member == unit) => unit.to_owned(),
            Some(unit) => {
                return Err(CallError::not_found(format!(
                    "\"{}\" takes no part in relation {}",
                    text::clean_line_at_most(unit, 100),
                    relation.name()
                )));
            }
        };
        self.secrets.require_more()?;
        let grant = Grant {
            relation: relation.id,
            to,
        };
        let granted = secret.grants.contains(&grant);
        let grants = self.secrets.grants_of(&secret);
        grants.revoked.remove(&grant);
        if !granted {
            grants.granted.insert(grant);
        }
        Ok(())
    }

    /// Takes back what was granted: in a relation, to a unit or an application wherever it was, or, where
    /// neither is given, to everybody.
    ///
    /// # Errors
    /// `NotFound` for a secret that is not to be managed.
    pub fn secret_revoke(
        &mut self,
        agent: &mut (impl SecretAnswers + ?Sized),
        secret: &str,
        relation: Option<&str>,
        from: Option<&str>,
    ) -> Result<(), CallError> {
        let secret = self.secrets.managed(agent, secret)?;
        let relation = match relation {
            Some(relation) => Some(find(agent, relation)?.id),
            None => None,
        };
        self.secrets.require_more()?;
        let meant = |grant: &Grant| {
            relation.is_none_or(|relation| relation == grant.relation)
                && from.is_none_or(|from| from == grant.to)
        };
        let revoked: Vec<Grant> = secret
            .grants
            .iter()
            .filter(|one| meant(one))
            .cloned()
            .collect();
        let grants = self.secrets.grants_of(&secret);
        for grant in revoked {
            if !grants.granted.remove(&grant) {
                grants.revoked.insert(grant);
            }
        }
        Ok(())
    }

    /// A secret of the unit or its application, by id or by its owner's label, with what this hook did to it.
    ///
    /// # Errors
    /// `NotFound`, and what the agent answers.
    pub fn secret_info(
        &mut self,
        agent: &mut (impl SecretAnswers + ?Sized),
        secret: Option<&str>,
        label: Option<&str>,
    ) -> Result<OwnedSecret, CallError> {
        let id = secret.map(parse).transpose()?;
        let mut all = self.secrets.all(agent)?.into_iter();
        let found = match (id, label) {
            (Some(id), _) => all.find(|one| one.id == id),
            (None, Some(label)) => all.find(|one| !label.is_empty() && one.label == label),
            (None, None) => {
                return Err(CallError::invalid(
                    "say which secret is meant: its id, or its label",
                ));
            }
        };
        found
            .ok_or_else(|| CallError::not_found("the unit and its application have no such secret"))
    }

    /// Secrets of the unit and of its application.
    ///
    /// # Errors
    /// What the agent answers.
    pub fn secret_ids(
        &mut self,
        agent: &mut (impl SecretAnswers + ?Sized),
    ) -> Result<Vec<SecretId>, CallError> {
        let all = self.secrets.all(agent)?.into_iter();
        Ok(all.map(|secret| secret.id).collect())
    }

    /// Removes a revision, or the secret with all of them.
    ///
    /// # Errors
    /// `NotFound` for a secret that is not to be managed, or a revision that it has not.
    pub fn secret_remove(
        &mut self,
        agent: &mut (impl SecretAnswers + ?Sized),
        secret: &str,
        revision: Option<u32>,
    ) -> Result<(), CallError> {
        let secret = self.secrets.managed(agent, secret)?;
        if let Some(revision) = revision
            && !secret.revisions.contains(&revision)
        {
            return Err(CallError::not_found(format!(
                "{} has no revision {revision}",
                secret.id.uri()
            )));
        }
        self.secrets.require_more()?;
        let changes = &mut self.secrets.changes;
        let last = revision.is_none_or(|revision| secret.revisions == [revision])
            && !changes
                .changed
                .get(&secret.id)
                .is_some_and(|one| one.content.is_some() && revision.is_some());
        if last {
            changes.changed.remove(&secret.id);
            changes.grants.remove(&secret.id);
            if changes.added.remove(&secret.id).is_some() {
                return Ok(());
            }
        }
        let removed = changes.removed.entry(secret.id);
        let removed = removed.or_insert_with(|| RemovedSecret {
            owner: secret.owner,
            revisions: BTreeSet::new(),
        });
        match revision {
            Some(revision) if !last => {
                removed.revisions.insert(revision);
            }
            _ => removed.revisions.clear(),
        }
        Ok(())
    }
}

impl Described {
    /// What is said later counts.
    fn add(&mut self, later: Described) {
        let before = std::mem::take(self);
        *self = Described {
            label: later.label.or(before.label),
            description: later.description.or(before.description),
            rotate: later.rotate.or(before.rotate),
            expires: later.expires.or(before.expires),
        };
    }
}

impl Changes {
    /// What this hook itself made the content of; the secret that it removed is not there.
    fn written_here(&self, named: &Named) -> Result<Option<Content>, CallError> {
        let labelled = |described: &Described| match named {
            Named::Id(_) => false,
            Named::Label(label) => described.label.as_deref() == Some(label),
        };
        let meant = |id: &SecretId, described: &Described| {
            *named == Named::Id(id.clone()) || labelled(described)
        };
        if let Named::Id(id) = named
            && self
                .removed
                .get(id)
                .is_some_and(|one| one.revisions.is_empty())
        {
            return Err(CallError::not_found(format!(
                "{} was removed in this hook",
                id.uri()
            )));
        }
        let added = self.added.iter();
        let mut added = added.filter(|(id, new)| meant(id, &new.described));
        if let Some((_, new)) = added.next() {
            return Ok(Some(new.content.clone()));
        }
        let changed = self.changed.iter();
        let mut changed = changed.filter(|(id, one)| meant(id, &one.described));
        Ok(changed.find_map(|(_, one)| one.content.clone()))
    }
}

impl Secrets {
    /// A label that this hook gave is of the secret to which it gave it, whatever is on record.
    fn labelled_here(&self, named: Named) -> Named {
        match named {
            Named::Label(label) => match self.with_label(&label) {
                Some(id) => Named::Id(id.clone()),
                None => Named::Label(label),
            },
            id @ Named::Id(_) => id,
        }
    }

    /// The secret of another that has this label from now on.
    fn with_label(&self, label: &str) -> Option<&SecretId> {
        let mut read = self.changes.read.iter();
        let (id, _) = read.find(|(_, reader)| !label.is_empty() && reader.label == label)?;
        Some(id)
    }

    /// Takes note of what was read, and of the label by which the unit finds it, which no other has then.
    fn keep(&mut self, read: ReadSecret, label: Option<String>) {
        if read.owned {
            return;
        }
        let before = self.changes.read.get(&read.id).cloned();
        let before = before.or_else(|| read.reader.clone()).unwrap_or_default();
        let label = match label {
            Some(given) => {
                for (id, reader) in &mut self.changes.read {
                    if *id != read.id && reader.label == given {
                        reader.label.clear();
                    }
                }
                given
            }
            // It may have been given to another in this hook.
            None if self
                .with_label(&before.label)
                .is_some_and(|id| *id != read.id) =>
            {
                String::new()
            }
            None => before.label,
        };
        let reader = Reader {
            revision: read.revision,
            label,
        };
        match read.reader.as_ref() == Some(&reader) {
            true => self.changes.read.remove(&read.id),
            false => self.changes.read.insert(read.id.clone(), reader),
        };
        self.kept.insert(read.id.clone(), read);
    }
}

fn parse(secret: &str) -> Result<SecretId, CallError> {
    let parsed = secret.parse::<SecretId>();
    parsed.map_err(|error| CallError::invalid(error.to_string()))
}

fn check_label(label: &str) -> Result<(), CallError> {
    let shown = text::clean_line_at_most(label, SECRET_LABEL_BYTES.length());
    match shown == label {
        true => Ok(()),
        false => Err(CallError::invalid(format!(
            "a label is one line of text of at most {} bytes",
            SECRET_LABEL_BYTES.most
        ))),
    }
}
