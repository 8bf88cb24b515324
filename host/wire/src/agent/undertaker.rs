//! The end of a model.

use periapt_model::status::{Model, Status};
use periapt_model::{Life, ModelName, ModelUuid};
use serde::{Deserialize, Serialize};

use crate::rpc::{Empty, Watch};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct UndertakerModel {
    pub uuid: ModelUuid,
    pub name: ModelName,
    pub life: Life,
    pub force: bool,
    /// Milliseconds each phase may take when forced; none means no bound.
    pub timeout_ms: Option<u64>,
    pub applications: u64,
    pub machines: u64,
    pub units: u64,
    #[serde(default)]
    pub storage: u64,
    /// Milliseconds that the end of the environment may take when no other bound is given.
    pub deadline_ms: Option<u64>,
    /// When the last of what is still there goes by force, microseconds UTC.
    pub forced_from: Option<i64>,
}

crate::facade! { "periapt.Undertaker" 1 for Controller {
    [Read] ModelInfo as GetUndertakerModel {} -> Option<UndertakerModel>;
    /// Makes an empty dying model dead; error code `model not empty` otherwise.
    [Write] ProcessDyingModel as ProcessDyingModel {} -> Empty;
    [Write] RemoveModel as RemoveModel {} -> Empty;
    [Write] SetStatus as SetModelStatus { status: Status<Model> } -> Empty;
    [Watch] WatchModelResources as WatchModelResources {} -> Watch;
} }
