//! Reboots of one machine, for its agent.

use periapt_model::MachineId;
use serde::{Deserialize, Serialize};

use crate::rpc::{Empty, Watch};

/// Where a machine stands with its reboots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Reboots {
    /// One is asked for.
    pub wanted: bool,
    /// So many were carried out.
    pub count: u64,
}

crate::facade! { "periapt.Reboot" 1 for Agents {
    /// Fires when a reboot is asked for or was carried out.
    [Watch] Watch as WatchReboot { machine: MachineId } -> Watch;
    /// None of a machine that is gone.
    [Read] Get as GetReboot { machine: MachineId } -> Option<Reboots>;
    /// It is carried out now: it is asked for no more, and counted. Nothing happens where none was asked for.
    [Write] Clear as ClearReboot { machine: MachineId } -> Empty;
} }
