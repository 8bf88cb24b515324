//! Receivers of messages: where they are, without what is secret in that.

use std::collections::BTreeMap;

use periapt_model::Refusal;
use periapt_model::nearest::suggestion;
use periapt_model::refusal::Subject;

use super::{refused, require_name, rules};
use crate::changes::namespace;
use crate::db::{Session, columns, json, params, to_json};
use crate::error::StoreError;
use crate::secret::{SealedKey, require_current};
use crate::{Result, Store};

/// Receivers there may be.
const MOST: u64 = 50;

/// A receiver as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReceiver {
    pub name: String,
    pub kind: String,
    /// Without what is secret in it.
    pub config: BTreeMap<String, String>,
    pub secret_config: SealedKey,
    /// Microseconds UTC.
    pub created_at: i64,
    /// The rules that name it.
    pub rules: Vec<String>,
}

columns! {
    struct Row {
        name: String = "name",
        kind: String = "kind",
        config: BTreeMap<String, String> = "config" as json,
        sealed: String = "sealed_config",
        under: String = "sealed_under",
        created_at: i64 = "created_at",
    }
    const ALL = "FROM alert_receiver ORDER BY name";
    const ONE = "FROM alert_receiver WHERE name = $1";
}

impl From<Row> for StoredReceiver {
    fn from(row: Row) -> Self {
        Self {
            name: row.name,
            kind: row.kind,
            config: row.config,
            secret_config: SealedKey {
                under: row.under,
                sealed: row.sealed,
            },
            created_at: row.created_at,
            rules: Vec::new(),
        }
    }
}

async fn names(db: &mut Session) -> Result<Vec<String>> {
    let sql = "SELECT name FROM alert_receiver ORDER BY name";
    Ok(db.scalars(sql, vec![]).await?)
}

/// Refuses names of receivers that there are not.
pub(super) async fn require(db: &mut Session, wanted: &[String]) -> Result<()> {
    let known = names(db).await?;
    match wanted.iter().find(|name| !known.contains(name)) {
        None => Ok(()),
        Some(name) => Err(missing(name, &known)),
    }
}

fn missing(name: &str, known: &[String]) -> StoreError {
    let shown: String = name.chars().take(80).collect();
    refused(
        Refusal::NotFound(Subject::AlertReceiver),
        format!(
            "alert receiver \"{shown}\" not found{}",
            suggestion(name, known.iter().map(String::as_str))
        ),
    )
}

async fn find(db: &mut Session, name: &str) -> Result<StoredReceiver> {
    let Some(row) = db.one(ONE, params![name]).await? else {
        return Err(missing(name, &names(db).await?));
    };
    let mut found = StoredReceiver::from(row);
    let all = rules::all(db).await?.into_iter();
    found.rules = all
        .filter(|rule| rule.receivers.contains(&found.name))
        .map(|rule| rule.name)
        .collect();
    Ok(found)
}

impl Store {
    /// All receivers, by name.
    pub async fn alert_receivers(&self) -> Result<Vec<StoredReceiver>> {
        let mut db = self.snapshot().await?;
        let rows = db.all(ALL, vec![]).await?;
        let rules = rules::all(&mut db).await?;
        let receiver = |row: Row| {
            let mut found = StoredReceiver::from(row);
            let naming = rules
                .iter()
                .filter(|rule| rule.receivers.contains(&found.name));
            let naming: Vec<String> = naming.map(|rule| rule.name.clone()).collect();
            found.rules = naming;
            found
        };
        let mut all: Vec<StoredReceiver> = rows.into_iter().map(receiver).collect();
        // Databases disagree about the order of names.
        all.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(all)
    }

    /// One receiver.
    pub async fn alert_receiver(&self, name: &str) -> Result<StoredReceiver> {
        find(&mut self.snapshot().await?, name).await
    }

    /// Adds a receiver, whose configuration makes sense.
    ///
    /// # Errors
    /// Code `try-again`, and nothing is changed, if the controller's key was replaced since the secret part was sealed.
    pub async fn add_alert_receiver(
        &self,
        name: &str,
        kind: &str,
        config: BTreeMap<String, String>,
        secret_config: SealedKey,
    ) -> Result<StoredReceiver> {
        let (name, kind) = (name.to_owned(), kind.to_owned());
        self.write(move |tx| {
            Box::pin(async move {
                require_name(Subject::AlertReceiver, Refusal::AlertReceiverInvalid, &name)?;
                require_current(tx, &secret_config.under).await?;
                if tx.db.one(ONE, params![&name]).await?.is_some() {
                    return Err(StoreError::AlreadyExists {
                        kind: Subject::AlertReceiver,
                        name,
                    });
                }
                let sql = "SELECT COUNT(*) FROM alert_receiver";
                if tx.db.count(sql, vec![]).await? >= MOST {
                    return Err(refused(
                        Refusal::AlertReceiverInvalid,
                        format!("there are already {MOST} receivers, which is the limit"),
                    ));
                }
                let sql = "INSERT INTO alert_receiver
                    (name, kind, config, sealed_config, sealed_under, created_at)
                    VALUES ($1, $2, $3, $4, $5, $6)";
                let row = params![
                    &name,
                    &kind,
                    to_json(&config)?,
                    &secret_config.sealed,
                    &secret_config.under,
                    tx.now
                ];
                tx.db.execute(sql, row).await?;
                tx.touch_controller(namespace::ALERT_RULE, name.as_str());
                find(&mut tx.db, &name).await
            })
        })
        .await
    }

    /// Removes a receiver that no rule names. What waits to be sent to it is given up.
    pub async fn remove_alert_receiver(&self, name: &str) -> Result<()> {
        let name = name.to_owned();
        self.write(move |tx| {
            Box::pin(async move {
                let found = find(&mut tx.db, &name).await?;
                if !found.rules.is_empty() {
                    return Err(refused(
                        Refusal::AlertReceiverInUse,
                        format!(
                            "alert receiver \"{name}\" is named by the rules {}",
                            found.rules.join(", ")
                        ),
                    ));
                }
                let sql =
                    "UPDATE alert_delivery SET state = 'failed', next_at = NULL, ended_at = $2,
                    answer = 'the receiver was removed' WHERE receiver = $1 AND state = 'waiting'";
                tx.db.execute(sql, params![&name, tx.now]).await?;
                let sql = "DELETE FROM alert_receiver WHERE name = $1";
                tx.db.execute(sql, params![&name]).await?;
                tx.touch_controller(namespace::ALERT_RULE, name.as_str());
                Ok(())
            })
        })
        .await
    }
}
