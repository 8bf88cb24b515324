//! One machine, for its agent.

use periapt_model::status::{Machine, Status};
use periapt_model::{Life, MachineId};

use crate::rpc::{Empty, Watch};

crate::facade! { "periapt.Machiner" 1 for Agents {
    [Read] Life as MachineLife { machine: MachineId } -> Option<Life>;
    [Watch] Watch as WatchMachine { machine: MachineId } -> Watch;
    /// With the addresses that the agent found, when it begins.
    [Write] SetStatus as SetMachineStatus { machine: MachineId, status: Status<Machine>, addresses: Option<Vec<String>> } -> Empty;
    /// Error code `machine has assigned units` while units remain.
    [Write] EnsureDead as EnsureMachinerDead { machine: MachineId } -> Empty;
} }
