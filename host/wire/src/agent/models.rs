//! Models of this controller, for the model worker manager.

use periapt_model::{Life, ModelName, ModelUuid};
use serde::{Deserialize, Serialize};

use crate::rpc::Watch;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ModelInfo {
    pub uuid: ModelUuid,
    pub name: ModelName,
    pub life: Life,
    /// Whose provider gives its machines.
    pub cloud_type: String,
}

crate::facade! { "periapt.ModelManager" 1 for Controller {
    /// Changes name models by UUID, the first event all of them.
    [Watch] WatchModels as WatchModels {} -> Watch;
    [Read] ModelInfo as GetModel { model: ModelUuid } -> Option<ModelInfo>;
} }
