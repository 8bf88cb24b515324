//! From which channel of a charm repository applications have their charms, and what they could be refreshed to.
//!
//! What the repository has is read by others. Which of it is newer than what an application has is decided by
//! the index, in the transaction that writes it down, so that it is about the charm which is there then.

use periapt_model::charm::repository::{self, Index};
use periapt_model::{ApplicationName, ModelUuid};
use periapt_wire::rest::CharmUpgrade;

use crate::changes::namespace;
use crate::db::{Tx, columns, params, word};
use crate::error::StoreError;
use crate::{Result, Store};

columns! {
    struct Following {
        application: ApplicationName = "application.name" as word,
        charm: String = "application.charm_url",
        channel: String = "application.channel",
        can_upgrade_to: String = "application.can_upgrade_to",
        name: String = "charm.name",
        sha256: String = "charm.sha256",
    }
    const FOLLOWING = "FROM application
        JOIN charm ON charm.model_uuid = application.model_uuid AND charm.url = application.charm_url
        WHERE application.model_uuid = $1
        ORDER BY application.name";
}

impl Store {
    /// Writes down what each application could be refreshed to, as a repository with this index has it; those
    /// that could. What is known already is not written again.
    pub async fn note_charm_revisions(
        &self,
        model: &ModelUuid,
        index: Index,
    ) -> Result<Vec<CharmUpgrade>> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                crate::require_model(&mut tx.db, &model).await?;
                let mut upgrades = Vec::new();
                for row in tx.db.all(FOLLOWING, params![&model]).await? {
                    let channel = Some(row.channel.as_str()).filter(|channel| !channel.is_empty());
                    let newer = index
                        .upgrade(&row.name, channel, &row.sha256)
                        .map(|revision| repository::shown(&row.name, revision));
                    let can_upgrade_to = newer.unwrap_or_default();
                    if can_upgrade_to != row.can_upgrade_to {
                        let sql = "UPDATE application SET can_upgrade_to = $3 WHERE model_uuid = $1 AND name = $2";
                        let values = params![&model, &row.application, &can_upgrade_to];
                        tx.db.execute(sql, values).await?;
                        tx.touch(&model, namespace::APPLICATION_STATUS, row.application.as_str());
                    }
                    if !can_upgrade_to.is_empty() {
                        upgrades.push(CharmUpgrade {
                            application: row.application,
                            charm: row.charm,
                            can_upgrade_to,
                        });
                    }
                }
                Ok(upgrades)
            })
        })
        .await
    }
}

/// A channel as an application keeps it; empty for none.
pub(crate) fn channel(name: String) -> Result<String> {
    if !name.is_empty() {
        repository::check_channel(&name)
            .map_err(|error| StoreError::bad_request(error.to_string()))?;
    }
    Ok(name)
}

/// The application follows this channel from now on, or none. What was known of another is forgotten.
pub(crate) async fn follow(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    name: String,
) -> Result<()> {
    let sql = "UPDATE application SET channel = $3, can_upgrade_to = ''
        WHERE model_uuid = $1 AND name = $2 AND channel <> $3";
    let values = params![model, application, channel(name)?];
    if tx.db.execute(sql, values).await? > 0 {
        tx.touch(model, namespace::APPLICATION, application.as_str());
    }
    Ok(())
}
