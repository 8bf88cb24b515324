//! What an operator does about what is wrong: incidents, the timeline, the page of one run of a hook.

use anyhow::Result;
use periapt_tests::Home;

use super::run_on;

#[test]
fn an_incident_is_silenced_skipped_only_after_a_question_and_retried() -> Result<()> {
    run_on(&Home::started()?, "incidents", None)
}

#[test]
fn a_time_drawn_over_the_timeline_holds_for_the_log_and_the_hooks() -> Result<()> {
    run_on(&Home::started()?, "timeline", None)
}

#[test]
fn a_run_of_a_hook_has_a_page_that_can_be_shared() -> Result<()> {
    run_on(&Home::started()?, "hook-run", None)
}
