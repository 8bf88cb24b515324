//! `models`: those that somebody may use, with what they may do there and when they last did.

use std::collections::BTreeMap;

use periapt_client::rest::RestError;
use periapt_model::JUJU_VERSION;
use periapt_wire::rest::{Cloud, CloudCredential, ModelPermission, ModelSummary, OwnModelAccess};
use serde::Serialize;

use super::Context;
use super::models::CONTROLLER_MODEL;
use crate::arguments::{ListFormat, Models};
use crate::failure::Outcome;
use crate::output::table::{Cell, Table};
use crate::output::text::{clean, natural};
use crate::output::time::{LastSeen, Times};
use crate::session::Session;

/// A model as it is listed for somebody.
struct Listed {
    model: ModelSummary,
    cloud_type: String,
    /// One of the asker's own; others are known to their owners.
    credential: Option<Credential>,
    access: Option<ModelPermission>,
    last_connection: Option<i64>,
}

#[derive(Clone, Debug, Serialize)]
struct Credential {
    name: String,
    owner: String,
    cloud: String,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Document {
    models: Vec<Entry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    current_model: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Entry {
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
    #[serde(skip_serializing_if = "Option::is_none")]
    credential: Option<Credential>,
    #[serde(rename = "type")]
    cloud_type: String,
    life: String,
    status: EntryStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    access: Option<ModelPermission>,
    last_connection: String,
    agent_version: &'static str,
    /// This and what follows is ours.
    application_count: u64,
    machine_count: u64,
    unit_count: u64,
    created: String,
}

#[derive(Serialize)]
struct EntryStatus {
    current: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    since: String,
}

pub async fn list(context: &Context, arguments: Models) -> Outcome {
    let session = Session::open(&context.files, &arguments.controller).await?;
    let client = &session.client;
    let mut models = client.models().await?;
    let access = match &arguments.user {
        Some(user) => {
            let theirs = of_user(&session, &models, user).await?;
            models.retain(|model| theirs.iter().any(|one| one.uuid == model.uuid));
            theirs
        }
        None => client.whoami().await?.models,
    };
    models.sort_by(|a, b| natural(a.name.as_str(), b.name.as_str()));
    let clouds = client.clouds().await?;
    let credentials = client.credentials().await?;
    let listed = listed(models, &access, &clouds, &credentials, &session.user);
    let current = context
        .files
        .read()?
        .current_model(&session.name)
        .map(str::to_owned);
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&document(&session, listed, current)),
        ListFormat::Yaml => output.yaml(&document(&session, listed, current)),
        ListFormat::Tabular => {
            let seen = LastSeen::new(arguments.exact_time);
            let table = table(&listed, current.as_deref(), arguments.uuid, &seen);
            let table = table.render(output.paints());
            output.data(&format!("Controller: {}\n\n{table}", session.name))
        }
    }
}

/// What another user may use, as far as the asker may know: superusers know it of everybody, admins of a model know it
/// of that.
async fn of_user(
    session: &Session,
    models: &[ModelSummary],
    user: &str,
) -> Outcome<Vec<OwnModelAccess>> {
    match session.client.user(user).await {
        Ok(user) => return Ok(user.models),
        Err(RestError::Problem(problem)) if problem.status == 403 => {}
        Err(error) => return Err(error.into()),
    }
    let mut theirs = Vec::new();
    for model in models {
        let all = match session.client.model_access(model.uuid.as_str()).await {
            Ok(all) => all,
            Err(RestError::Problem(problem)) if problem.status == 403 => continue,
            Err(error) => return Err(error.into()),
        };
        let found = all.into_iter().find(|one| one.user == user);
        if let Some((access, last_connection)) =
            found.and_then(|one| Some((one.access?, one.last_connection)))
        {
            theirs.push(OwnModelAccess {
                uuid: model.uuid.clone(),
                name: model.name.clone(),
                access,
                last_connection,
            });
        }
    }
    Ok(theirs)
}

fn listed(
    models: Vec<ModelSummary>,
    access: &[OwnModelAccess],
    clouds: &[Cloud],
    credentials: &[CloudCredential],
    user: &str,
) -> Vec<Listed> {
    let types: BTreeMap<&str, &str> = (clouds.iter())
        .map(|cloud| (cloud.name.as_str(), cloud.kind.as_str()))
        .collect();
    let one = |model: ModelSummary| {
        let own = access.iter().find(|own| own.uuid == model.uuid);
        let held = (credentials.iter())
            .find(|held| held.cloud == model.cloud && held.models.contains(&model.name));
        Listed {
            cloud_type: (types.get(model.cloud.as_str()).copied())
                .unwrap_or_default()
                .to_owned(),
            credential: held.map(|held| Credential {
                name: held.name.clone(),
                owner: user.to_owned(),
                cloud: held.cloud.clone(),
            }),
            access: own.map(|own| own.access),
            last_connection: own.and_then(|own| own.last_connection),
            model,
        }
    };
    models.into_iter().map(one).collect()
}

fn table(listed: &[Listed], current: Option<&str>, uuid: bool, seen: &LastSeen) -> Table {
    let mut headers = vec![
        "Model",
        "Cloud/Region",
        "Type",
        "Status",
        "Machines",
        "Units",
        "Access",
        "Last connection",
    ];
    if uuid {
        headers.insert(1, "UUID");
    }
    let mut table = Table::new(&headers).right("Machines").right("Units");
    for one in listed {
        let model = &one.model;
        let star = match current == Some(model.name.as_str()) {
            true => "*",
            false => "",
        };
        let mut row: Vec<Cell> = vec![
            format!("{}{star}", model.name).into(),
            format!("{}/{}", model.cloud, model.region).into(),
            (&one.cloud_type).into(),
            Cell::status(model.status.status.as_str()),
            model.machines.to_string().into(),
            match model.units {
                0 => "-".into(),
                units => units.to_string().into(),
            },
            one.access.map_or("-", ModelPermission::as_str).into(),
            seen.told(one.last_connection).into(),
        ];
        if uuid {
            row.insert(1, model.uuid.as_str().into());
        }
        table.row(row);
    }
    table
}

fn document(session: &Session, listed: Vec<Listed>, current_model: Option<String>) -> Document {
    let entry = |one| entry(one, &session.controller.uuid, &session.name);
    Document {
        models: listed.into_iter().map(entry).collect(),
        current_model,
    }
}

fn entry(listed: Listed, controller_uuid: &str, controller_name: &str) -> Entry {
    let Listed { model, .. } = listed;
    // Programs read times, so they are whole here.
    let exact = LastSeen::new(true);
    Entry {
        name: format!("{}/{}", model.owner, model.name),
        short_name: model.name.to_string(),
        model_uuid: model.uuid.to_string(),
        model_type: model.kind,
        controller_uuid: controller_uuid.to_owned(),
        controller_name: controller_name.to_owned(),
        is_controller: model.name.as_str() == CONTROLLER_MODEL,
        owner: model.owner,
        cloud: model.cloud,
        region: model.region,
        credential: listed.credential,
        cloud_type: listed.cloud_type,
        life: model.life.to_string(),
        status: EntryStatus {
            current: model.status.status.to_string(),
            message: clean(&model.status.message).to_string(),
            since: Times::new(true).micros(model.status.since),
        },
        access: listed.access,
        last_connection: exact.told(listed.last_connection),
        agent_version: JUJU_VERSION,
        application_count: model.applications,
        machine_count: model.machines,
        unit_count: model.units,
        created: Times::new(true).micros(model.created_at),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TIME: i64 = 1_795_257_480_000_000;
    const TEXT: &str = "2026-11-21T10:38:00Z";
    const UUIDS: [&str; 2] = [
        "8419cd78-4993-4c3a-928e-c646226beeee",
        "9519cd78-4993-4c3a-928e-c646226beeee",
    ];

    fn all() -> Vec<Listed> {
        let model = |uuid: &str, name: &str, units: u64| -> ModelSummary {
            serde_json::from_value(json!({
                "uuid": uuid, "name": name, "type": "iaas", "cloud": "local", "region": "default",
                "owner": "admin", "life": "alive",
                "status": { "status": "available", "message": "", "since": TEXT }, "applications": 1,
                "machines": 12, "units": units, "created-at": TEXT,
            }))
            .unwrap()
        };
        let access: Vec<OwnModelAccess> = serde_json::from_value(json!([
            { "uuid": UUIDS[0], "name": "controller", "access": "admin" },
            { "uuid": UUIDS[1], "name": "demo", "access": "write", "last-connection": TEXT },
        ]))
        .unwrap();
        let cloud = Cloud {
            name: "local".to_owned(),
            kind: "processes".to_owned(),
            regions: vec!["default".to_owned()],
        };
        let held = CloudCredential {
            cloud: "local".to_owned(),
            name: "lab".to_owned(),
            auth_type: "empty".to_owned(),
            valid: true,
            reason: String::new(),
            since: 0,
            models: vec!["demo".parse().unwrap()],
        };
        let models = vec![model(UUIDS[0], "controller", 0), model(UUIDS[1], "demo", 3)];
        listed(models, &access, &[cloud], &[held], "admin")
    }

    #[test]
    fn models_are_listed_in_jujus_columns_with_the_current_one_marked() {
        let now = jiff::Timestamp::from_microsecond(TIME + 150_000_000).unwrap();
        let seen = LastSeen::at(now);
        let expected = "\
Model       Cloud/Region   Type       Status     Machines  Units  Access  Last connection
controller  local/default  processes  available        12      -  admin   never connected
demo*       local/default  processes  available        12      3  write   2 minutes ago
";
        let table = |uuid| table(&all(), Some("demo"), uuid, &seen).render(false);
        assert_eq!(table(false), expected);
        assert!(table(true).contains(&format!("  {}  ", UUIDS[0])));
    }

    #[test]
    fn a_model_has_jujus_keys_in_documents_and_whole_times() {
        let entries: Vec<_> = all()
            .into_iter()
            .map(|one| serde_json::to_value(entry(one, "6f1c", "lab")).unwrap())
            .collect();
        assert_eq!(entries[0]["last-connection"], "never connected");
        assert!(entries[0].get("credential").is_none(), "{}", entries[0]);
        assert_eq!(entries[0]["is-controller"], true);
        assert_eq!(
            entries[1],
            json!({
                "name": "admin/demo", "short-name": "demo", "model-uuid": UUIDS[1], "model-type": "iaas",
                "controller-uuid": "6f1c", "controller-name": "lab", "is-controller": false, "owner": "admin",
                "cloud": "local", "region": "default", "type": "processes", "life": "alive",
                "credential": { "name": "lab", "owner": "admin", "cloud": "local" },
                "status": { "current": "available", "since": "2026-11-21 10:38:00Z" }, "access": "write",
                "last-connection": "2026-11-21 10:38:00Z", "agent-version": JUJU_VERSION,
                "application-count": 1, "machine-count": 12, "unit-count": 3,
                "created": "2026-11-21 10:38:00Z",
            })
        );
    }
}
