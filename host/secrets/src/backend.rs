//! What keeps values outside the controller's database.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use periapt_model::nearest::suggestion;
use periapt_model::secret::Content;
use periapt_outbound::Failure;

use crate::vault::Vault;

/// Why a back end did not do it. The text is for people and has nothing of a token or a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BackendError(pub String);

impl From<Failure> for BackendError {
    fn from(failure: Failure) -> Self {
        Self(failure.to_string())
    }
}

/// A configuration that makes no back end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(pub String);

/// A place for values, which knows each by an id that is never used for another.
#[async_trait]
pub trait Backend: Send + Sync {
    /// Keeps values. The same again is the same.
    async fn put(&self, content_id: &str, content: &Content) -> Result<(), BackendError>;

    /// Values that were kept; none where there are none.
    async fn get(&self, content_id: &str) -> Result<Option<Content>, BackendError>;

    /// Removes values for good. Those that are not there are removed.
    async fn remove(&self, content_id: &str) -> Result<(), BackendError>;

    /// Proves that it can be reached, with a token that it takes.
    async fn check(&self) -> Result<(), BackendError>;

    /// Another token, which may do what this one may and outlives it.
    async fn new_token(&self) -> Result<String, BackendError>;

    /// Ends the token with which it is reached.
    async fn revoke_token(&self) -> Result<(), BackendError>;
}

/// Types of back ends that people may add.
pub const KINDS: &[&str] = &["vault"];

/// Options of every type.
const OPTIONS: &[&str] = &["ca-cert", "endpoint", "mount-path", "token"];

/// The option that is replaced from time to time.
pub const TOKEN: &str = "token";

/// Whether the value of an option is shown to nobody.
#[must_use]
pub fn is_secret(option: &str) -> bool {
    option == TOKEN
}

/// A back end of a type.
///
/// # Errors
/// A type or an option that there is not, one that is missing, and values that make no sense.
pub fn open(
    kind: &str,
    config: &BTreeMap<String, String>,
) -> Result<Arc<dyn Backend>, ConfigError> {
    if !KINDS.contains(&kind) {
        let shown: String = kind.chars().take(80).collect();
        return Err(ConfigError(format!(
            "\"{shown}\" is not a type of secret back ends{}",
            suggestion(kind, KINDS.iter().copied())
        )));
    }
    for option in config.keys() {
        if !OPTIONS.contains(&option.as_str()) {
            let shown: String = option.chars().take(80).collect();
            return Err(ConfigError(format!(
                "a back end of type {kind} has no option \"{shown}\"{}",
                suggestion(option, OPTIONS.iter().copied())
            )));
        }
    }
    Ok(Arc::new(Vault::new(config)?))
}
