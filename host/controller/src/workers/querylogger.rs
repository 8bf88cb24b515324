//! **querylogger**: writes statements that took long into `slow-query.log`.
//!
//! Trigger: the store reports a statement slower than the threshold. Action: one line of JSON
//! with the time, the duration and the SQL text; a file above 10 MiB is set aside, one older is
//! kept. It never holds up a statement: reports beyond a short queue are counted and dropped.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use periapt_engine::{Manifold, Outputs, ResultExt, TaskWorker, WorkerError};
use periapt_store::{SlowQuery, SlowStatement};
use serde_json::json;
use tokio::sync::mpsc;

use super::agent;
use crate::ControllerContext;

pub const NAME: &str = "query-logger";

/// The file's name within the data directory.
pub const FILE: &str = "slow-query.log";

const FILE_BYTES: u64 = 10 << 20;

/// Lends the [`SlowQuery`] that the store is opened with.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let controller: ControllerContext = context.get(agent::NAME)?;
        let (sender, mut reports) = mpsc::channel::<SlowStatement>(256);
        let dropped = Arc::new(AtomicU64::new(0));
        let missed = Arc::clone(&dropped);
        let slow_query = SlowQuery {
            threshold: controller.config.slow_query(),
            report: Arc::new(move |statement| {
                if sender.try_send(statement).is_err() {
                    missed.fetch_add(1, Ordering::Relaxed);
                }
            }),
        };
        let path = controller.data_dir.join(FILE);
        Ok(TaskWorker::lending(
            Outputs::of(slow_query),
            move |worker| async move {
                let mut written = 0_u64;
                loop {
                    worker.set_report(
                        json!({ "written": written, "dropped": dropped.load(Ordering::Relaxed) }),
                    );
                    let Some(statement) = worker.or_dying(reports.recv()).await? else {
                        return Err(WorkerError::text("nobody reports slow statements any more"));
                    };
                    append(&path, &statement).while_doing("writing slow-query.log")?;
                    written += 1;
                }
            },
        ))
    })
    .needs([agent::NAME])
}

fn append(path: &PathBuf, statement: &SlowStatement) -> std::io::Result<()> {
    if std::fs::metadata(path).is_ok_and(|log| log.len() > FILE_BYTES) {
        std::fs::rename(path, older(path))?;
    }
    let line = json!({
        "time": statement.time,
        "duration-ms": u64::try_from(statement.duration.as_millis()).unwrap_or(u64::MAX),
        "sql": statement.sql,
    });
    let mut file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(path)?;
    writeln!(file, "{line}")
}

fn older(path: &Path) -> PathBuf {
    path.with_extension("log.1")
}
