//! Configuration of models: what was set, over what the controller's [`defaults`](super::defaults) say of its
//! region and its cloud, over those of `periapt_model::options`.
//!
//! Secrets go in and come out in one place only, the destination of the forwarded log, for the one
//! worker that needs it. Where the controller connects to is a superuser's word: who set
//! `syslog-host` is kept with it, and what others set is held against the controller's list, when
//! they set it and again whenever the destination is asked for.

use std::time::Duration;

use periapt_model::address::HostPort;
use periapt_model::config::{Value, Values};
use periapt_model::difference::between;
use periapt_model::options::{MODEL, Settings, Source, duration, hosts, truth};
use periapt_model::{ModelUuid, Refusal};
use periapt_wire::agent::log_forwarding::Destination;
use periapt_wire::agent::retry_strategy::RetryStrategy;
use periapt_wire::rest::ConfigChange;

use crate::changes::namespace;
use crate::db::{Session, Tx, columns, json, params, to_json};
use crate::error::StoreError;
use crate::usage::meter;
use crate::{Result, Store, controller, difference, grant, require_model, secret, storage};

#[cfg(test)]
mod tests;

/// The host that the log is forwarded to.
const SYSLOG_HOST: &str = "syslog-host";

/// On whose word an option is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setter {
    /// May have the controller connect to any host.
    Superuser,
    /// An admin of the model and no more.
    Admin,
}

/// What was set of a model's options, by whom, as `layered`: by the model itself, for its region, for its cloud.
macro_rules! layered {
    ($rest:literal) => {
        concat!(
            "FROM (SELECT model_config.key AS key, model_config.value AS value, CAST(2 AS BIGINT) AS layer
                FROM model_config WHERE model_config.model_uuid = $1
            UNION ALL SELECT model_default.key, model_default.value,
                CASE WHEN model_default.region = '' THEN CAST(0 AS BIGINT) ELSE CAST(1 AS BIGINT) END
                FROM model JOIN model_default ON model_default.cloud = model.cloud
                    AND (model_default.region = '' OR model_default.region = model.region)
                WHERE model.uuid = $1) AS layered ",
            $rest
        )
    };
}

pub(crate) use layered;

columns! {
    struct SetOption {
        key: String = "layered.key",
        value: Value = "layered.value" as json,
        layer: i64 = "layered.layer",
    }
    const SET = layered!("");
}

/// What was set, secrets included.
#[derive(Default)]
struct Layers {
    controller: Values,
    region: Values,
    own: Values,
}

impl Layers {
    async fn read(db: &mut Session, model: &ModelUuid) -> Result<Self> {
        let mut layers = Self::default();
        for set in db.all(SET, params![model]).await? {
            let layer = match set.layer {
                0 => &mut layers.controller,
                1 => &mut layers.region,
                _ => &mut layers.own,
            };
            layer.insert(set.key, set.value);
        }
        Ok(layers)
    }

    /// What holds of all options that were set.
    fn merged(&self) -> Values {
        let mut all = self.controller.clone();
        all.extend(self.region.clone());
        all.extend(self.own.clone());
        all
    }

    fn show(&self) -> Settings {
        let inherited = [
            (Source::Region, &self.region),
            (Source::Controller, &self.controller),
        ];
        MODEL.show_over(&self.own, &inherited)
    }
}

/// Effective values: what was set over the defaults, without secrets.
pub(crate) async fn effective(db: &mut Session, model: &ModelUuid) -> Result<Values> {
    Ok(MODEL.effective(&Layers::read(db, model).await?.merged()))
}

/// What was set of one option, by the model or for it.
pub(crate) async fn value(db: &mut Session, model: &ModelUuid, key: &str) -> Result<Option<Value>> {
    Ok(Layers::read(db, model).await?.merged().remove(key))
}

/// How long a forced removal waits before each of its steps.
pub(crate) async fn force_wait(db: &mut Session, model: &ModelUuid) -> Result<i64> {
    let wait = duration(&effective(db, model).await?, "force-wait");
    Ok(microseconds(wait))
}

/// How long a step of a removal waits that nobody forces; none for as long as it takes.
pub(crate) async fn removal_deadline(db: &mut Session, model: &ModelUuid) -> Result<Option<i64>> {
    let wait = duration(&effective(db, model).await?, "removal-deadline");
    Ok((wait > Duration::ZERO).then(|| microseconds(wait)))
}

fn microseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

/// Checks and applies a change, all of it or nothing.
pub(crate) async fn change(
    tx: &mut Tx,
    model: &ModelUuid,
    change: &ConfigChange,
    setter: Setter,
) -> Result<()> {
    let checked = MODEL.check_all(&change.set, &change.reset)?;
    if let Some(host) = checked.get(SYSLOG_HOST)
        && setter == Setter::Admin
    {
        require_listed(&mut tx.db, &host.to_string()).await?;
    }
    if let Some(backend) = checked.get("secret-backend") {
        secret::require_backend(&mut tx.db, &backend.to_string()).await?;
    }
    let before = Layers::read(&mut tx.db, model).await?.merged();
    if let Some(pool) = checked.get("storage-default-filesystem-source") {
        storage::require_default_pool(&mut tx.db, model, &pool.to_string()).await?;
    }
    let mut changed = 0;
    for (name, value) in &checked {
        let sql = "INSERT INTO model_config (model_uuid, key, value, by_superuser) VALUES ($1, $2, $3, $4)
            ON CONFLICT (model_uuid, key) DO UPDATE
            SET value = excluded.value, by_superuser = excluded.by_superuser
            WHERE model_config.value <> excluded.value OR model_config.by_superuser <> excluded.by_superuser";
        let trusted = setter == Setter::Superuser;
        let row = params![model, name, to_json(value)?, trusted];
        changed += tx.db.execute(sql, row).await?;
    }
    for name in &change.reset {
        let sql = "DELETE FROM model_config WHERE model_uuid = $1 AND key = $2";
        changed += tx.db.execute(sql, params![model, name]).await?;
    }
    let after = Layers::read(&mut tx.db, model).await?.merged();
    MODEL.check_change(&before, &after)?;
    if changed > 0 {
        let told = between(&before, &after, |name| MODEL.is_secret(name));
        difference::record(tx, model, None, difference::Kind::Config, told).await?;
        tx.touch(model, namespace::MODEL_CONFIG, "");
        let mut named = checked.keys().chain(&change.reset);
        if named.clone().any(|name| meter::is_quota(name)) {
            meter::changed(tx, model).await?;
        }
        if named.any(|name| grant::is_policy(name)) {
            grant::policies_changed(tx, model).await?;
        }
    }
    Ok(())
}

/// Refuses a host that only a superuser may name.
async fn require_listed(db: &mut Session, host: &str) -> Result<()> {
    if host.trim().is_empty() || is_listed(db, host).await? {
        return Ok(());
    }
    let shown: String = host.chars().take(80).collect();
    Err(StoreError::Refused {
        refusal: Refusal::SyslogHostNotAllowed,
        message: format!(
            "\"{shown}\" is not in the controller's syslog-allowed-hosts, and only a superuser may name another host"
        ),
    })
}

async fn is_listed(db: &mut Session, host: &str) -> Result<bool> {
    let list = controller::config::effective(db).await?;
    let list = list
        .get(controller::config::ALLOWED_HOSTS)
        .map(Value::to_string);
    let list = list.unwrap_or_default();
    Ok(HostPort::parse(host).is_some_and(|host| host.is_listed(hosts(&list))))
}

impl Store {
    /// Effective values, all options but the secret ones.
    pub async fn model_config(&self, model: &ModelUuid) -> Result<Values> {
        let mut db = self.snapshot().await?;
        require_model(&mut db, model).await?;
        effective(&mut db, model).await
    }

    /// Every option with where its value comes from; of secret ones only that.
    pub async fn model_settings(&self, model: &ModelUuid) -> Result<Settings> {
        let mut db = self.snapshot().await?;
        require_model(&mut db, model).await?;
        Ok(Layers::read(&mut db, model).await?.show())
    }

    /// Sets and resets in one step; every option then. Unknown options, values of the wrong kind
    /// and hosts that the setter may not name are refused, and then nothing changes.
    pub async fn set_model_config(
        &self,
        model: &ModelUuid,
        request: ConfigChange,
        setter: Setter,
    ) -> Result<Settings> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                require_model(&mut tx.db, &model).await?;
                change(tx, &model, &request, setter).await?;
                Ok(Layers::read(&mut tx.db, &model).await?.show())
            })
        })
        .await
    }

    /// Where the model's log is to go; none while forwarding is off. The one answer that holds the
    /// private key: for the worker that connects, and for nobody else.
    pub async fn log_destination(&self, model: &ModelUuid) -> Result<Option<Destination>> {
        let mut db = self.snapshot().await?;
        require_model(&mut db, model).await?;
        let layers = Layers::read(&mut db, model).await?;
        let set = layers.merged();
        if !truth(&MODEL.effective(&set), "logforward-enabled") {
            return Ok(None);
        }
        let text = |key: &str| set.get(key).map(Value::to_string).unwrap_or_default();
        let sql =
            "SELECT 1 FROM model_config WHERE model_uuid = $1 AND key = $2 AND by_superuser = 1";
        let named = match layers.own.contains_key(SYSLOG_HOST) {
            true => db.exists(sql, params![model, SYSLOG_HOST]).await?,
            // Defaults are a superuser's word.
            false => set.contains_key(SYSLOG_HOST),
        };
        let host = text(SYSLOG_HOST);
        Ok(Some(Destination {
            allowed: named || is_listed(&mut db, &host).await?,
            host,
            authority: text("syslog-ca-cert"),
            certificate: text("syslog-client-cert"),
            key: text("syslog-client-key"),
        }))
    }

    /// How failed hooks are retried: 5 s doubling to 5 min with jitter, as in Juju.
    pub async fn get_retry_strategy(&self, model: &ModelUuid) -> Result<RetryStrategy> {
        let values = self.model_config(model).await?;
        Ok(RetryStrategy {
            should_retry: truth(&values, "automatically-retry-hooks"),
            min_retry_ms: 5_000,
            max_retry_ms: 300_000,
            jitter: true,
            factor: 2,
        })
    }
}
