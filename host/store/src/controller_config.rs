//! Configuration of the controller: the keys that can change while it runs, their defaults, and
//! how their values read.
//!
//! What it takes to start (address, port, database) is not here: that stands in the
//! controller's own file. Values are kept among the controller's values under `config/KEY`.

use periapt_model::config::{Value, Values};
use periapt_wire::rest::ConfigChange;

use crate::changes::namespace;
use crate::db::{Session, params, to_json};
use crate::error::StoreError;
use crate::model_config::parse_size_mb;
use crate::tx::Tx;
use crate::{Result, Store};

#[cfg(test)]
mod tests;

/// What values a key takes.
enum Kind {
    Boolean,
    /// A whole number, zero or more.
    Count,
    /// `300M`, `1G`; without a suffix megabytes.
    Size,
    /// `Facade.Method` names and the names of groups, separated by commas.
    Methods,
    /// Nothing, `unix:PATH` or `tcp:HOST:PORT`.
    SyslogTarget,
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

/// Stands for every call that changes nothing, as in Juju. Such calls are never recorded.
pub const READ_ONLY_METHODS: &str = "ReadOnlyMethods";
/// Stands for every call of agents and of the controller's own workers. Each hook makes
/// several; people's changes are recorded whatever is excluded.
pub const AGENT_METHODS: &str = "AgentMethods";

/// Every key, with Juju's name and default where Juju has one.
const KEYS: &[Key] = &[
    key("audit-log-capture-args", Kind::Boolean, "false"),
    key(
        "audit-log-exclude-methods",
        Kind::Methods,
        "ReadOnlyMethods,AgentMethods",
    ),
    key("audit-log-max-backups", Kind::Count, "10"),
    key("audit-log-max-size", Kind::Size, "300M"),
    key("auditing-enabled", Kind::Boolean, "true"),
    key("syslog-target", Kind::SyslogTarget, ""),
];

/// Before the key in the table of the controller's values.
const PREFIX: &str = "config/";

impl Key {
    fn default(&self) -> Value {
        match self.kind {
            Kind::Boolean => Value::Boolean(self.default == "true"),
            Kind::Count => self
                .default
                .parse()
                .map_or_else(|_| Value::Text(self.default.to_owned()), Value::Integer),
            _ => Value::Text(self.default.to_owned()),
        }
    }

    fn check(&self, value: &Value) -> Result<Value> {
        let wrong = |expected: &str| StoreError::Invalid {
            code: "config-wrong-type",
            message: format!(
                "controller option \"{}\" expects {expected}, got \"{value}\"",
                self.name
            ),
        };
        let text = value.to_string().trim().to_owned();
        Ok(match self.kind {
            Kind::Boolean => match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" => Value::Boolean(true),
                "false" | "no" | "off" => Value::Boolean(false),
                _ => return Err(wrong("true or false")),
            },
            Kind::Count => match text.parse::<u32>() {
                Ok(number) => Value::Integer(i64::from(number)),
                Err(_) => return Err(wrong("a whole number")),
            },
            Kind::Size => {
                if parse_size_mb(&text).is_none_or(|size| size == 0) {
                    return Err(wrong("a size such as 300M or 1G"));
                }
                Value::Text(text)
            }
            Kind::Methods => {
                if !methods(&text).all(is_method) {
                    return Err(wrong(
                        "names such as Uniter.CommitHook, ReadOnlyMethods or AgentMethods, separated by commas",
                    ));
                }
                Value::Text(methods(&text).collect::<Vec<_>>().join(","))
            }
            Kind::SyslogTarget => {
                let unix = text
                    .strip_prefix("unix:")
                    .is_some_and(|path| path.starts_with('/'));
                let tcp = text
                    .strip_prefix("tcp:")
                    .and_then(|address| address.rsplit_once(':'))
                    .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok());
                if !(text.is_empty() || unix || tcp) {
                    return Err(wrong("nothing, unix:PATH or tcp:HOST:PORT"));
                }
                Value::Text(text)
            }
        })
    }
}

/// The names in a list of methods.
pub fn methods(text: &str) -> impl Iterator<Item = &str> {
    text.split([',', ' ', '\n'])
        .map(str::trim)
        .filter(|name| !name.is_empty())
}

fn is_method(name: &str) -> bool {
    let word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric());
    [READ_ONLY_METHODS, AGENT_METHODS].contains(&name)
        || name
            .split_once('.')
            .is_some_and(|(facade, method)| word(facade) && word(method))
}

fn find(name: &str) -> Result<&'static Key> {
    KEYS.iter()
        .find(|key| key.name == name)
        .ok_or_else(|| StoreError::Invalid {
            code: "config-unknown-option",
            message: format!(
                "controller option \"{name}\" does not exist; there are: {}",
                KEYS.iter()
                    .map(|key| key.name)
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        })
}

async fn effective(db: &mut Session) -> Result<Values> {
    let mut values: Values = KEYS
        .iter()
        .map(|key| (key.name.to_owned(), key.default()))
        .collect();
    let sql = "SELECT key, value FROM controller_value WHERE key LIKE 'config/%'";
    for row in db.fetch(sql, vec![]).await? {
        let name = row.str(0)?.trim_start_matches(PREFIX).to_owned();
        values.insert(name, row.json(1, "controller option")?);
    }
    Ok(values)
}

async fn change(tx: &mut Tx, change: &ConfigChange) -> Result<Values> {
    let before = effective(&mut tx.db).await?;
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
    let after = effective(&mut tx.db).await?;
    if before != after {
        tx.touch_controller(namespace::CONTROLLER_CONFIG, "");
    }
    Ok(after)
}

impl Store {
    /// Effective values, all keys.
    pub async fn controller_config(&self) -> Result<Values> {
        effective(&mut self.glance().await?).await
    }

    /// Sets and resets in one step; the effective values then. Unknown options and values of
    /// the wrong kind are refused, and then nothing changes.
    pub async fn set_controller_config(&self, request: ConfigChange) -> Result<Values> {
        self.write(move |tx| Box::pin(async move { change(tx, &request).await }))
            .await
    }
}
