//! What people may not do in a model until somebody allows it again. What each kind holds back is a rule of
//! `periapt_model::block`; who is refused is the server's business.
//!
//! A block is shown with its model, so that whoever follows the model hears of it.

use periapt_model::block::{BlockKind, Change};
use periapt_model::bounds::BLOCK_MESSAGE_BYTES;
use periapt_model::refusal::Subject;
use periapt_model::removal::Force;
use periapt_model::{ModelUuid, Refusal};
use periapt_wire::rest::BlockInfo;

use crate::changes::namespace;
use crate::db::{Session, columns, params, word};
use crate::error::StoreError;
use crate::tables::{Table, tables};
use crate::{Result, Store, require_alive_model, require_model};

#[cfg(test)]
mod tests;

pub(crate) const TABLES: &[Table] = tables! {
    "block";
};

columns! {
    struct Block -> BlockInfo {
        kind = "kind" as word,
        message = "message",
    }
    const OF_MODEL = "FROM block WHERE model_uuid = $1";
}

impl Store {
    /// What is disabled in a model, from what holds back least on.
    pub async fn blocks(&self, model: &ModelUuid) -> Result<Vec<BlockInfo>> {
        let mut db = self.snapshot().await?;
        require_model(&mut db, model).await?;
        read(&mut db, model).await
    }

    /// The block that holds a change of a model back: of several the one that holds back least. One
    /// reading of three rows at most.
    pub async fn block_of(&self, model: &ModelUuid, change: Change) -> Result<Option<BlockInfo>> {
        let blocks = read(&mut self.glance().await?, model).await?;
        Ok(blocks.into_iter().find(|block| block.kind.holds(change)))
    }

    /// Disables something, or says anew why it is disabled.
    pub async fn set_block(
        &self,
        model: &ModelUuid,
        kind: BlockKind,
        message: String,
    ) -> Result<BlockInfo> {
        if BLOCK_MESSAGE_BYTES.exceeded_by(message.len()) {
            return Err(StoreError::bad_request(format!(
                "the message has {} bytes, more than the {} allowed",
                message.len(),
                BLOCK_MESSAGE_BYTES.most
            )));
        }
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                require_alive_model(&mut tx.db, &model).await?;
                let sql = "INSERT INTO block (model_uuid, kind, message) VALUES ($1, $2, $3)
                    ON CONFLICT (model_uuid, kind) DO UPDATE SET message = excluded.message
                    WHERE block.message <> excluded.message";
                let row = params![&model, kind.as_str(), &message];
                if tx.db.execute(sql, row).await? > 0 {
                    tx.touch(&model, namespace::MODEL, model.as_str());
                }
                Ok(BlockInfo { kind, message })
            })
        })
        .await
    }

    /// Allows again what was disabled.
    pub async fn remove_block(&self, model: &ModelUuid, kind: BlockKind) -> Result<()> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                require_model(&mut tx.db, &model).await?;
                let sql = "DELETE FROM block WHERE model_uuid = $1 AND kind = $2";
                let gone = tx.db.execute(sql, params![&model, kind.as_str()]).await?;
                if gone == 0 {
                    return Err(StoreError::not_found(Subject::Block, kind));
                }
                tx.touch(&model, namespace::MODEL, model.as_str());
                Ok(())
            })
        })
        .await
    }
}

/// Refuses a change that is held back, unless it is forced and may be: for one of which only its transaction knows
/// what kind of change it is.
pub(crate) async fn allow(
    db: &mut Session,
    model: &ModelUuid,
    change: Change,
    force: Force,
) -> Result<()> {
    if force != Force::No && change.can_be_forced() {
        return Ok(());
    }
    let blocks = read(db, model).await?;
    match blocks.into_iter().find(|block| block.kind.holds(change)) {
        None => Ok(()),
        Some(BlockInfo { kind, message }) => Err(StoreError::Refused {
            refusal: Refusal::OperationBlocked,
            message: match message.as_str() {
                "" => format!("{kind} is disabled in this model"),
                message => format!("{kind} is disabled in this model: {message}"),
            },
        }),
    }
}

async fn read(db: &mut Session, model: &ModelUuid) -> Result<Vec<BlockInfo>> {
    let mut blocks = db.all(OF_MODEL, params![model]).await?;
    blocks.sort_by_key(|block| block.kind);
    Ok(blocks)
}
