//! What people ask the unit to run: each task once, and every one ends.

use super::*;
use crate::task::{Beside, DueTask, TaskStatus};

/// A task with how often it began.
#[derive(Debug, Clone, Copy)]
struct Asked {
    status: TaskStatus,
    begun: u32,
}

/// All that were asked for, by their numbers from 1 on.
#[derive(Debug, Default)]
pub(super) struct Tasks(Vec<Asked>);

impl Tasks {
    pub fn ask(&mut self) {
        self.0.push(Asked {
            status: TaskStatus::Pending,
            begun: 0,
        });
    }

    pub fn cancel(&mut self, which: usize) {
        let count = self.0.len();
        if let Some(task) = self.0.get_mut(which % count.max(1))
            && let Some(status) = task.status.cancelled()
        {
            task.status = status;
        }
    }

    pub fn due(&self) -> Option<DueTask> {
        let due = self.0.iter().position(|task| !task.status.has_ended())?;
        Some(DueTask {
            id: due as u64 + 1,
            dispatch: "actions/rebuild".to_owned(),
            status: self.0[due].status,
            beside: Beside::Nothing,
        })
    }

    /// The unit is gone, and with it what it had yet to run.
    pub fn gone(&mut self) {
        for task in self.0.iter_mut().filter(|task| !task.status.has_ended()) {
            task.status = TaskStatus::Cancelled;
        }
    }

    pub fn all_ended(&self) -> Result<(), String> {
        match self.0.iter().position(|task| !task.status.has_ended()) {
            Some(left) => Err(format!("task {} never ended", left + 1)),
            None => Ok(()),
        }
    }

    fn of(&mut self, task: &DueTask) -> &mut Asked {
        &mut self.0[task.id as usize - 1]
    }
}

impl World {
    /// Carries out what was decided about a task.
    pub(super) fn see_to_task(&mut self, operation: &Operation, fate: Fate) {
        let recorded = self.local.operation.clone();
        match operation {
            Operation::EndTask { task } => {
                let asked = self.tasks.of(task);
                let Some(ended) = asked.status.broken_off() else {
                    return self.check(Err("a task was ended that did not run".to_owned()));
                };
                asked.status = ended;
            }
            Operation::RunTask { task } => {
                let alive = self.remote.life.is_alive();
                let asked = self.tasks.of(task);
                if !alive {
                    asked.status = TaskStatus::Cancelled;
                    return;
                }
                asked.status = TaskStatus::Running;
                asked.begun += 1;
                let sound = match (asked.begun, recorded.installed, recorded.stopped) {
                    (1, true, false) => Ok(()),
                    (1, ..) => Err("a task ran before install or after stop".to_owned()),
                    _ => Err(format!("task {} ran twice", task.id)),
                };
                self.check(sound);
                match fate {
                    Fate::DiesDuringExecute => return self.restart_agent(),
                    Fate::Fails => self.tasks.of(task).status = TaskStatus::Failed,
                    _ => {
                        self.tasks.of(task).status = TaskStatus::Completed;
                        let generation = recorded.state_generation + 1;
                        let state = Operation::task_done(&recorded, generation, false);
                        self.write(state.clone());
                        self.hook_commits += 1;
                        self.local.operation = state;
                        if fate == Fate::DiesAfterHookCommit {
                            return self.restart_agent();
                        }
                    }
                }
            }
            _ => {}
        }
        let kept = match self.local.operation.failed_hook() == recorded.failed_hook() {
            true => Ok(()),
            false => Err("a task changed which hook has failed".to_owned()),
        };
        self.check(kept);
    }
}
