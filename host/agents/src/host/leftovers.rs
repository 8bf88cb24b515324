//! Directories of units that were removed by force while nobody here could see to it: their
//! agent was dead, or stopped in the same moment.
//!
//! What is kept on disk is listed first, then the model is asked which of these units it does
//! not have. A name is never given twice, so a unit that the model does not have will not come;
//! one of another machine, or one that has no machine yet, is in the model and stays untouched.

use periapt_client::{ApiConnection, CallError};
use periapt_uniter::Process;
use periapt_wire::agent::host::GoneUnits;

/// Removes what is left of units that are gone. Files that cannot be read or removed are told
/// of and left for the next time.
pub async fn sweep(process: &Process, connection: &ApiConnection) -> Result<(), CallError> {
    let units = match process.kept_units().await {
        Ok(units) => units,
        Err(error) => {
            tracing::warn!(%error, "what units left behind cannot be read");
            return Ok(());
        }
    };
    if units.is_empty() {
        return Ok(());
    }
    for unit in connection.call(&GoneUnits { units }).await? {
        match process.remove_unit(&unit).await {
            Ok(true) => tracing::info!(%unit, "removed what a unit that is gone had left"),
            Ok(false) => {}
            Err(error) => tracing::warn!(%unit, %error, "what a unit had left stays"),
        }
    }
    Ok(())
}
