//! `secrets`, `show-secret`, `add-secret`, `update-secret`, `remove-secret`, `grant-secret`, `revoke-secret`: what
//! only those read who were granted it.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use periapt_model::ApplicationName;
use periapt_wire::rest::{
    NewUserSecret, RevealSecret, SecretGrants, SecretInfo, SecretRemoval, UpdateUserSecret,
};

use super::Context;
use crate::arguments::{DetailFormat, ListFormat, ModelChoice, Target};
use crate::failure::{Exit, Failure, Outcome};
use crate::output::table::Table;
use crate::output::time::Times;
use crate::session::ModelSession;

pub mod backends;
mod documents;
pub(super) mod values;

use documents::{SecretDocument, documents, owner};

/// The verbs of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Add a secret, which you can then grant to applications.
    AddSecret(AddSecret),
    /// Change the values, name or description of a user secret.
    UpdateSecret(UpdateSecret),
    /// Remove a user secret, or one of its revisions.
    RemoveSecret(RemoveSecret),
    /// Grant applications access to a user secret.
    GrantSecret(SecretAccess),
    /// Revoke applications' access to a user secret.
    RevokeSecret(SecretAccess),
    /// List the secrets of a model, without their values.
    #[command(visible_alias = "list-secrets")]
    Secrets(Secrets),
    /// Show a secret, on request with its values.
    ShowSecret(ShowSecret),
}

const VALUES: &str = "\
Values are text, written as KEY=VALUE. Since these end up in your shell's history and in the list of
processes, better use
  KEY#file=PATH     the content of a file; - is standard input
  KEY#base64=VALUE  decoded
  --file FILE       a map in YAML or JSON; - is standard input
A key has at least three characters: lower-case letters, digits and dashes.";

#[derive(Debug, Args)]
#[command(after_help = VALUES)]
pub struct AddSecret {
    /// Its name, unique in the model.
    pub name: String,
    /// Its values.
    #[arg(value_name = "KEY[#file|#base64]=VALUE")]
    pub values: Vec<String>,
    /// A file with its values.
    #[arg(long)]
    pub file: Option<PathBuf>,
    /// Its description.
    #[arg(long, value_name = "DESCRIPTION", default_value = "")]
    pub info: String,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
#[command(after_help = VALUES)]
pub struct UpdateSecret {
    /// Its name or id.
    #[arg(value_name = "SECRET")]
    pub secret: String,
    /// All values of its new revision; without any they stay the same.
    #[arg(value_name = "KEY[#file|#base64]=VALUE")]
    pub values: Vec<String>,
    /// A file with its values.
    #[arg(long)]
    pub file: Option<PathBuf>,
    /// A new name.
    #[arg(long)]
    pub name: Option<String>,
    /// A new description.
    #[arg(long, value_name = "DESCRIPTION")]
    pub info: Option<String>,
    /// Whether to remove revisions as soon as no unit uses them.
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "true|false")]
    pub auto_prune: Option<bool>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct RemoveSecret {
    /// Its name or id.
    #[arg(value_name = "SECRET")]
    pub secret: String,
    /// Only this revision.
    #[arg(long)]
    pub revision: Option<u32>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct SecretAccess {
    /// Its name or id.
    #[arg(value_name = "SECRET")]
    pub secret: String,
    /// The applications.
    #[arg(value_name = "APPLICATION", required = true, value_delimiter = ',')]
    pub applications: Vec<String>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct Secrets {
    /// Only secrets of an application, a unit, or the model (those that users added).
    #[arg(long)]
    pub owner: Option<String>,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    /// Show times in UTC, in ISO format.
    #[arg(long)]
    pub utc: bool,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct ShowSecret {
    /// Its name or id.
    #[arg(value_name = "SECRET")]
    pub secret: String,
    /// Also show its values. The audit log records that you saw them.
    #[arg(long)]
    pub reveal: bool,
    /// Show this revision [default: the newest].
    #[arg(long, short = 'r', conflicts_with = "revisions")]
    pub revision: Option<u32>,
    /// Show its revisions.
    #[arg(long, conflicts_with = "reveal")]
    pub revisions: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: DetailFormat,
    /// Show times in UTC, in ISO format.
    #[arg(long)]
    pub utc: bool,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

pub async fn run(context: &Context, verb: Verb) -> Outcome {
    match verb {
        Verb::AddSecret(arguments) => add(context, arguments).await,
        Verb::UpdateSecret(arguments) => update(context, arguments).await,
        Verb::RemoveSecret(arguments) => remove(context, arguments).await,
        Verb::GrantSecret(arguments) => grant(context, arguments).await,
        Verb::RevokeSecret(arguments) => revoke(context, arguments).await,
        Verb::Secrets(arguments) => list(context, arguments).await,
        Verb::ShowSecret(arguments) => show(context, arguments).await,
    }
}

async fn add(context: &Context, arguments: AddSecret) -> Outcome {
    let values = values::read(&arguments.values, arguments.file.as_deref())?;
    if values.0.is_empty() {
        return Err(nothing_given());
    }
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let request = NewUserSecret {
        name: arguments.name,
        description: arguments.info,
        values,
    };
    let added = here.client().add_secret(&here.model, &request).await?;
    context.output.value(&added.id.uri())
}

async fn update(context: &Context, arguments: UpdateSecret) -> Outcome {
    let values = values::read(&arguments.values, arguments.file.as_deref())?;
    let request = UpdateUserSecret {
        name: arguments.name,
        description: arguments.info,
        values: Some(values).filter(|values| !values.0.is_empty()),
        auto_prune: arguments.auto_prune,
    };
    if request == UpdateUserSecret::default() {
        return Err(nothing_given());
    }
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    here.client()
        .update_secret(&here.model, &arguments.secret, &request)
        .await?;
    Ok(())
}

fn nothing_given() -> Failure {
    Failure::usage("no values were given for the secret")
        .why("a secret has at least one value")
        .advice("write for example: password#file=./password.txt")
}

async fn remove(context: &Context, arguments: RemoveSecret) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let removal = SecretRemoval {
        revision: arguments.revision,
    };
    here.client()
        .remove_secret(&here.model, &arguments.secret, &removal)
        .await?;
    Ok(())
}

async fn grant(context: &Context, arguments: SecretAccess) -> Outcome {
    let applications = applications(&arguments.applications)?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let request = SecretGrants { applications };
    here.client()
        .grant_secret(&here.model, &arguments.secret, &request)
        .await?;
    Ok(())
}

async fn revoke(context: &Context, arguments: SecretAccess) -> Outcome {
    let applications = applications(&arguments.applications)?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    for (done, application) in applications.iter().enumerate() {
        let revoked = here
            .client()
            .revoke_secret(&here.model, &arguments.secret, application)
            .await;
        if let Err(error) = revoked {
            let before: Vec<&str> = applications[..done]
                .iter()
                .map(|one| one.as_str())
                .collect();
            if !before.is_empty() {
                context
                    .output
                    .report(&format!("Revoked from {} before", before.join(", ")));
            }
            return Err(error.into());
        }
    }
    Ok(())
}

fn applications(names: &[String]) -> Outcome<Vec<ApplicationName>> {
    let names = names.iter().map(|name| name.parse::<ApplicationName>());
    Ok(names.collect::<Result<_, _>>()?)
}

async fn list(context: &Context, arguments: Secrets) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let secrets = here
        .client()
        .secrets(&here.model, arguments.owner.as_deref())
        .await?;
    let output = context.output.to(&arguments.target)?;
    // Programs read ISO's times.
    let times = Times::new(arguments.utc || arguments.format == ListFormat::Json);
    match arguments.format {
        ListFormat::Json => output.json(&documents(&secrets, &times)),
        ListFormat::Yaml => output.yaml(&documents(&secrets, &times)),
        ListFormat::Tabular if secrets.is_empty() => {
            output.say("No secrets to display.");
            Ok(())
        }
        ListFormat::Tabular => output.data(&table(&secrets, &times).render(output.paints())),
    }
}

fn table(secrets: &[SecretInfo], times: &Times) -> Table {
    let headers = [
        "ID",
        "Name",
        "Owner",
        "Rotation",
        "Revision",
        "Last updated",
    ];
    let mut table = Table::new(&headers).right("Revision");
    for secret in secrets {
        let name = match secret.label.is_empty() {
            true => "-",
            false => &secret.label,
        };
        let newest = secret.revisions.last().map_or(0, |newest| newest.revision);
        table.row(vec![
            secret.id.as_str().into(),
            name.into(),
            owner(secret).into(),
            secret.rotate.as_str().into(),
            newest.to_string().into(),
            times.micros(secret.updated_at).into(),
        ]);
    }
    table
}

async fn show(context: &Context, arguments: ShowSecret) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let client = here.client();
    let secret = client.secret(&here.model, &arguments.secret).await?;
    let revealed = match arguments.reveal {
        true => {
            let request = RevealSecret {
                revision: arguments.revision,
            };
            let id = secret.id.as_str();
            Some(client.reveal_secret(&here.model, id, &request).await?)
        }
        false => None,
    };
    if let Some(wanted) = arguments.revision
        && !secret.revisions.iter().any(|one| one.revision == wanted)
    {
        let there = secret.revisions.iter().map(|one| one.revision.to_string());
        let there: Vec<String> = there.collect();
        let what = format!("secret {} has no revision {wanted}", secret.id);
        return Err(Failure::new(Exit::NotFound, what)
            .why(format!("it has {}", there.join(", ")))
            .advice(format!("periapt show-secret {} --revisions", secret.id)));
    }
    let output = context.output.to(&arguments.target)?;
    let times = Times::new(arguments.utc || arguments.format == DetailFormat::Json);
    let mut document = SecretDocument::of(&secret, &times);
    if arguments.revisions {
        document.show_revisions(&secret, &times);
    }
    if let Some(revision) = arguments.revision {
        document.of_revision(revision);
    }
    if let Some(revealed) = revealed {
        document.reveal(revealed);
    }
    if arguments.format == DetailFormat::Json {
        document = document.nested();
    }
    let document = std::collections::BTreeMap::from([(secret.id.as_str(), document)]);
    match arguments.format {
        DetailFormat::Json => output.json(&document),
        DetailFormat::Yaml => output.yaml(&document),
    }
}

#[cfg(test)]
mod tests;
