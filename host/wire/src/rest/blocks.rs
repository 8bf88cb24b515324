//! Blocks: what people may not do in a model until it is allowed again.
//!
//! | method and path | answer |
//! |---|---|
//! | `GET .../blocks` | `Page<BlockInfo>`, those that hold |
//! | `PUT .../blocks/{kind}` with [`SetBlock`] | `BlockInfo` |
//! | `DELETE .../blocks/{kind}` | `Empty` |
//!
//! `{kind}` is `destroy-model`, `remove-object` or `all`. What one holds back is refused with 409
//! `operation-blocked` and the message.

use periapt_model::block::BlockKind;
use serde::{Deserialize, Serialize};

/// What is disabled in a model, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct BlockInfo {
    pub kind: BlockKind,
    /// What whoever is refused is told; may be empty.
    pub message: String,
}

/// Disables something, or says anew why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct SetBlock {
    /// What whoever is refused is told.
    pub message: String,
}
