//! `add-model`, `destroy-model`.

use std::time::Duration;

use periapt_client::rest::{Removing, RestError};
use periapt_model::ModelName;
use periapt_wire::rest;

use super::storage::going;
use super::{Context, settings};
use crate::arguments::{AddModel, DestroyModel};
use crate::failure::{Exit, Failure, Outcome};
use crate::files::Model;
use crate::live::Live;
use crate::output::text::clean;
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
