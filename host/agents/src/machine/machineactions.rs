//! **machineactions**: what people ask the machine itself to do.
//!
//! Trigger: its start, then each change of a task of the machine. Action: ends those that an earlier life of
//! the agent left running, and carries out those that wait, in their order: each begun and ended once, like
//! the tasks of units. A machine runs no program and no charm; what it knows is the agent's own
//! ([`MachineCommand`]), within the walls that the agent has around it. They are short and change
//! nothing of a unit, so they wait for no hook. Effect: `periapt exec --machine 0 -- report` is answered, and an
//! agent that was killed meanwhile leaves no task running.

use std::fmt::Write;

use periapt_engine::{
    DependencyEngine, EngineReport, Manifold, ResultExt, TaskWorker, WorkerError, WorkerResult,
    failpoint,
};
use periapt_model::UnitName;
use periapt_model::task::{Asked, DueTask, MachineCommand, Results, TaskStatus};
use periapt_wire::agent::deployer::MachineUnits;
use periapt_wire::agent::machine_actions::{
    BeginMachineTask, EndMachineTask, MachineTasks, WatchMachineTasks,
};
use periapt_wire::agent::uniter::TaskEnd;
use periapt_wire::{ApiConnection, rpc::code};
use serde_json::{Value, json};

use super::{ENGINE, MachineContext, agent, apicaller, deployer};
use crate::watching;

pub const NAME: &str = "machine-action-runner";

/// Of a task that was running when its agent stopped, or died.
const STOPPED: &str = "the agent stopped while it ran, and it is not run again";
/// What an answer may weigh; as much again has room in what the controller keeps of a task.
const ANSWER_BYTES: usize = 512 << 10;

/// Lends nothing.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let actions = Actions {
            engine: context.get(ENGINE)?,
            machine: context.get(agent::NAME)?,
            connection: context.get(apicaller::NAME)?,
        };
        Ok(TaskWorker::spawn(move |worker| async move {
            let watch = WatchMachineTasks {
                machine: actions.machine.machine.clone(),
            };
            let doing = "watching what the machine is asked";
            // In a frame of its own: a machine at rest keeps only what it waits with.
            let see = || Box::pin(actions.see_to_all());
            watching::notify(&worker, &actions.connection, watch, doing, see).await
        }))
    })
    .needs([ENGINE, agent::NAME, apicaller::NAME])
}

struct Actions {
    engine: DependencyEngine,
    machine: MachineContext,
    connection: ApiConnection,
}

/// What was done.
struct Done {
    /// What is printed, or why it failed.
    said: Result<String, String>,
    /// The machine is to reboot.
    reboots: bool,
}

impl Done {
    fn said(text: String) -> Self {
        Self {
            said: Ok(text),
            reboots: false,
        }
    }
}

impl Actions {
    async fn see_to_all(&self) -> WorkerResult {
        let machine = self.machine.machine.clone();
        let due = self.connection.call(&MachineTasks { machine }).await;
        for task in due.while_doing("listing what the machine is asked")? {
            match task.status.broken_off() {
                Some(status) => {
                    self.end(&task, status, STOPPED.to_owned(), Results::new(), false)
                        .await?;
                }
                None => self.run(&task).await?,
            }
        }
        Ok(())
    }

    async fn run(&self, task: &DueTask) -> WorkerResult {
        let begin = BeginMachineTask {
            machine: self.machine.machine.clone(),
            task: task.id,
        };
        let begun = match self.connection.call(&begin).await {
            // It was forgotten meanwhile, or the machine is gone.
            Err(error) if error.is(code::NOT_FOUND) => return Ok(()),
            begun => begun.while_doing("recording that a task begins")?,
        };
        if !begun {
            return Ok(());
        }
        failpoint::reach("machine-after-begin-task");
        let Done { said, reboots } = self.carry_out(task).await?;
        let (status, message, key, text) = match said {
            Ok(text) => (TaskStatus::Completed, String::new(), "stdout", text),
            Err(why) => (TaskStatus::Failed, why.clone(), "stderr", why + "\n"),
        };
        let code = u8::from(status == TaskStatus::Failed);
        let results = Results::from_iter([
            ("return-code".to_owned(), Value::from(code)),
            (key.to_owned(), Value::from(text)),
        ]);
        self.end(task, status, message, results, reboots).await
    }

    async fn end(
        &self,
        task: &DueTask,
        status: TaskStatus,
        message: String,
        results: Results,
        reboots: bool,
    ) -> WorkerResult {
        let end = EndMachineTask {
            machine: self.machine.machine.clone(),
            end: TaskEnd {
                id: task.id,
                status,
                message,
                results,
            },
            reboots,
        };
        match self.connection.call(&end).await {
            Err(error) if error.is(code::NOT_FOUND) => Ok(()),
            ended => ended.while_doing("recording that a task ended").map(drop),
        }
    }

    async fn carry_out(&self, task: &DueTask) -> Result<Done, WorkerError> {
        let name = Asked::of(&task.dispatch).map_or(task.dispatch.as_str(), Asked::name);
        let command = match name.parse::<MachineCommand>() {
            Ok(command) => command,
            // Of a controller that knows more than this agent.
            Err(why) => {
                return Ok(Done {
                    said: Err(why),
                    reboots: false,
                });
            }
        };
        tracing::info!(machine = %self.machine.machine, task = task.id, %command, "the machine is asked");
        match command {
            MachineCommand::Df => self.df().await,
            MachineCommand::Reboot => Ok(Done {
                said: Ok("the machine reboots once its units are between hooks\n".to_owned()),
                reboots: true,
            }),
            MachineCommand::Report => Ok(Done::said(report(self.engine.report()))),
        }
    }

    async fn df(&self) -> Result<Done, WorkerError> {
        let machine = self.machine.machine.clone();
        let units = self.connection.call(&MachineUnits { machine }).await;
        let units = units.while_doing("listing units")?;
        let units: Vec<UnitName> = units.into_iter().map(|deployed| deployed.unit).collect();
        let process = self.machine.host.process.clone();
        let measured = tokio::task::spawn_blocking(move || {
            let measured = units.into_iter().map(|unit| {
                let bytes = process.measure(&unit).map_err(|error| error.to_string());
                (unit, bytes)
            });
            measured.collect::<Vec<_>>()
        });
        let measured = measured.await.while_doing("measuring directories")?;
        Ok(Done::said(table(&measured)))
    }
}

/// Bytes of each unit: in its own directory, and in what it shares with its subordinates.
fn table(measured: &[(UnitName, Result<[u64; 2], String>)]) -> String {
    let names = measured.iter().map(|(unit, _)| unit.as_str().len());
    let width = names.max().unwrap_or_default().max("Unit".len());
    let mut text = format!("{:width$}  {:>14}  {:>14}\n", "Unit", "Bytes", "Shared");
    for (unit, bytes) in measured {
        let unit = unit.as_str();
        // Nothing fails that is written to a text.
        let _ = match bytes {
            Ok([own, shared]) => writeln!(text, "{unit:width$}  {own:>14}  {shared:>14}"),
            Err(why) => writeln!(text, "{unit:width$}  {why}"),
        };
    }
    text
}

/// The engine of the machine, with those of its units as far as there is room.
fn report(engine: EngineReport) -> String {
    let mut report = serde_json::to_value(engine).unwrap_or_default();
    if written(&report).len() > ANSWER_BYTES {
        let units = format!("/manifolds/{}/report/workers", deployer::NAME);
        if let Some(units) = report.pointer_mut(&units) {
            let count = units.as_object().map_or(0, serde_json::Map::len);
            *units = json!({});
            report["units-left-out"] = json!(count);
        }
    }
    written(&report)
}

fn written(report: &Value) -> String {
    let mut text = serde_json::to_string_pretty(report).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_sizes_is_straight_and_says_what_cannot_be_measured() {
        let unit = |name: &str| name.parse::<UnitName>().unwrap();
        let measured = [
            (unit("site/0"), Ok([4_608, 0])),
            (unit("log-shipper/12"), Err("no room".to_owned())),
        ];
        assert_eq!(
            table(&measured),
            "Unit                     Bytes          Shared\n\
             site/0                    4608               0\n\
             log-shipper/12  no room\n"
        );
        assert_eq!(table(&[]), "Unit           Bytes          Shared\n");
    }
}
