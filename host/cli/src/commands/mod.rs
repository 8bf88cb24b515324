//! What each verb does, one file for each group of verbs.

mod accounts;
pub mod actions;
mod agents;
pub mod alerts;
pub mod annotations;
mod applications;
mod audit;
mod backups;
pub mod blocks;
mod bootstrap;
mod bundle;
mod charm;
pub mod charm_revisions;
mod clouds;
mod config;
pub mod constraints;
mod controllers;
pub mod credentials;
mod dashboard;
mod debug_log;
pub mod defaults;
mod deploy;
mod download;
pub mod find;
pub mod grants;
mod hooks;
pub mod incidents;
pub mod info;
mod introspect;
pub mod known;
mod list_models;
mod logs;
pub mod machines;
mod metrics;
mod models;
mod nodes;
pub mod payloads;
pub mod reach;
mod reached;
mod refresh;
pub mod regions;
pub mod relations;
mod repository;
pub mod resources;
pub mod scale;
pub mod secrets;
mod service;
mod settings;
mod show;
pub mod show_hook;
pub mod show_model;
mod status;
pub mod storage;
pub mod tasks;
pub mod terms;
pub mod timeline;
pub mod top;
pub mod unit_files;
mod units;
pub mod version;
mod wait_for;
pub mod why;
mod workers;
mod workloads;

use crate::arguments::{Command, ControllerCommand};
use crate::failure::Outcome;
use crate::files::ClientFiles;
use crate::output::Output;

/// What every verb is given.
pub struct Context {
    pub output: Output,
    pub files: ClientFiles,
}

pub async fn run(context: &Context, command: Command) -> Outcome {
    match command {
        Command::Bootstrap(arguments) => bootstrap::bootstrap(context, arguments).await,
        Command::Controller(ControllerCommand::Join(arguments)) => {
            bootstrap::join(context, arguments).await
        }
        Command::Controller(ControllerCommand::Start(arguments)) => {
            bootstrap::start(context, arguments).await
        }
        Command::Controller(ControllerCommand::Stop(arguments)) => {
            controllers::stop(context, arguments).await
        }
        Command::Controller(ControllerCommand::InstallService(arguments)) => {
            service::install(context, arguments).await
        }
        Command::Controller(ControllerCommand::UninstallService(arguments)) => {
            service::uninstall(context, &arguments)
        }
        Command::Controller(ControllerCommand::Nodes(arguments)) => {
            nodes::list(context, arguments).await
        }
        Command::Controller(ControllerCommand::RemoveNode(arguments)) => {
            nodes::remove(context, arguments).await
        }
        Command::ControllerConfig(arguments) => config::controller(context, arguments).await,
        Command::Audit(arguments) => audit::list(context, arguments).await,
        Command::CreateBackup(arguments) => backups::create(context, arguments).await,
        Command::Backups(arguments) => backups::list(context, arguments).await,
        Command::DownloadBackup(arguments) => backups::download(context, arguments).await,
        Command::RemoveBackup(arguments) => backups::remove(context, arguments).await,
        Command::RestoreBackup(arguments) => backups::restore(context, arguments).await,
        Command::Controllers(arguments) => controllers::list(context, &arguments),
        Command::Switch(arguments) => controllers::switch(context, arguments).await,
        Command::Dashboard(arguments) => dashboard::dashboard(context, &arguments),
        Command::DestroyController(arguments) => controllers::destroy(context, arguments).await,
        Command::Clouds(arguments) => clouds::list(context, arguments).await,
        Command::Regions(verb) => regions::run(context, verb).await,
        Command::Credentials(arguments) => clouds::credentials(context, arguments).await,
        Command::AddModel(arguments) => models::add(context, arguments).await,
        Command::Models(arguments) => list_models::list(context, arguments).await,
        Command::ModelConfig(arguments) => config::model(context, arguments).await,
        Command::ModelDefaults(arguments) => defaults::model_defaults(context, arguments).await,
        Command::ShowModel(arguments) => show_model::show(context, arguments).await,
        Command::Find(arguments) => find::find(context, arguments).await,
        Command::Info(verb) => info::run(context, verb).await,
        Command::DestroyModel(arguments) => models::destroy(context, arguments).await,
        Command::Known(verb) => known::run(context, verb).await,
        Command::Deploy(arguments) => deploy::deploy(context, arguments).await,
        Command::Download(arguments) => download::download(context, arguments).await,
        Command::ExportBundle(arguments) => bundle::export(context, arguments).await,
        Command::DiffBundle(arguments) => bundle::diff(context, arguments).await,
        Command::Refresh(arguments) => refresh::refresh(context, arguments).await,
        Command::Config(arguments) => config::application(context, arguments).await,
        Command::AddUnit(arguments) => units::add(context, arguments).await,
        Command::RemoveUnit(arguments) => units::remove(context, arguments).await,
        Command::RemoveApplication(arguments) => applications::remove(context, arguments).await,
        Command::Scale(verb) => scale::run(context, verb).await,
        Command::CharmRevisions(verb) => charm_revisions::run(context, verb).await,
        Command::Resources(verb) => resources::run(context, verb).await,
        Command::Constraints(verb) => constraints::run(context, verb).await,
        Command::Terms(verb) => terms::run(context, verb).await,
        Command::Grants(verb) => grants::run(context, verb).await,
        Command::Payloads(verb) => payloads::run(context, verb).await,
        Command::Top(verb) => top::run(context, verb).await,
        Command::Files(verb) => unit_files::run(context, verb).await,
        Command::Relations(verb) => relations::run(context, verb).await,
        Command::Reach(verb) => reach::run(context, verb).await,
        Command::Machines(verb) => machines::run(context, verb).await,
        Command::Credential(verb) => credentials::run(context, verb).await,
        Command::Actions(verb) => actions::run(context, verb).await,
        Command::Tasks(verb) => tasks::run(context, verb).await,
        Command::Blocks(verb) => blocks::run(context, verb).await,
        Command::Annotations(verb) => annotations::run(context, verb).await,
        Command::Secrets(verb) => secrets::run(context, verb).await,
        Command::SecretBackends(verb) => secrets::backends::run(context, verb).await,
        Command::Alerts(verb) => alerts::run(context, verb).await,
        Command::Storage(verb) => storage::run(context, verb).await,
        Command::StoragePools(verb) => storage::pools::run(context, verb).await,
        Command::Resolved(arguments) => units::resolved(context, arguments).await,
        Command::StopUnit(arguments) => agents::stop_units(context, arguments).await,
        Command::StartUnit(arguments) => agents::start_units(context, arguments).await,
        Command::StartAgent(arguments) => agents::start(context, arguments).await,
        Command::Status(arguments) => status::status(context, arguments).await,
        Command::ShowUnit(arguments) => show::unit(context, arguments).await,
        Command::ShowApplication(arguments) => show::application(context, arguments).await,
        Command::ShowStatusLog(arguments) => show::status_log(context, arguments).await,
        Command::Hooks(arguments) => hooks::hooks(context, arguments).await,
        Command::ShowHook(verb) => show_hook::run(context, verb).await,
        Command::Why(verb) => why::run(context, verb).await,
        Command::Incidents(verb) => incidents::run(context, verb).await,
        Command::Timeline(verb) => timeline::run(context, verb).await,
        Command::Metrics(arguments) => metrics::metrics(context, arguments).await,
        Command::Services(arguments) => workloads::services(context, arguments).await,
        Command::Checks(arguments) => workloads::checks(context, arguments).await,
        Command::Logs(arguments) => logs::logs(context, arguments).await,
        Command::DebugLog(arguments) => debug_log::debug_log(context, arguments).await,
        Command::WaitFor(arguments) => wait_for::wait_for(context, arguments).await,
        Command::Charm(command) => charm::run(context, command).await,
        Command::Workers(arguments) => workers::list(context, arguments).await,
        Command::AddUser(arguments) => accounts::users::add(context, arguments).await,
        Command::Users(arguments) => accounts::users::list(context, arguments).await,
        Command::ShowUser(arguments) => accounts::users::show(context, arguments).await,
        Command::DisableUser(arguments) => accounts::users::disable(context, arguments).await,
        Command::EnableUser(arguments) => accounts::users::enable(context, arguments).await,
        Command::RemoveUser(arguments) => accounts::users::remove(context, arguments).await,
        Command::ChangeUserPassword(arguments) => {
            accounts::users::change_password(context, arguments).await
        }
        Command::Grant(arguments) => accounts::access::grant(context, arguments).await,
        Command::Revoke(arguments) => accounts::access::revoke(context, arguments).await,
        Command::Login(arguments) => accounts::login::login(context, arguments).await,
        Command::Logout(arguments) => accounts::login::logout(context, arguments).await,
        Command::Whoami(arguments) => accounts::login::whoami(context, arguments).await,
        Command::Register(arguments) => accounts::register::register(context, arguments).await,
        Command::Tokens(arguments) => accounts::tokens::list(context, arguments).await,
        Command::AddToken(arguments) => accounts::tokens::add(context, arguments).await,
        Command::RevokeToken(arguments) => accounts::tokens::revoke(context, arguments).await,
        Command::Introspect(arguments) => introspect::introspect(context, arguments).await,
        Command::Version(arguments) => version::version(context, &arguments),
        Command::Completion { shell } => completion(context, shell),
        // These are processes of their own, and main has started them.
        Command::Controller(ControllerCommand::Run(_) | ControllerCommand::Keep(_))
        | Command::Agent(_)
        | Command::Workloads(_)
        | Command::CompileComponent => Ok(()),
    }
}

fn completion(context: &Context, shell: clap_complete::Shell) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut crate::juju::command(), "periapt", &mut script);
    context.output.data(&String::from_utf8_lossy(&script))
}
