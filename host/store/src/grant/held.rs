//! Another revision of an application's charm that needs more than anybody granted: kept with the request for it until
//! it is approved or dropped. The application keeps the charm that it has meanwhile, and its status says what
//! the other one waits for.

use periapt_model::charm::CharmInfo;
use periapt_model::charm::capability::Declared;
use periapt_model::charm::capability::grant::{
    AwaitsApproval, Choices, Decided, Rules, Standing, Unfit,
};
use periapt_model::status::{Status, Workload};
use periapt_model::workload::with_unwell;
use periapt_model::{ApplicationName, ModelUuid, UnitName};
use periapt_wire::rest::{HeldRevision, Refresh};
use serde::{Deserialize, Serialize};

use super::{decided, rules, save, settle};
use crate::changes::namespace;
use crate::db::{Session, Tx, columns, optional_json, params, to_json};
use crate::{Result, application};

/// A revision that waits, as it is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Held {
    /// What is done once it is approved.
    pub request: Refresh,
    pub revision: u64,
    pub by: String,
    pub at: i64,
    pub awaits: Vec<Declared>,
}

impl Held {
    pub fn shown(&self) -> HeldRevision {
        HeldRevision {
            charm: self.request.charm.clone(),
            revision: self.revision,
            by: self.by.clone(),
            at: self.at,
            awaits: self.awaits.clone(),
        }
    }

    /// What an application or one of its units says, with what this waits for.
    pub fn follow(
        &self,
        application: &ApplicationName,
        mut said: Status<Workload>,
    ) -> Status<Workload> {
        let waits = AwaitsApproval {
            application,
            revision: self.revision,
            capabilities: &self.awaits,
        };
        said.message = with_unwell(&said.message, &[waits.to_string()]);
        said
    }
}

columns! {
    struct Waiting {
        held: Option<Held> = "held" as optional_json,
    }
    const WAITING = "FROM application WHERE model_uuid = $1 AND name = $2";
    const WAITING_ALIVE = "FROM application WHERE model_uuid = $1 AND name = $2 AND life = 'alive'";
}

pub(crate) async fn find(
    db: &mut Session,
    model: &ModelUuid,
    application: &ApplicationName,
) -> Result<Option<Held>> {
    let found = db.one(WAITING, params![model, application]).await?;
    found
        .map(|found| found.held)
        .ok_or_else(|| super::gone(application))
}

/// Keeps a revision, or forgets the one that was kept.
async fn put(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    held: Option<&Held>,
) -> Result<()> {
    let sql = "UPDATE application SET held = $3 WHERE model_uuid = $1 AND name = $2
        AND COALESCE(held, $3) IS NOT NULL";
    let json = held.map(to_json).transpose()?;
    let changed = tx.db.execute(sql, params![model, application, json]);
    if changed.await? > 0 {
        tx.touch(model, namespace::APPLICATION, application.as_str());
        // Each of its units says so as well.
        let sql = "SELECT name FROM unit WHERE model_uuid = $1 AND application = $2";
        let units: Vec<UnitName> = tx
            .db
            .words("unit", sql, params![model, application])
            .await?;
        for unit in units {
            tx.touch(model, namespace::UNIT_STATUS, unit.as_str());
        }
    }
    Ok(())
}

/// What a person says of another revision of an application's charm, decided and written down. Whether it may be taken
/// now: if it needs what nobody decided about and the one in place does not, it is kept in place of one that was
/// kept before. What comes with the charm in place, files or settings, changes nothing about one that waits.
pub(crate) async fn may_take(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    [old, new]: [&CharmInfo; 2],
    request: &Refresh,
    by: &str,
) -> Result<bool> {
    let rules = rules(&mut tx.db, model).await?;
    let known = decided(&mut tx.db, model, application).await?;
    let added = old.declared.change_to(&new.declared).added;
    let choices = &request.capabilities;
    match rules.decide(application, &new.declared, &added, &known, choices) {
        Ok(after) => {
            save(tx, model, application, &known, &after, by).await?;
            if new.url != old.url {
                put(tx, model, application, None).await?;
            }
            Ok(true)
        }
        // Uploads are not kept for as long as a revision may wait.
        Err(Unfit::Undecided { capabilities, .. }) if request.resources.is_empty() => {
            // What was said counts from now on. Kept with the request, it would be said again once that is taken, and
            // undo what somebody decided meanwhile.
            let after = rules.decide(application, &new.declared, &[], &known, choices)?;
            save(tx, model, application, &known, &after, by).await?;
            settle(tx, model, application, &rules).await?;
            let held = Held {
                request: Refresh {
                    capabilities: Choices::default(),
                    ..request.clone()
                },
                revision: u64::from(new.revision),
                by: by.to_owned(),
                at: tx.now,
                awaits: capabilities,
            };
            put(tx, model, application, Some(&held)).await?;
            Ok(false)
        }
        Err(unfit) => Err(unfit.into()),
    }
}

/// Looks at a revision again after something was decided: it is taken once nothing is left to be decided, and dropped
/// if something that it needs was denied.
pub(super) async fn reconsider(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    rules: &Rules,
    decided: &Decided,
    held: Held,
) -> Result<()> {
    let standing = |one: &Declared| rules.standing(&one.capability, decided);
    if held
        .awaits
        .iter()
        .any(|one| standing(one) == Standing::Denied)
    {
        return put(tx, model, application, None).await;
    }
    let left = held.awaits.iter().filter(|one| !standing(one).holds());
    let left: Vec<Declared> = left.cloned().collect();
    if left.is_empty() {
        let Held { request, by, .. } = held;
        application::take_revision(tx, model, application, request, &by).await?;
        return Ok(());
    }
    let held = Held {
        awaits: left,
        ..held
    };
    put(tx, model, application, Some(&held)).await
}

/// Looks at a revision again after a policy changed, in a transaction of its own: that it cannot be taken must not keep
/// the policy from changing.
pub(crate) async fn review(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
) -> Result<()> {
    let found = tx.db.one(WAITING_ALIVE, params![model, application]);
    let Some(held) = found.await?.and_then(|found| found.held) else {
        return Ok(());
    };
    let rules = rules(&mut tx.db, model).await?;
    let decided = decided(&mut tx.db, model, application).await?;
    reconsider(tx, model, application, &rules, &decided, held).await
}
