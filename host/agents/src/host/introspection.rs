//! **introspection**: tells the controller which workers run here.
//!
//! Trigger: somebody asks the controller for the workers of the model. Action: collects the
//! reports of this process's engine and all engines nested in it, and answers with a row for
//! each worker. Effect: `periapt workers` shows the agents' workers beside the controller's. The
//! controller's API is its only door: a restricted process opens no socket of its own.

use periapt_client::ApiConnection;
use periapt_engine::{DependencyEngine, EngineReport, Manifold, ResultExt, TaskWorker};
use periapt_wire::agent::host::{PutReport, WatchReportRequests};
use serde_json::Value;

use super::{ENGINE, apicaller, machines};
use crate::catalogue::{self, AgentKind, AgentReport};
use crate::machine::deployer;

pub const NAME: &str = "introspection";

/// Lends nothing.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let engine: DependencyEngine = context.get(ENGINE)?;
        let connection: ApiConnection = context.get(apicaller::NAME)?;
        Ok(TaskWorker::spawn(move |worker| async move {
            let watch = connection.watch(&WatchReportRequests {});
            let mut requests = worker
                .or_dying(watch)
                .await?
                .while_doing("watching for report requests")?;
            loop {
                worker
                    .or_dying(requests.next())
                    .await?
                    .while_doing("watching for report requests")?;
                let rows = catalogue::rows(&reports(engine.report()))
                    .into_iter()
                    .filter(|row| row.start_count > 0 || row.state == "resting")
                    .collect();
                connection
                    .call(&PutReport { rows })
                    .await
                    .while_doing("answering a report request")?;
            }
        }))
    })
    .needs([ENGINE, apicaller::NAME])
}

/// The report of the process's engine with those of all engines nested in it.
#[must_use]
pub fn reports(process: EngineReport) -> Vec<AgentReport> {
    let mut all = Vec::new();
    for machine in nested(&process, machines::NAME) {
        for unit in nested(&machine, deployer::NAME) {
            all.push(AgentReport {
                agent: AgentKind::Unit,
                report: unit,
            });
        }
        all.push(AgentReport {
            agent: AgentKind::Machine,
            report: machine,
        });
    }
    all.push(AgentReport {
        agent: AgentKind::Machine,
        report: process,
    });
    all
}

/// Engines in the runner that node `name` reports.
fn nested(report: &EngineReport, name: &str) -> Vec<EngineReport> {
    let workers = report
        .manifolds
        .get(name)
        .and_then(|node| node.report.get("workers"));
    let Some(Value::Object(workers)) = workers else {
        return Vec::new();
    };
    workers
        .values()
        .filter_map(|worker| serde_json::from_value(worker.get("report")?.clone()).ok())
        .collect()
}
