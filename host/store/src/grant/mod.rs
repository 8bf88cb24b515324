//! What applications have of what their charms declare: what people decided is kept here, with who and when, and what
//! follows from it and from the policies is written beside the application.
//!
//! `periapt_model` has the rules. What an application does not have is derived whenever a decision, a policy or a charm
//! changes, in the transaction of the change, so that agents are told it with everything else that a hook sees
//! and nothing is computed for a hook. The revisions that wait for a decision are in [`held`].

use std::collections::BTreeSet;

use periapt_model::charm::CharmInfo;
use periapt_model::charm::capability::grant::{
    Choices, Decided, Decision, Rules, Standing, Unfit, overlaps,
};
use periapt_model::charm::capability::{Capability, Declaration, Declared, Pattern, Policy};
use periapt_model::config::{Value, Values};
use periapt_model::options::{CAPABILITY_DEFAULT, CAPABILITY_POLICY};
use periapt_model::refusal::Subject;
use periapt_model::{ApplicationName, ModelUuid};
use periapt_wire::rest::{CapabilityGrant, Grants};

use crate::changes::namespace;
use crate::db::{Session, Tx, columns, json, params, to_json, word};
use crate::error::StoreError;
use crate::tables::{Table, tables};
use crate::{Result, Store, application, charm, cleanup, controller, model};

pub(crate) mod held;
pub(crate) mod shut;
#[cfg(test)]
mod tests;

pub(crate) const TABLES: &[Table] = tables! {
    "capability_decision", Application "application = $2";
};

columns! {
    struct DecisionRow {
        capability: Capability = "capability" as word,
        decision: Decision = "decision" as word,
        by: String = "decided_by",
        at: i64 = "decided_at",
    }
    const DECISIONS = "FROM capability_decision WHERE model_uuid = $1 AND application = $2 ORDER BY capability";
}

/// Of a charm, what it declares; the rest is not even parsed.
#[derive(serde::Deserialize)]
struct OnlyDeclared {
    #[serde(default)]
    declared: Declaration,
}

columns! {
    /// A charm of an application, or of one of its units.
    struct InUse {
        charm: OnlyDeclared = "charm.info" as json,
    }
    const IN_USE = "FROM charm WHERE charm.model_uuid = $1 AND charm.url IN (
            SELECT application.charm_url FROM application
                WHERE application.model_uuid = $1 AND application.name = $2
            UNION SELECT unit.charm_url FROM unit
                WHERE unit.model_uuid = $1 AND unit.application = $2 AND unit.charm_url IS NOT NULL)";
}

impl Store {
    /// The capabilities of an application, with what was decided about each.
    pub async fn grants(&self, model: &ModelUuid, application: &ApplicationName) -> Result<Grants> {
        let mut db = self.snapshot().await?;
        of_application(&mut db, model, application).await
    }

    /// The capabilities of a charm, with what would hold of each if it were deployed now, or if this application got it.
    pub async fn charm_capabilities(
        &self,
        model: &ModelUuid,
        url: &str,
        application: Option<&ApplicationName>,
    ) -> Result<Grants> {
        let mut db = self.snapshot().await?;
        let charm = charm::find(&mut db, model, url).await?;
        let rows = match application {
            Some(application) => {
                application::require(&mut db, model, application).await?;
                db.all(DECISIONS, params![model, application]).await?
            }
            None => Vec::new(),
        };
        let rules = rules(&mut db, model).await?;
        Ok(Grants {
            application: application.cloned(),
            charm: charm.url.to_string(),
            capabilities: shown(&rules, &charm, &rows),
            held: None,
        })
    }

    /// Grants an application what its charm declares. A revision that waited for it alone is taken.
    pub async fn grant_capabilities(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
        capabilities: Vec<Pattern>,
        by: &str,
    ) -> Result<Grants> {
        let choices = Choices {
            grant: capabilities,
            ..Choices::default()
        };
        self.decide(model, application, choices, by).await
    }

    /// Takes capabilities back from an application, or denies them. A revision that waits for one of them is dropped.
    pub async fn revoke_capabilities(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
        capabilities: Vec<Pattern>,
        by: &str,
    ) -> Result<Grants> {
        let choices = Choices {
            deny: capabilities,
            ..Choices::default()
        };
        self.decide(model, application, choices, by).await
    }

    async fn decide(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
        choices: Choices,
        by: &str,
    ) -> Result<Grants> {
        let (model, application, by) = (model.clone(), application.clone(), by.to_owned());
        self.write(move |tx| {
            Box::pin(async move {
                let url = application::require_alive(&mut tx.db, &model, &application).await?;
                let mut all = charm::find(&mut tx.db, &model, &url).await?.declared;
                let waiting = held::find(&mut tx.db, &model, &application).await?;
                if let Some(waiting) = &waiting {
                    let next = charm::find(&mut tx.db, &model, &waiting.request.charm).await?;
                    all = all
                        .iter()
                        .chain(next.declared.iter())
                        .collect::<Vec<_>>()
                        .into();
                }
                let rules = rules(&mut tx.db, &model).await?;
                let known = decided(&mut tx.db, &model, &application).await?;
                let (known, choices) =
                    forget(tx, &model, &application, &all, known, choices).await?;
                let after = rules.decide(&application, &all, &[], &known, &choices)?;
                save(tx, &model, &application, &known, &after, &by).await?;
                settle(tx, &model, &application, &rules).await?;
                if let Some(waiting) = waiting {
                    held::reconsider(tx, &model, &application, &rules, &after, waiting).await?;
                }
                of_application(&mut tx.db, &model, &application).await
            })
        })
        .await
    }
}

/// Forgets decisions that are taken back about what no charm declares any more; what was known and asked for beside them.
async fn forget(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    declared: &Declaration,
    known: Decided,
    mut choices: Choices,
) -> Result<(Decided, Choices)> {
    let is_declared = |one: &Capability| declared.capabilities().any(|own| overlaps(own, one));
    let (gone, kept): (Decided, Decided) = known.into_iter().partition(|(one, _)| {
        !is_declared(one) && choices.deny.iter().any(|pattern| pattern.matches(one))
    });
    for capability in gone.keys() {
        delete(tx, model, application, capability).await?;
    }
    if !gone.is_empty() {
        tx.touch(model, namespace::APPLICATION, application.as_str());
    }
    choices.deny.retain(|pattern| {
        declared.capabilities().any(|one| pattern.matches(one))
            || !gone.keys().any(|one| pattern.matches(one))
    });
    Ok((kept, choices))
}

/// What a person said of a new application's charm, decided and written down. All that the charm declares is decided
/// then.
pub(crate) async fn begin(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    declared: &Declaration,
    choices: &Choices,
    by: &str,
) -> Result<()> {
    if declared.is_empty() && choices.is_empty() {
        return Ok(());
    }
    let rules = rules(&mut tx.db, model).await?;
    let asked: Vec<Declared> = declared.iter().collect();
    let none = Decided::new();
    let after = rules.decide(application, declared, &asked, &none, choices)?;
    save(tx, model, application, &none, &after, by).await?;
    settle(tx, model, application, &rules).await
}

/// Derives anew what an application does not have.
pub(crate) async fn settle(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    rules: &Rules,
) -> Result<()> {
    let decided = decided(&mut tx.db, model, application).await?;
    let mut withheld = BTreeSet::new();
    for in_use in tx.db.all(IN_USE, params![model, application]).await? {
        withheld.extend(rules.withheld(&in_use.charm.declared, &decided));
    }
    let sql = "UPDATE application SET withheld = $3
        WHERE model_uuid = $1 AND name = $2 AND withheld <> $3";
    let withheld = to_json(&withheld)?;
    let changed = tx.db.execute(sql, params![model, application, withheld]);
    if changed.await? > 0 {
        tx.touch(model, namespace::APPLICATION, application.as_str());
    }
    Ok(())
}

/// The same of all applications of a model, whose policies changed.
pub(crate) async fn policies_changed(tx: &mut Tx, model: &ModelUuid) -> Result<()> {
    let rules = rules(&mut tx.db, model).await?;
    let sql = "SELECT name FROM application WHERE model_uuid = $1 ORDER BY name";
    let names: Vec<ApplicationName> = tx.db.words("application", sql, params![model]).await?;
    for name in names {
        settle(tx, model, &name, &rules).await?;
    }
    let sql =
        "SELECT name FROM application WHERE model_uuid = $1 AND held IS NOT NULL ORDER BY name";
    let names: Vec<ApplicationName> = tx.db.words("application", sql, params![model]).await?;
    for name in names {
        let (kind, due) = (cleanup::Kind::HeldRevision, tx.now);
        cleanup::enqueue(tx, model, kind, name.as_str(), false, due).await?;
    }
    Ok(())
}

/// Derives anew what an application does not have, after one of its units changed to another charm: that need not be the
/// application's any more, and the one that it left may have been the last to declare something.
pub(crate) async fn unit_changed(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
) -> Result<()> {
    let rules = rules(&mut tx.db, model).await?;
    settle(tx, model, application, &rules).await
}

/// Whether an option is a policy.
pub(crate) fn is_policy(name: &str) -> bool {
    [CAPABILITY_DEFAULT, CAPABILITY_POLICY].contains(&name)
}

/// What the policies of a model say.
pub(crate) async fn rules(db: &mut Session, model: &ModelUuid) -> Result<Rules> {
    let values = model::config::effective(db, model).await?;
    let own = text(&values, CAPABILITY_DEFAULT);
    let default = match own.is_empty() {
        true => text(
            &controller::config::effective(db).await?,
            CAPABILITY_DEFAULT,
        ),
        false => own,
    };
    Ok(Rules {
        bound: policy(&text(&values, CAPABILITY_POLICY))?,
        default: policy(&default)?,
    })
}

fn text(values: &Values, name: &str) -> String {
    values.get(name).map(Value::to_string).unwrap_or_default()
}

fn policy(text: &str) -> Result<Policy> {
    text.parse()
        .map_err(|error| StoreError::corrupt("capability policy", error))
}

/// What was decided about an application's capabilities.
pub(crate) async fn decided(
    db: &mut Session,
    model: &ModelUuid,
    application: &ApplicationName,
) -> Result<Decided> {
    let rows = db.all(DECISIONS, params![model, application]).await?;
    let each = rows.into_iter().map(|row| (row.capability, row.decision));
    Ok(each.collect())
}

/// Writes down what is decided now and was not before.
pub(crate) async fn save(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    before: &Decided,
    after: &Decided,
    by: &str,
) -> Result<()> {
    for (capability, decision) in after {
        if before.get(capability) == Some(decision) {
            continue;
        }
        let sql = "INSERT INTO capability_decision
                (model_uuid, application, capability, decision, decided_by, decided_at)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (model_uuid, application, capability) DO UPDATE SET decision = excluded.decision,
                decided_by = excluded.decided_by, decided_at = excluded.decided_at";
        let row = params![
            model,
            application,
            capability.to_string(),
            decision.as_str(),
            by,
            tx.now
        ];
        tx.db.execute(sql, row).await?;
    }
    for capability in before.keys().filter(|one| !after.contains_key(*one)) {
        delete(tx, model, application, capability).await?;
    }
    if before != after {
        tx.touch(model, namespace::APPLICATION, application.as_str());
    }
    Ok(())
}

async fn delete(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    capability: &Capability,
) -> Result<()> {
    let sql = "DELETE FROM capability_decision
        WHERE model_uuid = $1 AND application = $2 AND capability = $3";
    let row = params![model, application, capability.to_string()];
    tx.db.execute(sql, row).await?;
    Ok(())
}

async fn of_application(
    db: &mut Session,
    model: &ModelUuid,
    application: &ApplicationName,
) -> Result<Grants> {
    let charm = charm::of_application(db, model, application).await?;
    let rows = db.all(DECISIONS, params![model, application]).await?;
    let rules = rules(db, model).await?;
    let held = held::find(db, model, application).await?;
    Ok(Grants {
        application: Some(application.clone()),
        charm: charm.url.to_string(),
        capabilities: shown(&rules, &charm, &rows),
        held: held.map(|held| held.shown()),
    })
}

/// What is declared, and what was decided about and is not declared any more.
fn shown(rules: &Rules, charm: &CharmInfo, rows: &[DecisionRow]) -> Vec<CapabilityGrant> {
    let declared = &charm.declared;
    let decided: Decided = rows
        .iter()
        .map(|row| (row.capability.clone(), row.decision))
        .collect();
    let mut all: Vec<CapabilityGrant> = declared
        .iter()
        .map(|one| {
            let standing = rules.standing(&one.capability, &decided);
            let row = decisive(rows, &one.capability, standing);
            CapabilityGrant {
                used: !charm.unused.contains(&one.capability),
                allows: one.capability.words(),
                capability: one.capability,
                why: one.why,
                standing,
                by: row.map(|row| row.by.clone()),
                at: row.map(|row| row.at),
            }
        })
        .collect();
    let is_declared = |one: &Capability| declared.capabilities().any(|own| overlaps(own, one));
    let left = rows.iter().filter(|row| !is_declared(&row.capability));
    all.extend(left.map(|row| CapabilityGrant {
        capability: row.capability.clone(),
        allows: row.capability.words(),
        why: None,
        standing: Standing::NotDeclared,
        used: false,
        by: Some(row.by.clone()),
        at: Some(row.at),
    }));
    all
}

/// The decision for which a capability is granted or denied.
fn decisive<'a>(
    rows: &'a [DecisionRow],
    capability: &Capability,
    standing: Standing,
) -> Option<&'a DecisionRow> {
    let mut rows = rows.iter();
    match standing {
        Standing::Granted => {
            rows.find(|row| row.decision == Decision::Granted && row.capability.covers(capability))
        }
        Standing::Denied => rows
            .find(|row| row.decision == Decision::Denied && overlaps(&row.capability, capability)),
        _ => None,
    }
}

impl From<Unfit> for StoreError {
    fn from(unfit: Unfit) -> Self {
        StoreError::Refused {
            refusal: unfit.refusal(),
            message: unfit.to_string(),
        }
    }
}

/// An application that is not there.
fn gone(application: &ApplicationName) -> StoreError {
    StoreError::not_found(Subject::Application, application)
}
