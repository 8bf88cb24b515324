//! Receivers of alerts: what is secret in them sealed on its way into the store, and opened to send.

use std::collections::BTreeMap;

use periapt_model::Refusal;
use periapt_model::alert::{Receiver, ReceiverKind, is_secret, origin};
use periapt_store::{StoreError, StoredReceiver};
use periapt_wire::rest::{NewAlertReceiver, SecretValues};

use super::{Secrets, refused, unsealed};

/// How often something is done anew because the controller's key was replaced meanwhile.
const TRIES: u32 = 10;

/// What the secret part of a configuration is sealed for.
pub(super) fn about(name: &str) -> [&str; 2] {
    ["alert-receiver", name]
}

fn invalid(error: &dyn std::fmt::Display) -> StoreError {
    refused(Refusal::AlertReceiverInvalid, error.to_string())
}

impl Secrets {
    /// Adds a receiver whose configuration makes sense. Whether it takes messages a test tells.
    ///
    /// # Errors
    /// A name or a configuration that makes no sense, and those of the store.
    pub async fn add_receiver(&self, new: NewAlertReceiver) -> Result<StoredReceiver, StoreError> {
        let NewAlertReceiver {
            name,
            kind,
            config: SecretValues(config),
        } = new;
        let kind: ReceiverKind = kind
            .parse()
            .map_err(|error: periapt_model::alert::ReceiverError| invalid(&error))?;
        Receiver::of(kind, &config).map_err(|error| invalid(&error))?;
        let (secret, mut open): (BTreeMap<String, String>, BTreeMap<String, String>) = config
            .into_iter()
            .partition(|(option, _)| is_secret(option));
        if let Some(url) = secret.get("url") {
            open.insert("url".to_owned(), origin(url.trim()));
        }
        let text = serde_json::to_vec(&secret).map_err(|error| unsealed(&error))?;
        let mut tried = 0;
        loop {
            let sealed = self.seal_own(&about(&name), &text)?;
            let added = self
                .store()
                .add_alert_receiver(&name, kind.as_str(), open.clone(), sealed)
                .await;
            match added {
                Err(error) if error.refusal() == Refusal::TryAgain && tried < TRIES => {
                    tried += 1;
                    self.catch_up().await?;
                }
                added => return added,
            }
        }
    }

    /// A receiver with what is secret in it, to send it something. It is read anew where its key was replaced
    /// meanwhile.
    ///
    /// # Errors
    /// A receiver that there is not, what cannot be opened, and those of the store.
    pub async fn receiver(&self, name: &str) -> Result<Receiver, StoreError> {
        let mut row = self.store().alert_receiver(name).await?;
        let opened = self.open_own(&about(name), &row.secret_config).await;
        let text = match opened {
            Err(error) if error.refusal() == Refusal::SecretKeyMissing => {
                let now = self.store().alert_receiver(name).await?;
                if now.secret_config == row.secret_config {
                    return Err(error);
                }
                row = now;
                self.open_own(&about(name), &row.secret_config).await?
            }
            text => text?,
        };
        let secret: BTreeMap<String, String> =
            serde_json::from_slice(&text).map_err(|error| unsealed(&error))?;
        let mut config = row.config;
        config.extend(secret);
        let kind: ReceiverKind = row
            .kind
            .parse()
            .map_err(|error: periapt_model::alert::ReceiverError| invalid(&error))?;
        Receiver::of(kind, &config).map_err(|error| invalid(&error))
    }
}
