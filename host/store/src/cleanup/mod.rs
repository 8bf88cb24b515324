//! The clean-up queue: steps of removals that nobody else does, a look at meters when their minute is over, and one at
//! revisions that wait for a grant when a policy changed. Each item runs in its own transaction; one that fails stays for
//! the next round and does not stop the others.

use periapt_model::ModelUuid;
use periapt_wire::agent::cleaner::CleanupReport;

use crate::changes::namespace;
use crate::db::{Tx, columns, params};
use crate::tables::{Table, tables};
use crate::{Result, Store, why};

mod handlers;
#[cfg(test)]
mod tests;

pub(crate) const TABLES: &[Table] = tables! {
    "cleanup",
        Application "subject = $2 AND kind IN ('application-units', 'held-revision')",
        Unit "subject = $2 AND kind IN ('force-destroy-unit', 'force-remove-unit')",
        Machine "subject = $2 AND kind IN ('force-dead-machine', 'force-remove-machine')",
        Relation "subject = CAST($2 AS TEXT) AND kind = 'force-relation'";
};

/// What an item does to its subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Every unit of a dying application begins to go.
    ApplicationUnits,
    /// Every application of a dying model begins to go.
    ModelApplications,
    /// Every machine without units of a dying model begins to go.
    ModelMachines,
    /// First step of force: a failed hook no longer holds the unit up.
    ForceDestroyUnit,
    /// Second step of force: the unit is gone, whatever its agent does.
    ForceRemoveUnit,
    /// A forced relation is gone, whoever is still in its scope.
    ForceRelation,
    /// A storage that goes by force is nobody's, whoever has not let go of it.
    ForceStorage,
    /// The machine of a forced unit is dead, whatever its agent does.
    ForceDeadMachine,
    /// A dead machine is gone, even if its instance could not be stopped.
    ForceRemoveMachine,
    /// What units are told of their quotas is decided anew: a minute is over, or the quotas changed.
    Meters,
    /// A revision that waits for a grant is looked at again: a policy changed.
    HeldRevision,
}

impl Kind {
    const ALL: &'static [Kind] = &[
        Kind::ApplicationUnits,
        Kind::ModelApplications,
        Kind::ModelMachines,
        Kind::ForceDestroyUnit,
        Kind::ForceRemoveUnit,
        Kind::ForceRelation,
        Kind::ForceStorage,
        Kind::ForceDeadMachine,
        Kind::ForceRemoveMachine,
        Kind::Meters,
        Kind::HeldRevision,
    ];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Kind::ApplicationUnits => "application-units",
            Kind::ModelApplications => "model-applications",
            Kind::ModelMachines => "model-machines",
            Kind::ForceDestroyUnit => "force-destroy-unit",
            Kind::ForceRemoveUnit => "force-remove-unit",
            Kind::ForceRelation => "force-relation",
            Kind::ForceStorage => "force-storage",
            Kind::ForceDeadMachine => "force-dead-machine",
            Kind::ForceRemoveMachine => "force-remove-machine",
            Kind::Meters => "meters",
            Kind::HeldRevision => "held-revision",
        }
    }

    /// What the subject is, where it says that it waits for this.
    fn waits(self) -> Option<&'static str> {
        match self {
            Kind::ForceDestroyUnit | Kind::ForceRemoveUnit => Some("unit"),
            Kind::ForceDeadMachine | Kind::ForceRemoveMachine => Some("machine"),
            Kind::ForceRelation => Some("relation"),
            Kind::ApplicationUnits
            | Kind::ModelApplications
            | Kind::ModelMachines
            | Kind::ForceStorage
            | Kind::Meters
            | Kind::HeldRevision => None,
        }
    }

    pub(crate) fn named(text: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.as_str() == text)
    }
}

/// Queues an item, to be done from `due_at` on. Queued again it becomes forced if either is,
/// and due at the earlier time, because of whoever asks for that.
pub(crate) async fn enqueue(
    tx: &mut Tx,
    model: &ModelUuid,
    kind: Kind,
    subject: &str,
    force: bool,
    due_at: i64,
) -> Result<()> {
    let id = tx.next_id();
    let args = match (force, tx.at_once) {
        (true, true) => AT_ONCE,
        (true, false) => FORCED,
        (false, _) => "{}",
    };
    let sql = "INSERT INTO cleanup (id, model_uuid, kind, subject, args, due_at, attempts, last_error, cause)
        VALUES ($1, $2, $3, $4, $5, $6, 0, '', $7)
        ON CONFLICT (model_uuid, kind, subject) DO UPDATE
        SET args = CASE WHEN LENGTH(excluded.args) < LENGTH(cleanup.args) THEN cleanup.args ELSE excluded.args END,
            due_at = CASE WHEN excluded.due_at < cleanup.due_at THEN excluded.due_at ELSE cleanup.due_at END,
            cause = CASE WHEN excluded.due_at < cleanup.due_at AND excluded.cause LIKE 'audit:%'
                THEN excluded.cause ELSE cleanup.cause END";
    let cause = why::cause(tx);
    let values = params![id, model, kind.as_str(), subject, args, due_at, cause];
    tx.db.execute(sql, values).await?;
    tx.touch(model, namespace::CLEANUP, "");
    touch(tx, model, kind, subject);
    Ok(())
}

/// Says that the subject waits for something else.
fn touch(tx: &mut Tx, model: &ModelUuid, kind: Kind, subject: &str) {
    if let Some(what) = kind.waits() {
        tx.touch(model, namespace::WAITING, format!("{what}/{subject}"));
    }
}

const FORCED: &str = "{\"force\":true}";
/// The longest of the three, which wins.
const AT_ONCE: &str = "{\"force\":true,\"at-once\":true}";

/// Queues the step of force by which a removal goes on that nobody forced: due when the model's
/// `removal-deadline` has passed, never when there is none. One that is queued already keeps its
/// time.
pub(crate) async fn enqueue_deadline(
    tx: &mut Tx,
    model: &ModelUuid,
    kind: Kind,
    subject: &str,
) -> Result<()> {
    match crate::model::config::removal_deadline(&mut tx.db, model).await? {
        None => Ok(()),
        Some(wait) => {
            let due = tx.now.saturating_add(wait);
            enqueue(tx, model, kind, subject, true, due).await
        }
    }
}

/// When the next step of a forced removal is due: after the model's `force-wait`, or now for one
/// that waits for nobody.
pub(crate) async fn next_step(tx: &mut Tx, model: &ModelUuid) -> Result<i64> {
    if tx.at_once {
        return Ok(tx.now);
    }
    let wait = crate::model::config::force_wait(&mut tx.db, model).await?;
    Ok(tx.now.saturating_add(wait))
}

columns! {
    /// One queued item.
    #[derive(Clone)]
    struct Item {
        id: i64 = "id",
        kind: String = "kind",
        subject: String = "subject",
        args: String = "args",
        cause: String = "cause",
    }
    const DUE = "FROM cleanup
        WHERE model_uuid = $1 AND due_at <= $2 AND id > $3 ORDER BY id LIMIT 1";
}

impl Item {
    fn force(&self) -> bool {
        self.args != "{}"
    }

    fn touch(&self, tx: &mut Tx, model: &ModelUuid) {
        if let Some(kind) = Kind::named(&self.kind) {
            touch(tx, model, kind, &self.subject);
        }
    }
}

columns! {
    /// What is queued still.
    struct Queued {
        remaining: u64 = "COUNT(*)",
        next_due: Option<i64> = "MIN(due_at)",
    }
    const QUEUED = "FROM cleanup WHERE model_uuid = $1";
}

impl Store {
    /// Runs the due items of a model in order. Replies with how many remain, when the next is
    /// due, and what failed.
    pub async fn cleanup(&self, model: &ModelUuid) -> Result<CleanupReport> {
        let mut errors = Vec::new();
        // An item may queue others that are due at once; an item tried once is left alone.
        let mut tried = 0;
        loop {
            let due = params![model, self.now(), tried];
            let Some(item) = self.glance().await?.one(DUE, due).await? else {
                break;
            };
            tried = item.id;
            let described = format!("{} {}", item.kind, item.subject);
            if let Err(error) = self.clean_one(model, item.clone()).await {
                tracing::warn!(%model, item = described, %error, "a clean-up failed and stays queued");
                self.note_failure(model, item, error.to_string()).await?;
                errors.push(format!("{}: {error}", described.trim_end()));
            }
        }
        let queued = self.glance().await?.one(QUEUED, params![model]).await?;
        let (remaining, next_due) =
            queued.map_or((0, None), |queued| (queued.remaining, queued.next_due));
        Ok(CleanupReport {
            remaining,
            next_due,
            errors,
        })
    }

    async fn clean_one(&self, model: &ModelUuid, item: Item) -> Result<()> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                // Gone first: a handler may queue its like anew.
                tx.db
                    .execute("DELETE FROM cleanup WHERE id = $1", params![item.id])
                    .await?;
                item.touch(tx, &model);
                tx.at_once = item.args == AT_ONCE;
                // Whoever asked for the removal did this as well.
                tx.cause.clone_from(&item.cause);
                handlers::run(tx, &model, &item).await
            })
        })
        .await
    }

    async fn note_failure(&self, model: &ModelUuid, item: Item, error: String) -> Result<()> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                let sql = "UPDATE cleanup SET attempts = attempts + 1, last_error = $3
                    WHERE model_uuid = $1 AND id = $2";
                tx.db.execute(sql, params![&model, item.id, error]).await?;
                item.touch(tx, &model);
                Ok(())
            })
        })
        .await
    }
}
