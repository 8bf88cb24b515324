//! Values of secrets on their way into the store and out of it: sealed before, opened afterwards.
//!
//! The store decides who may read what and never sees a value; the room `secrets` has the keys and knows no model.
//! Here they meet: `keys` has what becomes of keys, `backends` what becomes of back ends. What is kept outside is
//! announced to the store before it is written, so that nothing is left there whatever happens.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use periapt_engine::SharedClock;
use periapt_model::hook::Effects;
use periapt_model::secret::{Content, INTERNAL_BACKEND, ReadSecret, SecretId};
use periapt_model::{ModelUuid, Refusal};
use periapt_secrets::{Backend, Key, Keyring};
use periapt_store::{Sealed, SealedKey, Store, StoreError, StoredSecret};
use periapt_wire::agent::secrets::Misplaced;

mod backends;
mod keys;
mod receivers;
#[cfg(test)]
mod tests;

/// Keys of models that are kept open.
const KEYS: usize = 1_000;

/// The secrets of one run of the API server. Clones share it.
#[derive(Clone)]
pub struct Secrets {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    keyring: Arc<Keyring>,
    clock: SharedClock,
    /// Which of the controller's processes this is.
    node: u32,
    keys: Mutex<HashMap<ModelUuid, Key>>,
    open: Mutex<HashMap<String, Open>>,
    /// Whoever changes the controller's keys.
    turn: tokio::sync::Mutex<()>,
}

/// A back end with what it was opened by.
struct Open {
    config: BTreeMap<String, String>,
    secret_config: SealedKey,
    backend: Arc<dyn Backend>,
}

impl Secrets {
    pub(crate) fn new(store: Store, keyring: Arc<Keyring>, clock: SharedClock, node: u32) -> Self {
        Self {
            inner: Arc::new(Inner {
                store,
                keyring,
                clock,
                node,
                keys: Mutex::default(),
                open: Mutex::default(),
                turn: tokio::sync::Mutex::default(),
            }),
        }
    }

    fn store(&self) -> &Store {
        &self.inner.store
    }

    fn now(&self) -> i64 {
        self.inner.clock.now().as_microsecond()
    }

    /// Takes the values out of a hook's effects; what is to be kept of each.
    ///
    /// # Errors
    /// Values that no secret has, a back end that cannot be reached, and those of the store.
    pub async fn take(
        &self,
        model: &ModelUuid,
        effects: &mut Effects,
    ) -> Result<BTreeMap<SecretId, Sealed>, StoreError> {
        let mut contents = BTreeMap::new();
        for (id, new) in &mut effects.secrets.added {
            contents.insert(id.clone(), std::mem::take(&mut new.content));
        }
        for (id, changed) in &mut effects.secrets.changed {
            if let Some(content) = &mut changed.content {
                contents.insert(id.clone(), std::mem::take(content));
            }
        }
        let mut sealed = BTreeMap::new();
        for (id, content) in contents {
            let kept = self.seal(model, &id, content.into_values()).await?;
            sealed.insert(id, kept);
        }
        Ok(sealed)
    }

    /// Keeps values where the model wants them; what the store is to know of it.
    ///
    /// # Errors
    /// Values that no secret has, a back end that cannot be reached, and those of the store.
    pub async fn seal(
        &self,
        model: &ModelUuid,
        id: &SecretId,
        values: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Sealed, StoreError> {
        let content = Content::new(values)
            .map_err(|error| refused(Refusal::SecretInvalid, error.to_string()))?;
        let backend = self.store().wanted_secret_backend(model).await?;
        self.keep(model, id, &content, backend).await
    }

    async fn keep(
        &self,
        model: &ModelUuid,
        id: &SecretId,
        content: &Content,
        backend: String,
    ) -> Result<Sealed, StoreError> {
        let key = self.model_key(model).await?;
        let text = serde_json::to_vec(content).map_err(|error| unsealed(&error))?;
        let content_id = format!("{model}/{}", uuid::Uuid::new_v4().simple());
        let mut kept = Sealed {
            backend,
            content_id,
            sealed: String::new(),
            checksum: key.checksum(&text),
        };
        if kept.backend == INTERNAL_BACKEND {
            let about = [model.as_str(), id.as_str(), kept.content_id.as_str()];
            let sealed = key.seal(&about, &text);
            kept.sealed = sealed.map_err(|error| unsealed(&error))?;
            return Ok(kept);
        }
        let outside = self.backend(&kept.backend).await?;
        let store = self.store();
        store
            .expect_secret_content(model, &kept.backend, &kept.content_id)
            .await?;
        let put = outside.put(&kept.content_id, content).await;
        self.noted(&kept.backend, put).await?;
        Ok(kept)
    }

    /// What the store found of a secret, with its values. It is found anew once where its values are not: they were
    /// moved, or their back end's token was replaced, between the two.
    ///
    /// # Errors
    /// A back end that cannot be reached, what cannot be opened, and what `find` answers.
    pub async fn read<Found>(
        &self,
        model: &ModelUuid,
        find: impl Fn() -> Found,
    ) -> Result<ReadSecret, StoreError>
    where
        Found: Future<Output = Result<StoredSecret, StoreError>>,
    {
        match self.read_found(model, find().await?).await {
            Err(error) if error.refusal() == Refusal::SecretBackendUnavailable => {
                self.read_found(model, find().await?).await
            }
            read => read,
        }
    }

    async fn read_found(
        &self,
        model: &ModelUuid,
        stored: StoredSecret,
    ) -> Result<ReadSecret, StoreError> {
        let content = self.open(model, &stored.id, &stored.content).await?;
        Ok(ReadSecret {
            id: stored.id,
            revision: stored.revision,
            content,
            owned: stored.owned,
            reader: stored.reader,
        })
    }

    /// The values that [`Secrets::seal`] kept.
    ///
    /// # Errors
    /// A back end that cannot be reached, and what cannot be opened.
    pub async fn open(
        &self,
        model: &ModelUuid,
        id: &SecretId,
        kept: &Sealed,
    ) -> Result<Content, StoreError> {
        if kept.backend == INTERNAL_BACKEND {
            let key = self.model_key(model).await?;
            let about = [model.as_str(), id.as_str(), kept.content_id.as_str()];
            let text = key.open(&about, &kept.sealed);
            let text = text.map_err(|error| unsealed(&error))?;
            return serde_json::from_slice(&text).map_err(|error| unsealed(&error));
        }
        let outside = self.backend(&kept.backend).await?;
        let found = outside.get(&kept.content_id).await;
        let found = self.noted(&kept.backend, found).await?;
        found.ok_or_else(|| {
            refused(
                Refusal::SecretBackendUnavailable,
                format!(
                    "secret back end \"{}\" has the values of secret \"{id}\" no more",
                    kept.backend
                ),
            )
        })
    }

    /// Writes a revision into the back end that its model wants. One that is there, or gone, stays as it is.
    ///
    /// # Errors
    /// A back end that cannot be reached, and those of the store.
    pub async fn move_one(
        &self,
        model: &ModelUuid,
        revision: &Misplaced,
    ) -> Result<(), StoreError> {
        let Misplaced { id, revision } = revision;
        let store = self.store();
        let wanted = store.wanted_secret_backend(model).await?;
        let Some(before) = store.secret_content(model, id, *revision).await? else {
            return Ok(());
        };
        if before.backend == wanted {
            return Ok(());
        }
        let content = self.open(model, id, &before).await?;
        let after = self.keep(model, id, &content, wanted).await?;
        // Moved or removed meanwhile, what was written is a leftover.
        store
            .move_secret(model, id, *revision, &before, after)
            .await
            .map(drop)
    }

    fn keys(&self) -> MutexGuard<'_, HashMap<ModelUuid, Key>> {
        let keys = self.inner.keys.lock();
        keys.unwrap_or_else(PoisonError::into_inner)
    }
}

fn refused(refusal: Refusal, message: String) -> StoreError {
    StoreError::Refused { refusal, message }
}

/// What went wrong with a key or a sealed text. The words have nothing of either.
fn unsealed(error: &dyn std::fmt::Display) -> StoreError {
    tracing::error!(%error, "a secret cannot be sealed or opened");
    refused(
        Refusal::InternalError,
        "a secret cannot be sealed or opened".to_owned(),
    )
}
