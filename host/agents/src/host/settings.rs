//! What the agents of a model need of its configuration, read once for the whole process.
//!
//! Trigger: a change of the model's configuration. Action: reads it and publishes what differs.
//! Effect: a thousand units share one watcher, and only those concerned wake.

use std::time::Duration;

use periapt_engine::{Manifold, Outputs, ResultExt, TaskWorker, WorkerError};
use periapt_model::config::{Value, Values};
use periapt_model::duration;
use periapt_wire::ApiConnection;
use periapt_wire::agent::model_config::{GetModelConfig, WatchModelConfig};
use periapt_wire::agent::retry_strategy::{GetRetryStrategy, RetryStrategy};
use tokio::sync::watch;

use super::apicaller;
use crate::watching;

pub const NAME: &str = "model-settings";

/// Juju's defaults.
const COLLECT_METRICS: Duration = Duration::from_secs(5 * 60);
const UPDATE_STATUS: Duration = Duration::from_secs(5 * 60);

/// The settings, as they change.
#[derive(Clone, Debug)]
pub struct ModelSettings {
    pub retry: watch::Receiver<RetryStrategy>,
    /// Time between two `update-status` hooks; zero for none.
    pub update_status: watch::Receiver<Duration>,
    /// Time between two `collect-metrics` hooks.
    pub collect_metrics: watch::Receiver<Duration>,
    /// As in `<root>=INFO;unit=DEBUG`.
    pub logging: watch::Receiver<String>,
}

/// The other end of [`ModelSettings`].
#[derive(Debug)]
pub struct Publisher {
    retry: watch::Sender<RetryStrategy>,
    update_status: watch::Sender<Duration>,
    collect_metrics: watch::Sender<Duration>,
    logging: watch::Sender<String>,
}

/// Both ends, with these first values.
#[must_use]
pub fn channel(config: &Values, retry: RetryStrategy) -> (Publisher, ModelSettings) {
    let (retry_sender, retry) = watch::channel(retry);
    let (update_sender, update_status) = watch::channel(update_status(config));
    let (collect_sender, collect_metrics) = watch::channel(collect_metrics(config));
    let (logging_sender, logging) = watch::channel(logging(config));
    let publisher = Publisher {
        retry: retry_sender,
        update_status: update_sender,
        collect_metrics: collect_sender,
        logging: logging_sender,
    };
    (
        publisher,
        ModelSettings {
            retry,
            update_status,
            collect_metrics,
            logging,
        },
    )
}

impl Publisher {
    /// Publishes what differs.
    pub fn publish(&self, config: &Values, retry: RetryStrategy) {
        put(&self.retry, retry);
        put(&self.update_status, update_status(config));
        put(&self.collect_metrics, collect_metrics(config));
        put(&self.logging, logging(config));
    }
}

fn put<T: PartialEq>(sender: &watch::Sender<T>, value: T) {
    sender.send_if_modified(|current| {
        let differs = *current != value;
        *current = value;
        differs
    });
}

fn update_status(config: &Values) -> Duration {
    config
        .get("update-status-hook-interval")
        .and_then(duration::of_value)
        .unwrap_or(UPDATE_STATUS)
}

fn collect_metrics(config: &Values) -> Duration {
    let interval = config.get("collect-metrics-interval");
    interval
        .and_then(duration::of_value)
        .unwrap_or(COLLECT_METRICS)
}

fn logging(config: &Values) -> String {
    match config.get("logging-config") {
        Some(Value::Text(text)) => text.clone(),
        _ => String::new(),
    }
}

/// Lends [`ModelSettings`], once they are known.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let connection: ApiConnection = context.get(apicaller::NAME)?;
        let (config, retry) = context.or_abort(read(&connection)).await??;
        let (publisher, settings) = channel(&config, retry);
        Ok(TaskWorker::lending(
            Outputs::of(settings),
            |worker| async move {
                let (watch, doing) = (WatchModelConfig {}, "watching the model's configuration");
                watching::notify(&worker, &connection, watch, doing, || async {
                    let (config, retry) = read(&connection).await?;
                    publisher.publish(&config, retry);
                    Ok(())
                })
                .await
            },
        ))
    })
    .needs([apicaller::NAME])
}

async fn read(connection: &ApiConnection) -> Result<(Values, RetryStrategy), WorkerError> {
    let config = connection.call(&GetModelConfig {}).await;
    let config = config.while_doing("reading the model's configuration")?;
    let retry = connection.call(&GetRetryStrategy {}).await;
    Ok((config, retry.while_doing("reading the retry strategy")?))
}
