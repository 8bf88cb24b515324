//! Hooks that run beside those of the uniter, `collect-metrics` and `meter-status-changed`: no operation is
//! recorded for them, no status set, no generation of files made, and a run that fails says so in the log
//! and nowhere else.
//!
//! Their context is restricted: log lines, the unit's files to read, and what the hook itself is for. When
//! one may run is its caller's to know, who visits the charm's directory for it; how many run at a time in
//! a process has a bound here, so that they never keep hooks waiting.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use periapt_contract::metrics::Collected;
use periapt_files::Hold;
use periapt_model::hook::Limits;
use periapt_model::proxy::ProxySettings;
use periapt_model::{MachineId, UnitName};
use periapt_sandbox::{Directories, HookEvent};
use periapt_wire::ApiConnection;
use tokio::sync::watch;

use crate::charms::Charm;
use crate::context::record;
use crate::environment;
use crate::error::UniterError;
use crate::hook::shared;
use crate::process::{ModelIdentity, Process};
use crate::sandbox::HookCall;
use crate::standing::Standing;

mod context;

use context::{CommittedFiles, RestrictedContext};

/// How many of these run in a process at the same time.
pub const AT_ONCE: usize = 2;
/// They have to be quick: others wait for them.
const WALL_CLOCK: Duration = Duration::from_secs(10);

/// A unit, as far as its charm runs beside its hooks.
#[derive(Clone)]
pub struct Restricted {
    pub unit: UnitName,
    pub model: ModelIdentity,
    pub machine: MachineId,
    pub process: Process,
    pub connection: ApiConnection,
    /// What a hook may use, and what it is told of proxies.
    pub limits: Limits,
    pub proxies: watch::Receiver<ProxySettings>,
}

/// What is run, and what comes with it.
pub(crate) struct Occasion {
    pub hook: &'static str,
    pub attributes: Vec<(String, String)>,
    pub variables: Vec<(String, String)>,
    /// Takes what the hook adds, where it may add metrics.
    pub collected: Option<Arc<Mutex<Collected>>>,
}

impl Restricted {
    pub(crate) async fn charm(&self, url: &str) -> Result<Arc<Charm>, UniterError> {
        self.process.charms().get(&self.connection, url).await
    }

    /// Runs a hook of the charm that stands, or says why it failed.
    pub(crate) async fn run(
        &self,
        charm: &Charm,
        standing: &Standing,
        occasion: Occasion,
    ) -> Result<(), String> {
        let sandbox = self.process.sandbox();
        let code = sandbox.load(&self.connection, charm.files()).await;
        let code = code.map_err(|error| error.to_string())?;
        let context = RestrictedContext {
            hook: occasion.hook,
            unit: self.unit.clone(),
            model: self.model.clone(),
            clock: self.process.clock().clone(),
            log: self.process.log().clone(),
            collected: occasion.collected.clone(),
        };
        let call = self.call(charm, standing, occasion);
        let files = self.process.state_directory(&self.unit);
        let files = files.generation(standing.generation);
        let ran = tokio::task::spawn_blocking(move || {
            // The unit's own hooks go on meanwhile. What is gone already the hook finds out when it looks.
            let _held = Hold::take(&files);
            code.run(call, Box::new(context)).result
        });
        let ended = ran.await.map_err(|error| error.to_string())?;
        ended.map_err(|failure| failure.to_string())
    }

    fn call(&self, charm: &Charm, standing: &Standing, occasion: Occasion) -> HookCall {
        let principal = standing.principal.as_ref();
        let files = CommittedFiles {
            hook: occasion.hook,
            directory: self.process.state_directory(&self.unit),
            generation: standing.generation,
            process: self.process.clone(),
        };
        let mut limits = self.limits.clone();
        let most = u64::try_from(WALL_CLOCK.as_millis()).unwrap_or(u64::MAX);
        limits.wall_clock_ms = limits.wall_clock_ms.min(most);
        let mut environment = environment::variables(
            &self.unit,
            &self.model,
            Some(&self.machine),
            principal,
            &self.proxies.borrow(),
            occasion.hook,
        );
        environment.extend(occasion.variables);
        HookCall {
            event: HookEvent {
                hook: occasion.hook.to_owned(),
                attributes: occasion.attributes,
            },
            environment,
            directories: Directories {
                charm: charm.directory.clone(),
                unit: Arc::new(files),
                temporary: self.process.temporary(),
                shared: context::to_read(shared(
                    &self.process,
                    &self.unit,
                    principal,
                    charm,
                    &standing.withheld,
                )),
                resources: Vec::new(),
                storage: Vec::new(),
            },
            limits,
        }
    }

    /// Says something in the unit's log.
    pub(crate) fn log(&self, module: &str, message: &str) {
        let clock = self.process.clock();
        let line = record(clock, &self.unit, module, "WARNING", message);
        self.process.log().write(line);
    }
}
