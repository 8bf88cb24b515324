//! Keys of models, and the controller's own key, which seals them.

use periapt_engine::failpoint;
use periapt_model::{ModelUuid, Refusal};
use periapt_secrets::{Key, KeyError};
use periapt_store::{Interest, Resealed, SealedKey, StoreError, Succession, namespace};
use periapt_wire::rest::EncryptionKeyInfo;

use super::{KEYS, Secrets, refused, unsealed};

/// How often something is done anew because something else was sealed meanwhile.
const TRIES: u32 = 10;

impl Secrets {
    /// The key of a model, which gets one if it has none.
    pub(super) async fn model_key(&self, model: &ModelUuid) -> Result<Key, StoreError> {
        if let Some(key) = self.keys().get(model) {
            return Ok(key.clone());
        }
        let kept = match self.store().secret_key(model).await? {
            Some(kept) => kept,
            None => self.make(model).await?,
        };
        let bytes = self.open_model_key(model, &kept).await?;
        let key = Key::of_bytes(&bytes).map_err(|error| unsealed(&error))?;
        let mut keys = self.keys();
        // Those of models that are gone are among them.
        if keys.len() >= KEYS {
            keys.clear();
        }
        keys.insert(model.clone(), key.clone());
        Ok(key)
    }

    /// Opens the key of a model as it was read, or as it is now if the controller's key was replaced since.
    pub(super) async fn open_model_key(
        &self,
        model: &ModelUuid,
        kept: &SealedKey,
    ) -> Result<Vec<u8>, StoreError> {
        let about = [model.as_str()];
        match self.open_own(&about, kept).await {
            Err(error) if error.refusal() == Refusal::SecretKeyMissing => {
                match self.store().secret_key(model).await? {
                    Some(now) if now != *kept => self.open_own(&about, &now).await,
                    _ => Err(error),
                }
            }
            opened => opened,
        }
    }

    async fn make(&self, model: &ModelUuid) -> Result<SealedKey, StoreError> {
        let key = Key::random().map_err(|error| unsealed(&error))?;
        let about = [model.as_str()];
        let mut tried = 0;
        loop {
            let sealed = self.seal_own(&about, key.bytes())?;
            match self.store().add_secret_key(model, sealed).await {
                Err(error) if error.refusal() == Refusal::TryAgain && tried < TRIES => {
                    tried += 1;
                    self.catch_up().await?;
                }
                done => return done,
            }
        }
    }

    /// Seals under the controller's key.
    pub(super) fn seal_own(&self, about: &[&str], text: &[u8]) -> Result<SealedKey, StoreError> {
        let sealed = self.inner.keyring.seal(about, text);
        let (under, sealed) = sealed.map_err(of_keys)?;
        Ok(SealedKey { under, sealed })
    }

    /// Opens what was sealed under the controller's key, also by another process under one that is new.
    pub(super) async fn open_own(
        &self,
        about: &[&str],
        kept: &SealedKey,
    ) -> Result<Vec<u8>, StoreError> {
        if !self.inner.keyring.has(&kept.under) {
            self.catch_up().await?;
        }
        let opened = self
            .inner
            .keyring
            .open_under(&kept.under, about, &kept.sealed);
        opened.map_err(of_keys)
    }

    /// Takes over the controller's key that another process made, or ends what this one began before a crash.
    ///
    /// # Errors
    /// The key was handed on in a way that this process missed, files, and those of the store.
    pub async fn catch_up(&self) -> Result<(), StoreError> {
        let _turn = self.inner.turn.lock().await;
        self.take_over().await
    }

    async fn take_over(&self) -> Result<(), StoreError> {
        let (store, keyring) = (self.store(), &self.inner.keyring);
        let Some(wanted) = store.current_secret_key().await? else {
            return Ok(());
        };
        // Each is sealed under the one before it.
        let mut handed_on = match keyring.has(&wanted) {
            true => Vec::new(),
            false => store.secret_successions().await?,
        };
        while let Some(place) = handed_on.iter().position(|next| keyring.has(&next.under)) {
            let next = handed_on.swap_remove(place);
            let taken = keyring.take_over(&next.under, &next.sealed, next.created_at);
            taken.map_err(of_keys)?;
        }
        keyring.settle(&wanted).map_err(of_keys)?;
        store.secret_key_taken_over(self.inner.node, &wanted).await
    }

    /// Replaces the controller's key: all that is sealed under it is sealed under a new one. A value is not
    /// touched. Whenever the process ends, everything can be opened.
    ///
    /// # Errors
    /// Files, and those of the store; then the key is the one that it was.
    pub async fn rotate_key(&self) -> Result<EncryptionKeyInfo, StoreError> {
        let _turn = self.inner.turn.lock().await;
        self.take_over().await?;
        let (store, keyring) = (self.store(), &self.inner.keyring);
        let created_at = self.now();
        let id = keyring.add(created_at).map_err(of_keys)?;
        failpoint::reach("secrets-after-new-key");
        let mut tried = 0;
        let sealed_again = loop {
            let resealed = self.reseal(&id, created_at).await?;
            let models = resealed.models.len() as u64;
            match store.reseal_secret_keys(resealed).await {
                Ok(()) => break models,
                Err(error) if error.refusal() == Refusal::TryAgain && tried < TRIES => tried += 1,
                Err(error) => return Err(error),
            }
        };
        failpoint::reach("secrets-after-reseal");
        keyring.settle(&id).map_err(of_keys)?;
        store.secret_key_taken_over(self.inner.node, &id).await?;
        tracing::info!(%id, sealed_again, "the encryption key was replaced");
        Ok(EncryptionKeyInfo {
            id,
            created_at,
            sealed_again,
        })
    }

    /// Everything that is sealed under the controller's key, sealed under another that is here.
    pub(super) async fn reseal(&self, id: &str, created_at: i64) -> Result<Resealed, StoreError> {
        let (store, keyring) = (self.store(), &self.inner.keyring);
        let again = |about: &[&str], kept: &SealedKey| {
            let text = keyring.open_under(&kept.under, about, &kept.sealed)?;
            keyring.seal_under(id, about, &text)
        };
        let mut models = Vec::new();
        for (model, kept) in store.secret_keys().await? {
            let sealed = again(&[model.as_str()], &kept).map_err(of_keys)?;
            models.push((model, kept, sealed));
        }
        let mut backends = Vec::new();
        for backend in store.secret_backends().await? {
            let about = super::backends::about(&backend.name);
            let sealed = again(&about, &backend.secret_config).map_err(of_keys)?;
            backends.push((backend.name, backend.secret_config, sealed));
        }
        let mut receivers = Vec::new();
        for receiver in store.alert_receivers().await? {
            let about = super::receivers::about(&receiver.name);
            let sealed = again(&about, &receiver.secret_config).map_err(of_keys)?;
            receivers.push((receiver.name, receiver.secret_config, sealed));
        }
        let (under, sealed) = keyring.handed_on(id).map_err(of_keys)?;
        Ok(Resealed {
            succession: Succession {
                id: id.to_owned(),
                under,
                sealed,
                created_at,
            },
            models,
            backends,
            receivers,
        })
    }

    /// Follows the controller's key for as long as this is polled. What fails is tried again with the next
    /// change, and whenever something is met that this process cannot open.
    pub async fn follow(&self) {
        let interest = Interest::any_model().key(namespace::SECRET_BACKEND, "");
        let mut changes = self.store().changes().subscribe(interest);
        loop {
            if let Err(error) = self.catch_up().await {
                tracing::warn!(%error, "the encryption key is not taken over");
            }
            if changes.next().await.is_err() {
                return std::future::pending().await;
            }
        }
    }
}

fn of_keys(error: KeyError) -> StoreError {
    match &error {
        KeyError::Missing { id, .. } => {
            tracing::error!(%error, "a key of the controller is missing");
            let why = format!("the controller has no key {id} any more");
            refused(Refusal::SecretKeyMissing, why)
        }
        KeyError::File { .. } | KeyError::Damaged { .. } | KeyError::Seal(_) => unsealed(&error),
    }
}
