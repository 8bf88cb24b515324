//! What only those read who were granted it.

use anyhow::Result;
use periapt_tests::Home;

use super::run_on;

#[test]
fn a_secret_is_added_granted_revealed_for_a_while_and_removed() -> Result<()> {
    run_on(&Home::started()?, "model-secrets", None)
}
