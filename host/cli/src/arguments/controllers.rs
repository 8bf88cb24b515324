//! Verbs about controllers.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{ControllerChoice, DetailFormat, ListFormat, Target, duration};

#[derive(Debug, Args)]
pub struct Bootstrap {
    /// Name of the new controller; if two names are given, the first is Juju's cloud.
    #[arg(default_value = "local", value_name = "NAME|CLOUD[/REGION]")]
    pub name: String,
    /// Name of the new controller, after a cloud.
    #[arg(value_name = "NAME")]
    pub controller: Option<String>,
    /// Options of the controller or of its own model: KEY=VALUE, or a YAML file.
    #[arg(long, value_name = "KEY=VALUE|FILE")]
    pub config: Vec<String>,
    /// Default options of models: KEY=VALUE, or a YAML file.
    #[arg(long, value_name = "KEY=VALUE|FILE")]
    pub model_default: Vec<String>,
    /// Add a model with this name.
    #[arg(
        long,
        short = 'd',
        visible_alias = "default-model",
        value_name = "MODEL"
    )]
    pub add_model: Option<String>,
    /// Do not switch to the new controller.
    #[arg(long)]
    pub no_switch: bool,
    /// Directory for the controller's data [default: controllers/NAME in the client's directory].
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Address to listen on.
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    pub address: IpAddr,
    /// Port to listen on; 0 takes a free one [default: 17070, or the next free one].
    #[arg(long)]
    pub port: Option<u16>,
    /// Keep data in this PostgreSQL database instead of a file.
    #[arg(
        long,
        value_name = "URL",
        env = "PERIAPT_POSTGRES_URL",
        hide_env_values = true
    )]
    pub postgres_url: Option<String>,
    /// Limits of a hook run: memory-bytes, table-elements, output-bytes, host-calls, wall-clock-ms,
    /// state-directory-bytes.
    #[arg(long, value_name = "NAME=VALUE")]
    pub limits: Vec<String>,
    /// Send traces to this OpenTelemetry collector (OTLP over HTTP) [default:
    /// OTEL_EXPORTER_OTLP_ENDPOINT in the controller's environment].
    #[arg(long, value_name = "URL")]
    pub otlp_endpoint: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum ControllerCommand {
    /// Run a controller in the foreground.
    Run(ControllerRun),
    /// Add a process to a controller that keeps its data in PostgreSQL, and start it.
    Join(JoinController),
    /// Start a controller on this machine in the background.
    Start(StartController),
    /// Stop a controller; its agents and units keep running.
    Stop(StopController),
    /// Restart a controller automatically after a crash or a reboot.
    InstallService(InstallService),
    /// Undo `install-service`; a running controller keeps running.
    UninstallService(UninstallService),
    /// Restart a controller whenever it fails (started by `install-service`).
    #[command(hide = true)]
    Keep(KeepController),
    /// List the processes of a controller.
    Nodes(Nodes),
    /// Remove processes that will not come back from a controller.
    RemoveNode(RemoveNode),
}

#[derive(Debug, Args)]
pub struct ControllerRun {
    /// The controller's directory.
    #[arg(long, value_name = "DIR")]
    pub data_dir: PathBuf,
    /// Confirm that the directory was moved here and nothing runs at its old path.
    #[arg(long)]
    pub accept_move: bool,
    /// Leave the terminal's session first.
    #[arg(long, hide = true)]
    pub detached: bool,
}

#[derive(Debug, Args)]
pub struct JoinController {
    /// Directory of an existing process of the controller, which may be running.
    #[arg(long, value_name = "DIR")]
    pub from: PathBuf,
    /// Directory of the new process.
    #[arg(long, value_name = "DIR")]
    pub data_dir: PathBuf,
    /// Address to listen on.
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    pub address: IpAddr,
    /// Port to listen on; 0 takes a free one [default: 17070, or the next free one].
    #[arg(long)]
    pub port: Option<u16>,
}

#[derive(Debug, Args)]
pub struct Nodes {
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    /// Show times in UTC, in ISO format.
    #[arg(long)]
    pub utc: bool,
    #[command(flatten)]
    pub controller: ControllerChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct RemoveNode {
    /// Numbers of the processes, as listed by `controller nodes`.
    #[arg(required = true, value_name = "NODE")]
    pub nodes: Vec<u32>,
    /// Also remove a running process, which then stops by itself.
    #[arg(long)]
    pub force: bool,
    /// Do not ask for confirmation.
    #[arg(long, visible_alias = "yes", short = 'y')]
    pub no_prompt: bool,
    #[command(flatten)]
    pub controller: ControllerChoice,
}

#[derive(Debug, Args)]
pub struct StartController {
    /// The controller [default: the current one].
    pub name: Option<String>,
    /// New path of its directory, if it was moved; remembered.
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Confirm that the directory was moved and nothing runs at its old path.
    #[arg(long)]
    pub accept_move: bool,
}

#[derive(Debug, Args)]
pub struct InstallService {
    /// The controller [default: the current one].
    pub name: Option<String>,
    /// Use Periapt's own keeper even if systemd runs here. It does not survive a reboot.
    #[arg(long)]
    pub keeper: bool,
    /// Only print the systemd unit.
    #[arg(long, conflicts_with = "keeper")]
    pub print: bool,
}

#[derive(Debug, Args)]
pub struct UninstallService {
    /// The controller [default: the current one].
    pub name: Option<String>,
}

#[derive(Debug, Args)]
pub struct KeepController {
    /// The controller's directory.
    #[arg(long, value_name = "DIR")]
    pub data_dir: PathBuf,
}

#[derive(Debug, Args)]
pub struct StopController {
    /// The controller [default: the current one].
    pub name: Option<String>,
    /// Also stop the agents.
    #[arg(long)]
    pub agents: bool,
}

#[derive(Debug, Args)]
pub struct Dashboard {
    /// Open the page in a browser ($BROWSER, or the desktop's default).
    #[arg(long)]
    pub browser: bool,
    /// Do not show the user and password.
    #[arg(long)]
    pub hide_credential: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: DashboardFormat,
    #[command(flatten)]
    pub controller: ControllerChoice,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DashboardFormat {
    #[default]
    Text,
    Json,
    Yaml,
}

#[derive(Debug, Args)]
pub struct Introspect {
    /// What to show: depengine (engines and their workers), hooktimes, machinelock, units, leases,
    /// presence, metrics.
    #[arg(default_value = "depengine")]
    pub report: String,
    /// Inspect the agent of this model and its units.
    #[arg(long, value_name = "[CONTROLLER:]MODEL", conflicts_with = "controller")]
    pub agent: Option<String>,
    #[arg(long, value_enum, default_value_t)]
    pub format: DetailFormat,
    #[command(flatten)]
    pub controller: ControllerChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct Controllers {
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct Switch {
    /// A model, a controller, or both as CONTROLLER:MODEL; without it the current one is shown.
    pub name: Option<String>,
    #[command(flatten)]
    pub controller: ControllerChoice,
}

#[derive(Debug, Args)]
pub struct DestroyController {
    /// The controller.
    pub name: String,
    /// Also remove its models.
    #[arg(long)]
    pub destroy_all_models: bool,
    /// Also remove the storage of its models and its contents.
    #[arg(long, requires = "destroy_all_models")]
    pub destroy_storage: bool,
    /// Release the storage of its models: directories stay in place if the provider allows it.
    #[arg(
        long,
        requires = "destroy_all_models",
        conflicts_with = "destroy_storage"
    )]
    pub release_storage: bool,
    /// Do not wait for units to stop cleanly.
    #[arg(long)]
    pub force: bool,
    /// With --force: do not wait for anything.
    #[arg(long, requires = "force", conflicts_with = "model_timeout")]
    pub no_wait: bool,
    /// With --force: how long each step of removing a model may take.
    #[arg(long, value_name = "DURATION", requires = "force", value_parser = duration)]
    pub model_timeout: Option<std::time::Duration>,
    /// Do not ask for confirmation.
    #[arg(long, visible_alias = "yes", short = 'y')]
    pub no_prompt: bool,
    /// Stop waiting for a model after this time.
    #[arg(long, short, value_name = "DURATION", default_value = "10m", value_parser = duration)]
    pub timeout: std::time::Duration,
}
