//! Back ends outside: opened as they are configured, watched for what they say, and rid of what nobody needs.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use periapt_model::Refusal;
use periapt_model::secret::INTERNAL_BACKEND;
use periapt_secrets::backend::{self, TOKEN, is_secret};
use periapt_secrets::{Backend, BackendError};
use periapt_store::{BackendChange, SecretBackend, StoreError};
use periapt_wire::rest::{NewSecretBackend, SecretBackendInfo, SecretValues, UpdateSecretBackend};

use super::{Open, Secrets, refused, unsealed};

/// The shortest time from one token to the next, seconds.
const SHORTEST_ROTATION: u64 = 60 * 60;

/// How often something is done anew because the controller's key was replaced meanwhile.
const TRIES: u32 = 10;

/// What the secret part of a configuration is sealed for.
pub(super) fn about(name: &str) -> [&str; 2] {
    ["secret-backend", name]
}

impl Secrets {
    /// A back end, opened as it is configured now.
    pub(super) async fn backend(&self, name: &str) -> Result<Arc<dyn Backend>, StoreError> {
        let row = self.store().secret_backend(name).await?;
        let known = {
            let open = self.inner.open.lock();
            let open = open.unwrap_or_else(PoisonError::into_inner);
            let found = open.get(name).filter(|open| {
                open.config == row.config && open.secret_config == row.secret_config
            });
            found.map(|open| Arc::clone(&open.backend))
        };
        if let Some(known) = known {
            return Ok(known);
        }
        let config = self.whole_config(&row).await?;
        let backend = backend::open(&row.kind, &config)
            .map_err(|error| unavailable(name, &error.to_string()))?;
        let open = Open {
            config: row.config,
            secret_config: row.secret_config,
            backend: Arc::clone(&backend),
        };
        let all = self.inner.open.lock();
        all.unwrap_or_else(PoisonError::into_inner)
            .insert(name.to_owned(), open);
        Ok(backend)
    }

    /// The configuration with what is secret in it, which may be newer than the row: its key was replaced
    /// meanwhile then.
    pub(super) async fn whole_config(
        &self,
        row: &SecretBackend,
    ) -> Result<BTreeMap<String, String>, StoreError> {
        let about = about(&row.name);
        let (mut config, text) = match self.open_own(&about, &row.secret_config).await {
            Err(error) if error.refusal() == Refusal::SecretKeyMissing => {
                let now = self.store().secret_backend(&row.name).await?;
                if now.secret_config == row.secret_config {
                    return Err(error);
                }
                let text = self.open_own(&about, &now.secret_config).await?;
                (now.config, text)
            }
            text => (row.config.clone(), text?),
        };
        let secret: BTreeMap<String, String> =
            serde_json::from_slice(&text).map_err(|error| unsealed(&error))?;
        config.extend(secret);
        Ok(config)
    }

    /// A configuration in its two parts, of which one is sealed.
    fn parted(
        &self,
        name: &str,
        config: &BTreeMap<String, String>,
        token_rotate_interval: Option<u64>,
    ) -> Result<BackendChange, StoreError> {
        let (secret, open): (BTreeMap<_, _>, BTreeMap<_, _>) = config
            .clone()
            .into_iter()
            .partition(|(option, _)| is_secret(option));
        let text = serde_json::to_vec(&secret).map_err(|error| unsealed(&error))?;
        Ok(BackendChange {
            config: open,
            secret_config: self.seal_own(&about(name), &text)?,
            token_rotate_interval,
        })
    }

    /// Takes note of what a back end said: people are shown why it cannot be used.
    pub(super) async fn noted<T>(
        &self,
        name: &str,
        said: Result<T, BackendError>,
    ) -> Result<T, StoreError> {
        match said {
            Ok(said) => Ok(said),
            Err(error) => {
                tracing::warn!(backend = name, %error, "a secret back end fails");
                self.show(name, &error.to_string()).await;
                Err(unavailable(name, &error.to_string()))
            }
        }
    }

    async fn show(&self, name: &str, message: &str) {
        let shown = self.store().set_secret_backend_message(name, message).await;
        if let Err(error) = shown {
            tracing::warn!(backend = name, %error, "what a secret back end says is not shown");
        }
    }

    /// All back ends, the database first, each as it answers now.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn backends(&self) -> Result<Vec<SecretBackendInfo>, StoreError> {
        let store = self.store();
        let mut all = vec![SecretBackendInfo {
            name: INTERNAL_BACKEND.to_owned(),
            kind: "controller".to_owned(),
            config: BTreeMap::new(),
            token_rotate_interval: None,
            next_token_rotate: None,
            secrets: store.internal_secrets().await?,
            status: "active".to_owned(),
            message: String::new(),
        }];
        for row in store.secret_backends().await? {
            all.push(self.checked(row).await);
        }
        Ok(all)
    }

    async fn checked(&self, mut row: SecretBackend) -> SecretBackendInfo {
        let answered = match self.backend(&row.name).await {
            Ok(backend) => backend.check().await.map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        let message = answered.err().unwrap_or_default();
        if message != row.message {
            self.show(&row.name, &message).await;
            row.message = message;
        }
        shown(row)
    }

    /// Adds a back end, which has to answer.
    ///
    /// # Errors
    /// A name or a configuration that makes no sense, one that does not answer, and those of the store.
    pub async fn add_backend(
        &self,
        new: NewSecretBackend,
    ) -> Result<SecretBackendInfo, StoreError> {
        let NewSecretBackend {
            name,
            kind,
            config: SecretValues(config),
            token_rotate_interval,
        } = new;
        require_name(&name)?;
        let interval = rotation(token_rotate_interval)?;
        self.require_answer(&name, &kind, &config).await?;
        let mut tried = 0;
        loop {
            let change = self.parted(&name, &config, interval)?;
            match self.store().add_secret_backend(&name, &kind, change).await {
                Err(error) if error.refusal() == Refusal::TryAgain && tried < TRIES => {
                    tried += 1;
                    self.catch_up().await?;
                }
                added => return added.map(shown),
            }
        }
    }

    /// Changes a back end, which has to answer as it is then.
    ///
    /// # Errors
    /// A configuration that makes no sense, one that does not answer, and those of the store.
    pub async fn update_backend(
        &self,
        name: &str,
        update: UpdateSecretBackend,
    ) -> Result<SecretBackendInfo, StoreError> {
        if let Some(both) = update
            .reset
            .iter()
            .find(|option| update.config.0.contains_key(*option))
        {
            return Err(refused(
                Refusal::OptionSetAndReset,
                format!("option \"{both}\" is both set and reset"),
            ));
        }
        let mut tried = 0;
        loop {
            let before = self.store().secret_backend(name).await?;
            let mut config = self.whole_config(&before).await?;
            for option in &update.reset {
                if config.remove(option).is_none() {
                    return Err(refused(
                        Refusal::SecretBackendConfigInvalid,
                        format!("option \"{option}\" is not set"),
                    ));
                }
            }
            config.extend(update.config.0.clone());
            let interval = match update.token_rotate_interval {
                None => before.token_rotate_interval,
                Some(0) => None,
                some => rotation(some)?,
            };
            self.require_answer(name, &before.kind, &config).await?;
            let change = self.parted(name, &config, interval)?;
            match self.store().set_secret_backend(before, change).await {
                Err(error) if error.refusal() == Refusal::TryAgain && tried < TRIES => {
                    tried += 1;
                    self.catch_up().await?;
                }
                changed => return changed.map(shown),
            }
        }
    }

    async fn require_answer(
        &self,
        name: &str,
        kind: &str,
        config: &BTreeMap<String, String>,
    ) -> Result<(), StoreError> {
        let opened = backend::open(kind, config);
        let opened = opened
            .map_err(|error| refused(Refusal::SecretBackendConfigInvalid, error.to_string()))?;
        let answered = opened.check().await;
        answered.map_err(|error| unavailable(name, &error.to_string()))
    }

    /// Replaces the token of a back end. The old one ends once the new one is kept.
    ///
    /// # Errors
    /// A back end that does not answer, one that was changed meanwhile, and those of the store; then the token is
    /// the one that it was, or that it was changed to.
    pub async fn rotate_token(&self, name: &str) -> Result<(), StoreError> {
        let store = self.store();
        let row = store.secret_backend(name).await?;
        let drawn_with = self.whole_config(&row).await?;
        let opened = |config: &BTreeMap<String, String>| {
            backend::open(&row.kind, config).map_err(|error| unavailable(name, &error.to_string()))
        };
        let old = opened(&drawn_with)?;
        let token = self.noted(name, old.new_token().await).await?;
        let mut config = drawn_with.clone();
        config.insert(TOKEN.to_owned(), token);
        let mut tried = 0;
        let kept = loop {
            let before = store.secret_backend(name).await?;
            if self.whole_config(&before).await? != drawn_with {
                break Err(changed_meanwhile(name));
            }
            let change = self.parted(name, &config, before.token_rotate_interval)?;
            let kept = store
                .secret_token_rotated(before, change.secret_config)
                .await;
            match kept {
                Err(error) if error.refusal() == Refusal::TryAgain && tried < TRIES => {
                    tried += 1;
                    self.catch_up().await?;
                }
                kept => break kept,
            }
        };
        let ends = match &kept {
            // Whoever is about to use it reads the new one when it is refused; it ends by itself otherwise.
            Ok(()) => Some(old),
            Err(error) if error.refusal() == Refusal::TryAgain => Some(opened(&config)?),
            // Whether the new one is kept is not known.
            Err(_) => None,
        };
        if let Some(ends) = ends
            && let Err(error) = ends.revoke_token().await
        {
            tracing::warn!(backend = name, %error, "a token that nobody needs is not revoked");
        }
        kept
    }

    /// Removes from back ends what is due; when the next is. What fails is tried again later.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn sweep(&self) -> Result<Option<i64>, StoreError> {
        let store = self.store();
        for leftover in store.take_secret_leftovers().await? {
            let removed = match self.backend(&leftover.backend).await {
                Ok(backend) => {
                    let removed = backend.remove(&leftover.content_id).await;
                    self.noted(&leftover.backend, removed).await
                }
                Err(error) => Err(error),
            };
            match removed {
                Ok(()) => store.secret_leftover_gone(&leftover).await?,
                Err(error) => {
                    tracing::warn!(backend = %leftover.backend, %error, "values that nobody needs stay for now");
                    store.secret_leftover_stays(&leftover).await?;
                }
            }
        }
        store.next_secret_leftover().await
    }
}

fn shown(row: SecretBackend) -> SecretBackendInfo {
    SecretBackendInfo {
        name: row.name,
        kind: row.kind,
        config: row.config,
        token_rotate_interval: row.token_rotate_interval,
        next_token_rotate: row.next_token_rotate,
        secrets: row.secrets,
        status: match row.message.is_empty() {
            true => "active".to_owned(),
            false => "error".to_owned(),
        },
        message: row.message,
    }
}

fn changed_meanwhile(name: &str) -> StoreError {
    refused(
        Refusal::TryAgain,
        format!("secret back end \"{name}\" was changed while its token was replaced"),
    )
}

fn unavailable(name: &str, why: &str) -> StoreError {
    refused(
        Refusal::SecretBackendUnavailable,
        format!("secret back end \"{name}\" cannot be used: {why}"),
    )
}

/// How often a token is replaced.
fn rotation(seconds: Option<u64>) -> Result<Option<u64>, StoreError> {
    match seconds {
        Some(seconds) if seconds < SHORTEST_ROTATION => Err(refused(
            Refusal::SecretBackendConfigInvalid,
            format!("a token is replaced once in {SHORTEST_ROTATION} seconds at most"),
        )),
        seconds => Ok(seconds),
    }
}

fn require_name(name: &str) -> Result<(), StoreError> {
    let begins = |c: char| c.is_ascii_lowercase();
    let has = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let sound = name.starts_with(begins) && name.chars().all(has) && name.len() <= 100;
    if !sound || name == "auto" || name == INTERNAL_BACKEND {
        let shown: String = name.chars().take(80).collect();
        return Err(refused(
            Refusal::SecretBackendConfigInvalid,
            format!(
                "\"{shown}\" cannot be the name of a secret back end: use lower-case letters, digits and dashes, begin with a letter, and leave auto and internal to the controller"
            ),
        ));
    }
    Ok(())
}
