//! `show-model`: a model with whoever may use it, in Juju's keys.

use std::collections::BTreeMap;

use clap::Args;
use periapt_client::rest::RestError;
use periapt_model::JUJU_VERSION;
use periapt_wire::rest::{ListQuery, ModelAccess, SecretBackendInfo, SecretInfo};
use serde::Serialize;

use super::Context;
use super::models::CONTROLLER_MODEL;
use super::show::write;
use crate::arguments::{ModelChoice, Shown};
use crate::failure::Outcome;
use crate::output::document::Named;
use crate::output::status::document::{Status, detailed};
use crate::output::text::clean;
use crate::output::time::{LastSeen, Times};
use crate::session::ModelSession;

#[derive(Debug, Args)]
pub struct ShowModel {
    /// The model [default: the current one].
    #[arg(value_name = "[CONTROLLER:]MODEL")]
    pub named: Option<String>,
    #[command(flatten)]
    pub shown: Shown,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Document {
    name: String,
    short_name: String,
    model_uuid: String,
    model_type: String,
    controller_uuid: String,
    controller_name: String,
    is_controller: bool,
    owner: String,
    cloud: String,
    region: String,
    #[serde(rename = "type")]
    cloud_type: String,
    life: String,
    status: Status,
    /// Only the asker's own, unless they are an admin of the model.
    users: BTreeMap<String, User>,
    machines: Named<Machine>,
    /// Those in which the model has secrets.
    #[serde(skip_serializing_if = "Named::is_empty")]
    secret_backends: Named<Backend>,
    agent_version: &'static str,
    credential: Credential,
    supported_features: [Feature; 1],
    /// Its disabled commands with their messages; not in Juju.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    disabled_commands: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    constraints: String,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct User {
    display_name: String,
    access: String,
    /// To the model.
    last_connection: String,
}

#[derive(Serialize)]
struct Machine {
    /// 0 where nobody knows.
    cores: u64,
}

#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Backend {
    num_secrets: u64,
    status: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    message: String,
}

/// What charms may assume.
#[derive(Serialize)]
struct Feature {
    name: &'static str,
    description: &'static str,
    version: &'static str,
}

const JUJU: Feature = Feature {
    name: "juju",
    description: "the version of Juju whose charms and clients the model works with",
    version: JUJU_VERSION,
};

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Credential {
    name: String,
    owner: String,
    cloud: String,
    validity_check: &'static str,
}

pub async fn show(context: &Context, arguments: ShowModel) -> Outcome {
    let choice = ModelChoice {
        model: arguments
            .named
            .or_else(|| arguments.shown.model.model.clone()),
    };
    let here = ModelSession::open(&context.files, &choice).await?;
    let (client, model) = (here.client(), here.model.as_str());
    let summary = client.model(model).await?;
    let status = client.status(model, &[]).await?.model;
    let controller = client.controller().await?;
    let credential = client.credential(model).await?;
    let clouds = client.clouds().await?;
    let machines = client.machines(model, &ListQuery::default()).await?;
    let times = Times::new(arguments.shown.utc);
    let users = users(&here, model).await?;
    let secrets = client.secrets(model, None).await?;
    let secret_backends = backends(&secrets, &client.secret_backends().await?);
    let name = summary.name.to_string();
    let cloud_type = clouds.into_iter().find(|cloud| cloud.name == summary.cloud);
    let blocks = summary.blocks.iter();
    let document = Document {
        name: format!("{}/{name}", summary.owner),
        model_uuid: summary.uuid.to_string(),
        model_type: summary.kind,
        controller_uuid: controller.uuid.to_string(),
        controller_name: here.session.name.clone(),
        is_controller: name == CONTROLLER_MODEL,
        owner: summary.owner,
        region: summary.region,
        cloud_type: cloud_type.map(|cloud| cloud.kind).unwrap_or_default(),
        cloud: summary.cloud,
        life: summary.life.to_string(),
        status: detailed(&status.model_status, &times),
        users,
        machines: machines
            .iter()
            .map(|machine| {
                (
                    machine.id.to_string(),
                    Machine {
                        cores: cores(&machine.hardware).unwrap_or_default(),
                    },
                )
            })
            .collect(),
        secret_backends,
        agent_version: JUJU_VERSION,
        credential: Credential {
            name: credential.name,
            owner: credential.owner,
            cloud: credential.cloud,
            validity_check: if credential.valid { "valid" } else { "invalid" },
        },
        supported_features: [JUJU],
        disabled_commands: blocks
            .map(|(kind, why)| (kind.as_str(), clean(why)))
            .collect(),
        constraints: client.model_constraints(model).await?.constraints,
        short_name: name.clone(),
    };
    let found: Named<Document> = [(name, document)].into_iter().collect();
    write(context, &arguments.shown, &found)
}

/// Whoever may use the model: only its admins may look.
async fn users(here: &ModelSession, model: &str) -> Outcome<BTreeMap<String, User>> {
    let all: Vec<ModelAccess> = match here.client().model_access(model).await {
        Ok(all) => all,
        Err(RestError::Problem(problem)) if problem.status == 403 => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    // Programs read times, so they are whole.
    let seen = LastSeen::new(true);
    let entries = all.into_iter().filter_map(|user| {
        let entry = User {
            display_name: clean(&user.display_name),
            access: user.access?.to_string(),
            last_connection: seen.told(user.last_connection),
        };
        Some((user.user, entry))
    });
    Ok(entries.collect())
}

/// Where the newest revision of each secret is.
fn backends(secrets: &[SecretInfo], known: &[SecretBackendInfo]) -> Named<Backend> {
    let mut counted: BTreeMap<&str, u64> = BTreeMap::new();
    let newest = secrets.iter().filter_map(|secret| secret.revisions.last());
    for revision in newest {
        *counted.entry(revision.backend.as_str()).or_default() += 1;
    }
    let shown = counted.into_iter().map(|(name, num_secrets)| {
        let backend = known.iter().find(|backend| backend.name == name);
        let shown = Backend {
            num_secrets,
            status: backend.map_or_else(|| "active".to_owned(), |backend| backend.status.clone()),
            message: backend.map_or_else(String::new, |backend| clean(&backend.message)),
        };
        (name.to_owned(), shown)
    });
    shown.collect()
}

/// The number of cores in a machine's hardware description.
fn cores(hardware: &str) -> Option<u64> {
    let mut words = hardware.split(' ');
    words.find_map(|word| word.strip_prefix("cores=")?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cores_of_a_machine_are_read_where_they_are_known() {
        assert_eq!(cores("arch=amd64 cores=4 mem=1M"), Some(4));
        assert_eq!(cores("arch=amd64"), None);
        assert_eq!(cores(""), None);
    }

    const TIME: &str = "2026-11-21T10:38:00Z";

    #[test]
    fn secrets_are_counted_by_the_back_end_of_their_newest_revision() {
        let secret = |id: u8, backends: &[&str]| -> SecretInfo {
            let revisions = backends.iter().zip(1..).map(|(backend, revision)| {
                serde_json::json!({ "revision": revision, "backend": backend, "created-at": TIME })
            });
            serde_json::from_value(serde_json::json!({
                "id": format!("{id:020}"), "owner": { "kind": "model", "name": "test" }, "label": "",
                "description": "", "rotate": "never", "auto-prune": false, "created-at": TIME,
                "updated-at": TIME, "revisions": revisions.collect::<Vec<_>>(), "grants": [],
            }))
            .unwrap()
        };
        let vault: SecretBackendInfo = serde_json::from_value(serde_json::json!({
            "name": "safe", "type": "vault", "config": {}, "secrets": 7, "status": "error",
            "message": "sealed",
        }))
        .unwrap();
        let all = [
            secret(1, &["internal"]),
            secret(2, &["internal", "safe"]),
            secret(3, &["internal"]),
        ];
        assert_eq!(
            serde_json::to_value(backends(&all, &[vault])).unwrap(),
            serde_json::json!({
                "internal": { "num-secrets": 2, "status": "active" },
                "safe": { "num-secrets": 1, "status": "error", "message": "sealed" },
            })
        );
        assert!(backends(&[], &[]).is_empty());
    }
}
