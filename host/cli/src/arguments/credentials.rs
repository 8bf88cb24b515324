//! Verbs about what lets a model's provider make instances.

use clap::Args;

use super::{ModelChoice, Shown};

#[derive(Debug, Args)]
pub struct ShowCredential {
    #[command(flatten)]
    pub shown: Shown,
}

#[derive(Debug, Args)]
pub struct UpdateCredential {
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct InvalidateCredential {
    /// Why, for those who look at the model.
    pub reason: String,
    #[command(flatten)]
    pub model: ModelChoice,
}
