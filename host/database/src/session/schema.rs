//! Schema versions. All pending migrations run in one transaction under an exclusive lock: a
//! crash leaves the old schema, and of two controllers that start at once one waits.

use super::Session;
use crate::error::Error;
use crate::params;

/// In a migration, the line before what PostgreSQL does not need.
const SQLITE_ONLY: &str = "-- SQLite only\n";

/// Locks the schema on PostgreSQL; any number that nobody else uses.
const LOCK: i64 = 0x7065_7269_6170_7401;

/// Brings the schema up to date. Refuses a database that a newer program has migrated.
pub(crate) async fn migrate(
    session: &mut Session,
    migrations: &[&'static str],
    now: i64,
) -> Result<(), Error> {
    // Without anything to do nobody waits for a lock, or for longer than usual.
    if schema_version(session).await? == supported(migrations) {
        return Ok(());
    }
    session.be_patient();
    let done = async {
        begin_schema(session).await?;
        match migrate_to(session, migrations, now, None).await {
            Ok(()) => session.raw("COMMIT").await,
            Err(error) => {
                // The first error is the one to tell; a failed rollback ends with the connection.
                let _ = session.raw("ROLLBACK").await;
                Err(error)
            }
        }
    }
    .await;
    session.be_brief();
    done
}

/// Begins the transaction of a change of the schema: nobody else changes it meanwhile, and it may
/// take its time.
pub async fn begin_schema(session: &mut Session) -> Result<(), Error> {
    if !session.is_postgres() {
        return session.raw("BEGIN EXCLUSIVE").await;
    }
    session
        .raw(
            "BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0;
            SET LOCAL idle_in_transaction_session_timeout = 0",
        )
        .await?;
    session
        .fetch(
            "SELECT CAST(pg_advisory_xact_lock($1) AS TEXT)",
            params![LOCK],
        )
        .await
        .map(|_| ())
}

/// The version of the schema; 0 where there is none.
pub async fn schema_version(session: &mut Session) -> Result<i64, Error> {
    let sql = if session.is_postgres() {
        "SELECT COUNT(*) FROM information_schema.tables
        WHERE table_schema = current_schema() AND table_name = 'schema_version'"
    } else {
        "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'"
    };
    if session.count(sql, vec![]).await? == 0 {
        return Ok(0);
    }
    let sql = "SELECT COALESCE(MAX(version), 0) FROM schema_version";
    let row = session.fetch_optional(sql, vec![]).await?;
    row.map_or(Ok(0), |row| row.int(0))
}

/// The newest version there is.
fn supported(migrations: &[&str]) -> i64 {
    i64::try_from(migrations.len()).unwrap_or(i64::MAX)
}

/// Migrates up to a version, that of the last migration for none, within the transaction of [`begin_schema`].
pub async fn migrate_to(
    session: &mut Session,
    migrations: &[&'static str],
    now: i64,
    wanted: Option<i64>,
) -> Result<(), Error> {
    session
        .raw("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL PRIMARY KEY, applied_at BIGINT NOT NULL)")
        .await?;
    let found = schema_version(session).await?;
    let supported = supported(migrations);
    let wanted = wanted.unwrap_or(supported);
    if found.max(wanted) > supported {
        return Err(Error::SchemaTooNew {
            found: found.max(wanted),
            supported,
        });
    }
    for (version, migration) in (1..=wanted).zip(migrations) {
        if version > found {
            let (both, sqlite) = migration.split_once(SQLITE_ONLY).unwrap_or((migration, ""));
            session.raw(both).await?;
            if !session.is_postgres() {
                session.raw(sqlite).await?;
            }
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
