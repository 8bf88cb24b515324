//! The rows of leases, and the rules that decide over them inside a transaction.

use std::collections::HashMap;
use std::time::Duration;

use periapt_model::refusal::Subject;
use periapt_model::{ApplicationName, Life, ModelUuid, UnitName};

use super::{Lease, Namespace};
use crate::Result;
use crate::changes::namespace;
use crate::db::{Session, Tx, Which, columns, params, word};
use crate::error::StoreError;

columns! {
    /// A lease row with what decides about its end.
    pub(crate) struct Held {
        holder: String = "holder",
        expires_at: i64 = "expires_at",
        pinned: bool = "(SELECT COUNT(*) FROM lease_pin
            WHERE lease_pin.namespace = lease.namespace
                AND lease_pin.model_uuid = lease.model_uuid AND lease_pin.name = lease.name)",
    }
    const HELD = "FROM lease WHERE namespace = $1 AND model_uuid = $2 AND name = $3";
}

columns! {
    struct LeaseRow -> Lease {
        namespace = "namespace" as word,
        model = "model_uuid" as word,
        name = "name",
        holder = "holder",
        started_at = "started_at",
        expires_at = "expires_at",
    }
    const ALL = "FROM lease ORDER BY namespace, model_uuid, name";
    const OVER = "FROM lease WHERE expires_at <= $1
        AND NOT EXISTS (SELECT 1 FROM lease_pin WHERE lease_pin.namespace = lease.namespace
            AND lease_pin.model_uuid = lease.model_uuid AND lease_pin.name = lease.name)";
}

columns! {
    struct Gone {
        model: ModelUuid = "model_uuid" as word,
        name: String = "name",
    }
    const RELEASED = returning("DELETE FROM lease WHERE namespace = $1 AND holder = $2");
    const UNPINNED = returning("DELETE FROM lease_pin WHERE entity = $1");
}

columns! {
    struct Pin {
        namespace: Namespace = "namespace" as word,
        model: ModelUuid = "model_uuid" as word,
        name: String = "name",
        entity: String = "entity",
    }
    const PINS = "FROM lease_pin ORDER BY entity";
}

columns! {
    struct Leader {
        application: ApplicationName = "name" as word,
        holder: String = "holder",
    }
    const LEADERS = which(
        "FROM lease WHERE model_uuid = $1 AND namespace = 'application-leadership'",
        "name",
        ""
    );
}

impl Held {
    /// Whether nobody may count on the lease any more.
    pub(crate) fn is_over(&self, now: i64) -> bool {
        !self.pinned && self.expires_at <= now
    }
}

/// The row of a lease.
pub(crate) async fn find(
    db: &mut Session,
    namespace: Namespace,
    model: &ModelUuid,
    name: &str,
) -> Result<Option<Held>> {
    let key = params![namespace.as_str(), model, name];
    Ok(db.one(HELD, key).await?)
}

/// Claims or extends, for one who may. Whole seconds, rounded up, as Juju's leases are.
pub(crate) async fn claim(
    tx: &mut Tx,
    namespace: Namespace,
    model: &ModelUuid,
    name: &str,
    holder: &str,
    duration: Duration,
) -> Result<()> {
    match namespace {
        Namespace::ApplicationLeadership => require_unit(tx, model, name, holder).await?,
        Namespace::SingularController => {
            crate::controller::nodes::require_known(tx, holder).await?
        }
    }
    let now = tx.lease_now().await?;
    let held = find(&mut tx.db, namespace, model, name).await?;
    let new_holder = match &held {
        Some(held) if held.holder == holder => false,
        Some(held) if !held.is_over(now) => {
            return Err(StoreError::LeaseDenied {
                lease: name.to_owned(),
            });
        }
        _ => true,
    };
    let expires = now.saturating_add(whole_seconds(duration));
    let sql = "INSERT INTO lease (namespace, model_uuid, name, holder, started_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (namespace, model_uuid, name) DO UPDATE
        SET holder = excluded.holder, started_at = excluded.started_at, expires_at = excluded.expires_at";
    tx.db
        .execute(
            sql,
            params![namespace.as_str(), model, name, holder, now, expires],
        )
        .await?;
    if new_holder {
        touch(tx, namespace, model, name);
    }
    Ok(())
}

/// Only a unit of the application that is there and not dead can lead it. Checked where the row
/// is written: a claim that comes late, after the unit's end, would keep the others from leading
/// for a whole period.
async fn require_unit(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &str,
    holder: &str,
) -> Result<()> {
    let sql = "SELECT life FROM unit WHERE model_uuid = $1 AND name = $2 AND application = $3";
    let key = params![model, holder, application];
    let life = tx.db.word("life", sql, key).await?;
    match life.ok_or_else(|| StoreError::not_found(Subject::Unit, holder))? {
        Life::Dead => Err(StoreError::NotAlive {
            kind: Subject::Unit,
            name: holder.to_owned(),
            life: Life::Dead,
        }),
        Life::Alive | Life::Dying => Ok(()),
    }
}

/// Gives a lease back. Not held by anyone is fine; held by another is not.
pub(crate) async fn revoke(
    tx: &mut Tx,
    namespace: Namespace,
    model: &ModelUuid,
    name: &str,
    holder: &str,
) -> Result<()> {
    match find(&mut tx.db, namespace, model, name).await? {
        None => Ok(()),
        Some(held) if held.holder != holder => Err(StoreError::LeaseDenied {
            lease: name.to_owned(),
        }),
        Some(_) => {
            let sql = "DELETE FROM lease WHERE namespace = $1 AND model_uuid = $2 AND name = $3";
            tx.db
                .execute(sql, params![namespace.as_str(), model, name])
                .await?;
            touch(tx, namespace, model, name);
            Ok(())
        }
    }
}

/// Takes leadership from a unit that is dead or gone, so that a successor need not wait.
pub(crate) async fn release_leadership(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
) -> Result<()> {
    let namespace = Namespace::ApplicationLeadership;
    match revoke(
        tx,
        namespace,
        model,
        unit.application().as_str(),
        unit.as_str(),
    )
    .await
    {
        Ok(()) | Err(StoreError::LeaseDenied { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Takes every lease over models and the controller from a holder that is gone for good.
pub(crate) async fn release_all(tx: &mut Tx, holder: &str) -> Result<()> {
    let namespace = Namespace::SingularController;
    let params = params![namespace.as_str(), holder];
    for lease in tx.db.all(RELEASED, params).await? {
        touch(tx, namespace, &lease.model, &lease.name);
    }
    Ok(())
}

/// Fails unless the unit leads its application, within the caller's transaction.
pub(crate) async fn require_leader(tx: &mut Tx, model: &ModelUuid, unit: &UnitName) -> Result<()> {
    let application = unit.application();
    let now = tx.lease_now().await?;
    let held = find(
        &mut tx.db,
        Namespace::ApplicationLeadership,
        model,
        application.as_str(),
    )
    .await?;
    match held {
        Some(held) if held.holder == unit.as_str() && !held.is_over(now) => Ok(()),
        _ => Err(StoreError::LeaseLost {
            lease: application.to_string(),
            holder: unit.to_string(),
        }),
    }
}

/// Pins whatever leads an application now.
pub(crate) async fn pin_leaders(tx: &mut Tx, entity: &str) -> Result<()> {
    let now = tx.lease_now().await?;
    let sql = "INSERT INTO lease_pin (namespace, model_uuid, name, entity)
        SELECT namespace, model_uuid, name, CAST($1 AS TEXT) FROM lease
        WHERE namespace = $2 AND (expires_at > $3
            OR EXISTS (SELECT 1 FROM lease_pin WHERE lease_pin.namespace = lease.namespace
                AND lease_pin.model_uuid = lease.model_uuid AND lease_pin.name = lease.name))
        ON CONFLICT DO NOTHING";
    let namespace = Namespace::ApplicationLeadership.as_str();
    let params = params![entity, namespace, now];
    tx.db.execute(sql, params).await?;
    Ok(())
}

/// Takes the pins of `entity` away, and gives whoever could not renew meanwhile one period.
pub(crate) async fn unpin_leaders(tx: &mut Tx, entity: &str) -> Result<()> {
    let now = tx.lease_now().await?;
    let sql = "UPDATE lease SET expires_at = $1 + expires_at - started_at, started_at = $1
        WHERE expires_at - $1 <= (expires_at - started_at) / 2
        AND EXISTS (SELECT 1 FROM lease_pin WHERE lease_pin.namespace = lease.namespace
            AND lease_pin.model_uuid = lease.model_uuid AND lease_pin.name = lease.name
            AND lease_pin.entity = $2)";
    tx.db.execute(sql, params![now, entity]).await?;
    let namespace = Namespace::ApplicationLeadership;
    for pin in tx.db.all(UNPINNED, params![entity]).await? {
        touch(tx, namespace, &pin.model, &pin.name);
    }
    Ok(())
}

/// Removes every lease that is over; how many. Also sets right what a clock that was put back
/// left: a lease that seems to begin later than now gets one of its periods from now on.
pub(crate) async fn expire(tx: &mut Tx) -> Result<u64> {
    let now = tx.lease_now().await?;
    let sql = "UPDATE lease SET expires_at = $1 + expires_at - started_at, started_at = $1 WHERE started_at > $1";
    tx.db.execute(sql, params![now]).await?;
    let over = tx.db.all(OVER, params![now]).await?;
    for lease in &over {
        let sql = "DELETE FROM lease WHERE namespace = $1 AND model_uuid = $2 AND name = $3";
        tx.db
            .execute(
                sql,
                params![lease.namespace.as_str(), &lease.model, &lease.name],
            )
            .await?;
        touch(tx, lease.namespace, &lease.model, &lease.name);
    }
    Ok(over.len() as u64)
}

/// Whether `expire` would do anything.
pub(crate) async fn needs_sweep(db: &mut Session, now: i64) -> Result<bool> {
    let sql = "SELECT COUNT(*) FROM lease WHERE started_at > $1 OR (expires_at <= $1
        AND NOT EXISTS (SELECT 1 FROM lease_pin WHERE lease_pin.namespace = lease.namespace
            AND lease_pin.model_uuid = lease.model_uuid AND lease_pin.name = lease.name))";
    Ok(db.count(sql, params![now]).await? > 0)
}

/// As a store opens while no other serves: a lease with less than half of its period left, whose
/// holder should have renewed it and could not, gets one period from now on. Without this every
/// leadership would move after an outage although no unit died.
pub(crate) async fn hold_back(db: &mut Session, now: i64) -> Result<()> {
    let sql = "UPDATE lease SET expires_at = $1 + expires_at - started_at, started_at = $1
        WHERE expires_at - $1 <= (expires_at - started_at) / 2";
    db.execute(sql, params![now]).await?;
    Ok(())
}

/// All leases.
pub(crate) async fn all(db: &mut Session) -> Result<Vec<Lease>> {
    Ok(db.all(ALL, vec![]).await?)
}

/// What tells a lease from the others.
pub(crate) type Key = (Namespace, ModelUuid, String);

/// Who pins which lease.
pub(crate) async fn pins(db: &mut Session) -> Result<HashMap<Key, Vec<String>>> {
    let mut pins: HashMap<Key, Vec<String>> = HashMap::new();
    for pin in db.all(PINS, vec![]).await? {
        let lease = (pin.namespace, pin.model, pin.name);
        pins.entry(lease).or_default().push(pin.entity);
    }
    Ok(pins)
}

/// Who leads applications, of which only some may be named. A leader is shown as long as the lease
/// has its row, on every road: its end is told by whoever takes the row away, within a second, and
/// whoever acts as a leader is held against the clock ([`require_leader`]).
pub(crate) async fn leaders(
    db: &mut Session,
    model: &ModelUuid,
    which: Which<'_>,
) -> Result<HashMap<ApplicationName, String>> {
    let leaders = db.which(LEADERS, model, which).await?;
    let leaders = leaders.into_iter();
    Ok(leaders.map(|led| (led.application, led.holder)).collect())
}

fn touch(tx: &mut Tx, namespace: Namespace, model: &ModelUuid, name: &str) {
    tx.touch(model, namespace::LEASE, format!("{namespace}/{name}"));
}

fn whole_seconds(duration: Duration) -> i64 {
    let seconds = duration.as_secs() + u64::from(duration.subsec_nanos() > 0);
    i64::try_from(seconds.saturating_mul(1_000_000)).unwrap_or(i64::MAX)
}
