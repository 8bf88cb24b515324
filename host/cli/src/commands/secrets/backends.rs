//! `add-secret-backend`, `update-secret-backend`, `remove-secret-backend`, `secret-backends`, `show-secret-backend`,
//! `model-secret-backend`, `rotate-encryption-key`: where revisions of secrets are kept, and under which key.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use periapt_model::config::Value;
use periapt_model::duration;
use periapt_wire::rest::{
    ConfigChange, NewSecretBackend, SecretBackendInfo, SecretBackendRemoval, UpdateSecretBackend,
};
use serde::Serialize;

use super::super::Context;
use super::values;
use crate::arguments::{ControllerChoice, DetailFormat, ListFormat, ModelChoice, Target};
use crate::failure::{Failure, Outcome};
use crate::output::document::Named;
use crate::output::table::{Cell, Table};
use crate::output::time::Times;
use crate::session::{ModelSession, Session};

/// The option of a model that names its back end.
const OPTION: &str = "secret-backend";

/// The verbs of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Add a secret back end outside the controller.
    AddSecretBackend(AddSecretBackend),
    /// Change the options of a secret back end.
    UpdateSecretBackend(UpdateBackend),
    /// Remove a secret back end.
    RemoveSecretBackend(RemoveBackend),
    /// List secret back ends.
    #[command(visible_alias = "list-secret-backends")]
    SecretBackends(Backends),
    /// Show a secret back end.
    ShowSecretBackend(ShowBackend),
    /// Show or choose where a model keeps its secrets.
    ModelSecretBackend(ModelBackend),
    /// Encrypt all secrets in the database with a new key.
    RotateEncryptionKey(RotateKey),
}

const TYPES: &str = "\
Types and their options:
  vault  version 2 of the key-value store of HashiCorp Vault or a compatible server:
         endpoint=https://HOST:PORT, token, mount-path (secret), ca-cert
Write options like values of secrets: token#file=PATH keeps the token out of your shell's history.";

#[derive(Debug, Args)]
#[command(after_help = TYPES)]
pub struct AddSecretBackend {
    /// Its name.
    pub name: String,
    /// Its type: vault.
    #[arg(value_name = "TYPE")]
    pub kind: String,
    /// Its options.
    #[arg(value_name = "KEY[#file]=VALUE")]
    pub options: Vec<String>,
    /// A file with its options, in YAML or JSON.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// How often to replace its token, as in 24h.
    #[arg(long, value_name = "DURATION")]
    pub token_rotate: Option<String>,
    #[command(flatten)]
    pub controller: ControllerChoice,
}

#[derive(Debug, Args)]
#[command(after_help = TYPES)]
pub struct UpdateBackend {
    /// The back end.
    pub name: String,
    /// Options to set.
    #[arg(value_name = "KEY[#file]=VALUE")]
    pub options: Vec<String>,
    /// A file with options to set, in YAML or JSON.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Options to unset.
    #[arg(long, value_name = "KEY", value_delimiter = ',')]
    pub reset: Vec<String>,
    /// How often to replace its token, as in 24h; 0 for never.
    #[arg(long, value_name = "DURATION")]
    pub token_rotate: Option<String>,
    #[command(flatten)]
    pub controller: ControllerChoice,
}

#[derive(Debug, Args)]
pub struct RemoveBackend {
    /// The back end.
    pub name: String,
    /// Remove it even if it holds secrets, which can then no longer be read.
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub controller: ControllerChoice,
}

#[derive(Debug, Args)]
pub struct Backends {
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub controller: ControllerChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct ShowBackend {
    /// The back end.
    pub name: String,
    #[arg(long, value_enum, default_value_t)]
    pub format: DetailFormat,
    #[command(flatten)]
    pub controller: ControllerChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct ModelBackend {
    /// The new back end, to which existing secrets are moved; without it the current one is shown.
    #[arg(value_name = "BACKEND")]
    pub backend: Option<String>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct RotateKey {
    #[command(flatten)]
    pub controller: ControllerChoice,
}

pub async fn run(context: &Context, verb: Verb) -> Outcome {
    match verb {
        Verb::AddSecretBackend(arguments) => add(context, arguments).await,
        Verb::UpdateSecretBackend(arguments) => update(context, arguments).await,
        Verb::RemoveSecretBackend(arguments) => remove(context, arguments).await,
        Verb::SecretBackends(arguments) => list(context, arguments).await,
        Verb::ShowSecretBackend(arguments) => show(context, arguments).await,
        Verb::ModelSecretBackend(arguments) => of_model(context, arguments).await,
        Verb::RotateEncryptionKey(arguments) => rotate_key(context, arguments).await,
    }
}

async fn session(context: &Context, choice: &ControllerChoice) -> Outcome<Session> {
    Session::open_named(&context.files, choice.controller.as_deref()).await
}

async fn add(context: &Context, arguments: AddSecretBackend) -> Outcome {
    let request = NewSecretBackend {
        name: arguments.name,
        kind: arguments.kind,
        config: values::read(&arguments.options, arguments.config.as_deref())?,
        token_rotate_interval: seconds(arguments.token_rotate.as_deref())?,
    };
    let session = session(context, &arguments.controller).await?;
    let added = session.client.add_secret_backend(&request).await?;
    context.output.say(&format!(
        "Added the back end \"{}\"; to keep a model's secrets there, run: periapt model-secret-backend {}",
        added.name, added.name
    ));
    Ok(())
}

async fn update(context: &Context, arguments: UpdateBackend) -> Outcome {
    let request = UpdateSecretBackend {
        config: values::read(&arguments.options, arguments.config.as_deref())?,
        reset: arguments.reset,
        token_rotate_interval: seconds(arguments.token_rotate.as_deref())?,
    };
    if request == UpdateSecretBackend::default() {
        return Err(Failure::usage("no changes were given")
            .why("options, --reset and --token-rotate change a back end")
            .advice("write for example: token#file=./token"));
    }
    let session = session(context, &arguments.controller).await?;
    session
        .client
        .update_secret_backend(&arguments.name, &request)
        .await?;
    Ok(())
}

fn seconds(text: Option<&str>) -> Outcome<Option<u64>> {
    let Some(text) = text else {
        return Ok(None);
    };
    match duration::parse(text) {
        Some(interval) => Ok(Some(interval.as_secs())),
        None if text == "0" => Ok(Some(0)),
        None => Err(Failure::usage(format!("\"{text}\" is not a duration"))
            .why("--token-rotate takes a number with a unit")
            .advice("write for example: --token-rotate 24h")),
    }
}

async fn remove(context: &Context, arguments: RemoveBackend) -> Outcome {
    let session = session(context, &arguments.controller).await?;
    let removal = SecretBackendRemoval {
        force: arguments.force,
    };
    session
        .client
        .remove_secret_backend(&arguments.name, &removal)
        .await?;
    Ok(())
}

/// A back end, by the names of Juju's.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
struct BackendDocument<'a> {
    backend: &'a str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    config: &'a BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token_rotate_interval: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_token_rotate: Option<String>,
    secrets: u64,
    status: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    message: &'a str,
}

impl<'a> BackendDocument<'a> {
    fn of(backend: &'a SecretBackendInfo, times: &Times) -> Self {
        Self {
            backend: &backend.kind,
            config: &backend.config,
            token_rotate_interval: backend
                .token_rotate_interval
                .map(|seconds| format!("{seconds}s")),
            next_token_rotate: backend.next_token_rotate.map(|time| times.micros(time)),
            secrets: backend.secrets,
            status: &backend.status,
            message: &backend.message,
        }
    }
}

async fn list(context: &Context, arguments: Backends) -> Outcome {
    let session = session(context, &arguments.controller).await?;
    let backends = session.client.secret_backends().await?;
    let times = Times::new(false);
    let documents = || -> Named<BackendDocument<'_>> {
        let all = backends.iter();
        all.map(|backend| (backend.name.clone(), BackendDocument::of(backend, &times)))
            .collect()
    };
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&documents()),
        ListFormat::Yaml => output.yaml(&documents()),
        ListFormat::Tabular => output.data(&table(&backends).render(output.paints())),
    }
}

fn table(backends: &[SecretBackendInfo]) -> Table {
    let mut table =
        Table::new(&["Backend", "Type", "Secrets", "Status", "Message"]).right("Secrets");
    for backend in backends {
        table.row(vec![
            (&backend.name).into(),
            (&backend.kind).into(),
            backend.secrets.to_string().into(),
            Cell::status(&backend.status),
            (&backend.message).into(),
        ]);
    }
    table
}

async fn show(context: &Context, arguments: ShowBackend) -> Outcome {
    let session = session(context, &arguments.controller).await?;
    let backends = session.client.secret_backends().await?;
    let found = backends
        .iter()
        .find(|backend| backend.name == arguments.name);
    let Some(found) = found else {
        let known: Vec<&str> = backends.iter().map(|one| one.name.as_str()).collect();
        return Err(
            Failure::usage(format!("there is no back end \"{}\"", arguments.name))
                .why(format!("the controller has: {}", known.join(", ")))
                .advice("list them with: periapt secret-backends"),
        );
    };
    let document = BTreeMap::from([(
        found.name.as_str(),
        BackendDocument::of(found, &Times::new(false)),
    )]);
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        DetailFormat::Json => output.json(&document),
        DetailFormat::Yaml => output.yaml(&document),
    }
}

async fn of_model(context: &Context, arguments: ModelBackend) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let Some(backend) = arguments.backend else {
        let settings = here.client().model_config(&here.model).await?;
        let chosen = settings.get(OPTION).and_then(|one| one.value.as_ref());
        return context
            .output
            .value(&chosen.map_or_else(|| "auto".to_owned(), Value::to_string));
    };
    let change = ConfigChange {
        set: [(OPTION.to_owned(), Value::Text(backend))].into(),
        ..ConfigChange::default()
    };
    here.client().set_model_config(&here.model, &change).await?;
    Ok(())
}

async fn rotate_key(context: &Context, arguments: RotateKey) -> Outcome {
    let session = session(context, &arguments.controller).await?;
    let key = session.client.rotate_encryption_key().await?;
    context.output.say(&format!(
        "Key {} is now in use; {} re-encrypted",
        key.id,
        crate::output::text::count(key.sealed_again, "key")
    ));
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn back_ends_are_a_table() {
        let backend = json!({
            "name": "internal", "type": "internal", "config": {}, "secrets": 3,
            "status": "active", "message": "",
        });
        let backends: Vec<SecretBackendInfo> = vec![serde_json::from_value(backend).unwrap()];
        let expected = "\
Backend   Type      Secrets  Status  Message
internal  internal        3  active
";
        assert_eq!(table(&backends).render(false), expected);
    }

    #[test]
    fn an_interval_has_a_unit() {
        assert_eq!(seconds(Some("24h")).unwrap(), Some(86_400));
        assert_eq!(seconds(Some("0")).unwrap(), Some(0));
        assert_eq!(seconds(None).unwrap(), None);
        assert!(seconds(Some("often")).is_err());
    }
}
