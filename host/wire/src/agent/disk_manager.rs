//! Block devices of machines.

use crate::rest::BlockDevice;
use crate::rpc::Empty;

crate::facade! { "periapt.DiskManager" 1 for AgentOfModel {
    /// All that the caller's machine has, in order; told when they are others than the last time.
    [Write] SetBlockDevices as SetBlockDevices { devices: Vec<BlockDevice> } -> Empty;
} }
