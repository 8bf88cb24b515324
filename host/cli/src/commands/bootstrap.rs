//! `bootstrap` and `controller start`: from nothing to a controller that answers.

use std::net::{IpAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

use periapt_client::rest::RestClient;
use periapt_controller::{BootstrapOptions, BootstrapResult, JoinOptions};
use periapt_model::ModelName;
use periapt_model::hook::Limits;
use periapt_sandbox::Settings;
use serde_json::Value;

use super::{Context, models, service};
use crate::arguments::{AddModel, Bootstrap, ControllerChoice, JoinController, StartController};
use crate::failure::{Exit, Failure, Outcome};
use crate::files::{Account, Controller, Model};
use crate::processes;
use crate::session::{Session, no_controller, unknown_controller};

mod wishes;

use wishes::Wishes;

/// The port of Juju's controllers.
const PORT: u16 = 17070;
/// How long a controller may take to answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two knocks at the door of a controller that starts.
const KNOCK: Duration = Duration::from_millis(50);

pub async fn bootstrap(context: &Context, arguments: Bootstrap) -> Outcome {
    let (cloud, name) = match arguments.controller {
        Some(name) => (Some(arguments.name), name),
        None => (None, arguments.name),
    };
    check_name(&name)?;
    let wishes = Wishes::read(&arguments.config, &arguments.model_default)?;
    let own_model: Option<ModelName> =
        arguments.add_model.as_deref().map(str::parse).transpose()?;
    let before = context.files.read()?.controllers;
    if before.controllers.contains_key(&name) {
        return Err(Failure::new(
            Exit::Conflict,
            format!("controller \"{name}\" already exists"),
        )
        .why("controllers.yaml has an entry with this name")
        .advice(format!(
            "choose another name, or periapt destroy-controller {name}"
        )));
    }
    let limits = limits(&arguments.limits)?;
    let data_dir = match arguments.data_dir {
        Some(dir) => absolute(&dir)?,
        None => context.files.directory().join("controllers").join(&name),
    };
    let options = BootstrapOptions {
        data_dir: data_dir.clone(),
        name: name.clone(),
        address: arguments.address,
        port: free_port(arguments.address, arguments.port)?,
        database: arguments.postgres_url,
        admin_password: None,
        limits,
        otlp_endpoint: otlp_endpoint(arguments.otlp_endpoint)?,
    };
    if let Some(cloud) = cloud.filter(|cloud| cloud != "local") {
        context.output.say(&format!(
            "The cloud {cloud} is ignored: a controller is a process on this machine"
        ));
    }
    context.output.say(&format!(
        "Creating controller \"{name}\" in {}",
        data_dir.display()
    ));
    let made = processes::bootstrap(options).await?;
    // The controller is known from here on, even if its start should fail.
    remember(context, &made, &data_dir)?;
    start_and_wait(Start::PROCESS, &data_dir, &made.api_endpoints, &made.ca_pem).await?;
    let client = RestClient::new(&made.api_endpoints, &made.ca_pem)?;
    let (_, reply) = client.login(&made.admin_user, &made.admin_password).await?;
    crate::session::remember_token(&context.files, &name, reply.token)?;
    say_ready(context, &name, &made.api_endpoints);
    let choice = ControllerChoice {
        controller: Some(name.clone()),
    };
    let session = Session::open(&context.files, &choice).await?;
    wishes.grant(&session.client).await?;
    if let Some(model) = own_model {
        let add = AddModel {
            name: model.to_string(),
            cloud: None,
            credential: None,
            config: Vec::new(),
            no_switch: false,
            controller: choice,
        };
        models::add(context, add).await?;
    }
    if arguments.no_switch && before.current_controller.is_some() {
        context.files.change(|contents| {
            contents.controllers.current_controller = before.current_controller;
        })?;
    }
    context.output.say(&format!(
        "To have it restarted after a crash or a reboot, run: periapt controller install-service {name}"
    ));
    context
        .output
        .say("Add a model with: periapt add-model NAME");
    Ok(())
}

/// `controller join`: one more process of a controller that is there.
pub async fn join(context: &Context, arguments: JoinController) -> Outcome {
    let data_dir = absolute(&arguments.data_dir)?;
    let options = JoinOptions {
        from: absolute(&arguments.from)?,
        data_dir: data_dir.clone(),
        address: arguments.address,
        port: free_port(arguments.address, arguments.port)?,
    };
    let joined = processes::join(options).await?;
    // The endpoints are those of all processes, whichever answers.
    let uuid = joined.uuid.to_string();
    context.files.change(|contents| {
        let known = contents.controllers.controllers.values_mut();
        for controller in known.filter(|controller| controller.uuid == uuid) {
            if !controller.api_endpoints.contains(&joined.api_endpoint) {
                controller.api_endpoints.push(joined.api_endpoint.clone());
            }
        }
    })?;
    let endpoint = std::slice::from_ref(&joined.api_endpoint);
    start_and_wait(Start::PROCESS, &data_dir, endpoint, &joined.ca_pem).await?;
    context.output.say(&format!(
        "Process {} of controller \"{}\" is ready at https://{}",
        joined.node, joined.name, joined.api_endpoint
    ));
    Ok(())
}

pub async fn start(context: &Context, arguments: StartController) -> Outcome {
    let (name, controller) = chosen(context, arguments.name)?;
    let data_dir = match &arguments.data_dir {
        Some(dir) => absolute(dir)?,
        None => local_directory(&name, &controller)?,
    };
    if processes::running_pid(&data_dir).is_none() {
        let start = match service::installed(&data_dir)? {
            Some(installed) if !arguments.accept_move => Start::Service(installed),
            _ => Start::Process {
                accept_move: arguments.accept_move,
            },
        };
        let (endpoints, ca) = (&controller.api_endpoints, &controller.ca_cert);
        start_and_wait(start, &data_dir, endpoints, ca).await?;
    }
    if controller.data_dir.as_deref() != Some(&data_dir) {
        context.files.change(|contents| {
            if let Some(known) = contents.controllers.controllers.get_mut(&name) {
                known.data_dir = Some(data_dir.clone());
            }
        })?;
    }
    say_ready(context, &name, &controller.api_endpoints);
    Ok(())
}

/// The controller of this name, or the current one.
pub fn chosen(context: &Context, name: Option<String>) -> Outcome<(String, Controller)> {
    let contents = context.files.read()?;
    let name = name
        .or(contents.controllers.current_controller)
        .ok_or_else(no_controller)?;
    let mut known = contents.controllers.controllers;
    let controller = known
        .remove(&name)
        .ok_or_else(|| unknown_controller(&name))?;
    Ok((name, controller))
}

/// The directory of a controller of this machine.
pub fn local_directory(name: &str, controller: &Controller) -> Outcome<PathBuf> {
    controller.data_dir.clone().ok_or_else(|| {
        Failure::failed(format!("controller \"{name}\" is not on this machine"))
            .why("controllers.yaml has no data-dir for it")
            .advice("run this where it was bootstrapped")
    })
}

/// How a controller is started.
pub enum Start {
    Process { accept_move: bool },
    Service(service::Service),
}

impl Start {
    pub const PROCESS: Self = Start::Process { accept_move: false };
}

fn say_ready(context: &Context, name: &str, endpoints: &[String]) {
    let address = endpoints.first().map(String::as_str).unwrap_or_default();
    context.output.say(&format!(
        "Controller \"{name}\" is ready at https://{address}/"
    ));
    context
        .output
        .say("To sign in to its web page, run: periapt dashboard");
}

/// Starts the process and waits for `/ready`.
pub async fn start_and_wait(
    start: Start,
    data_dir: &Path,
    endpoints: &[String],
    ca_pem: &str,
) -> Outcome {
    let client = RestClient::new(endpoints, ca_pem)?;
    let mut child = match start {
        Start::Process { accept_move } => Some(processes::start_controller(data_dir, accept_move)?),
        Start::Service(service) => service.start(data_dir)?,
    };
    let ready = async {
        while client.ready().await.is_err() {
            let failure = child.as_mut().and_then(|child| ended(child, data_dir));
            if let Some(failure) = failure {
                return Err(failure);
            }
            tokio::time::sleep(KNOCK).await;
        }
        Ok(())
    };
    match tokio::time::timeout(PATIENCE, ready).await {
        Ok(outcome) => outcome,
        Err(_) => Err(
            Failure::new(Exit::TimedOut, "the controller does not answer")
                .why(format!("it was started {} s ago", PATIENCE.as_secs()))
                .advice(format!("read {}", processes::log_file(data_dir).display())),
        ),
    }
}

/// Why the process that was to become the controller is gone, if it is.
fn ended(child: &mut Child, data_dir: &Path) -> Option<Failure> {
    let status = child.try_wait().ok()??;
    let log = processes::log_file(data_dir);
    let text = std::fs::read_to_string(&log).unwrap_or_default();
    let (why, advice) = last_words(&text);
    Some(
        Failure::failed(format!("the controller exited while starting ({status})"))
            .why(why)
            .advice(advice.map_or_else(|| format!("read {}", log.display()), str::to_owned)),
    )
}

/// Why a process ended and what to do about it, from the end of its log.
fn last_words(log: &str) -> (&str, Option<&str>) {
    let mut lines = log.lines().rev().filter(|line| !line.trim().is_empty());
    let last = lines.next().unwrap_or("it said nothing");
    let why = lines.next().and_then(|line| line.strip_prefix("  why: "));
    match (why, last.strip_prefix("  try: ")) {
        (Some(why), Some(advice)) => (why, Some(advice)),
        _ => (last, None),
    }
}

/// Writes the controller, its first user and its own model into the client's files.
fn remember(context: &Context, made: &BootstrapResult, data_dir: &Path) -> Outcome {
    let own_model = format!("{}/controller", made.admin_user);
    let counts = [
        "controller-machine-count",
        "active-controller-machine-count",
    ];
    let controller = Controller {
        uuid: made.uuid.to_string(),
        api_endpoints: made.api_endpoints.clone(),
        ca_cert: made.ca_pem.clone(),
        cloud: made.cloud.clone(),
        agent_version: env!("CARGO_PKG_VERSION").to_owned(),
        data_dir: Some(data_dir.to_owned()),
        others: counts
            .into_iter()
            .map(|key| (key.to_owned(), Value::from(1)))
            .collect(),
    };
    let account = Account {
        user: made.admin_user.clone(),
        password: Some(made.admin_password.clone()),
        last_known_access: "superuser".to_owned(),
        ..Account::default()
    };
    context.files.change(|contents| {
        contents
            .controllers
            .controllers
            .insert(made.name.clone(), controller);
        contents.controllers.current_controller = Some(made.name.clone());
        contents
            .accounts
            .controllers
            .insert(made.name.clone(), account);
        let models = contents
            .models
            .controllers
            .entry(made.name.clone())
            .or_default();
        models.models.insert(
            own_model.clone(),
            Model::new(made.controller_model.to_string()),
        );
        models.current_model = Some(own_model);
    })
}

/// The name is a folder and a key: it must not be a path or look like an option.
/// Refused here, where it can be typed again, rather than in a log later.
fn otlp_endpoint(given: Option<String>) -> Outcome<Option<String>> {
    match given {
        Some(endpoint) if !endpoint.starts_with("http://") && !endpoint.starts_with("https://") => {
            Err(Failure::new(
                Exit::Usage,
                format!("\"{endpoint}\" is not the address of a collector"),
            )
            .why("it does not begin with http:// or https://")
            .advice("--otlp-endpoint http://127.0.0.1:4318"))
        }
        given => Ok(given),
    }
}

fn check_name(name: &str) -> Outcome {
    let sound = name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    if sound {
        return Ok(());
    }
    Err(Failure::usage(format!("\"{name}\" is not a valid controller name"))
        .why("the name is used as a folder name and before the colon in CONTROLLER:MODEL")
        .advice("use letters, digits, dashes, dots and underscores, beginning with a letter or digit"))
}

pub fn absolute(dir: &Path) -> Outcome<PathBuf> {
    std::path::absolute(dir)
        .map_err(|error| Failure::file("cannot use the data directory", dir, &error))
}

/// The port asked for; for 0 any free one, for none the usual one or the next free after it.
fn free_port(address: IpAddr, asked: Option<u16>) -> Outcome<u16> {
    let free = |port: u16| {
        let listener = TcpListener::bind((address, port))?;
        listener.local_addr().map(|address| address.port())
    };
    match asked {
        Some(port) => free(port).map_err(|error| {
            Failure::new(Exit::Conflict, format!("cannot listen on {address} port {port}"))
                .why(error.to_string())
                .advice("choose another port with --port, or 0 for any free one")
        }),
        None => (PORT..=PORT + 100).find_map(|port| free(port).ok()).ok_or_else(|| {
            Failure::new(Exit::Conflict, format!("cannot listen on any port of {address}"))
                .why(format!("port {PORT} and the hundred after it are in use, or the address is not on this machine"))
                .advice("choose others with --address and --port")
        }),
    }
}

/// `NAME=VALUE` words as limits; sizes take KiB, MiB, GiB.
fn limits(words: &[String]) -> Outcome<Limits> {
    let mut limits = serde_json::to_value(Limits::default()).unwrap_or_default();
    for word in words {
        let bad = |why: String| {
            Failure::usage(format!("\"{word}\" is no limit"))
                .why(why)
                .advice("write NAME=VALUE, as in wall-clock-ms=500 or memory-bytes=32MiB")
        };
        let (name, value) = word
            .split_once('=')
            .ok_or_else(|| bad("there is no = in it".to_owned()))?;
        let known = limits
            .as_object()
            .map(|known| known.keys().cloned().collect::<Vec<_>>())
            .unwrap_or_default();
        if !known.iter().any(|key| key == name) {
            return Err(bad(format!("there are {}", known.join(", "))));
        }
        let number =
            size(value).ok_or_else(|| bad(format!("{value} is not a number above zero")))?;
        limits[name] = number.into();
    }
    let limits: Limits = serde_json::from_value(limits)
        .map_err(|error| Failure::usage("invalid limits").why(error.to_string()))?;
    check_room(&limits)?;
    Ok(limits)
}

/// Beyond what a sandbox has room for, a limit would be told and would not hold.
fn check_room(limits: &Limits) -> Outcome {
    let room = Settings::default();
    for (name, wanted, most) in [
        ("memory-bytes", limits.memory_bytes, room.memory_bytes),
        ("table-elements", limits.table_elements, room.table_elements),
    ] {
        if wanted > most {
            return Err(
                Failure::usage(format!("the limit {name}={wanted} is too large"))
                    .why(format!("a sandbox has room for {most} at most"))
                    .advice(format!("choose {name}={most} or less")),
            );
        }
    }
    Ok(())
}

fn size(text: &str) -> Option<u64> {
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = match unit {
        "" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return None,
    };
    number
        .parse::<u64>()
        .ok()?
        .checked_mul(factor)
        .filter(|number| *number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn limits_change_what_they_name_and_nothing_else() {
        let changed = limits(&words("wall-clock-ms=500 memory-bytes=32MiB")).unwrap();
        assert_eq!(
            changed,
            Limits {
                wall_clock_ms: 500,
                memory_bytes: 32 << 20,
                ..Limits::default()
            }
        );
        for bad in [
            "wall-clock-ms",
            "wall-clock=5",
            "memory-bytes=lots",
            "memory-bytes=0",
            "host-calls=-1",
            "memory-bytes=257MiB",
            "table-elements=32769",
        ] {
            assert_eq!(limits(&words(bad)).unwrap_err().exit, Exit::Usage, "{bad}");
        }
    }

    #[test]
    fn a_process_that_says_what_to_do_is_heard() {
        let log = "INFO begins\nerror: the controller ended\n  why: it was removed\n  try: join\n";
        assert_eq!(last_words(log), ("it was removed", Some("join")));
        assert_eq!(last_words("INFO begins\npanic\n\n"), ("panic", None));
        assert_eq!(last_words(""), ("it said nothing", None));
    }

    #[test]
    fn a_taken_port_is_passed_over_unless_it_was_asked_for() {
        let address: IpAddr = "127.0.0.1".parse().unwrap();
        let taken = TcpListener::bind((address, 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        assert_eq!(
            free_port(address, Some(port)).unwrap_err().exit,
            Exit::Conflict
        );
        assert_ne!(free_port(address, Some(0)).unwrap(), 0);
        assert!(free_port(address, None).unwrap() >= PORT);
    }

    #[test]
    fn a_controller_name_is_no_path() {
        for good in ["local", "prod-1", "a.b_c"] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in ["", "../x", "a/b", "-x", "a:b", ".hidden"] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }
}
