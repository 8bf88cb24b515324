//! What units are asked to run: actions of their charms.

use anyhow::Result;
use periapt_tests::Home;

use super::run_on;

#[test]
fn an_action_is_run_from_a_form_watched_cancelled_and_run_again() -> Result<()> {
    run_on(&Home::started()?, "actions", None)
}
