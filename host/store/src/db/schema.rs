//! Schema versions. All pending migrations run in one transaction under an exclusive lock: a
//! crash leaves the old schema, and of two controllers that start at once one waits.

use super::{Session, params};
use crate::error::StoreError;

/// Migrations in order; version N is the N-th. A published one is never edited.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_initial.sql"),
    include_str!("migrations/0002_control_room.sql"),
    include_str!("migrations/0003_relations.sql"),
    include_str!("migrations/0004_controller_nodes.sql"),
];

/// Locks the schema on PostgreSQL; any number that nobody else uses.
const LOCK: i64 = 0x7065_7269_6170_7401;

/// Brings the schema up to date. Refuses a database that a newer program has migrated.
pub(crate) async fn migrate(session: &mut Session, now: i64) -> Result<(), StoreError> {
    let postgres = session.is_postgres();
    session
        .raw(if postgres { "BEGIN" } else { "BEGIN EXCLUSIVE" })
        .await?;
    let done = migrate_locked(session, postgres, now).await;
    match done {
        Ok(()) => session.raw("COMMIT").await,
        Err(error) => {
            // The first error is the one to tell; a failed rollback ends with the connection.
            let _ = session.raw("ROLLBACK").await;
            Err(error)
        }
    }
}

async fn migrate_locked(session: &mut Session, postgres: bool, now: i64) -> Result<(), StoreError> {
    if postgres {
        session
            .fetch(
                "SELECT CAST(pg_advisory_xact_lock($1) AS TEXT)",
                params![LOCK],
            )
            .await?;
    }
    session
        .raw("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL PRIMARY KEY, applied_at BIGINT NOT NULL)")
        .await?;
    let found = session
        .fetch_optional(
            "SELECT COALESCE(MAX(version), 0) FROM schema_version",
            vec![],
        )
        .await?
        .map_or(Ok(0), |row| row.int(0))?;
    let supported = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    if found > supported {
        return Err(StoreError::SchemaTooNew { found, supported });
    }
    for (version, migration) in (1..).zip(MIGRATIONS) {
        if version > found {
            session.raw(migration).await?;
            session
                .execute(
                    "INSERT INTO schema_version (version, applied_at) VALUES ($1, $2)",
                    params![version, now],
                )
                .await?;
        }
    }
    Ok(())
}
