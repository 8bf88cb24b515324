//! One controller, one model, and what a person does with them.

use std::path::{Path, PathBuf};

use periapt_client::rest::{Authorization, Removing, RestClient, RestError};
use periapt_controller::{BootstrapOptions, ControllerError, RunOptions};
use periapt_engine::FakeClock;
use periapt_model::charm::capability::grant::Choices;
use periapt_model::config::Value;
use periapt_model::{ApplicationName, UnitName};
use periapt_providers::{Providers, local};
use periapt_wire::rest::{
    AddModel, ApplicationInfo, AttachedResource, ChangeRelation, ConfigChange, Deploy, HookQuery,
    HookRun, LogQuery, LoginRequest, RelationInfo, UnitInfo,
};
use periapt_wire::status::FullStatus;
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::ScenarioError;
use crate::machines::Machines;
use crate::place;
use crate::requests::Web;
use crate::storage::asked;
use crate::time::{PATIENCE, Passing};

/// The model that every scenario has.
pub(crate) const MODEL: &str = "test";

/// A running controller with an empty model. Dropped without [`Scenario::stop`] it ends with the
/// test's runtime.
pub struct Scenario {
    directory: TempDir,
    pub(crate) clock: FakeClock,
    pub(crate) client: RestClient,
    pub(crate) machines: Machines,
    pub(crate) web: Web,
    stop: CancellationToken,
    running: JoinHandle<Result<(), ControllerError>>,
}

impl Scenario {
    /// Starts the controller on virtual time, with an empty model.
    ///
    /// # Errors
    /// No program to compile charms with, or a controller that does not start.
    pub async fn start() -> Result<Self, ScenarioError> {
        let directory = place::directory()?;
        let program = place::program()?;
        let clock = FakeClock::new();
        let data = directory.path().join("controller");
        let made = periapt_controller::bootstrap(BootstrapOptions {
            data_dir: data.clone(),
            name: "scenario".to_owned(),
            address: std::net::Ipv4Addr::LOCALHOST.into(),
            port: 0,
            database: None,
            admin_password: None,
            limits: Default::default(),
            otlp_endpoint: None,
        })
        .await?;
        // A new controller takes no directory that holds a link.
        place::share_cache(&data)?;
        let machines = Machines::new(data.join("agents"), clock.shared());
        let stop = CancellationToken::new();
        let options = RunOptions {
            clock: clock.shared(),
            program,
            stop: stop.clone(),
            providers: Some(Providers::default().with(local::KIND, machines.clone())),
            ..RunOptions::new(data)
        };
        let (ready, mut up) = oneshot::channel();
        let running = tokio::spawn(periapt_controller::run(options, |told| {
            // There may be no receiver left, which is fine.
            let _ = ready.send(told);
        }));
        let mut passing = Passing::new(&clock, PATIENCE);
        while up.try_recv().is_err() {
            if running.is_finished() {
                return match running.await {
                    Ok(Err(error)) => Err(error.into()),
                    _ => Err(ScenarioError::NotReady),
                };
            }
            if !passing.pass(false).await {
                return Err(ScenarioError::NotReady);
            }
        }
        let doing = doing("logging in");
        let client = RestClient::new(&made.api_endpoints, &made.ca_pem).map_err(&doing)?;
        let login = LoginRequest::new(made.admin_user, made.admin_password);
        let token = client.login_as(&login).await.map_err(&doing)?.token;
        let client = client.with(Authorization::Bearer(token));
        let model = AddModel::new(name(MODEL)?);
        client.add_model(&model).await.map_err(doing)?;
        Ok(Self {
            directory,
            clock,
            client,
            machines,
            web: Web::default(),
            stop,
            running,
        })
    }

    /// The clock of everything in the scenario.
    pub fn clock(&self) -> &FakeClock {
        &self.clock
    }

    /// The API, for what has no method here. The model is called `test`.
    pub fn client(&self) -> &RestClient {
        &self.client
    }

    /// Uploads a packed charm and deploys it; the application does not run yet.
    pub async fn deploy(
        &self,
        charm: impl AsRef<Path>,
        application: &str,
        units: u32,
    ) -> Result<ApplicationInfo, ScenarioError> {
        self.deploy_with(charm, application, units, &[]).await
    }

    /// As [`Scenario::deploy`], with settings.
    pub async fn deploy_with(
        &self,
        charm: impl AsRef<Path>,
        application: &str,
        units: u32,
        settings: &[(&str, &str)],
    ) -> Result<ApplicationInfo, ScenarioError> {
        self.deploy_with_storage(charm, application, units, settings, &[])
            .await
    }

    /// As [`Scenario::deploy_with`], with what each unit is given of the charm's storage: `("data", "loop,2,1G")`, as
    /// `--storage data=loop,2,1G` says it.
    pub async fn deploy_with_storage(
        &self,
        charm: impl AsRef<Path>,
        application: &str,
        units: u32,
        settings: &[(&str, &str)],
        storage: &[(&str, &str)],
    ) -> Result<ApplicationInfo, ScenarioError> {
        let path = charm.as_ref();
        let archive = std::fs::read(path).map_err(|source| ScenarioError::File {
            what: "reading",
            path: path.to_owned(),
            source,
        })?;
        let doing = doing(format!("deploying {application}"));
        let charm = self
            .client
            .upload_charm(MODEL, archive.into(), None, None)
            .await;
        let deploy = Deploy {
            channel: None,
            resources: Default::default(),
            trust: false,
            constraints: String::new(),
            application: name(application)?,
            charm: charm.map_err(&doing)?.url.to_string(),
            units,
            config: texts(settings),
            placement: Vec::new(),
            storage: asked(storage)?,
            attach_storage: Vec::new(),
            capabilities: Choices {
                grant_all: true,
                ..Choices::default()
            },
        };
        self.client.deploy(MODEL, &deploy).await.map_err(doing)
    }

    /// Changes settings of an application.
    pub async fn configure(
        &self,
        application: &str,
        settings: &[(&str, &str)],
    ) -> Result<(), ScenarioError> {
        let change = ConfigChange {
            set: texts(settings),
            reset: Vec::new(),
        };
        let application: ApplicationName = name(application)?;
        let changed = self
            .client
            .set_application_config(MODEL, &application, &change);
        changed
            .await
            .map(|_| ())
            .map_err(doing(format!("configuring {application}")))
    }

    /// Gives an application a file that its charm declares as a resource; units run `upgrade-charm`.
    pub async fn attach_resource(
        &self,
        application: &str,
        resource: &str,
        content: impl Into<Vec<u8>>,
    ) -> Result<AttachedResource, ScenarioError> {
        let name: ApplicationName = name(application)?;
        let content: Vec<u8> = content.into();
        let client = &self.client;
        let attached = client.attach_resource(MODEL, &name, resource, content.into(), None);
        attached
            .await
            .map_err(doing(format!("attaching {resource} to {application}")))
    }

    /// Adds units.
    pub async fn add_units(
        &self,
        application: &str,
        count: u32,
    ) -> Result<Vec<UnitName>, ScenarioError> {
        let application: ApplicationName = name(application)?;
        let added = self.client.add_units(MODEL, &application, count, &[]);
        added
            .await
            .map_err(doing(format!("adding units of {application}")))
    }

    /// Relates two applications, each `APPLICATION` or `APPLICATION:ENDPOINT`.
    pub async fn integrate(&self, one: &str, other: &str) -> Result<RelationInfo, ScenarioError> {
        let made = self.client.integrate(MODEL, [one, other]).await;
        made.map_err(doing(format!("integrating {one} with {other}")))
    }

    /// Suspends a relation, or resumes it.
    pub async fn suspend(&self, relation: u64, suspended: bool) -> Result<(), ScenarioError> {
        let change = ChangeRelation {
            suspended,
            reason: String::new(),
        };
        let changed = self.client.change_relation(MODEL, relation, &change).await;
        changed
            .map(|_| ())
            .map_err(doing(format!("changing relation {relation}")))
    }

    /// Begins to remove a relation.
    pub async fn remove_relation(&self, relation: u64, force: bool) -> Result<(), ScenarioError> {
        let removed = self
            .client
            .remove_relation(MODEL, relation, force, None)
            .await;
        removed
            .map(|_| ())
            .map_err(doing(format!("removing relation {relation}")))
    }

    /// Begins to remove a unit.
    pub async fn remove_unit(&self, unit: &str, force: bool) -> Result<(), ScenarioError> {
        let unit: UnitName = name(unit)?;
        let removed = self
            .client
            .remove_unit(MODEL, &unit, Removing::within(force, None));
        removed
            .await
            .map(|_| ())
            .map_err(doing(format!("removing {unit}")))
    }

    /// Begins to remove an application.
    pub async fn remove_application(
        &self,
        application: &str,
        force: bool,
    ) -> Result<(), ScenarioError> {
        let application: ApplicationName = name(application)?;
        let removed =
            self.client
                .remove_application(MODEL, &application, Removing::within(force, None));
        removed
            .await
            .map(|_| ())
            .map_err(doing(format!("removing {application}")))
    }

    /// Answers a failed hook.
    pub async fn resolved(&self, unit: &str, retry: bool) -> Result<(), ScenarioError> {
        let unit: UnitName = name(unit)?;
        let resolved = self.client.resolved(MODEL, &unit, retry);
        resolved
            .await
            .map(|_| ())
            .map_err(doing(format!("resolving {unit}")))
    }

    /// The model as `status` shows it.
    pub async fn status(&self) -> Result<FullStatus, ScenarioError> {
        let status = self.client.status(MODEL, &[]).await;
        status.map_err(doing("reading the status"))
    }

    /// One unit, with what it waits for.
    pub async fn unit(&self, unit: &str) -> Result<UnitInfo, ScenarioError> {
        let unit: UnitName = name(unit)?;
        let info = self.client.unit(MODEL, &unit).await;
        info.map_err(doing(format!("reading {unit}")))
    }

    /// The hooks that ran, of one unit or of all, the oldest first.
    pub async fn hooks(&self, unit: Option<&str>) -> Result<Vec<HookRun>, ScenarioError> {
        let query = HookQuery {
            unit: unit.map(str::to_owned),
            limit: Some(1000),
            ..HookQuery::default()
        };
        let page = self.client.hooks(MODEL, &query).await;
        let mut runs = page.map_err(doing("reading the hooks"))?.items;
        runs.sort_by_key(|run| run.id);
        Ok(runs)
    }

    /// Where the committed files of a unit's `/state` are. They change with every hook that
    /// writes there.
    pub async fn state_directory(&self, unit: &str) -> Result<PathBuf, ScenarioError> {
        let units = self.agent_directory().await?.join("units");
        let state = units.join(unit.replace('/', "-")).join("state");
        let entries = std::fs::read_dir(&state).map_err(|source| ScenarioError::File {
            what: "reading",
            path: state.clone(),
            source,
        })?;
        let newest = entries
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse::<u64>().ok())
            .max();
        Ok(state.join(newest.unwrap_or(0).to_string()))
    }

    /// The directory of the model's agent.
    pub async fn agent_directory(&self) -> Result<PathBuf, ScenarioError> {
        let model = self.client.model(MODEL).await;
        let model = model.map_err(doing("reading the model"))?;
        let agents = self.directory.path().join("controller").join("agents");
        Ok(agents.join(model.uuid.as_str()))
    }

    /// What a unit and its agent logged, the oldest first.
    pub async fn log(&self, unit: &str) -> Result<Vec<String>, ScenarioError> {
        let doing = doing("reading the log");
        let query = LogQuery {
            include: Some(unit.to_owned()),
            level: Some("TRACE".to_owned()),
            replay: true,
            ..LogQuery::default()
        };
        let mut lines = self.client.logs(MODEL, &query).await.map_err(&doing)?;
        let mut messages = Vec::new();
        while let Some(line) = lines.next().await {
            messages.push(line.map_err(&doing)?.message);
        }
        Ok(messages)
    }

    /// Ends the agents at once; they stay dead until they are started.
    pub async fn stop_agents(&self) {
        self.machines.keep_down().await;
    }

    /// Starts agents that were stopped.
    pub async fn start_agents(&self) -> Result<(), ScenarioError> {
        Ok(self.machines.bring_up().await?)
    }

    /// Ends the agents at once and starts them again.
    pub async fn restart_agents(&self) -> Result<(), ScenarioError> {
        self.stop_agents().await;
        self.start_agents().await
    }

    /// Changes options of the model.
    pub async fn set_model_config(&self, options: &[(&str, &str)]) -> Result<(), ScenarioError> {
        let change = ConfigChange {
            set: texts(options),
            reset: Vec::new(),
        };
        let changed = self.client.set_model_config(MODEL, &change).await;
        changed.map(|_| ()).map_err(doing("configuring the model"))
    }

    /// The data directory of the controller.
    pub fn controller_directory(&self) -> PathBuf {
        self.directory.path().join("controller")
    }

    /// Ends everything.
    pub async fn stop(self) -> Result<(), ScenarioError> {
        self.machines.halt_all().await;
        self.stop.cancel();
        let mut passing = Passing::new(&self.clock, PATIENCE);
        while !self.running.is_finished() {
            if !passing.pass(false).await {
                break;
            }
        }
        match self.running.await {
            Ok(ended) => Ok(ended?),
            Err(_) => Err(ScenarioError::NotReady),
        }
    }
}

fn texts(settings: &[(&str, &str)]) -> std::collections::BTreeMap<String, Value> {
    let text = |(key, value): &(&str, &str)| ((*key).to_owned(), Value::Text((*value).to_owned()));
    settings.iter().map(text).collect()
}

pub(crate) fn name<T: std::str::FromStr>(text: &str) -> Result<T, ScenarioError> {
    text.parse()
        .map_err(|_| ScenarioError::Name(text.to_owned()))
}

pub(crate) fn doing(what: impl Into<String>) -> impl Fn(RestError) -> ScenarioError {
    let what = what.into();
    move |source| ScenarioError::Refused {
        doing: what.clone(),
        source: Box::new(source),
    }
}
