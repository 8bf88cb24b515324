//! Directories of units that were removed by force while nobody here could see to it: their
//! agent was dead, or stopped in the same moment.
//!
//! What is kept on disk is listed first, then the model is asked which of these units it does
//! not have. A name is never given twice, so a unit that the model does not have will not come;
//! one of another machine, or one that has no machine yet, is in the model and stays untouched.

use periapt_uniter::Process;
use periapt_wire::agent::host::GoneUnits;
use periapt_wire::{ApiConnection, CallError};

/// Removes the files of units that are gone. Those that cannot be read or removed are logged and
/// left for the next time.
pub async fn sweep(process: &Process, connection: &ApiConnection) -> Result<(), CallError> {
    let units = match process.kept_units().await {
        Ok(units) => units,
        Err(error) => {
            tracing::warn!(%error, "could not list the leftover files of units");
            return Ok(());
        }
    };
    if units.is_empty() {
        return Ok(());
    }
    for unit in connection.call(&GoneUnits { units }).await? {
        match process.remove_unit(&unit).await {
            Ok(true) => tracing::info!(%unit, "removed the leftover files of a unit that is gone"),
            Ok(false) => {}
            Err(error) => tracing::warn!(%unit, %error, "could not remove a unit's leftover files"),
        }
    }
    Ok(())
}
