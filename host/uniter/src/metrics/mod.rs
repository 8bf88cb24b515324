//! Metrics of one unit: runs `collect-metrics` beside its hooks, keeps what it added on this machine's
//! disk until the controller has it, and sends it.
//!
//! Nothing here is part of the unit's state: no operation is recorded, no status set, no generation of
//! files made, and a run that fails says so in the log and nowhere else. When it may run is its
//! caller's to know, who visits the charm's directory for it; how many run at a time in a process has
//! a bound here, so that they never keep hooks waiting.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use periapt_contract::metrics::Collected;
use periapt_model::charm::metrics::{COLLECT_METRICS, Sample};
use periapt_model::hook::Limits;
use periapt_model::proxy::ProxySettings;
use periapt_model::{MachineId, UnitName};
use periapt_sandbox::{Directories, HookEvent};
use periapt_wire::agent::metrics::{AddMetricBatches, MetricBatch};
use periapt_wire::rpc::code;
use periapt_wire::{ApiConnection, CallError};
use tokio::sync::watch;

use crate::charms::Charm;
use crate::context::record;
use crate::environment;
use crate::error::UniterError;
use crate::files::blocking;
use crate::hook::shared;
use crate::process::{ModelIdentity, Process};
use crate::sandbox::HookCall;
use crate::standing::Standing;

mod context;
mod spool;

use context::{CommittedFiles, MetricsContext};
use spool::Spool;

/// How many units of a process collect at the same time.
pub const AT_ONCE: usize = 2;
/// What measures has to be quick: others wait for it.
const WALL_CLOCK: Duration = Duration::from_secs(10);
/// Batches of one message, which has room for this many of the largest.
const MESSAGE: usize = 10;

/// Who collects.
pub struct Metrics {
    pub unit: UnitName,
    pub model: ModelIdentity,
    pub machine: MachineId,
    pub process: Process,
    pub connection: ApiConnection,
    /// What a hook may use, and what it is told of proxies.
    pub limits: Limits,
    pub proxies: watch::Receiver<ProxySettings>,
}

impl Metrics {
    /// What there is to run, as it changes.
    pub fn standing(&self) -> watch::Receiver<Option<Standing>> {
        self.process.standing(&self.unit)
    }

    /// Whether this charm measures anything.
    ///
    /// # Errors
    /// The charm cannot be had.
    pub async fn measures(&self, charm_url: &str) -> Result<bool, UniterError> {
        let charm = self.charm(charm_url).await?;
        Ok(!charm.info.metrics.is_empty() && charm.implements(COLLECT_METRICS))
    }

    /// Runs `collect-metrics` once and keeps what it added. To be called within a visit of the charm's
    /// directory.
    ///
    /// # Errors
    /// What was added could not be kept, or the charm not be had. That the hook failed is no error.
    pub async fn collect(
        &self,
        standing: &Standing,
        interval: Duration,
    ) -> Result<(), UniterError> {
        let charm = self.charm(&standing.charm_url).await?;
        let samples = match self.run(&charm, standing).await {
            Ok(samples) => samples,
            Err(reason) => {
                self.log(&format!("hook \"{COLLECT_METRICS}\" failed: {reason}"));
                return Ok(());
            }
        };
        if samples.is_empty() {
            return Ok(());
        }
        let batch = MetricBatch {
            at: self.process.clock().now().as_second(),
            interval: interval.as_secs(),
            samples,
        };
        let spool = self.spool();
        let forgotten = blocking(move || spool.put(&batch)).await?;
        if forgotten > 0 {
            self.log(&format!(
                "{forgotten} batches of metrics are forgotten: the controller did not take them in time"
            ));
        }
        Ok(())
    }

    /// Sends what is kept, oldest first, and removes what the controller has accepted.
    ///
    /// # Errors
    /// The disk, or the connection: what is left is sent with the next call.
    pub async fn send(&self) -> Result<(), UniterError> {
        let spool = self.spool();
        let kept = blocking(move || spool.read()).await?;
        for batches in kept.chunks(MESSAGE) {
            let call = AddMetricBatches {
                unit: self.unit.clone(),
                batches: batches.iter().map(|(_, batch)| batch.clone()).collect(),
            };
            match self.connection.call(&call).await {
                Ok(_) => {}
                // It would be refused for ever.
                Err(CallError::Refused { code, message }) if code == code::BAD_REQUEST => {
                    self.log(&format!("the controller refused metrics: {message}"));
                }
                Err(error) => return Err(crate::error::call("sending metrics")(error)),
            }
            let (spool, files) = (self.spool(), batches.iter().map(|(file, _)| file.clone()));
            let files: Vec<_> = files.collect();
            blocking(move || spool.remove(&files)).await?;
        }
        Ok(())
    }

    async fn charm(&self, url: &str) -> Result<Arc<Charm>, UniterError> {
        self.process.charms().get(&self.connection, url).await
    }

    /// What the charm added, or why it did not.
    async fn run(&self, charm: &Arc<Charm>, standing: &Standing) -> Result<Vec<Sample>, String> {
        let sandbox = self.process.sandbox();
        let code = sandbox.load(&self.connection, charm.files()).await;
        let code = code.map_err(|error| error.to_string())?;
        let declared = charm.info.metrics.iter();
        let declared = declared.map(|(name, metric)| (name.clone(), metric.kind));
        let collected = Arc::new(Mutex::new(Collected::of(declared.collect())));
        let context = MetricsContext {
            unit: self.unit.clone(),
            model: self.model.clone(),
            clock: self.process.clock().clone(),
            log: self.process.log().clone(),
            collected: collected.clone(),
        };
        let call = self.call(charm, standing);
        let ran = tokio::task::spawn_blocking(move || code.run(call, Box::new(context)).result);
        let ended = ran.await.map_err(|error| error.to_string())?;
        ended.map_err(|failure| failure.to_string())?;
        let mut collected = collected.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(std::mem::take(&mut *collected).into_samples())
    }

    fn call(&self, charm: &Charm, standing: &Standing) -> HookCall {
        let principal = standing.principal.as_ref();
        let files = CommittedFiles {
            directory: self.process.state_directory(&self.unit),
            generation: standing.generation,
            process: self.process.clone(),
        };
        let mut limits = self.limits.clone();
        let most = u64::try_from(WALL_CLOCK.as_millis()).unwrap_or(u64::MAX);
        limits.wall_clock_ms = limits.wall_clock_ms.min(most);
        HookCall {
            event: HookEvent::new(COLLECT_METRICS),
            environment: environment::variables(
                &self.unit,
                &self.model,
                Some(&self.machine),
                principal,
                &self.proxies.borrow(),
                COLLECT_METRICS,
            ),
            directories: Directories {
                charm: charm.directory.clone(),
                unit: Arc::new(files),
                temporary: self.process.temporary(),
                shared: context::to_read(shared(&self.process, &self.unit, principal, charm)),
            },
            limits,
        }
    }

    fn spool(&self) -> Spool {
        Spool::new(&self.process.unit_directory(&self.unit))
    }

    /// Says something of the metrics in the unit's log.
    pub fn log(&self, message: &str) {
        let clock = self.process.clock();
        let line = record(clock, &self.unit, "metrics", "WARNING", message);
        self.process.log().write(line);
    }
}
