//! `show-credential`, `update-credential`, `invalidate-credential`.

use clap::{Args, Subcommand};
use periapt_wire::rest::{ChangeCredential, ModelCredential};
use serde::Serialize;

use super::Context;
use crate::arguments::{ModelChoice, Shown};
use crate::failure::Outcome;
use crate::output::text::clean;
use crate::output::time::Times;
use crate::session::ModelSession;

/// The verbs of this file.
#[derive(Debug, Subcommand)]
// They are named as people type them.
#[allow(clippy::enum_variant_names)]
pub enum Verb {
    /// Show whether the provider of a model may start machines.
    ShowCredential(ShowCredential),
    /// Have a credential that was replaced or set right tried again.
    UpdateCredential(UpdateCredential),
    /// Suspend a model: its units go on, and no machine is started or stopped.
    InvalidateCredential(InvalidateCredential),
}

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

pub async fn run(context: &Context, verb: Verb) -> Outcome {
    match verb {
        Verb::ShowCredential(arguments) => show(context, arguments).await,
        Verb::UpdateCredential(arguments) => update(context, arguments).await,
        Verb::InvalidateCredential(arguments) => invalidate(context, arguments).await,
    }
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Document {
    model: String,
    cloud: String,
    credential: String,
    validity: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    reason: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    since: String,
}

async fn show(context: &Context, arguments: ShowCredential) -> Outcome {
    let shown = arguments.shown;
    let here = ModelSession::open(&context.files, &shown.model).await?;
    let credential = here.client().credential(&here.model).await?;
    let document = document(&here.model, &credential, &Times::new(shown.utc));
    super::show::write(context, &shown, &document)
}

fn document(model: &str, credential: &ModelCredential, times: &Times) -> Document {
    Document {
        model: model.to_owned(),
        cloud: credential.cloud.clone(),
        credential: format!("{}/{}", credential.owner, credential.name),
        validity: if credential.valid { "valid" } else { "invalid" },
        reason: clean(&credential.reason).to_string(),
        since: match credential.since {
            0 => String::new(),
            since => times.micros(since),
        },
    }
}

async fn update(context: &Context, arguments: UpdateCredential) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let change = ChangeCredential {
        valid: true,
        reason: String::new(),
    };
    here.client()
        .change_credential(&here.model, &change)
        .await?;
    context.output.say(&format!(
        "The credential of model \"{}\" is tried now; `periapt show-credential` tells whether it is refused again",
        here.model
    ));
    Ok(())
}

async fn invalidate(context: &Context, arguments: InvalidateCredential) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let change = ChangeCredential {
        valid: false,
        reason: arguments.reason,
    };
    here.client()
        .change_credential(&here.model, &change)
        .await?;
    context.output.say(&format!(
        "Model \"{}\" is suspended: its units go on, and no machine is started or stopped until `periapt update-credential`",
        here.model
    ));
    Ok(())
}
