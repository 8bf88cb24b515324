//! What traced requests to this process's units went through, told to the controller.
//!
//! Trigger: the supervisor of the machine puts the newest into `workloads/traced`. Action: tells in one call those
//! that were not told yet. Effect: the controller's collector has them. They have numbers, so nothing is told twice by
//! one process; what came while there was none, or was pushed out by newer ones, is lost, as is a call of which nobody
//! knows whether it arrived.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use periapt_engine::{Manifold, ResultExt, TaskWorker, WorkerResult};
use periapt_model::Tag;
use periapt_model::workload::trace::{FILE, FOLDER, OfUnit, SPANS, Traced};
use periapt_wire::agent::workloads::{ReportSpans, UnitSpan};
use periapt_wire::rpc::code;
use periapt_wire::{ApiConnection, CallError};

use super::notices::Notices;
use super::{AgentContext, agent, apicaller};

pub const NAME: &str = "traces";

/// Between two rounds.
const PAUSE: Duration = Duration::from_secs(1);
/// Bytes of the file; a larger one is none of the supervisor's.
const BYTES: u64 = 4 << 20;

/// Lends nothing.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let api: ApiConnection = context.get(apicaller::NAME)?;
        let AgentContext { process, .. } = context.get(agent::NAME)?;
        let clock = context.clock();
        let directory = process.observed().with_file_name(FOLDER);
        Ok(TaskWorker::spawn(move |worker| async move {
            let notices =
                Notices::of_files_put_into(&directory).while_doing("watching what is traced")?;
            // Whoever was here before has told of it.
            let mut told = Told::of(&read(&directory).await?);
            loop {
                worker.or_dying(notices.happened()).await?;
                let traced = read(&directory).await?;
                worker.or_dying(tell(&api, &traced, &mut told)).await??;
                worker.or_dying(clock.sleep(PAUSE)).await?;
            }
        }))
    })
    .needs([agent::NAME, apicaller::NAME])
}

/// How far it was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Told {
    begun: u64,
    last: u64,
}

impl Told {
    fn of(traced: &Traced) -> Self {
        Self {
            begun: traced.begun,
            last: traced.last,
        }
    }
}

async fn tell(api: &ApiConnection, traced: &Traced, told: &mut Told) -> WorkerResult {
    let news = traced.after(told.begun, told.last);
    let records: Vec<UnitSpan> = news
        .iter()
        .take(SPANS)
        .map(|OfUnit { unit, span }| UnitSpan {
            entity: Tag::Unit(unit.clone()),
            span: span.clone(),
        })
        .collect();
    // Said once, whatever becomes of it: the next ones are worth more.
    *told = Told::of(traced);
    if records.is_empty() {
        return Ok(());
    }
    match api.call(&ReportSpans { records }).await {
        // The unit of one of them has gone.
        Err(CallError::Refused { code, message }) if code == code::UNAUTHORIZED => {
            tracing::debug!(code, message, "what is traced is not wanted");
            Ok(())
        }
        said => said.while_doing("telling what is traced").map(drop),
    }
}

async fn read(directory: &Path) -> Result<Traced, periapt_engine::WorkerError> {
    let file = directory.join(FILE);
    let read = tokio::task::spawn_blocking(move || {
        let mut bytes = Vec::new();
        let file = File::open(file).ok()?;
        file.take(BYTES).read_to_end(&mut bytes).ok()?;
        serde_json::from_slice(&bytes).ok()
    });
    let read: Option<Traced> = read.await.while_doing("reading what is traced")?;
    Ok(read.unwrap_or_default())
}
