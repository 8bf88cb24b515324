//! Secrets: what a person does with those of the model, and how those of all look.
//!
//! Time makes secrets change as well: [`Scenario::pass`] and all that waits let one expire or come due for
//! rotation, as weeks would.

use std::collections::BTreeMap;

use periapt_model::ApplicationName;
use periapt_wire::rest::{
    NewUserSecret, RevealSecret, SecretGrants, SecretInfo, SecretRemoval, SecretValues,
    UpdateUserSecret,
};

use crate::scenario::{MODEL, doing, name};
use crate::time::{PATIENCE, Passing};
use crate::{Scenario, ScenarioError};

/// A secret is named by its id, or by its name where it is one of the model.
impl Scenario {
    /// Adds a secret of the model. No application reads it before it was granted.
    ///
    /// # Errors
    /// What the controller refuses.
    pub async fn add_secret(
        &self,
        secret: &str,
        values: &[(&str, &str)],
    ) -> Result<SecretInfo, ScenarioError> {
        let request = NewUserSecret {
            name: secret.to_owned(),
            values: owned(values),
            ..NewUserSecret::default()
        };
        let added = self.client.add_secret(MODEL, &request).await;
        added.map_err(doing(format!("adding the secret {secret}")))
    }

    /// Gives a secret of the model other values: all of those of a new revision.
    ///
    /// # Errors
    /// What the controller refuses.
    pub async fn update_secret(
        &self,
        secret: &str,
        values: &[(&str, &str)],
    ) -> Result<SecretInfo, ScenarioError> {
        let request = UpdateUserSecret {
            values: Some(owned(values)),
            ..UpdateUserSecret::default()
        };
        let updated = self.client.update_secret(MODEL, secret, &request).await;
        updated.map_err(doing(format!("changing the secret {secret}")))
    }

    /// Lets an application read a secret of the model.
    ///
    /// # Errors
    /// What the controller refuses.
    pub async fn grant_secret(
        &self,
        secret: &str,
        application: &str,
    ) -> Result<SecretInfo, ScenarioError> {
        let request = SecretGrants {
            applications: vec![name(application)?],
        };
        let granted = self.client.grant_secret(MODEL, secret, &request).await;
        granted.map_err(doing(format!("granting {secret} to {application}")))
    }

    /// Takes a secret of the model back from an application.
    ///
    /// # Errors
    /// What the controller refuses.
    pub async fn revoke_secret(
        &self,
        secret: &str,
        application: &str,
    ) -> Result<SecretInfo, ScenarioError> {
        let named: ApplicationName = name(application)?;
        let revoked = self.client.revoke_secret(MODEL, secret, &named).await;
        revoked.map_err(doing(format!("taking {secret} from {application}")))
    }

    /// Removes a secret of the model, or one revision of it.
    ///
    /// # Errors
    /// What the controller refuses.
    pub async fn remove_secret(
        &self,
        secret: &str,
        revision: Option<u32>,
    ) -> Result<(), ScenarioError> {
        let removal = SecretRemoval { revision };
        let removed = self.client.remove_secret(MODEL, secret, &removal).await;
        removed
            .map(|_| ())
            .map_err(doing(format!("removing the secret {secret}")))
    }

    /// All secrets, those of charms too, without their values.
    ///
    /// # Errors
    /// What the controller refuses.
    pub async fn secrets(&self) -> Result<Vec<SecretInfo>, ScenarioError> {
        let secrets = self.client.secrets(MODEL, None).await;
        secrets.map_err(doing("reading the secrets"))
    }

    /// One secret, without its values.
    ///
    /// # Errors
    /// What the controller refuses.
    pub async fn secret(&self, secret: &str) -> Result<SecretInfo, ScenarioError> {
        let found = self.client.secret(MODEL, secret).await;
        found.map_err(doing(format!("reading the secret {secret}")))
    }

    /// The values of a secret, of its newest revision or of another.
    ///
    /// # Errors
    /// What the controller refuses.
    pub async fn reveal_secret(
        &self,
        secret: &str,
        revision: Option<u32>,
    ) -> Result<BTreeMap<String, String>, ScenarioError> {
        let request = RevealSecret { revision };
        let revealed = self.client.reveal_secret(MODEL, secret, &request).await;
        let revealed = revealed.map_err(doing(format!("reading the values of {secret}")))?;
        Ok(revealed.values.0)
    }

    /// Waits until a secret is as `holds` wants it; time passes meanwhile as needed. `what` completes the
    /// sentence "waited for …".
    ///
    /// # Errors
    /// A secret that there is not, or one that never is so.
    pub async fn until_secret(
        &self,
        secret: &str,
        what: &str,
        holds: impl Fn(&SecretInfo) -> bool,
    ) -> Result<SecretInfo, ScenarioError> {
        let mut passing = Passing::new(&self.clock, PATIENCE);
        loop {
            let found = self.secret(secret).await?;
            if holds(&found) {
                return Ok(found);
            }
            if !passing.pass(false).await {
                return Err(ScenarioError::Never {
                    what: what.to_owned(),
                    model: format!("{found:?}"),
                });
            }
        }
    }
}

fn owned(values: &[(&str, &str)]) -> SecretValues {
    let values = values
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    SecretValues(values.collect())
}
