//! **introspection**: lets the controller look into this process.
//!
//! Trigger: somebody asks the controller for the workers of the model, for a look into its
//! agent, or for files of a unit. Action: collects the reports of this process's engine and all engines nested in it,
//! and answers the first with a row for each worker and the second with the reports themselves,
//! the machine locks and how long hooks took; files are read as the last committed hook left them. Effect:
//! `periapt workers` and `periapt introspect` show the agents beside the controller, and `periapt files` shows
//! what charms keep. The controller's API is its only door: a restricted process opens no
//! socket of its own.

use periapt_catalogue::{AgentKind, AgentReport};
use periapt_engine::{
    DependencyEngine, EngineReport, Manifold, ResultExt, TaskWorker, WorkerError,
};
use periapt_uniter::Process;
use periapt_wire::ApiConnection;
use periapt_wire::agent::host::{
    FileQuestions, PutFiles, PutIntrospection, PutReport, WatchFileQuestions,
    WatchIntrospectionRequests, WatchReportRequests,
};
use periapt_wire::rest::{AgentIntrospection, MachineLockReport};
use serde_json::Value;

use super::{AgentContext, ENGINE, agent, apicaller, machines};
use crate::machine::deployer;
use crate::watching::Watching;

pub const NAME: &str = "introspection";

/// Lends nothing.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let engine: DependencyEngine = context.get(ENGINE)?;
        let connection: ApiConnection = context.get(apicaller::NAME)?;
        let AgentContext { process, .. } = context.get(agent::NAME)?;
        Ok(TaskWorker::spawn(move |worker| async move {
            let (watch, doing) = (WatchReportRequests {}, "watching for report requests");
            let mut requests = Watching::begin(&worker, &connection, &watch, doing).await?;
            let watch = WatchIntrospectionRequests {};
            let doing = "watching for introspection requests";
            let mut looks = Watching::begin(&worker, &connection, &watch, doing).await?;
            // The first event of a watcher says where it begins, and asks for nothing.
            looks.changed().await?;
            let doing = "watching for questions about files";
            let mut files =
                Watching::begin(&worker, &connection, &WatchFileQuestions {}, doing).await?;
            loop {
                let asked = tokio::select! {
                    asked = requests.changed() => asked.map(|()| Asked::Rows),
                    asked = looks.changed() => asked.map(|()| Asked::Look),
                    asked = files.changed() => asked.map(|()| Asked::Files),
                }?;
                if let Asked::Look = asked {
                    let mut introspection = look(engine.report(), process.turns().report());
                    introspection.hook_times = process.courses().report();
                    connection
                        .call(&PutIntrospection { introspection })
                        .await
                        .while_doing("answering an introspection request")?;
                    continue;
                }
                if let Asked::Files = asked {
                    answer(&connection, &process).await?;
                    continue;
                }
                let rows = periapt_catalogue::rows(&reports(engine.report()))
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
    .needs([ENGINE, agent::NAME, apicaller::NAME])
}

/// What somebody wants to know.
enum Asked {
    Rows,
    Look,
    Files,
}

/// Answers what is asked about files of units of this process. Reading blocks, so a thread does it.
async fn answer(connection: &ApiConnection, process: &Process) -> Result<(), WorkerError> {
    let questions = connection
        .call(&FileQuestions {})
        .await
        .while_doing("asking for questions about files")?;
    for question in questions {
        let (process, number) = (process.clone(), question.number);
        let read = tokio::task::spawn_blocking(move || process.files(&question));
        // One that panicked is not answered, which the controller tells whoever asked.
        let Ok(Some(answer)) = read.await else {
            continue;
        };
        connection
            .call(&PutFiles { number, answer })
            .await
            .while_doing("answering a question about files")?;
    }
    Ok(())
}

/// What an answer may weigh; a message on the connection may weigh twice that.
const LOOK_BYTES: usize = 8 << 20;

/// The whole process. When that is too much for one message, units are left out and counted.
fn look(engine: EngineReport, machine_locks: Vec<MachineLockReport>) -> AgentIntrospection {
    let mut engine = serde_json::to_value(engine).unwrap_or_default();
    let mut left_out = 0;
    if engine.to_string().len() > LOOK_BYTES {
        left_out = drop_units(&mut engine);
    }
    AgentIntrospection {
        engine,
        left_out,
        machine_locks,
        hook_times: Vec::new(),
    }
}

/// Empties the deployers of all machines; how many units they had.
fn drop_units(engine: &mut Value) -> u64 {
    let machines = engine.pointer_mut(&format!("/manifolds/{}/report/workers", machines::NAME));
    let Some(Value::Object(machines)) = machines else {
        return 0;
    };
    let units = format!("/report/manifolds/{}/report/workers", deployer::NAME);
    let mut dropped = 0;
    for machine in machines.values_mut() {
        if let Some(Value::Object(units)) = machine.pointer_mut(&units) {
            dropped += units.len() as u64;
            units.clear();
        }
    }
    dropped
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
        agent: AgentKind::Host,
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
