//! Configuration of the controller: what was set, over the defaults of `periapt_model::options`,
//! kept among the controller's values under `config/KEY`.

use periapt_model::ModelUuid;
use periapt_model::config::{Value, Values};
use periapt_model::options::{
    CAPABILITY_DEFAULT, CONTROLLER, INGRESS_ADDRESS, INGRESS_PORT, Settings,
};
use periapt_wire::rest::ConfigChange;

use crate::changes::namespace;
use crate::db::{Session, Tx, columns, json, params, to_json};
use crate::{Result, Store, grant};

#[cfg(test)]
mod tests;

/// Before the key in the table of the controller's values.
const PREFIX: &str = "config/";

columns! {
    struct SetOption {
        key: String = "key",
        value: Value = "value" as json,
    }
    const SET = "FROM controller_value WHERE key LIKE 'config/%'";
}

/// What was set, secrets included.
async fn set(db: &mut Session) -> Result<Values> {
    let set = db.all(SET, vec![]).await?;
    let name = |key: String| key.trim_start_matches(PREFIX).to_owned();
    Ok(set
        .into_iter()
        .map(|set| (name(set.key), set.value))
        .collect())
}

/// Effective values: what was set over the defaults, without secrets.
pub(crate) async fn effective(db: &mut Session) -> Result<Values> {
    Ok(CONTROLLER.effective(&set(db).await?))
}

async fn change(tx: &mut Tx, change: &ConfigChange) -> Result<Settings> {
    let before = set(&mut tx.db).await?;
    for (name, value) in CONTROLLER.check_all(&change.set, &change.reset)? {
        let sql = "INSERT INTO controller_value (key, value) VALUES ($1, $2)
            ON CONFLICT (key) DO UPDATE SET value = excluded.value";
        let key = format!("{PREFIX}{name}");
        tx.db.execute(sql, params![key, to_json(&value)?]).await?;
    }
    for name in &change.reset {
        let sql = "DELETE FROM controller_value WHERE key = $1";
        tx.db
            .execute(sql, params![format!("{PREFIX}{name}")])
            .await?;
    }
    let after = set(&mut tx.db).await?;
    if before != after {
        tx.touch_controller(namespace::CONTROLLER_CONFIG, "");
    }
    if before.get(ALLOWED_HOSTS) != after.get(ALLOWED_HOSTS) {
        // What a model may connect to has changed for all that name a host.
        let sql = "SELECT model_uuid FROM model_config WHERE key = 'syslog-host'";
        let models: Vec<ModelUuid> = tx.db.words("model UUID", sql, vec![]).await?;
        for model in models {
            tx.touch(&model, namespace::MODEL_CONFIG, "");
        }
    }
    let ingress = [INGRESS_ADDRESS, INGRESS_PORT];
    if ingress
        .iter()
        .any(|key| before.get(*key) != after.get(*key))
    {
        let sql = "SELECT uuid FROM model";
        let models: Vec<ModelUuid> = tx.db.words("model UUID", sql, vec![]).await?;
        for model in models {
            tx.touch(&model, namespace::MODEL_CONFIG, "");
        }
    }
    if before.get(CAPABILITY_DEFAULT) != after.get(CAPABILITY_DEFAULT) {
        let sql = "SELECT uuid FROM model";
        let models: Vec<ModelUuid> = tx.db.words("model UUID", sql, vec![]).await?;
        for model in models {
            grant::policies_changed(tx, &model).await?;
        }
    }
    Ok(CONTROLLER.show(&after))
}

/// Hosts that models may name as `syslog-host`.
pub(crate) const ALLOWED_HOSTS: &str = "syslog-allowed-hosts";

impl Store {
    /// Effective values, all options but the secret ones.
    pub async fn controller_config(&self) -> Result<Values> {
        effective(&mut self.glance().await?).await
    }

    /// Every option with where its value comes from; of secret ones only that.
    pub async fn controller_settings(&self) -> Result<Settings> {
        Ok(CONTROLLER.show(&set(&mut self.glance().await?).await?))
    }

    /// Sets and resets in one step; every option then. Unknown options and values of the wrong
    /// kind are refused, and then nothing changes.
    pub async fn set_controller_config(&self, request: ConfigChange) -> Result<Settings> {
        self.write(move |tx| Box::pin(async move { change(tx, &request).await }))
            .await
    }
}
