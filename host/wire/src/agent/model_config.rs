//! Configuration of the connection's model.

use periapt_model::config::Values;

use crate::rpc::Watch;

crate::facade! { "periapt.ModelConfig" 1 for Agents {
    /// Effective values, all keys.
    [Read] ModelConfig as GetModelConfig {} -> Values;
    [Watch] WatchForModelConfigChanges as WatchModelConfig {} -> Watch;
} }
