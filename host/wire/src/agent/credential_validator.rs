//! Whether the model's provider may make instances.

use crate::rest::ModelCredential;
use crate::rpc::{Empty, Watch};

crate::facade! { "periapt.CredentialValidator" 1 for Controller {
    [Read] ModelCredential as GetModelCredential {} -> ModelCredential;
    [Watch] WatchModelCredential as WatchModelCredential {} -> Watch;
    /// Of a worker whose provider was refused.
    [Write] InvalidateModelCredential as InvalidateModelCredential { reason: String } -> Empty;
} }
