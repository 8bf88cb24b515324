//! Configuration of models: the keys there are, their defaults, and how their values read.

use std::time::Duration;

use periapt_model::ModelUuid;
use periapt_model::config::{Value, Values};
use periapt_wire::agent::retry_strategy::RetryStrategy;
use periapt_wire::rest::ConfigChange;

use crate::changes::namespace;
use crate::db::{Session, params, to_json};
use crate::error::StoreError;
use crate::tx::Tx;
use crate::{Result, Store, require_model};

#[cfg(test)]
mod tests;

/// What values a key takes.
enum Kind {
    Boolean,
    /// Go's notation: `5m`, `1h30m`, `500ms`.
    Duration,
    /// `512M`, `5G`; without a suffix megabytes.
    Size,
    /// `<root>=INFO;unit=DEBUG`.
    Logging,
    /// `database`, `syslog` or both, separated by a comma.
    Outputs,
    /// Whatever it is, its user judges it.
    Text,
}

struct Key {
    name: &'static str,
    kind: Kind,
    default: &'static str,
}

const fn key(name: &'static str, kind: Kind, default: &'static str) -> Key {
    Key {
        name,
        kind,
        default,
    }
}

/// Every key, with Juju's name and default where Juju has one.
const KEYS: &[Key] = &[
    key("automatically-retry-hooks", Kind::Boolean, "true"),
    key("force-wait", Kind::Duration, "1m"),
    key("logforward-enabled", Kind::Boolean, "false"),
    key("logging-config", Kind::Logging, "<root>=INFO"),
    key("logging-output", Kind::Outputs, ""),
    key("max-action-results-age", Kind::Duration, "336h"),
    key("max-action-results-size", Kind::Size, "5G"),
    key("max-status-history-age", Kind::Duration, "336h"),
    key("max-status-history-size", Kind::Size, "5G"),
    key("removal-deadline", Kind::Duration, "24h"),
    key("syslog-ca-cert", Kind::Text, ""),
    key("syslog-client-cert", Kind::Text, ""),
    key("syslog-client-key", Kind::Text, ""),
    key("syslog-host", Kind::Text, ""),
    key("update-status-hook-interval", Kind::Duration, "5m"),
];

/// Levels of `logging-config`.
const LEVELS: &[&str] = &["TRACE", "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"];

impl Key {
    fn default(&self) -> Value {
        match self.kind {
            Kind::Boolean => Value::Boolean(self.default == "true"),
            _ => Value::Text(self.default.to_owned()),
        }
    }

    fn check(&self, value: &Value) -> Result<Value> {
        let wrong = |expected: &str| StoreError::Invalid {
            code: "config-wrong-type",
            message: format!(
                "model option \"{}\" expects {expected}, got \"{value}\"",
                self.name
            ),
        };
        let text = value.to_string();
        Ok(match self.kind {
            Kind::Boolean => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" => Value::Boolean(true),
                "false" | "no" | "off" => Value::Boolean(false),
                _ => return Err(wrong("true or false")),
            },
            Kind::Duration => {
                parse_duration(&text).ok_or_else(|| wrong("a duration such as 5m or 336h"))?;
                Value::Text(text)
            }
            Kind::Size => {
                parse_size_mb(&text).ok_or_else(|| wrong("a size such as 512M or 5G"))?;
                Value::Text(text)
            }
            Kind::Text => Value::Text(text),
            Kind::Outputs => {
                let known = |part: &str| ["", "database", "syslog"].contains(&part.trim());
                if !text.split(',').all(known) {
                    return Err(wrong("database, syslog or both"));
                }
                Value::Text(text)
            }
            Kind::Logging => {
                let parts = text
                    .split([';', '\n'])
                    .map(str::trim)
                    .filter(|part| !part.is_empty());
                for part in parts {
                    let level = part
                        .split_once('=')
                        .map(|(_, level)| level.trim().to_ascii_uppercase());
                    if !level.is_some_and(|level| LEVELS.contains(&level.as_str())) {
                        return Err(wrong(
                            "MODULE=LEVEL separated by semicolons, as in <root>=INFO",
                        ));
                    }
                }
                Value::Text(text)
            }
        })
    }
}

fn find(name: &str) -> Result<&'static Key> {
    KEYS.iter()
        .find(|key| key.name == name)
        .ok_or_else(|| StoreError::Invalid {
            code: "config-unknown-option",
            message: format!(
                "model option \"{name}\" does not exist; there are: {}",
                KEYS.iter()
                    .map(|key| key.name)
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        })
}

/// The duration under `key` in effective values; zero when there is none.
pub fn duration(values: &Values, key: &str) -> Duration {
    values
        .get(key)
        .and_then(|value| parse_duration(&value.to_string()))
        .unwrap_or_default()
}

/// The size under `key` in effective values, in megabytes.
pub fn size_mb(values: &Values, key: &str) -> u64 {
    values
        .get(key)
        .and_then(|value| parse_size_mb(&value.to_string()))
        .unwrap_or_default()
}

/// The truth under `key` in effective values.
pub fn truth(values: &Values, key: &str) -> bool {
    matches!(values.get(key), Some(Value::Boolean(true)))
}

fn parse_duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let mut total = Duration::ZERO;
    if rest.is_empty() {
        return None;
    }
    if rest == "0" {
        return Some(total);
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let number: u64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let letters = rest
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(rest.len());
        let unit = match &rest[..letters] {
            "h" => Duration::from_secs(3600),
            "m" => Duration::from_secs(60),
            "s" => Duration::from_secs(1),
            "ms" => Duration::from_millis(1),
            _ => return None,
        };
        total = total.checked_add(unit.checked_mul(u32::try_from(number).ok()?)?)?;
        rest = &rest[letters..];
    }
    Some(total)
}

pub(crate) fn parse_size_mb(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, factor) = match text.chars().last()? {
        'M' => (&text[..text.len() - 1], 1),
        'G' => (&text[..text.len() - 1], 1 << 10),
        'T' => (&text[..text.len() - 1], 1 << 20),
        'P' => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

/// Effective values: what was set over the defaults.
pub(crate) async fn effective(db: &mut Session, model: &ModelUuid) -> Result<Values> {
    let mut values: Values = KEYS
        .iter()
        .map(|key| (key.name.to_owned(), key.default()))
        .collect();
    for row in db
        .fetch(
            "SELECT key, value FROM model_config WHERE model_uuid = $1",
            params![model],
        )
        .await?
    {
        values.insert(row.text(0)?, row.json(1, "model option")?);
    }
    Ok(values)
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

/// Checks and applies a change, all of it or nothing; whether anything changed.
pub(crate) async fn change(tx: &mut Tx, model: &ModelUuid, change: &ConfigChange) -> Result<bool> {
    let before = effective(&mut tx.db, model).await?;
    for name in &change.reset {
        find(name)?;
        if change.set.contains_key(name) {
            return Err(StoreError::bad_request(format!(
                "option \"{name}\" is both set and reset"
            )));
        }
    }
    for (name, value) in &change.set {
        let value = find(name)?.check(value)?;
        if before.get(name) != Some(&value) {
            let sql = "INSERT INTO model_config (model_uuid, key, value) VALUES ($1, $2, $3)
                ON CONFLICT (model_uuid, key) DO UPDATE SET value = excluded.value";
            tx.db
                .execute(sql, params![model, name, to_json(&value)?])
                .await?;
        }
    }
    for name in &change.reset {
        let sql = "DELETE FROM model_config WHERE model_uuid = $1 AND key = $2";
        tx.db.execute(sql, params![model, name]).await?;
    }
    let changed = before != effective(&mut tx.db, model).await?;
    if changed {
        tx.touch(model, namespace::MODEL_CONFIG, "");
    }
    Ok(changed)
}

impl Store {
    /// Effective values, all keys.
    pub async fn model_config(&self, model: &ModelUuid) -> Result<Values> {
        let mut db = self.snapshot().await?;
        require_model(&mut db, model).await?;
        effective(&mut db, model).await
    }

    /// The same, for agents.
    pub async fn get_model_config(&self, model: &ModelUuid) -> Result<Values> {
        self.model_config(model).await
    }

    /// Sets and resets in one step; the effective values then. Unknown options and values of
    /// the wrong kind are refused, and then nothing changes.
    pub async fn set_model_config(
        &self,
        model: &ModelUuid,
        request: ConfigChange,
    ) -> Result<Values> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                require_model(&mut tx.db, &model).await?;
                change(tx, &model, &request).await?;
                effective(&mut tx.db, &model).await
            })
        })
        .await
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
