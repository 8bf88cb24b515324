//! `add-model`, `models`, `destroy-model`.

use std::time::Duration;

use periapt_client::rest::{Removing, RestError};
use periapt_model::ModelName;
use periapt_wire::rest;
use serde::Serialize;

use super::storage::going;
use super::{Context, settings};
use crate::arguments::{AddModel, DestroyModel, ListFormat, Models};
use crate::failure::{Exit, Failure, Outcome};
use crate::files::Model;
use crate::live::Live;
use crate::output::table::{Cell, Table};
use crate::output::text::{clean, natural};
use crate::output::time::Times;
use crate::session::{Session, split};

/// The model in which a controller keeps itself.
pub const CONTROLLER_MODEL: &str = "controller";

pub async fn add(context: &Context, arguments: AddModel) -> Outcome {
    let name: ModelName = arguments.name.parse()?;
    let config = settings::from_words(&arguments.config, name.as_str())?;
    let (cloud, region) = match arguments
        .cloud
        .as_deref()
        .map(|place| place.split_once('/'))
    {
        Some(Some((cloud, region))) => (Some(cloud.to_owned()), Some(region.to_owned())),
        Some(None) => (arguments.cloud, None),
        None => (None, None),
    };
    let request = rest::AddModel {
        name,
        config,
        cloud,
        region,
        credential: arguments.credential,
    };
    let session = Session::open(&context.files, &arguments.controller).await?;
    let model = session.client.add_model(&request).await?;
    let full_name = session.full_name(model.name.as_str());
    context.files.change(|contents| {
        let models = contents
            .models
            .controllers
            .entry(session.name.clone())
            .or_default();
        models.models.insert(full_name.clone(), Model::of(&model));
        if !arguments.no_switch {
            models.current_model = Some(full_name);
            contents.controllers.current_controller = Some(session.name.clone());
        }
    })?;
    context
        .output
        .say(&format!("Added model \"{}\"", model.name));
    Ok(())
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
    life: String,
    status: EntryStatus,
    applications: u64,
    machines: u64,
    units: u64,
    created: String,
}

#[derive(Serialize)]
struct EntryStatus {
    current: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    message: String,
}

pub async fn list(context: &Context, arguments: Models) -> Outcome {
    let session = Session::open(&context.files, &arguments.controller).await?;
    let mut models = session.client.models().await?;
    if let Some(user) = &arguments.user {
        let mut theirs = Vec::new();
        for model in models {
            if may_use(&session, model.uuid.as_str(), user).await? {
                theirs.push(model);
            }
        }
        models = theirs;
    }
    models.sort_by(|a, b| natural(a.name.as_str(), b.name.as_str()));
    let current = context
        .files
        .read()?
        .current_model(&session.name)
        .map(str::to_owned);
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&document(&session, &models, current)),
        ListFormat::Yaml => output.yaml(&document(&session, &models, current)),
        ListFormat::Tabular => {
            let table = table(&models, current.as_deref(), arguments.uuid).render(output.paints());
            output.data(&format!("Controller: {}\n\n{table}", session.name))
        }
    }
}

/// Whether a user may use a model, as far as the asker may know.
async fn may_use(session: &Session, model: &str, user: &str) -> Outcome<bool> {
    match session.client.model_access(model).await {
        Ok(all) => Ok(all
            .iter()
            .any(|one| one.user == user && one.access.is_some())),
        Err(RestError::Problem(problem)) if problem.status == 403 => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn table(models: &[rest::ModelSummary], current: Option<&str>, uuid: bool) -> Table {
    let mut headers = vec![
        "Model",
        "Cloud/Region",
        "Type",
        "Status",
        "Apps",
        "Machines",
        "Units",
        "Owner",
        "Created",
    ];
    if uuid {
        headers.insert(1, "UUID");
    }
    let mut table = Table::new(&headers)
        .right("Apps")
        .right("Machines")
        .right("Units");
    let times = Times::new(true);
    for model in models {
        let star = if current == Some(model.name.as_str()) {
            "*"
        } else {
            ""
        };
        let mut row: Vec<Cell> = vec![
            format!("{}{star}", model.name).into(),
            format!("{}/{}", model.cloud, model.region).into(),
            (&model.kind).into(),
            Cell::status(model.status.status.as_str()),
            model.applications.to_string().into(),
            model.machines.to_string().into(),
            model.units.to_string().into(),
            (&model.owner).into(),
            times.micros(model.created_at).into(),
        ];
        if uuid {
            row.insert(1, model.uuid.as_str().into());
        }
        table.row(row);
    }
    table
}

fn document(
    session: &Session,
    models: &[rest::ModelSummary],
    current_model: Option<String>,
) -> Document {
    let times = Times::new(true);
    let entry = |model: &rest::ModelSummary| Entry {
        name: format!("{}/{}", model.owner, model.name),
        short_name: model.name.to_string(),
        model_uuid: model.uuid.to_string(),
        model_type: model.kind.clone(),
        controller_uuid: session.controller.uuid.clone(),
        controller_name: session.name.clone(),
        is_controller: model.name.as_str() == CONTROLLER_MODEL,
        owner: model.owner.clone(),
        cloud: model.cloud.clone(),
        region: model.region.clone(),
        life: model.life.to_string(),
        status: EntryStatus {
            current: model.status.status.to_string(),
            message: model.status.message.clone(),
        },
        applications: model.applications,
        machines: model.machines,
        units: model.units,
        created: times.micros(model.created_at),
    };
    Document {
        models: models.iter().map(entry).collect(),
        current_model,
    }
}

pub async fn destroy(context: &Context, arguments: DestroyModel) -> Outcome {
    let (controller, model) = split(&arguments.name);
    let name: ModelName = model.unwrap_or_default().parse()?;
    let session = Session::open_named(&context.files, controller).await?;
    let model = session.client.model(name.as_str()).await?;
    let destroy_storage = match (arguments.destroy_storage, arguments.release_storage) {
        (true, _) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
    };
    let storages = session.client.storages(name.as_str(), None).await?;
    if destroy_storage.is_none()
        && let Some(failure) = going::undecided(name.as_str(), &storages)
    {
        return Err(failure);
    }
    if !storages.is_empty() {
        context.output.say(&format!("will destroy model {name}"));
    }
    for storage in &storages {
        let goes = match storage.persistent && destroy_storage == Some(false) {
            true => "release",
            false => "remove",
        };
        let id = &storage.id;
        context.output.say(&format!("- will {goes} storage {id}"));
    }
    let question = format!(
        "This destroys model \"{name}\" with {} applications, {} units and {} machines.",
        model.applications, model.units, model.machines
    );
    context.output.confirm(&question, arguments.no_prompt)?;
    context.output.say(&format!("Destroying model \"{name}\""));
    let removing = Removing {
        force: arguments.force,
        timeout_ms: arguments.no_wait.then_some(0),
        destroy_storage,
    };
    destroy_and_wait(&session, name.as_str(), removing, arguments.timeout).await?;
    let full_name = session.full_name(name.as_str());
    context
        .files
        .change(|contents| contents.forget_model(&session.name, &full_name))?;
    context
        .output
        .say(&format!("Model \"{name}\" was destroyed"));
    Ok(())
}

/// Begins to destroy a model and returns when it is gone.
pub async fn destroy_and_wait(
    session: &Session,
    name: &str,
    removing: Removing,
    limit: Duration,
) -> Outcome {
    let client = &session.client;
    // By its identity, in case the name is given to another model meanwhile.
    let model = client.model(name).await?.uuid;
    let gone = async {
        let mut live = Live::open(client, model.as_str()).await?;
        client.destroy_model(model.as_str(), removing).await?;
        loop {
            client.model(model.as_str()).await?;
            live.changed().await?;
        }
    };
    let outcome: Result<Result<(), RestError>, _> = tokio::time::timeout(limit, gone).await;
    match outcome {
        Ok(Err(error)) if error.status() == Some(404) => Ok(()),
        Ok(Err(error)) => Err(error.into()),
        Ok(Ok(())) => Ok(()),
        Err(_) => {
            let passed = limit.as_secs();
            let why = match client.model(model.as_str()).await {
                Ok(left) if !left.status.message.is_empty() => {
                    format!("{passed} s have passed, {}", clean(&left.status.message))
                }
                _ => format!("it is being destroyed, and {passed} s have passed"),
            };
            Err(
                Failure::new(Exit::TimedOut, format!("model \"{name}\" still exists"))
                    .why(why)
                    .advice(format!(
                        "periapt status -m {name} shows what is left; --force limits the wait"
                    )),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn models_are_listed_with_the_current_one_marked() {
        let model = |name: &str, units: u64| {
            serde_json::from_value::<rest::ModelSummary>(json!({
                "uuid": "8419cd78-4993-4c3a-928e-c646226beeee", "name": name, "type": "iaas",
                "cloud": "local", "region": "default", "owner": "admin", "life": "alive",
                "status": { "status": "available", "message": "" }, "applications": 1, "machines": 12, "units": units,
                "created-at": 1_795_257_480_000_000_i64,
            }))
            .unwrap()
        };
        let models = [model("controller", 0), model("demo", 3)];
        let expected = "\
Model       Cloud/Region   Type  Status     Apps  Machines  Units  Owner  Created
controller  local/default  iaas  available     1        12      0  admin  2026-11-21 10:38:00Z
demo*       local/default  iaas  available     1        12      3  admin  2026-11-21 10:38:00Z
";
        assert_eq!(table(&models, Some("demo"), false).render(false), expected);
        assert!(
            table(&models, None, true)
                .render(false)
                .contains("  8419cd78-4993-4c3a-928e-c646226beeee  ")
        );
    }
}
