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
    /// Show credentials, and whether the provider of a cloud may start machines with them.
    ShowCredential(ShowCredential),
    /// Retry a credential after fixing it.
    UpdateCredential(UpdateCredential),
    /// Suspend a model: its units keep running, but no machine is started or stopped.
    InvalidateCredential(InvalidateCredential),
}

#[derive(Debug, Args)]
pub struct ShowCredential {
    /// Show only your credentials for this cloud; --model shows the one that a model uses.
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

async fn show(context: &Context, arguments: ShowCredential) -> Outcome {
    let shown = arguments.shown;
    let times = Times::new(shown.utc);
    let clouds = match (&arguments.cloud, &shown.model.model) {
        (None, Some(_)) => {
            let here = ModelSession::open(&context.files, &shown.model).await?;
            let credential = here.client().credential(&here.model).await?;
            of_model(&here.model, credential, &times)
        }
        (cloud, _) => {
            let (cloud, name) = (cloud.as_deref(), arguments.name.as_deref());
            let (_, held) = held(context, &shown.model, cloud, name).await?;
            by_cloud(held, &times)
        }
    };
    let document = BTreeMap::from([("controller-credentials", clouds)]);
    super::show::write(context, &shown, &document)
}

/// The caller's credentials, in one cloud or in all, and the controller that keeps them.
async fn held(
    context: &Context,
    choice: &ModelChoice,
    cloud: Option<&str>,
    name: Option<&str>,
) -> Outcome<(Session, Vec<CloudCredential>)> {
    let controller = choice.model.as_deref().and_then(|text| split(text).0);
    let session = Session::open_named(&context.files, controller).await?;
    let mut held = session.client.credentials().await?;
    held.retain(|one| {
        cloud.is_none_or(|cloud| one.cloud == cloud) && name.is_none_or(|name| one.name == name)
    });
    if let Some(cloud) = cloud
        && held.is_empty()
    {
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

/// Credentials as Juju shows them, by cloud and name.
type ByCloud = BTreeMap<String, BTreeMap<String, Held>>;

#[derive(Serialize)]
struct Held {
    content: Content,
    /// With the access of its owner.
    models: BTreeMap<String, &'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Content {
    /// Known to its owner.
    #[serde(skip_serializing_if = "String::is_empty")]
    auth_type: String,
    validity_check: &'static str,
    /// This and what follows is ours.
    #[serde(skip_serializing_if = "String::is_empty")]
    reason: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    since: String,
}

impl Content {
    fn new(auth_type: String, valid: bool, reason: &str, since: i64, times: &Times) -> Self {
        Self {
            auth_type,
            validity_check: if valid { "valid" } else { "invalid" },
            reason: clean(reason).to_string(),
            since: match since {
                0 => String::new(),
                since => times.micros(since),
            },
        }
    }
}

fn by_cloud(held: Vec<CloudCredential>, times: &Times) -> ByCloud {
    let mut clouds = ByCloud::new();
    for one in held {
        let models = one.models.iter().map(|model| (model.to_string(), "admin"));
        let document = Held {
            models: models.collect(),
            content: Content::new(one.auth_type, one.valid, &one.reason, one.since, times),
        };
        clouds
            .entry(one.cloud)
            .or_default()
            .insert(one.name, document);
    }
    clouds
}

/// The credential of a model, which may be somebody else's.
fn of_model(model: &str, credential: ModelCredential, times: &Times) -> ByCloud {
    let ModelCredential {
        cloud,
        name,
        valid,
        reason,
        since,
        owner: _,
    } = credential;
    let document = Held {
        models: BTreeMap::from([(model.to_owned(), "admin")]),
        content: Content::new(String::new(), valid, &reason, since, times),
    };
    BTreeMap::from([(cloud, BTreeMap::from([(name, document)]))])
}

async fn update(context: &Context, arguments: UpdateCredential) -> Outcome {
    if let Some(cloud) = &arguments.cloud {
        let name = arguments.name.as_deref();
        let (session, held) = held(context, &arguments.model, Some(cloud), name).await?;
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
        let times = Times::new(true);
        let shown = serde_json::to_value(by_cloud(vec![held], &times)).unwrap();
        assert_eq!(
            shown,
            serde_json::json!({ "local": { "lab": {
                "content": { "auth-type": "empty", "validity-check": "valid" },
                "models": { "demo": "admin" },
            } } })
        );
        let credential = ModelCredential {
            cloud: "local".to_owned(),
            owner: "bob".to_owned(),
            name: "shop".to_owned(),
            valid: false,
            reason: "no room\u{1b}[2J".to_owned(),
            since: 1_795_257_480_000_000,
        };
        let shown = serde_json::to_value(of_model("shop", credential, &times)).unwrap();
        assert_eq!(
            shown,
            serde_json::json!({ "local": { "shop": {
                "content": {
                    "validity-check": "invalid", "reason": "no room", "since": "2026-11-21 10:38:00Z",
                },
                "models": { "shop": "admin" },
            } } })
        );
    }
}
