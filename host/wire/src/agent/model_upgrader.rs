//! What the provider keeps for a model, and how far its upgrade has come.

use crate::rpc::Empty;

crate::facade! { "periapt.ModelUpgrader" 1 for Controller {
    [Read] ModelEnvironVersion as GetEnvironVersion {} -> u32;
    [Write] SetModelEnvironVersion as SetEnvironVersion { version: u32 } -> Empty;
} }
