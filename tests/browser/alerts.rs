//! Alerts, what is done from the search field, and the way to the pages of other controllers.

use anyhow::Result;
use periapt_tests::{Home, browser};

use super::{finish, run, run_on};

#[test]
fn alerts_are_watched_for_told_shown_and_taken_on() -> Result<()> {
    run_on(&Home::started()?, "alerts", None)
}

#[test]
fn what_begins_with_a_verb_is_done_with_the_keyboard_alone() -> Result<()> {
    run("palette")
}

#[test]
fn the_page_of_another_controller_is_one_click_away() -> Result<()> {
    let (home, other) = (Home::started()?, Home::started()?);
    let mut call = browser::spec(&home, "controllers")?;
    call.env("PERIAPT_TEST_OTHER", browser::address(&other)?)
        .env(
            "PERIAPT_TEST_OTHER_PASSWORD",
            browser::account(&other, "password:")?,
        );
    finish(&home, "controllers", call)
}
