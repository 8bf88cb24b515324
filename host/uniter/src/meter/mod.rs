//! Tells a unit's charm its meter status, by the hook `meter-status-changed` beside its hooks.
//!
//! What a charm was told last is a file of the unit's directory, so the same is not said twice, also not by
//! another process. How the hook runs is that of [`crate::restricted`].

use periapt_model::quota::{METER_STATUS_CHANGED, Meter};

use crate::environment;
use crate::error::UniterError;
use crate::files::blocking;
use crate::restricted::Occasion;
use crate::standing::StandingUnit;

mod told;

use told::Told;

/// Whether the charm of a unit is to be told this: it has the hook, and was told something else last.
///
/// # Errors
/// The charm, or the file, cannot be had.
pub async fn has_to_hear(unit: &StandingUnit, meter: &Meter) -> Result<bool, UniterError> {
    let charm = unit.of.charm(&unit.standing.charm_url).await?;
    if !charm.implements(METER_STATUS_CHANGED) {
        return Ok(false);
    }
    let told = told(unit);
    let last = blocking(move || told.read()).await?;
    Ok(last != *meter)
}

/// Tells the charm of a unit. To be called within a visit of the charm's directory, unless no uniter runs.
///
/// # Errors
/// The charm cannot be had, or what it was told not be kept. That the hook failed is no error.
pub async fn tell(unit: &StandingUnit, meter: &Meter) -> Result<(), UniterError> {
    let charm = unit.of.charm(&unit.standing.charm_url).await?;
    let occasion = Occasion {
        hook: METER_STATUS_CHANGED,
        attributes: vec![
            ("code".to_owned(), meter.code.to_string()),
            ("info".to_owned(), meter.info.clone()),
        ],
        variables: environment::of_meter(meter).into(),
        collected: None,
    };
    if let Err(reason) = unit.of.run(&charm, &unit.standing, occasion).await {
        log(
            unit,
            &format!("hook \"{METER_STATUS_CHANGED}\" failed: {reason}"),
        );
    }
    // A hook that failed is not run again for the same: it would fail for ever.
    let (told, meter) = (told(unit), meter.clone());
    blocking(move || told.write(&meter)).await
}

/// Says something of it in the unit's log.
pub fn log(unit: &StandingUnit, message: &str) {
    unit.of.log("meterstatus", message);
}

fn told(unit: &StandingUnit) -> Told {
    Told::new(&unit.of.process.unit_directory(&unit.of.unit))
}
