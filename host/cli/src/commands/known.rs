//! `show-controller`, `unregister`, `kill-controller`, `enable-destroy-controller`: a controller that is known here, and
//! how it is forgotten or ended.

use std::time::Duration;

use clap::{Args, Subcommand};
use periapt_model::JUJU_VERSION;
use serde::Serialize;

use super::{Context, bootstrap, controllers};
use crate::arguments::{
    ControllerChoice, DestroyController, DetailFormat, StartController, Target, duration,
};
use crate::failure::Outcome;
use crate::files::short_name;
use crate::output::document::Named;
use crate::processes;
use crate::session::{Session, unknown_controller};

/// The verbs of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Show controllers in detail.
    ShowController(ShowController),
    /// Forget a controller on this client; the controller keeps running.
    Unregister(Unregister),
    /// Destroy a controller and everything in it by force, whether or not it runs.
    KillController(KillController),
    /// Enable the commands whose disabling protects models of a controller from being destroyed.
    EnableDestroyController(EnableDestroyController),
}

#[derive(Debug, Args)]
pub struct ShowController {
    /// The controllers [default: the current one].
    #[arg(value_name = "CONTROLLER")]
    pub names: Vec<String>,
    /// Also show the password.
    #[arg(long)]
    pub show_password: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: DetailFormat,
    #[command(flatten)]
    pub controller: ControllerChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct Unregister {
    /// The controller.
    #[arg(value_name = "CONTROLLER")]
    pub name: String,
    /// Do not ask for confirmation.
    #[arg(long, visible_alias = "yes", short = 'y')]
    pub no_prompt: bool,
}

#[derive(Debug, Args)]
pub struct KillController {
    /// The controller.
    #[arg(value_name = "CONTROLLER")]
    pub name: String,
    /// Do not ask for confirmation.
    #[arg(long, visible_alias = "yes", short = 'y')]
    pub no_prompt: bool,
    /// Stop waiting after this time.
    #[arg(long, short, value_name = "DURATION", default_value = "5m", value_parser = duration)]
    pub timeout: Duration,
}

#[derive(Debug, Args)]
pub struct EnableDestroyController {
    #[command(flatten)]
    pub controller: ControllerChoice,
}

pub async fn run(context: &Context, verb: Verb) -> Outcome {
    match verb {
        Verb::ShowController(arguments) => show(context, arguments).await,
        Verb::Unregister(arguments) => unregister(context, &arguments),
        Verb::KillController(arguments) => kill(context, arguments).await,
        Verb::EnableDestroyController(arguments) => enable_destroy(context, arguments).await,
    }
}

/// A controller in Juju's keys.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Document {
    details: Details,
    controller_machines: Named<ControllerMachine>,
    models: Named<ModelDocument>,
    #[serde(skip_serializing_if = "Option::is_none")]
    current_model: Option<String>,
    account: AccountDocument,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Details {
    controller_uuid: String,
    api_endpoints: Vec<String>,
    cloud: String,
    agent_version: &'static str,
    /// Of the program that runs; ours.
    program_version: String,
    /// `sqlite` or `postgresql`; ours.
    database: String,
    ca_cert: String,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct ControllerMachine {
    instance_id: String,
    ha_status: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct ModelDocument {
    model_uuid: String,
    machine_count: u64,
    unit_count: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct AccountDocument {
    user: String,
    access: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    password: Option<String>,
}

async fn show(context: &Context, arguments: ShowController) -> Outcome {
    let choice = arguments.controller.controller;
    let names: Vec<Option<String>> = match arguments.names.is_empty() {
        true => vec![choice],
        false => arguments.names.into_iter().map(Some).collect(),
    };
    let mut found = Vec::new();
    for name in names {
        let session = Session::open_named(&context.files, name.as_deref()).await?;
        let document = document(context, &session, arguments.show_password).await?;
        found.push((session.name.clone(), document));
    }
    let found: Named<Document> = found.into_iter().collect();
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        DetailFormat::Json => output.json(&found),
        DetailFormat::Yaml => output.yaml(&found),
    }
}

async fn document(context: &Context, session: &Session, with_password: bool) -> Outcome<Document> {
    let contents = context.files.read()?;
    let controller = session.client.controller().await?;
    let models = session.client.models().await?;
    let account = contents.accounts.controllers.get(&session.name);
    let models = models.into_iter().map(|model| {
        let document = ModelDocument {
            model_uuid: model.uuid.to_string(),
            machine_count: model.machines,
            unit_count: model.units,
        };
        (model.name.to_string(), document)
    });
    let endpoints = &session.controller.api_endpoints;
    let ha_status = if endpoints.len() > 1 {
        "ha-enabled"
    } else {
        "ha-pending"
    };
    // Each process has one endpoint.
    let processes = endpoints.iter().enumerate().map(|(number, endpoint)| {
        let machine = ControllerMachine {
            instance_id: endpoint.clone(),
            ha_status,
        };
        (number.to_string(), machine)
    });
    Ok(Document {
        details: Details {
            controller_uuid: controller.uuid.to_string(),
            api_endpoints: endpoints.clone(),
            cloud: controller.cloud,
            agent_version: JUJU_VERSION,
            program_version: controller.version,
            database: controller.database,
            ca_cert: session.controller.ca_cert.clone(),
        },
        controller_machines: processes.collect(),
        models: models.collect(),
        current_model: contents
            .current_model(&session.name)
            .map(|model| format!("{}/{}", session.user, short_name(model))),
        account: AccountDocument {
            user: session.user.clone(),
            access: account
                .map(|account| account.last_known_access.clone())
                .unwrap_or_default(),
            password: account
                .and_then(|account| account.password.clone())
                .filter(|_| with_password),
        },
    })
}

fn unregister(context: &Context, arguments: &Unregister) -> Outcome {
    let name = &arguments.name;
    let contents = context.files.read()?;
    let known = contents.controllers.controllers.get(name);
    let known = known.ok_or_else(|| unknown_controller(name))?;
    context.output.confirm(
        &format!("This removes controller \"{name}\" from this client; the controller itself does not change."),
        arguments.no_prompt,
    )?;
    let data_dir = known.data_dir.clone();
    context
        .files
        .change(|contents| contents.forget_controller(name))?;
    context.output.say(&format!(
        "Controller \"{name}\" is no longer registered here"
    ));
    if let Some(dir) = data_dir {
        context.output.say(&format!(
            "It is on this machine: its data is in {}",
            dir.display()
        ));
    }
    Ok(())
}

async fn kill(context: &Context, arguments: KillController) -> Outcome {
    let name = arguments.name;
    let contents = context.files.read()?;
    let known = contents.controllers.controllers.get(&name);
    let known = known.ok_or_else(|| unknown_controller(&name))?;
    context.output.confirm(
        &format!("This kills controller \"{name}\" with all of its models and their storage."),
        arguments.no_prompt,
    )?;
    // Agents end when their controller tells them; one that does not run tells nobody.
    if let Some(dir) = &known.data_dir
        && processes::running_pid(dir).is_none()
    {
        let start = StartController {
            name: Some(name.clone()),
            data_dir: None,
            accept_move: false,
        };
        bootstrap::start(context, start).await?;
    }
    let choice = ControllerChoice {
        controller: Some(name.clone()),
    };
    enable_destroy(context, EnableDestroyController { controller: choice }).await?;
    let destroy = DestroyController {
        name,
        destroy_all_models: true,
        destroy_storage: true,
        release_storage: false,
        force: true,
        no_wait: false,
        model_timeout: None,
        no_prompt: true,
        timeout: arguments.timeout,
    };
    controllers::destroy(context, destroy).await
}

async fn enable_destroy(context: &Context, arguments: EnableDestroyController) -> Outcome {
    let session = Session::open(&context.files, &arguments.controller).await?;
    for model in session.client.models().await? {
        for kind in model.blocks.keys() {
            session
                .client
                .remove_block(model.uuid.as_str(), *kind)
                .await?;
            context.output.say(&format!(
                "{kind} is enabled in model \"{}\" again",
                model.name
            ));
        }
    }
    Ok(())
}
