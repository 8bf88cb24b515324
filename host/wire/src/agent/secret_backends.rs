//! Tokens with which the controller reaches back ends of secrets, and what nobody needs any more there.

use crate::rpc::{Empty, Watch};

/// A back end and when its token is due to be replaced.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TokenRotation {
    pub backend: String,
    /// Microseconds UTC.
    pub due: i64,
}

/// What is left to be removed.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Swept {
    /// When the next is due, microseconds UTC; none while there is nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_due: Option<i64>,
}

crate::facade! { "periapt.SecretBackends" 1 for Controller {
    /// Fires when a back end came, went or is to be rotated at another time, and when something is to be removed.
    [Watch] WatchTokenRotations as WatchTokenRotations {} -> Watch;
    [Read] TokenRotations as GetTokenRotations {} -> Vec<TokenRotation>;
    /// Replaces the token of a back end: a new one is made there, kept, and the old one revoked.
    [Write] RotateToken as RotateSecretBackendToken { backend: String } -> Empty;
    /// Removes from back ends, so many at a time, what no secret names any more. What fails is due again later.
    [Write] Sweep as SweepSecretBackends {} -> Swept;
} }
