//! Verbs about models and what is in them.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use periapt_model::UnitName;
use periapt_wire::rest::WaitKind;

use super::{ControllerChoice, ListFormat, ModelChoice, Shown, StatusFormat, Target};

#[derive(Debug, Args)]
pub struct AddModel {
    /// Name of the new model.
    pub name: String,
    /// Its cloud and region [default: the controller's cloud, and that cloud's first region].
    #[arg(value_name = "CLOUD[/REGION]")]
    pub cloud: Option<String>,
    /// One of your credentials for the cloud [default: a new one for this model].
    #[arg(long)]
    pub credential: Option<String>,
    /// Configuration: KEY=VALUE, or a YAML file.
    #[arg(long, value_name = "KEY=VALUE|FILE")]
    pub config: Vec<String>,
    /// Do not switch to the new model.
    #[arg(long)]
    pub no_switch: bool,
    #[command(flatten)]
    pub controller: ControllerChoice,
}

#[derive(Debug, Args)]
pub struct Models {
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    /// Show UUIDs.
    #[arg(long)]
    pub uuid: bool,
    /// Only show models that this user may use and you administer.
    #[arg(long, value_name = "USER")]
    pub user: Option<String>,
    /// Show whole times, in UTC and ISO form.
    #[arg(long)]
    pub exact_time: bool,
    #[command(flatten)]
    pub controller: ControllerChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct ModelConfig {
    /// KEY=VALUE sets an option, KEY shows one, nothing shows all.
    #[arg(value_name = "KEY[=VALUE]")]
    pub settings: Vec<String>,
    /// Reset these options to their defaults.
    #[arg(long, value_name = "KEY,...", value_delimiter = ',')]
    pub reset: Vec<String>,
    /// Set options from a YAML file.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct DestroyModel {
    /// The model.
    #[arg(value_name = "[CONTROLLER:]MODEL")]
    pub name: String,
    /// Force the removal after a limited time.
    #[arg(long)]
    pub force: bool,
    /// With --force: do not wait for anything.
    #[arg(long, requires = "force")]
    pub no_wait: bool,
    /// Also remove its storage and its contents.
    #[arg(long, conflicts_with = "release_storage")]
    pub destroy_storage: bool,
    /// Release its storage: directories stay in place if the provider allows it.
    #[arg(long)]
    pub release_storage: bool,
    /// Do not ask for confirmation.
    #[arg(long, visible_alias = "yes", short = 'y')]
    pub no_prompt: bool,
    /// Stop waiting after this time; the removal continues.
    #[arg(long, short, value_name = "DURATION", default_value = "10m", value_parser = duration)]
    pub timeout: std::time::Duration,
}

#[derive(Debug, Args)]
pub struct Resolved {
    /// The units.
    #[arg(
        value_name = "UNIT",
        required_unless_present = "all",
        conflicts_with = "all"
    )]
    pub units: Vec<String>,
    /// Skip the failed hook and do not run it again.
    #[arg(long)]
    pub no_retry: bool,
    /// Resolve all units in error.
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct UnitAgents {
    /// The units.
    #[arg(value_name = "UNIT", required = true)]
    pub units: Vec<String>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct StartAgent {
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct Status {
    /// Only show matches: names of applications, units or machines, or statuses; `*` matches any
    /// text.
    #[arg(value_name = "PATTERN")]
    pub patterns: Vec<String>,
    #[arg(long, value_enum, default_value_t)]
    pub format: StatusFormat,
    /// Show the status again when something changes, at most once per DURATION.
    #[arg(long, value_name = "DURATION", num_args = 0..=1, default_missing_value = "250ms", value_parser = duration)]
    pub watch: Option<std::time::Duration>,
    /// Show times in UTC, in ISO format.
    #[arg(long)]
    pub utc: bool,
    /// Show relations.
    #[arg(long, visible_alias = "integrations")]
    pub relations: bool,
    /// Show storage; formats other than the table always do.
    #[arg(long)]
    pub storage: bool,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct ShowUnit {
    /// The units.
    #[arg(required = true, value_name = "UNIT")]
    pub units: Vec<String>,
    /// For relations, only show application data.
    #[arg(long)]
    pub app: bool,
    /// Only show relations of this endpoint.
    #[arg(long, value_name = "ENDPOINT")]
    pub endpoint: Option<String>,
    /// Only show relations with this unit.
    #[arg(long, value_name = "UNIT")]
    pub related_unit: Option<UnitName>,
    #[command(flatten)]
    pub shown: Shown,
}

#[derive(Debug, Args)]
pub struct ShowApplication {
    /// The applications.
    #[arg(required = true, value_name = "APPLICATION")]
    pub applications: Vec<String>,
    #[command(flatten)]
    pub shown: Shown,
}

#[derive(Debug, Args)]
pub struct ShowStatusLog {
    /// An application, a unit or a machine.
    pub entity: String,
    /// Show this many of the newest entries.
    #[arg(short = 'n', long, default_value_t = 20)]
    pub lines: u64,
    /// Show all entries of this many days.
    #[arg(long, value_name = "DAYS", conflicts_with_all = ["lines", "from_date"])]
    pub days: Option<u32>,
    /// Show all entries since this day, as in 2026-11-21, or time, as in 2026-11-21T10:38:00Z.
    #[arg(long, value_name = "DATE", conflicts_with = "lines")]
    pub from_date: Option<String>,
    /// Only show one kind: unit, workload, juju-unit, application, machine, juju-machine.
    #[arg(long = "type")]
    pub kind: Option<String>,
    /// Show times in UTC, in ISO format.
    #[arg(long)]
    pub utc: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct Hooks {
    /// A unit or an application [default: all in the model].
    #[arg(value_name = "UNIT|APPLICATION")]
    pub whose: Option<String>,
    /// Only show failed hooks.
    #[arg(long)]
    pub failed: bool,
    /// Only show this hook, as in config-changed.
    #[arg(long)]
    pub hook: Option<String>,
    /// Show this many of the newest.
    #[arg(short = 'n', long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: u64,
    /// Show times in UTC, in ISO format.
    #[arg(long)]
    pub utc: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct Workloads {
    /// A unit or an application [default: all in the model].
    #[arg(value_name = "UNIT|APPLICATION")]
    pub whose: Option<String>,
    /// Show times in UTC, in ISO format.
    #[arg(long)]
    pub utc: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WaitForKind {
    Application,
    Unit,
    Machine,
    Model,
    Relation,
    Operation,
    Task,
    Storage,
}

const QUERIES: &str = r#"Queries:
  status=="active"                                 compare with ==, !=, <, <=, >, >=
  life=="alive" && !startsWith(message, "wait")    join with &&, ||, !, parentheses
  forEach(units, unit => unit.workload-status=="active" && unit.agent-status=="idle")
  len(units) == 3                                  also contains(text, part), endsWith(text, part)

Names: application: name life status message charm charm-rev exposed version scale units
       unit: name life workload-status workload-message agent-status agent-message leader machine
             public-address open-ports application
       machine: name life status instance-status instance-id address
       relation: name id life status message interface scope applications
       operation: name id status summary user tasks
       task: name id status message operation unit action
       storage: name life status message kind owner pool provider provider-id size persistent units
       model: name life status applications units machines"#;

#[derive(Debug, Args)]
#[command(after_help = QUERIES)]
pub struct WaitFor {
    /// Kind of entity.
    #[arg(value_enum)]
    pub kind: WaitForKind,
    /// Its name; for an operation, a task or a relation its number, for a relation also its key, as
    /// in "front:website site:website", for a storage its id, as in data/0.
    pub name: String,
    /// Condition to wait for [default: all units active and idle, a machine started, a relation
    /// joined, an operation or a task ended, a storage attached].
    #[arg(long)]
    pub query: Option<String>,
    /// Time out after this time (exit status 5).
    #[arg(long, value_name = "DURATION", default_value = "10m", value_parser = duration)]
    pub timeout: std::time::Duration,
    #[command(flatten)]
    pub model: ModelChoice,
}

impl WaitFor {
    pub fn kind(&self) -> WaitKind {
        match self.kind {
            WaitForKind::Application => WaitKind::Application,
            WaitForKind::Unit => WaitKind::Unit,
            WaitForKind::Machine => WaitKind::Machine,
            WaitForKind::Model => WaitKind::Model,
            WaitForKind::Relation => WaitKind::Relation,
            WaitForKind::Operation => WaitKind::Operation,
            WaitForKind::Task => WaitKind::Task,
            WaitForKind::Storage => WaitKind::Storage,
        }
    }
}

#[derive(Debug, Args)]
pub struct Workers {
    /// Only show workers of one agent: controller, model, machine, unit, library, kubernetes.
    #[arg(long)]
    pub agent: Option<String>,
    /// Only show workers in one state: running, resting, uninstalled, library, "not built".
    #[arg(long)]
    pub state: Option<String>,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

/// `90s`, `1m30s`, `250ms`; a bare number is seconds.
pub fn duration(text: &str) -> Result<std::time::Duration, String> {
    let bad = || format!("\"{text}\" is not a duration: use 30s, 5m or 1h30m");
    match text.parse() {
        Ok(seconds) => Ok(std::time::Duration::from_secs(seconds)),
        Err(_) => periapt_model::duration::parse(text).ok_or_else(bad),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::duration;

    #[test]
    fn durations_are_read_as_people_write_them() {
        assert_eq!(duration("30"), Ok(Duration::from_secs(30)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(duration("1h30m"), Ok(Duration::from_secs(5400)));
        assert_eq!(duration("1.5s"), Ok(Duration::from_millis(1500)));
        for bad in ["", "m", "5x", "1m5", "-1s", "5 m"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }
}
