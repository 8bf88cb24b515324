//! The methods about what is disabled in a model.

use periapt_model::block::BlockKind;
use periapt_wire::rest::{BlockInfo, ListQuery, SetBlock, paths};
use periapt_wire::rpc::Empty;

use super::{RestClient, RestError};

impl RestClient {
    /// What is disabled, with why.
    pub async fn blocks(&self, model: &str) -> Result<Vec<BlockInfo>, RestError> {
        self.list(&paths::BLOCKS.at([model]), &ListQuery::default())
            .await
    }

    /// Disables something, or says anew why.
    pub async fn set_block(
        &self,
        model: &str,
        kind: BlockKind,
        block: &SetBlock,
    ) -> Result<BlockInfo, RestError> {
        self.put(&paths::BLOCK.at([model, kind.as_str()]), block)
            .await
    }

    /// Allows something again.
    pub async fn remove_block(&self, model: &str, kind: BlockKind) -> Result<Empty, RestError> {
        self.remove(&paths::BLOCK.at([model, kind.as_str()])).await
    }
}
