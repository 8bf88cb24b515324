//! What the leader tells, as a hook changed it.

use periapt_contract::leadership::Changes;
use periapt_contract::settings::Settings;
use periapt_model::hook::commit;

use super::effects::Committing;
use crate::changes::namespace;
use crate::db::{Tx, params, to_json};
use crate::{Result, why};

pub(super) async fn apply(tx: &mut Tx, of: Committing<'_>, changes: &Changes) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let (model, application) = (of.model, of.unit.application());
    let sql = "SELECT settings FROM leader_settings WHERE model_uuid = $1 AND application = $2";
    let key = params![model, &application];
    let before: Option<Settings> = tx.db.document("settings", sql, key).await?;
    if let Some(bag) = commit::changed(&before.unwrap_or_default(), changes)? {
        let sql = "INSERT INTO leader_settings (model_uuid, application, settings, version, cause)
            VALUES ($1, $2, $3, 1, $4)
            ON CONFLICT (model_uuid, application) DO UPDATE
            SET settings = excluded.settings, version = leader_settings.version + 1, cause = excluded.cause";
        let values = params![model, &application, to_json(&bag)?, why::cause(tx)];
        tx.db.execute(sql, values).await?;
        tx.touch(model, namespace::LEADER_SETTINGS, application.as_str());
    }
    Ok(())
}
