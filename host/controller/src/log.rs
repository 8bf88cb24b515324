//! The process's own log, `controller.log`, with levels that change while it runs.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex};

use periapt_agents::one_line::OneLine;
use tracing_subscriber::filter::EnvFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{fmt, reload};

use crate::ControllerError;
use crate::error::file;
use crate::workers::logger::SetLevels;

/// A log above this is set aside at the process's start; one older is kept.
const LOG_BYTES: u64 = 32 << 20;

/// Sends what this process logs into the file and says how to change the levels.
pub fn start(path: &Path) -> Result<SetLevels, ControllerError> {
    if std::fs::metadata(path).is_ok_and(|log| log.len() > LOG_BYTES) {
        std::fs::rename(path, path.with_extension("log.1")).map_err(file("set aside", path))?;
    }
    let log = OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(path)
        .map_err(file("open", path))?;
    let first = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let (filter, handle) = reload::Layer::new(first);
    let lines = fmt::layer()
        .with_ansi(false)
        .with_writer(OneLine(Mutex::new(log)));
    // A process that has a log already, as a test does, keeps it.
    let _ = tracing_subscriber::registry()
        .with(filter)
        .with(lines)
        .try_init();
    Ok(Arc::new(move |levels| {
        let filter = EnvFilter::try_new(levels).map_err(|error| error.to_string())?;
        handle.reload(filter).map_err(|error| error.to_string())
    }))
}
