//! What people ask one machine to do, for its agent.

use periapt_model::MachineId;
use periapt_model::task::{DueTask, TaskId};

use crate::agent::uniter::TaskEnd;
use crate::rpc::{Empty, Watch};

crate::facade! { "periapt.MachineActions" 1 for Agents {
    /// Fires when something becomes of a task of the machine.
    [Watch] Watch as WatchMachineTasks { machine: MachineId } -> Watch;
    /// Those that have not ended, oldest first.
    [Read] Due as MachineTasks { machine: MachineId } -> Vec<DueTask>;
    /// Records that one begins, once; false where it is not to be run any more: it was cancelled, or the
    /// machine leaves, with which it is.
    [Write] Begin as BeginMachineTask { machine: MachineId, task: TaskId } -> bool;
    /// Ends one, and asks for a reboot of the machine if that is what it was about, in one transaction. One that
    /// ended before stays as it is, and asks for nothing.
    [Write] End as EndMachineTask { machine: MachineId, end: TaskEnd, reboots: bool } -> Empty;
} }
