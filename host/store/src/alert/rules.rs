//! Rules: what is watched for, where, and who is told.

use std::time::Duration;

use periapt_model::alert::{Condition, Rule};
use periapt_model::nearest::suggestion;
use periapt_model::refusal::Subject;
use periapt_model::{Refusal, duration};
use periapt_wire::rest::{AlertRuleInfo, NewAlertRule, SilenceAlertRule};

use super::{receivers, refused, require_name};
use crate::changes::namespace;
use crate::db::{Session, columns, json, params, to_json, word};
use crate::error::StoreError;
use crate::full_status::rfc3339;
use crate::{Result, Store};

/// Rules there may be.
const MOST: u64 = 100;
/// The longest silence.
const SILENCE: Duration = Duration::from_secs(30 * 24 * 3600);

columns! {
    /// A rule as it is kept.
    #[derive(Clone, Debug)]
    pub(super) struct Stored {
        name: String = "alert_rule.name",
        /// Empty for all.
        model: String = "alert_rule.model_uuid",
        model_name: Option<String> = "(SELECT model.name FROM model WHERE model.uuid = alert_rule.model_uuid)",
        condition: Condition = "alert_rule.kind" as word,
        threshold: i64 = "alert_rule.threshold",
        receivers: Vec<String> = "alert_rule.receivers" as json,
        silenced_until: Option<i64> = "alert_rule.silenced_until",
        last_message_at: Option<i64> = "alert_rule.last_message_at",
        created_at: i64 = "alert_rule.created_at",
        firing: u64 = "(SELECT COUNT(*) FROM alert WHERE alert.rule = alert_rule.name AND alert.phase = 'firing')",
    }
    const ALL = "FROM alert_rule ORDER BY alert_rule.name";
    const ONE = "FROM alert_rule WHERE alert_rule.name = $1";
}

impl Stored {
    pub(super) fn rule(&self) -> Rule {
        Rule {
            condition: self.condition,
            threshold: self.threshold,
        }
    }

    /// Whether it looks at this model.
    pub(super) fn covers(&self, model: &str) -> bool {
        self.model.is_empty() || self.model == model
    }

    fn shown(self, now: i64) -> AlertRuleInfo {
        let silenced = self.silenced_until.filter(|until| *until > now);
        AlertRuleInfo {
            threshold: self.rule().threshold_text(),
            condition: self.condition,
            model: self.model_name,
            receivers: self.receivers,
            silenced_until: silenced.map(rfc3339),
            firing: self.firing,
            created_at: rfc3339(self.created_at),
            name: self.name,
        }
    }
}

/// All rules, in no order that anybody may rely on.
pub(super) async fn all(db: &mut Session) -> Result<Vec<Stored>> {
    Ok(db.all(ALL, vec![]).await?)
}

async fn find(db: &mut Session, name: &str) -> Result<Stored> {
    if let Some(found) = db.one(ONE, params![name]).await? {
        return Ok(found);
    }
    let known: Vec<String> = all(db).await?.into_iter().map(|rule| rule.name).collect();
    let shown: String = name.chars().take(80).collect();
    Err(refused(
        Refusal::NotFound(Subject::AlertRule),
        format!(
            "alert rule \"{shown}\" not found{}",
            suggestion(name, known.iter().map(String::as_str))
        ),
    ))
}

/// The UUID of a model that people name.
async fn model_called(db: &mut Session, name: &str) -> Result<String> {
    let sql = "SELECT uuid FROM model WHERE name = $1 OR uuid = $1";
    if let Some(uuid) = db.scalar(sql, params![name]).await? {
        return Ok(uuid);
    }
    let known: Vec<String> = db.scalars("SELECT name FROM model", vec![]).await?;
    let shown: String = name.chars().take(80).collect();
    Err(refused(
        Refusal::NotFound(Subject::Model),
        format!(
            "model \"{shown}\" not found{}",
            suggestion(name, known.iter().map(String::as_str))
        ),
    ))
}

impl Store {
    /// All rules, by name.
    pub async fn alert_rules(&self) -> Result<Vec<AlertRuleInfo>> {
        let now = self.now();
        let found = all(&mut self.snapshot().await?).await?.into_iter();
        let mut rules: Vec<AlertRuleInfo> = found.map(|rule| rule.shown(now)).collect();
        // Databases disagree about the order of names.
        rules.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(rules)
    }

    /// Adds a rule, which is looked at from then on.
    pub async fn add_alert_rule(&self, new: NewAlertRule) -> Result<AlertRuleInfo> {
        self.write(move |tx| {
            Box::pin(async move {
                let invalid = |why: String| refused(Refusal::AlertRuleInvalid, why);
                require_name(Subject::AlertRule, Refusal::AlertRuleInvalid, &new.name)?;
                let condition: Condition = new
                    .condition
                    .parse()
                    .map_err(|error: periapt_model::alert::RuleError| invalid(error.0))?;
                let rule =
                    Rule::new(condition, &new.threshold).map_err(|error| invalid(error.0))?;
                let model = match new.model.as_deref().filter(|name| !name.is_empty()) {
                    None => String::new(),
                    Some(_) if !condition.is_of_model() => {
                        return Err(invalid(format!(
                            "{condition} is about the controller and watches no model"
                        )));
                    }
                    Some(name) => model_called(&mut tx.db, name).await?,
                };
                receivers::require(&mut tx.db, &new.receivers).await?;
                if tx.db.one(ONE, params![&new.name]).await?.is_some() {
                    return Err(StoreError::AlreadyExists {
                        kind: Subject::AlertRule,
                        name: new.name,
                    });
                }
                let sql = "SELECT COUNT(*) FROM alert_rule";
                if tx.db.count(sql, vec![]).await? >= MOST {
                    return Err(invalid(format!(
                        "there are already {MOST} rules, which is the limit"
                    )));
                }
                let mut told = new.receivers.clone();
                told.sort();
                told.dedup();
                let sql = "INSERT INTO alert_rule
                    (name, model_uuid, kind, threshold, receivers, created_at)
                    VALUES ($1, $2, $3, $4, $5, $6)";
                let row = params![
                    &new.name,
                    &model,
                    condition.as_str(),
                    rule.threshold,
                    to_json(&told)?,
                    tx.now
                ];
                tx.db.execute(sql, row).await?;
                tx.touch_controller(namespace::ALERT_RULE, new.name.as_str());
                let now = tx.now;
                Ok(find(&mut tx.db, &new.name).await?.shown(now))
            })
        })
        .await
    }

    /// Removes a rule. Its alerts end, nobody is told that they do, and what waits to be sent of it is given up.
    pub async fn remove_alert_rule(&self, name: &str) -> Result<()> {
        let name = name.to_owned();
        self.write(move |tx| {
            Box::pin(async move {
                find(&mut tx.db, &name).await?;
                let sql = "DELETE FROM alert_rule WHERE name = $1";
                tx.db.execute(sql, params![&name]).await?;
                super::ending::end_orphans(tx).await?;
                tx.touch_controller(namespace::ALERT_RULE, name.as_str());
                Ok(())
            })
        })
        .await
    }

    /// Tells nobody of what a rule finds, for so long. What waits to be sent of it waits on.
    pub async fn silence_alert_rule(
        &self,
        name: &str,
        silence: &SilenceAlertRule,
    ) -> Result<AlertRuleInfo> {
        let (name, text) = (name.to_owned(), silence.duration.clone());
        self.write(move |tx| {
            Box::pin(async move {
                let wanted = duration::parse(&text).filter(|time| *time <= SILENCE);
                let wanted = wanted.ok_or_else(|| {
                    let shown: String = text.chars().take(80).collect();
                    refused(
                        Refusal::AlertRuleInvalid,
                        format!(
                            "\"{shown}\" is not how long a rule can be silent; write a duration such as 2h, at most 30d, or 0 to end the silence"
                        ),
                    )
                })?;
                find(&mut tx.db, &name).await?;
                let time = i64::try_from(wanted.as_micros()).unwrap_or(i64::MAX);
                let until = (time > 0).then(|| tx.now.saturating_add(time));
                let sql = "UPDATE alert_rule SET silenced_until = $2 WHERE name = $1";
                tx.db.execute(sql, params![&name, until]).await?;
                tx.touch_controller(namespace::ALERT_RULE, name.as_str());
                let now = tx.now;
                Ok(find(&mut tx.db, &name).await?.shown(now))
            })
        })
        .await
    }
}
