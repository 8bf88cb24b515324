//! Reboots of one machine, for its agent.

use periapt_model::MachineId;

use crate::rpc::{Empty, Watch};

crate::facade! { "periapt.Reboot" 1 for Agents {
    /// Fires when a reboot is asked for or was carried out.
    [Watch] Watch as WatchReboot { machine: MachineId } -> Watch;
    /// Whether one is asked for.
    [Read] Get as GetReboot { machine: MachineId } -> bool;
    /// It is carried out now: it is asked for no more, and counted. Nothing happens where none was asked for.
    [Write] Clear as ClearReboot { machine: MachineId } -> Empty;
} }
