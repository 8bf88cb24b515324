//! The methods about secrets and the back ends that keep them.

use periapt_model::ApplicationName;
use periapt_wire::rest::{
    EncryptionKeyInfo, ListQuery, NewSecretBackend, NewUserSecret, RevealSecret, RevealedSecret,
    SecretBackendInfo, SecretBackendRemoval, SecretGrants, SecretInfo, SecretQuery, SecretRemoval,
    UpdateSecretBackend, UpdateUserSecret, paths,
};
use periapt_wire::rpc::Empty;
use reqwest::Method;

use super::{ANSWER, RestClient, RestError};

impl RestClient {
    /// The secrets of a model, or of one owner in it, without values; read page by page.
    pub async fn secrets(
        &self,
        model: &str,
        owner: Option<&str>,
    ) -> Result<Vec<SecretInfo>, RestError> {
        let query = SecretQuery {
            owner: owner.map(str::to_owned),
            ..SecretQuery::default()
        };
        self.list(&paths::SECRETS.at([model]), &query).await
    }

    /// A secret by its id, or a user secret by its name.
    pub async fn secret(&self, model: &str, secret: &str) -> Result<SecretInfo, RestError> {
        self.get(&paths::SECRET.at([model, secret])).await
    }

    pub async fn add_secret(
        &self,
        model: &str,
        request: &NewUserSecret,
    ) -> Result<SecretInfo, RestError> {
        self.post(&paths::SECRETS.at([model]), request).await
    }

    pub async fn update_secret(
        &self,
        model: &str,
        secret: &str,
        request: &UpdateUserSecret,
    ) -> Result<SecretInfo, RestError> {
        self.patch(&paths::SECRET.at([model, secret]), request)
            .await
    }

    /// Removes one revision, or all with the secret.
    pub async fn remove_secret(
        &self,
        model: &str,
        secret: &str,
        removal: &SecretRemoval,
    ) -> Result<Empty, RestError> {
        self.change(
            Method::DELETE,
            &paths::SECRET.at([model, secret]),
            |request| request.timeout(ANSWER).query(removal),
        )
        .await
    }

    /// The values of a revision. It is on record that they were shown, and to whom.
    pub async fn reveal_secret(
        &self,
        model: &str,
        secret: &str,
        request: &RevealSecret,
    ) -> Result<RevealedSecret, RestError> {
        self.post(&paths::SECRET_REVEAL.at([model, secret]), request)
            .await
    }

    pub async fn grant_secret(
        &self,
        model: &str,
        secret: &str,
        request: &SecretGrants,
    ) -> Result<SecretInfo, RestError> {
        self.post(&paths::SECRET_GRANTS.at([model, secret]), request)
            .await
    }

    pub async fn revoke_secret(
        &self,
        model: &str,
        secret: &str,
        application: &ApplicationName,
    ) -> Result<SecretInfo, RestError> {
        let path = paths::SECRET_GRANT.at([model, secret, application.as_str()]);
        self.change(Method::DELETE, &path, |request| request.timeout(ANSWER))
            .await
    }

    pub async fn secret_backends(&self) -> Result<Vec<SecretBackendInfo>, RestError> {
        self.list(&paths::SECRET_BACKENDS.at([]), &ListQuery::default())
            .await
    }

    pub async fn add_secret_backend(
        &self,
        request: &NewSecretBackend,
    ) -> Result<SecretBackendInfo, RestError> {
        self.post(&paths::SECRET_BACKENDS.at([]), request).await
    }

    pub async fn update_secret_backend(
        &self,
        backend: &str,
        request: &UpdateSecretBackend,
    ) -> Result<SecretBackendInfo, RestError> {
        self.patch(&paths::SECRET_BACKEND.at([backend]), request)
            .await
    }

    pub async fn remove_secret_backend(
        &self,
        backend: &str,
        removal: &SecretBackendRemoval,
    ) -> Result<Empty, RestError> {
        self.change(
            Method::DELETE,
            &paths::SECRET_BACKEND.at([backend]),
            |request| request.timeout(ANSWER).query(removal),
        )
        .await
    }

    /// Makes a new key under which the keys of all models are sealed.
    pub async fn rotate_encryption_key(&self) -> Result<EncryptionKeyInfo, RestError> {
        self.post(&paths::CONTROLLER_ENCRYPTION_KEY_ROTATE.at([]), &Empty {})
            .await
    }
}
