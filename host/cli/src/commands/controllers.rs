//! `controllers`, `switch`, `controller stop`, `destroy-controller`.

use std::time::Duration;

use periapt_client::rest::Removing;
use periapt_wire::rest::{ModelSummary, StopRequest};
use serde::Serialize;

use super::storage::going;
use super::{Context, models, service};
use crate::arguments::{Controllers, DestroyController, ListFormat, StopController, Switch};
use crate::failure::{Exit, Failure, Outcome};
use crate::files::{Contents, Controller, Model, short_name};
use crate::output::document::Named;
use crate::output::table::{Cell, Table};
use crate::output::text::sorted;
use crate::processes::Ending;
use crate::session::{Session, no_controller, split, unknown_controller};

/// How long a controller may take to end once asked.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Document<'a> {
    controllers: Named<Entry<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    current_controller: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Entry<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    current_model: Option<&'a str>,
    user: &'a str,
    access: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    recent_server: Option<&'a str>,
    uuid: &'a str,
    api_endpoints: &'a [String],
    ca_cert: &'a str,
    cloud: &'a str,
    agent_version: &'a str,
    model_count: usize,
    controller_machines: ControllerMachines,
    #[serde(skip_serializing_if = "Option::is_none")]
    data_dir: Option<&'a std::path::Path>,
}

/// The processes of a controller.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct ControllerMachines {
    active: usize,
    total: usize,
}

pub fn list(context: &Context, arguments: &Controllers) -> Outcome {
    let contents = context.files.read()?;
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&document(&contents)),
        ListFormat::Yaml => output.yaml(&document(&contents)),
        ListFormat::Tabular if contents.controllers.controllers.is_empty() => {
            output.say("No controllers are registered here. Create one with: periapt bootstrap");
            Ok(())
        }
        ListFormat::Tabular => output.data(&table(&contents).render(output.paints())),
    }
}

fn document(contents: &Contents) -> Document<'_> {
    let entries = contents
        .controllers
        .controllers
        .iter()
        .map(|(name, controller)| {
            let account = contents.accounts.controllers.get(name);
            // Each process has one endpoint.
            let nodes = controller.api_endpoints.len();
            let entry = Entry {
                current_model: contents.current_model(name),
                user: account
                    .map(|account| account.user.as_str())
                    .unwrap_or_default(),
                access: account
                    .map(|account| account.last_known_access.as_str())
                    .unwrap_or_default(),
                recent_server: controller.api_endpoints.first().map(String::as_str),
                uuid: &controller.uuid,
                api_endpoints: &controller.api_endpoints,
                ca_cert: &controller.ca_cert,
                cloud: &controller.cloud,
                agent_version: &controller.agent_version,
                model_count: model_count(contents, name),
                controller_machines: ControllerMachines {
                    active: nodes,
                    total: nodes,
                },
                data_dir: controller.data_dir.as_deref(),
            };
            (name.clone(), entry)
        });
    Document {
        controllers: entries.collect(),
        current_controller: contents.controllers.current_controller.as_deref(),
    }
}

/// The models of a controller that are known here.
fn model_count(contents: &Contents, controller: &str) -> usize {
    let models = contents.models.controllers.get(controller);
    models.map_or(0, |models| models.models.len())
}

fn table(contents: &Contents) -> Table {
    let headers = [
        "Controller",
        "Model",
        "User",
        "Access",
        "Cloud/Region",
        "Models",
        "Nodes",
        "HA",
        "Version",
    ];
    let mut table = Table::new(&headers)
        .right("Models")
        .right("Nodes")
        .right("HA");
    for (name, controller) in sorted(&contents.controllers.controllers) {
        let current = contents.controllers.current_controller.as_deref() == Some(name);
        let account = contents.accounts.controllers.get(name);
        let models = model_count(contents, name);
        // Each process has one endpoint.
        let nodes = controller.api_endpoints.len();
        let or_dash =
            |text: Option<&str>| Cell::from(text.filter(|text| !text.is_empty()).unwrap_or("-"));
        table.row(vec![
            format!("{name}{}", if current { "*" } else { "" }).into(),
            or_dash(contents.current_model(name)),
            or_dash(account.map(|account| account.user.as_str())),
            or_dash(account.map(|account| account.last_known_access.as_str())),
            or_dash(Some(&controller.cloud)),
            models.to_string().into(),
            nodes.to_string().into(),
            Cell::from(if nodes > 1 {
                nodes.to_string()
            } else {
                "none".to_owned()
            }),
            or_dash(Some(&controller.agent_version)),
        ]);
    }
    table
}

pub async fn switch(context: &Context, arguments: Switch) -> Outcome {
    let contents = context.files.read()?;
    let before = place(&contents);
    let Some(name) = arguments.name else {
        return context.output.data(&before.ok_or_else(no_controller)?);
    };
    // A bare name is a model of the current controller if there is one, else a controller.
    let (controller, model) = split(&name);
    let chosen = controller
        .map(str::to_owned)
        .or(arguments.controller.controller);
    let current = contents.controllers.current_controller.clone();
    let (controller, model) = match (chosen, model) {
        (Some(controller), model) => (controller, model.map(str::to_owned)),
        (None, Some(word))
            if contents.controllers.controllers.contains_key(word) && !known(&contents, word) =>
        {
            (word.to_owned(), None)
        }
        (None, word) => (current.ok_or_else(no_controller)?, word.map(str::to_owned)),
    };
    if !contents.controllers.controllers.contains_key(&controller) {
        return Err(unknown_controller(&controller));
    }
    let found = match model {
        Some(model) => {
            let session = Session::open_named(&context.files, Some(&controller)).await?;
            let summary = session.client.model(&model).await?;
            Some((
                session.full_name(summary.name.as_str()),
                Model::of(&summary),
            ))
        }
        None => None,
    };
    let after = context.files.change(|contents| {
        contents.controllers.current_controller = Some(controller.clone());
        if let Some((name, model)) = found {
            let models = contents.models.controllers.entry(controller).or_default();
            models.models.entry(name.clone()).or_insert(model);
            models.current_model = Some(name);
        }
        place(contents)
    })?;
    let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
    match before == after {
        true => context.output.say(&format!("{after} (no change)")),
        false => context.output.say(&format!("{before} -> {after}")),
    }
    Ok(())
}

/// Whether the current controller has a model of this name, as far as the files know.
fn known(contents: &Contents, model: &str) -> bool {
    let current = contents
        .controllers
        .current_controller
        .as_deref()
        .unwrap_or_default();
    let models = contents.models.controllers.get(current);
    models.is_some_and(|models| models.models.keys().any(|name| short_name(name) == model))
}

/// `CONTROLLER:OWNER/MODEL`, where commands go.
fn place(contents: &Contents) -> Option<String> {
    let controller = contents.controllers.current_controller.as_deref()?;
    let models = contents.models.controllers.get(controller);
    let model = models
        .and_then(|models| models.current_model.as_deref())
        .unwrap_or_default();
    Some(format!("{controller}:{model}"))
}

pub async fn stop(context: &Context, arguments: StopController) -> Outcome {
    let session = Session::open_named(&context.files, arguments.name.as_deref()).await?;
    stop_process(&session, arguments.agents).await?;
    context
        .output
        .say(&format!("Controller \"{}\" has stopped", session.name));
    Ok(())
}

/// Asks the process to end and, where it is one of this machine, waits until it has.
pub async fn stop_process(session: &Session, agents: bool) -> Outcome {
    let pid = session.client.controller().await?.pid;
    let local = session
        .controller
        .data_dir
        .as_deref()
        .and_then(crate::processes::running_pid)
        == Some(pid);
    // Held before the request, so that it is this process whose end is seen.
    let ending = if local { Ending::of(pid) } else { None };
    session
        .client
        .stop_controller(&StopRequest { agents })
        .await?;
    match ending {
        Some(ending) => ending.wait(PATIENCE, "the controller"),
        None => Ok(()),
    }
}

pub async fn destroy(context: &Context, arguments: DestroyController) -> Outcome {
    let forced_after = forced_after(&arguments);
    let name = arguments.name;
    let session = Session::open_named(&context.files, Some(&name)).await?;
    let all = session.client.models().await?;
    let others: Vec<String> = all
        .iter()
        .map(|model| model.name.to_string())
        .filter(|model| model != models::CONTROLLER_MODEL)
        .collect();
    if !others.is_empty() && !arguments.destroy_all_models {
        return Err(Failure::new(
            Exit::Conflict,
            format!("controller \"{name}\" still has models"),
        )
        .why(format!("there are: {}", others.join(", ")))
        .advice("destroy them first, or add --destroy-all-models"));
    }
    if let Some(failure) = all.iter().find_map(|model| kept(&name, model)) {
        return Err(failure);
    }
    let destroy_storage = match (arguments.destroy_storage, arguments.release_storage) {
        (true, _) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
    };
    if destroy_storage.is_none() {
        for model in &others {
            let storages = session.client.storages(model, None).await?;
            if let Some(failure) = going::kept(&name, model, &storages) {
                return Err(failure);
            }
        }
    }
    let with = match others.as_slice() {
        [] => String::new(),
        others => format!(" and its models {}", others.join(", ")),
    };
    context.output.confirm(
        &format!("This destroys controller \"{name}\"{with}."),
        arguments.no_prompt,
    )?;
    for model in &others {
        context.output.say(&format!("Destroying model \"{model}\""));
        let removing = Removing {
            force: arguments.force,
            timeout_ms: forced_after,
            destroy_storage,
        };
        models::destroy_and_wait(&session, model, removing, arguments.timeout).await?;
    }
    stop_process(&session, true).await?;
    if let Some(dir) = session.controller.data_dir.as_deref() {
        service::forget(dir)?;
    }
    let left = remove_data(context, &session.controller).await?;
    context
        .files
        .change(|contents| contents.forget_controller(&name))?;
    context
        .output
        .say(&format!("Controller \"{name}\" was destroyed"));
    if let Some(left) = left {
        context.output.say(&format!(
            "Its data is left in {left}; remove it when you no longer need it"
        ));
    }
    Ok(())
}

/// How many milliseconds each step of removing a model may take; none leaves it to the model.
fn forced_after(arguments: &DestroyController) -> Option<u64> {
    let said = match arguments.no_wait {
        true => Some(Duration::ZERO),
        false => arguments.model_timeout,
    };
    said.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

/// Why a controller is not destroyed, before any of its models is: one of them is kept from that.
fn kept(controller: &str, model: &ModelSummary) -> Option<Failure> {
    let (kind, message) = model.blocks.first_key_value()?;
    let name = &model.name;
    let what = match message.is_empty() {
        true => format!("{kind} is disabled in model \"{name}\""),
        false => format!("{kind} is disabled in model \"{name}\": {message}"),
    };
    let failure = Failure::new(Exit::Conflict, what)
        .why("a controller can only be destroyed if none of its models is protected")
        .advice(format!(
            "periapt enable-command {kind} -m {controller}:{name}"
        ));
    Some(failure)
}

/// Removes the controller's directory where this program chose it; one that somebody else chose
/// is left to them.
async fn remove_data(context: &Context, controller: &Controller) -> Outcome<Option<String>> {
    let Some(dir) = controller.data_dir.clone() else {
        return Ok(None);
    };
    if dir.parent() != Some(context.files.directory().join("controllers").as_path()) {
        return Ok(Some(dir.display().to_string()));
    }
    let removing = dir.clone();
    tokio::task::spawn_blocking(move || periapt_files::remove(&removing))
        .await
        .unwrap_or_else(|error| Err(error.into()))
        .map_err(|error| Failure::file("cannot remove the controller's data", &dir, &error))?;
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Account;

    fn contents() -> Contents {
        let mut contents = Contents::default();
        for (name, endpoints) in [("prod10", vec!["a:1"]), ("prod9", vec!["a:1", "b:1"])] {
            let controller = Controller {
                uuid: "u".to_owned(),
                api_endpoints: endpoints.into_iter().map(str::to_owned).collect(),
                cloud: "local".to_owned(),
                agent_version: "0.1.0".to_owned(),
                ..Controller::default()
            };
            contents
                .controllers
                .controllers
                .insert(name.to_owned(), controller);
        }
        contents.controllers.current_controller = Some("prod9".to_owned());
        let account = Account {
            user: "admin".to_owned(),
            last_known_access: "superuser".to_owned(),
            ..Account::default()
        };
        contents
            .accounts
            .controllers
            .insert("prod9".to_owned(), account);
        let models = contents
            .models
            .controllers
            .entry("prod9".to_owned())
            .or_default();
        models
            .models
            .insert("admin/demo".to_owned(), Model::new("m"));
        models.current_model = Some("admin/demo".to_owned());
        contents
    }

    #[test]
    fn a_forced_end_waits_as_long_as_it_is_told() {
        use clap::Parser;

        use crate::arguments::{Arguments, Command};
        let read = |flags: &str| {
            let words = ["periapt", "destroy-controller", "prod"].into_iter();
            let read = Arguments::try_parse_from(words.chain(flags.split_whitespace()));
            read.map(|read| match read.command {
                Command::DestroyController(arguments) => forced_after(&arguments),
                other => panic!("{other:?}"),
            })
        };
        assert_eq!(read("--force").unwrap(), None);
        assert_eq!(read("--force --no-wait").unwrap(), Some(0));
        assert_eq!(read("--force --model-timeout 2m").unwrap(), Some(120_000));
        for unforced in ["--no-wait", "--model-timeout 2m"] {
            assert!(read(unforced).is_err(), "{unforced}");
        }
    }

    #[test]
    fn controllers_are_listed_as_juju_lists_them() {
        let expected = "\
Controller  Model  User   Access     Cloud/Region  Models  Nodes    HA  Version
prod9*      demo   admin  superuser  local              1      2     2  0.1.0
prod10      -      -      -          local              0      1  none  0.1.0
";
        assert_eq!(table(&contents()).render(false), expected);
        assert_eq!(place(&contents()).as_deref(), Some("prod9:admin/demo"));
    }

    #[test]
    fn the_document_names_the_current_one() {
        let document = serde_json::to_value(document(&contents())).unwrap();
        assert_eq!(document["current-controller"], "prod9");
        let current = &document["controllers"]["prod9"];
        assert_eq!(current["current-model"], "demo");
        assert_eq!(current["recent-server"], "a:1");
        assert_eq!(
            (
                &current["model-count"],
                &current["controller-machines"]["Total"]
            ),
            (&serde_json::json!(1), &serde_json::json!(2))
        );
        assert!(
            document["controllers"]["prod10"]
                .get("current-model")
                .is_none()
        );
    }
}
