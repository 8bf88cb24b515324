//! What the agent of a machine asks of the controller in memory about its reboots and its tasks.

use std::collections::BTreeMap;

use periapt_model::MachineId;
use periapt_model::task::{Beside, DueTask, TaskId, TaskStatus};
use periapt_wire::CallError;
use periapt_wire::agent::reboot::Reboots;
use periapt_wire::agent::uniter::TaskEnd;
use periapt_wire::rpc::{Empty, code};
use serde_json::Value;

use super::tasks::TaskRecord;
use super::{Controller, argument, refused, value};

/// What a machine was asked, by number.
pub(super) type MachineTasks = BTreeMap<TaskId, TaskRecord>;

impl Controller {
    pub fn reboots(&self, machine: &MachineId) -> Reboots {
        let inner = self.lock();
        inner.reboots.get(machine).copied().unwrap_or_default()
    }

    /// Asks for a reboot as `exec --machine N -- reboot` does.
    pub fn ask_for_reboot(&self, machine: &MachineId) {
        let mut inner = self.lock();
        inner.reboots.entry(machine.clone()).or_default().wanted = true;
        drop(inner);
        self.touch_reboot(machine);
    }

    /// Asks a machine to do something; the number of the task.
    pub fn enqueue_on_machine(&self, machine: &MachineId, task: TaskRecord) -> TaskId {
        let mut inner = self.lock();
        let tasks = inner.machine_tasks.entry(machine.clone()).or_default();
        let number = tasks.len() as TaskId + 1;
        tasks.insert(number, task);
        drop(inner);
        self.touch(&[format!("tasks:machine-{machine}")]);
        number
    }

    pub fn task_of_machine(&self, machine: &MachineId, task: TaskId) -> Option<TaskRecord> {
        self.lock().machine_tasks.get(machine)?.get(&task).cloned()
    }

    /// The machine's agent and its units hear of it.
    pub(super) fn touch_reboot(&self, machine: &MachineId) {
        let inner = self.lock();
        let here = inner.units.iter();
        let here = here.filter(|(_, record)| record.machine == *machine);
        let units = here.map(|(unit, _)| format!("unit:{unit}"));
        let keys: Vec<String> = units.chain([format!("reboot:{machine}")]).collect();
        drop(inner);
        self.touch(&keys);
    }

    pub(super) fn of_machine(
        &self,
        machine: &MachineId,
        method: &str,
        params: &Value,
    ) -> Result<Value, CallError> {
        match method {
            "WatchReboot" => return Ok(value(self.watch(&format!("reboot:{machine}")))),
            "WatchMachineTasks" => {
                return Ok(value(self.watch(&format!("tasks:machine-{machine}"))));
            }
            "GetReboot" => return Ok(value(self.reboots(machine))),
            "ClearReboot" => {
                let mut inner = self.lock();
                let reboots = inner.reboots.entry(machine.clone()).or_default();
                if std::mem::take(&mut reboots.wanted) {
                    reboots.count += 1;
                }
                drop(inner);
                self.touch_reboot(machine);
                return Ok(value(Empty {}));
            }
            _ => {}
        }
        let mut inner = self.lock();
        let tasks = inner.machine_tasks.entry(machine.clone()).or_default();
        match method {
            "MachineTasks" => {
                let waiting = tasks.iter().filter(|(_, task)| !task.status.has_ended());
                let due = waiting.map(|(id, task)| DueTask {
                    id: *id,
                    dispatch: task.dispatch.clone(),
                    status: task.status,
                    beside: Beside::Anything,
                });
                Ok(value(due.collect::<Vec<_>>()))
            }
            "BeginMachineTask" => {
                let task = of(tasks, argument(params, "task")?)?;
                let begins = task.status == TaskStatus::Pending;
                if begins {
                    task.status = TaskStatus::Running;
                    task.begun += 1;
                }
                Ok(value(begins))
            }
            "EndMachineTask" => {
                let end: TaskEnd = argument(params, "end")?;
                let task = of(tasks, end.id)?;
                if let Some(status) = task.status.ends(end.status) {
                    task.status = status;
                    task.message = end.message;
                    task.results = end.results;
                    let reboots: bool = argument(params, "reboots")?;
                    drop(inner);
                    if reboots {
                        self.ask_for_reboot(machine);
                    }
                }
                Ok(value(Empty {}))
            }
            other => Err(refused(code::NOT_IMPLEMENTED, other)),
        }
    }
}

fn of(tasks: &mut MachineTasks, task: TaskId) -> Result<&mut TaskRecord, CallError> {
    let found = tasks.get_mut(&task);
    found.ok_or_else(|| refused(code::NOT_FOUND, "task"))
}
