//! What the leader tells, as a hook changed it.

use periapt_contract::leadership::Changes;
use periapt_contract::settings::Settings;
use periapt_model::hook::commit;

use super::effects::Committing;
use crate::Result;
use crate::changes::namespace;
use crate::db::{Tx, params, to_json};

pub(super) async fn apply(tx: &mut Tx, of: Committing<'_>, changes: &Changes) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let (model, application) = (of.model, of.unit.application());
    let sql = "SELECT settings FROM leader_settings WHERE model_uuid = $1 AND application = $2";
    let key = params![model, &application];
    let before: Option<Settings> = tx.db.document("settings", sql, key).await?;
    if let Some(bag) = commit::changed(&before.unwrap_or_default(), changes)? {
        let sql = "INSERT INTO leader_settings (model_uuid, application, settings, version)
            VALUES ($1, $2, $3, 1)
            ON CONFLICT (model_uuid, application) DO UPDATE
            SET settings = excluded.settings, version = leader_settings.version + 1";
        tx.db
            .execute(sql, params![model, &application, to_json(&bag)?])
            .await?;
        tx.touch(model, namespace::LEADER_SETTINGS, application.as_str());
    }
    Ok(())
}
