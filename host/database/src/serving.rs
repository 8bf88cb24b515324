//! Whether another controller serves from the same database.
//!
//! On PostgreSQL the connection that writes holds a shared advisory lock of the schema for as
//! long as it lives. Who can take the lock alone as it opens knows that nobody else serves: not
//! one of several controllers stopped but all of them. The server lets go of the lock when the
//! connection ends, also that of a killed process, so no sign of life has to be written again
//! and again. A SQLite file serves one process, so who opens it is alone.

use crate::error::Error;
use crate::session::Session;

/// The lock; `key1` is any number that nobody else uses, `key2` keeps schemas apart.
macro_rules! lock {
    ($function:literal) => {
        concat!(
            "SELECT CAST(",
            $function,
            "(1885696628, hashtext(current_schema())) AS TEXT)"
        )
    };
}

/// Begins to serve; true when nobody else does, and then nobody begins before
/// [`let_others_in`].
pub(crate) async fn begin_alone(session: &mut Session) -> Result<bool, Error> {
    if !session.is_postgres() {
        return Ok(true);
    }
    let taken = session
        .fetch_optional(lock!("pg_try_advisory_lock"), vec![])
        .await?;
    if taken.map_or(Ok(false), |row| row.str(0).map(|taken| taken == "true"))? {
        return Ok(true);
    }
    join(session).await?;
    Ok(false)
}

/// Ends the time alone and serves on.
pub(crate) async fn let_others_in(session: &mut Session) -> Result<(), Error> {
    join(session).await?;
    if session.is_postgres() {
        session.fetch(lock!("pg_advisory_unlock"), vec![]).await?;
    }
    Ok(())
}

/// Serves beside others, perhaps with a new connection.
pub(crate) async fn join(session: &mut Session) -> Result<(), Error> {
    if session.is_postgres() {
        session
            .fetch(lock!("pg_advisory_lock_shared"), vec![])
            .await?;
    }
    Ok(())
}

/// Serves no more. A connection that just ends says the same, a moment later.
pub(crate) async fn end(session: &mut Session) -> Result<(), Error> {
    if session.is_postgres() {
        session
            .fetch(lock!("pg_advisory_unlock_shared"), vec![])
            .await?;
    }
    Ok(())
}
