//! Machines whose instance is to be given back.

use periapt_model::MachineId;

use crate::rpc::{Empty, Watch};

crate::facade! { "periapt.MachineUndertaker" 1 for Controller {
    [Watch] WatchMachineRemovals as WatchMachineRemovals {} -> Watch;
    [Read] AllMachineRemovals as AllMachineRemovals {} -> Vec<MachineId>;
    /// All of them in one transaction. One that is gone already, or not marked, changes nothing.
    [Write] CompleteMachineRemovals as CompleteMachineRemovals { machines: Vec<MachineId> } -> Empty;
} }
