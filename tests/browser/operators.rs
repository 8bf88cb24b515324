//! What operators give an application, note of things and keep from harm.

use anyhow::Result;
use periapt_tests::Home;

use super::run_on;

#[test]
fn a_file_is_attached_to_an_application_and_a_refusal_is_shown() -> Result<()> {
    run_on(&Home::started()?, "resources", None)
}

#[test]
fn what_is_disabled_is_shown_where_it_is_refused_and_enabled_again() -> Result<()> {
    run_on(&Home::started()?, "blocks", None)
}

#[test]
fn things_are_noted_changed_and_taken_away() -> Result<()> {
    run_on(&Home::started()?, "annotations", None)
}
