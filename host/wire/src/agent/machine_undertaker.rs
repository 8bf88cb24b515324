//! Machines whose instance is to be given back.

use periapt_model::MachineId;

use crate::rpc::{Empty, Watch};

crate::facade! { "periapt.MachineUndertaker" 1 for Controller {
    [Watch] WatchMachineRemovals as WatchMachineRemovals {} -> Watch;
    [Read] AllMachineRemovals as AllMachineRemovals {} -> Vec<MachineId>;
    [Write] CompleteMachineRemovals as CompleteMachineRemoval { machine: MachineId } -> Empty;
} }
