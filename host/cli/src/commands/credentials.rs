//! `show-credential`, `update-credential`, `invalidate-credential`.

use std::collections::BTreeMap;

use clap::{Args, Subcommand};
use periapt_wire::rest::{ChangeCredential, CloudCredential, ModelCredential};
use serde::Serialize;

use super::Context;
use crate::arguments::{ModelChoice, Shown};
use crate::failure::{Exit, Failure, Outcome};
use crate::output::text::clean;
use crate::output::time::Times;
use crate::session::{ModelSession, Session, split};

/// The verbs of this file.
#[derive(Debug, Subcommand)]
// They are named as people type them.
#[allow(clippy::enum_variant_names)]
pub enum Verb {
    /// Show the credential of a model and whether it works.
    ShowCredential(ShowCredential),
    /// Retry a credential after fixing it.
    UpdateCredential(UpdateCredential),
    /// Suspend a model: its units keep running, but no machine is started or stopped.
    InvalidateCredential(InvalidateCredential),
}

#[derive(Debug, Args)]
pub struct ShowCredential {
    /// Show your credentials for this cloud instead of the model's.
    #[arg(value_name = "CLOUD")]
    pub cloud: Option<String>,
    /// One of these credentials [default: all].
    #[arg(value_name = "CREDENTIAL")]
    pub name: Option<String>,
    #[command(flatten)]
    pub shown: Shown,
}

#[derive(Debug, Args)]
pub struct UpdateCredential {
    /// Retry all models that use your credentials for this cloud.
    #[arg(value_name = "CLOUD")]
    pub cloud: Option<String>,
    /// One of these credentials [default: all].
    #[arg(value_name = "CREDENTIAL")]
    pub name: Option<String>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct InvalidateCredential {
    /// The reason, shown in the model.
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
    if let Some(cloud) = &arguments.cloud {
        let (_, held) = held(context, &shown.model, cloud, arguments.name.as_deref()).await?;
        let document = BTreeMap::from([("controller-credentials", by_cloud(held))]);
        return super::show::write(context, &shown, &document);
    }
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

/// The caller's credentials in a cloud, and the controller that keeps them.
async fn held(
    context: &Context,
    choice: &ModelChoice,
    cloud: &str,
    name: Option<&str>,
) -> Outcome<(Session, Vec<CloudCredential>)> {
    let controller = choice.model.as_deref().and_then(|text| split(text).0);
    let session = Session::open_named(&context.files, controller).await?;
    let mut held = session.client.credentials().await?;
    held.retain(|one| one.cloud == cloud && name.is_none_or(|name| one.name == name));
    if held.is_empty() {
        let what = match name {
            Some(name) => format!("credential \"{name}\" in cloud \"{cloud}\" not found"),
            None => format!("there are no credentials in cloud \"{cloud}\""),
        };
        return Err(Failure::new(Exit::NotFound, what)
            .why("the controller has none of yours with this name")
            .advice("periapt credentials lists them"));
    }
    Ok((session, held))
}

/// A credential as Juju shows it.
#[derive(Serialize)]
struct Held {
    content: Content,
    /// With the access of its owner.
    models: BTreeMap<String, &'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Content {
    auth_type: String,
    validity_check: &'static str,
}

fn by_cloud(held: Vec<CloudCredential>) -> BTreeMap<String, BTreeMap<String, Held>> {
    let mut clouds: BTreeMap<String, BTreeMap<String, Held>> = BTreeMap::new();
    for one in held {
        let models = one.models.iter().map(|model| (model.to_string(), "admin"));
        let document = Held {
            models: models.collect(),
            content: Content {
                auth_type: one.auth_type,
                validity_check: if one.valid { "valid" } else { "invalid" },
            },
        };
        clouds
            .entry(one.cloud)
            .or_default()
            .insert(one.name, document);
    }
    clouds
}

async fn update(context: &Context, arguments: UpdateCredential) -> Outcome {
    if let Some(cloud) = &arguments.cloud {
        let name = arguments.name.as_deref();
        let (session, held) = held(context, &arguments.model, cloud, name).await?;
        let change = ChangeCredential {
            valid: true,
            reason: String::new(),
        };
        for model in held.iter().flat_map(|one| &one.models) {
            session
                .client
                .change_credential(model.as_str(), &change)
                .await?;
            context
                .output
                .say(&format!("Retrying the credential of model \"{model}\""));
        }
        return Ok(());
    }
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let change = ChangeCredential {
        valid: true,
        reason: String::new(),
    };
    here.client()
        .change_credential(&here.model, &change)
        .await?;
    context.output.say(&format!(
        "Retrying the credential of model \"{}\"; `periapt show-credential` shows whether it works",
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
        "Model \"{}\" is suspended: its units keep running, but no machine is started or stopped until `periapt update-credential`",
        here.model
    ));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_shown_by_cloud_in_jujus_keys() {
        let held = CloudCredential {
            cloud: "local".to_owned(),
            name: "lab".to_owned(),
            auth_type: "empty".to_owned(),
            valid: true,
            reason: String::new(),
            since: 0,
            models: vec!["demo".parse().unwrap()],
        };
        let shown = serde_json::to_value(by_cloud(vec![held])).unwrap();
        assert_eq!(
            shown,
            serde_json::json!({ "local": { "lab": {
                "content": { "auth-type": "empty", "validity-check": "valid" },
                "models": { "demo": "admin" },
            } } })
        );
    }
}
