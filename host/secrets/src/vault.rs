//! `vault`: a Vault with an engine for keys and values of version 2, over HTTP.
//!
//! What is written is `{mount}/data/periapt/{content}`, one version of each, and is removed with its metadata.
//! A connection without TLS goes to this machine alone.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use async_trait::async_trait;
use periapt_model::secret::Content;
use periapt_outbound::header::HeaderValue;
use periapt_outbound::{Client, Failure, Method, StatusCode, Url};
use serde_json::{Value, json};

use crate::backend::{Backend, BackendError, ConfigError};

#[cfg(test)]
mod tests;

/// For one answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Bytes of an answer: values of the largest secret, each character written as six.
const ANSWER_BYTES: u64 = 8 << 20;

const SERVER: &str = "the Vault";
const MOUNT: &str = "secret";

pub struct Vault {
    http: Client,
    token: HeaderValue,
    endpoint: String,
    mount: String,
}

impl Vault {
    /// # Errors
    /// An option that is missing, or that makes no sense.
    pub fn new(config: &BTreeMap<String, String>) -> Result<Self, ConfigError> {
        let option = |name: &str| config.get(name).map(|value| value.trim());
        let missing = |name: &str| ConfigError(format!("the option {name} is missing"));
        let endpoint = option("endpoint").ok_or_else(|| missing("endpoint"))?;
        let url = Url::parse(endpoint)
            .map_err(|error| ConfigError(format!("endpoint is no URL: {error}")))?;
        if !(url.scheme() == "https" || url.scheme() == "http" && is_here(&url)) {
            return Err(ConfigError(
                "endpoint begins with https://, or with http:// and names this machine".to_owned(),
            ));
        }
        if !url.username().is_empty() || url.password().is_some() || url.query().is_some() {
            return Err(ConfigError(
                "endpoint has neither a user nor a query".to_owned(),
            ));
        }
        let mount = option("mount-path").unwrap_or(MOUNT).trim_matches('/');
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/');
        if mount.is_empty() || mount.len() > 200 || !mount.chars().all(plain) {
            return Err(ConfigError(
                "mount-path has letters, digits, dashes, underscores and slashes".to_owned(),
            ));
        }
        let token = option("token").filter(|token| !token.is_empty());
        let token = token.ok_or_else(|| missing("token"))?;
        let mut token = HeaderValue::from_str(token)
            .map_err(|_| ConfigError("token has signs that no token has".to_owned()))?;
        token.set_sensitive(true);
        let authority = option("ca-cert").filter(|pem| !pem.is_empty());
        let http = Client::new(SERVER, endpoint, authority, PATIENCE)
            .map_err(|failure| ConfigError(failure.to_string()))?;
        Ok(Self {
            http,
            token,
            endpoint: endpoint.trim_end_matches('/').to_owned(),
            mount: mount.to_owned(),
        })
    }

    /// The answer to a request, and its body as far as it is JSON.
    async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<(StatusCode, Value), BackendError> {
        let url = format!("{}/v1/{path}", self.endpoint);
        let request = self.http.request(method, &url);
        let mut request = request.header("x-vault-token", self.token.clone());
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = self.http.send(request).await?;
        let status = answer.status();
        let bytes = self.http.body(answer, ANSWER_BYTES).await?;
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Ok((status, body))
    }

    /// The same where only success will do.
    async fn done(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<Value, BackendError> {
        let (status, body) = self.ask(method, path, body).await?;
        match status.is_success() {
            true => Ok(body),
            false => Err(refused(status, &body)),
        }
    }

    fn data(&self, content_id: &str) -> String {
        format!("{}/data/periapt/{content_id}", self.mount)
    }

    fn metadata(&self, content_id: &str) -> String {
        format!("{}/metadata/periapt/{content_id}", self.mount)
    }
}

#[async_trait]
impl Backend for Vault {
    async fn put(&self, content_id: &str, content: &Content) -> Result<(), BackendError> {
        let body = json!({ "data": content.values() });
        self.done(Method::POST, &self.data(content_id), Some(body))
            .await
            .map(drop)
    }

    async fn get(&self, content_id: &str) -> Result<Option<Content>, BackendError> {
        let (status, mut body) = self.ask(Method::GET, &self.data(content_id), None).await?;
        if status == StatusCode::NOT_FOUND {
            return Ok(None);
        }
        if !status.is_success() {
            return Err(refused(status, &body));
        }
        let values = body
            .get_mut("data")
            .and_then(|data| data.get_mut("data"))
            .map(Value::take);
        let values: Option<BTreeMap<String, String>> =
            values.and_then(|values| serde_json::from_value(values).ok());
        let content = values.and_then(|values| Content::new(values).ok());
        match content {
            Some(content) => Ok(Some(content)),
            None => Err(BackendError(
                "the Vault has something else there than was written".to_owned(),
            )),
        }
    }

    async fn remove(&self, content_id: &str) -> Result<(), BackendError> {
        let path = self.metadata(content_id);
        let (status, body) = self.ask(Method::DELETE, &path, None).await?;
        match status.is_success() || status == StatusCode::NOT_FOUND {
            true => Ok(()),
            false => Err(refused(status, &body)),
        }
    }

    async fn check(&self) -> Result<(), BackendError> {
        self.done(Method::GET, "auth/token/lookup-self", None)
            .await
            .map(drop)
    }

    async fn new_token(&self) -> Result<String, BackendError> {
        // One with a parent would end with it.
        let body = json!({ "no_parent": true, "renewable": true });
        let made = self
            .done(Method::POST, "auth/token/create", Some(body))
            .await?;
        if made.pointer("/auth/orphan") == Some(&Value::Bool(false)) {
            return Err(BackendError(
                "the Vault's token may not make another that outlives it: it has to be allowed sudo on auth/token/create".to_owned(),
            ));
        }
        let token = made.pointer("/auth/client_token").and_then(Value::as_str);
        let token = token.filter(|token| !token.is_empty());
        token
            .map(str::to_owned)
            .ok_or_else(|| BackendError("the Vault answers without a token".to_owned()))
    }

    async fn revoke_token(&self) -> Result<(), BackendError> {
        self.done(Method::POST, "auth/token/revoke-self", None)
            .await
            .map(drop)
    }
}

fn is_here(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || address.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// What the Vault said. Its texts name paths and never tokens or values.
fn refused(status: StatusCode, body: &Value) -> BackendError {
    let said = body["errors"].as_array().into_iter().flatten();
    let said: Vec<&str> = said.filter_map(Value::as_str).collect();
    Failure::refused(SERVER, status, &said.join(", ")).into()
}
