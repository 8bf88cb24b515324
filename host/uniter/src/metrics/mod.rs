//! Metrics of one unit: runs `collect-metrics` beside its hooks, keeps what it added on this machine's
//! disk until the controller has it, and sends it.
//!
//! How the hook runs is that of [`crate::restricted`].

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use periapt_contract::metrics::Collected;
use periapt_model::charm::metrics::{COLLECT_METRICS, Sample};
use periapt_wire::CallError;
use periapt_wire::agent::metrics::{AddMetricBatches, MetricBatch};
use periapt_wire::rpc::code;

use crate::charms::Charm;
use crate::error::UniterError;
use crate::files::blocking;
use crate::restricted::Occasion;
use crate::standing::StandingUnit;

mod spool;

use spool::Spool;

/// Batches of one message, which has room for this many of the largest.
const MESSAGE: usize = 10;

/// The unit that is measured.
pub struct Metrics<'a>(pub &'a StandingUnit);

impl Metrics<'_> {
    /// Whether its charm measures anything.
    ///
    /// # Errors
    /// The charm cannot be had.
    pub async fn measures(&self) -> Result<bool, UniterError> {
        let charm = self.0.of.charm(&self.0.standing.charm_url).await?;
        Ok(!charm.info.metrics.is_empty() && charm.implements(COLLECT_METRICS))
    }

    /// Runs `collect-metrics` once and keeps what it added. To be called within a visit of the charm's
    /// directory.
    ///
    /// # Errors
    /// What was added could not be kept, or the charm not be had. That the hook failed is no error.
    pub async fn collect(&self, interval: Duration) -> Result<(), UniterError> {
        let charm = self.0.of.charm(&self.0.standing.charm_url).await?;
        let samples = match self.run(&charm).await {
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
            at: self.0.of.process.clock().now().as_second(),
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
                unit: self.0.of.unit.clone(),
                batches: batches.iter().map(|(_, batch)| batch.clone()).collect(),
            };
            match self.0.of.connection.call(&call).await {
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

    /// What the charm added, or why it did not.
    async fn run(&self, charm: &Charm) -> Result<Vec<Sample>, String> {
        let declared = charm.info.metrics.iter();
        let declared = declared.map(|(name, metric)| (name.clone(), metric.kind));
        let collected = Arc::new(Mutex::new(Collected::of(declared.collect())));
        let occasion = Occasion {
            hook: COLLECT_METRICS,
            attributes: Vec::new(),
            variables: Vec::new(),
            collected: Some(collected.clone()),
        };
        self.0.of.run(charm, &self.0.standing, occasion).await?;
        let mut collected = collected.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(std::mem::take(&mut *collected).into_samples())
    }

    fn spool(&self) -> Spool {
        Spool::new(&self.0.of.process.unit_directory(&self.0.of.unit))
    }

    /// Says something of the metrics in the unit's log.
    pub fn log(&self, message: &str) {
        self.0.of.log("metrics", message);
    }
}
