//! Tokens with which the controller reaches back ends of secrets.

use crate::rpc::{Empty, Watch};

/// A back end and when its token is due to be replaced.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TokenRotation {
    pub backend: String,
    /// Microseconds UTC.
    pub due: i64,
}

crate::facade! { "periapt.SecretBackends" 1 for Controller {
    /// Fires when a back end came, went or is to be rotated at another time.
    [Watch] WatchTokenRotations as WatchTokenRotations {} -> Watch;
    [Read] TokenRotations as GetTokenRotations {} -> Vec<TokenRotation>;
    /// Replaces the token of a back end: a new one is made there, kept, and the old one revoked.
    [Write] RotateToken as RotateSecretBackendToken { backend: String } -> Empty;
} }
