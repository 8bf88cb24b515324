//! The lease that lets one controller act for a model (`singular-controller` namespace).

use periapt_model::Tag;

use crate::rpc::Empty;

crate::facade! { "periapt.Singular" 1 for Controller {
    /// Claims or extends; error code `leadership claim denied` when another holds it.
    [Tell] Claim as Claim { entity: Tag, claimant: String, duration_ms: u64 } -> Empty;
    /// Returns when the lease is free.
    [Wait] Wait as Wait { entity: Tag } -> Empty;
} }
