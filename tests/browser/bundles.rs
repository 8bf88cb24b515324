//! Bundles in the page.

use anyhow::Result;

use crate::run;

#[test]
fn a_bundle_is_refused_corrected_planned_applied_and_exported_and_drift_is_shown() -> Result<()> {
    run("bundles")
}
