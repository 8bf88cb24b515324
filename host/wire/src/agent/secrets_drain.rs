//! Moving revisions of secrets to the back end that the model wants.

use super::secrets::Misplaced;
use crate::rpc::{Empty, Watch};

crate::facade! { "periapt.SecretsDrain" 1 for Controller {
    /// Fires when the model wants another back end, and when a revision was written elsewhere.
    [Watch] WatchSecretBackend as WatchSecretBackend {} -> Watch;
    /// Revisions of the model that are in another back end than it wants, in order; so many at a time, of those that
    /// come `after` one.
    [Read] Misplaced as GetMisplacedSecrets {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<Misplaced>,
    } -> Vec<Misplaced>;
    /// Writes one into the back end that the model wants, lets it be read from there, and removes it from where it
    /// was. One that is in place, or gone, stays as it is.
    [Write] Move as MoveSecret { revision: Misplaced } -> Empty;
} }
