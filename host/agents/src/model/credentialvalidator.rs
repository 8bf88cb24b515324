//! **credentialvalidator**: a flag that is true while the model's cloud credential is valid.
//!
//! The local provider needs no credential, so for its models the flag is simply true and stays
//! so. It stands in the table because everything that talks to a provider is gated by it.

use periapt_engine::{Manifold, flag};

use super::apicaller;

pub const NAME: &str = "valid-credential-flag";

/// Lends a true flag.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        context.require(apicaller::NAME)?;
        Ok(flag::constant(true))
    })
    .needs([apicaller::NAME])
}
