//! **introspection**: lets the controller look into this process.
//!
//! Trigger: somebody asks the controller for the workers of the model, for a look into its
//! agent, or for files of a unit. Action: reads what this process is asked and answers each: with a row for each
//! worker of this process's engine and all engines nested in it; with the reports of these themselves, the machine
//! locks and how long hooks took; with files as the last committed hook left them. Effect:
//! `periapt workers` and `periapt introspect` show the agents beside the controller, and `periapt files` shows
//! what charms keep. The controller's API is its only door: a restricted process opens no
//! socket of its own.

use periapt_catalogue::{AgentKind, AgentReport};
use periapt_engine::{DependencyEngine, EngineReport, Manifold, ResultExt, TaskWorker};
use periapt_uniter::Process;
use periapt_wire::ApiConnection;
use periapt_wire::agent::host::{
    AgentAnswer, AgentQuestion, AgentQuestions, Asked, PutAnswer, WatchAgentQuestions,
};
use periapt_wire::rest::{AgentIntrospection, MachineLockReport, WorkerRow};
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
            let (watch, doing) = (WatchAgentQuestions {}, "watching for questions");
            let mut asked = Watching::begin(&worker, &connection, &watch, doing).await?;
            loop {
                asked.changed().await?;
                let questions = connection
                    .call(&AgentQuestions {})
                    .await
                    .while_doing("reading what is asked")?;
                for AgentQuestion { number, asked } in questions {
                    // What cannot be answered is not, which the controller tells whoever asked.
                    if let Some(answer) = answer(&engine, &process, asked).await {
                        connection
                            .call(&PutAnswer { number, answer })
                            .await
                            .while_doing("answering a question")?;
                    }
                }
            }
        }))
    })
    .needs([ENGINE, agent::NAME, apicaller::NAME])
}

async fn answer(engine: &DependencyEngine, process: &Process, asked: Asked) -> Option<AgentAnswer> {
    match asked {
        Asked::Workers => Some(AgentAnswer::Workers(workers(engine.report()))),
        Asked::Process => {
            let mut introspection = look(engine.report(), process.turns().report());
            introspection.hook_times = process.courses().report();
            Some(AgentAnswer::Process(Box::new(introspection)))
        }
        Asked::Files(question) => {
            let process = process.clone();
            // Reading blocks, so a thread does it. One that panicked has no answer.
            let read = tokio::task::spawn_blocking(move || process.files(&question));
            read.await.ok().flatten().map(AgentAnswer::Files)
        }
    }
}

/// A row for each worker that runs, ran or rests.
fn workers(engine: EngineReport) -> Vec<WorkerRow> {
    periapt_catalogue::rows(&reports(engine))
        .into_iter()
        .filter(|row| row.start_count > 0 || row.state == "resting")
        .collect()
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
