//! Secrets in a test: those of others that the unit may read, and the hooks of its own.

use periapt_contract::secret::{Content, SecretId};

use super::harness::must;
use super::host::TestSecret;
use super::{Harness, Outcome};
use crate::{Charm, Hook, Result, SecretEvent, SecretGrant, SecretInfo, SecretValues};

/// Secrets. An id is `secret:ID`, as the charm says or [`Harness::give_secret`] gives it.
///
/// # Panics
/// All of these panic for a secret that is not there, and for values that none can have.
impl<C: Charm> Harness<C> {
    /// A secret of somebody else that the unit may read; says its id.
    pub fn give_secret(&mut self, values: &SecretValues) -> String {
        let content = must(Content::new(values.clone()), "no secret has such values");
        let host = self.host.get_mut();
        host.made_secrets += 1;
        let mut bytes = [0xff; 12];
        bytes[4..].copy_from_slice(&host.made_secrets.to_be_bytes());
        let id = SecretId::of_random(bytes);
        let uri = id.uri();
        host.secrets.insert(id, TestSecret::new(None, content));
        uri
    }

    /// Its owner gives it new values; runs `secret-changed` if the unit reads it.
    ///
    /// # Errors
    /// What the hook returns.
    pub fn change_secret(&mut self, id: &str, values: &SecretValues) -> Result<Outcome> {
        let content = must(Content::new(values.clone()), "no secret has such values");
        let secret = self.secret_mut(id);
        let revision = secret.newest() + 1;
        secret.contents.insert(revision, content);
        match secret.reader {
            Some(_) => self.run_secret(Hook::SecretChanged, id, None),
            None => Ok(Outcome::Skipped),
        }
    }

    /// Its owner takes back what it granted; the unit cannot read it any more.
    pub fn take_secret(&mut self, id: &str) -> &mut Self {
        let secret = self.secret_mut(id);
        secret.granted = false;
        secret.reader = None;
        self
    }

    /// Time has come for an own secret to be given a new value: `secret-rotate`.
    ///
    /// # Errors
    /// What the hook returns.
    pub fn rotate_secret(&mut self, id: &str) -> Result<Outcome> {
        self.run_secret(Hook::SecretRotate, id, None)
    }

    /// A revision of an own secret has expired: `secret-expired`.
    ///
    /// # Errors
    /// What the hook returns.
    pub fn expire_secret(&mut self, id: &str, revision: u32) -> Result<Outcome> {
        self.run_secret(Hook::SecretExpired, id, Some(revision))
    }

    /// Nobody is on a revision of an own secret any more: `secret-remove`.
    ///
    /// # Errors
    /// What the hook returns.
    pub fn leave_secret(&mut self, id: &str, revision: u32) -> Result<Outcome> {
        self.run_secret(Hook::SecretRemove, id, Some(revision))
    }

    /// The ids of the secrets that the unit and its application own.
    pub fn secrets(&self) -> Vec<String> {
        let host = self.host.borrow();
        let owned = host.secrets.iter();
        let owned = owned.filter(|(_, secret)| secret.owner.is_some());
        owned.map(|(id, _)| id.uri()).collect()
    }

    /// What is known of an own secret.
    ///
    /// # Errors
    /// Where the unit and its application own none of this id.
    pub fn secret_info(&mut self, id: &str) -> Result<SecretInfo> {
        self.with_context(Hook::UpdateStatus, |context| context.secret(id).info())
    }

    /// The newest values of a secret, whoever may read them.
    pub fn secret_values(&self, id: &str) -> SecretValues {
        let host = self.host.borrow();
        let secret = host.secrets.get(&parsed(id));
        let secret = must(secret.ok_or(id), "there is no such secret");
        let content = secret.contents.get(&secret.newest());
        content.cloned().unwrap_or_default().into_values()
    }

    /// Who may read an own secret.
    pub fn secret_grants(&self, id: &str) -> Vec<SecretGrant> {
        let host = self.host.borrow();
        let secret = host.secrets.get(&parsed(id));
        let grants = must(secret.ok_or(id), "there is no such secret")
            .grants
            .iter();
        grants
            .map(|grant| SecretGrant {
                relation: grant.relation.to_string(),
                to: grant.to.clone(),
            })
            .collect()
    }

    fn secret_mut(&mut self, id: &str) -> &mut TestSecret {
        let found = self.host.get_mut().secrets.get_mut(&parsed(id));
        must(found.ok_or(id), "there is no such secret")
    }

    fn run_secret(&mut self, hook: Hook, id: &str, revision: Option<u32>) -> Result<Outcome> {
        let secret = SecretEvent {
            id: id.to_owned(),
            label: self.secret_mut(id).known_as().to_owned(),
            revision,
        };
        self.run_event(&secret.event(hook))
    }
}

fn parsed(id: &str) -> SecretId {
    must(id.parse(), "this is not the id of a secret")
}
