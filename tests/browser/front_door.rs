//! The front door: what a person meets who comes for the first time, types something wrong, looks
//! for what is not there, or is about to do what cannot be undone.

use anyhow::Result;

use super::run;

#[test]
fn the_sign_in_page_is_true_and_says_why_somebody_is_not_let_in() -> Result<()> {
    run("door")
}

#[test]
fn form_errors_can_be_read_and_dialogs_begin_at_their_first_field() -> Result<()> {
    run("forms")
}

#[test]
fn skipping_a_hook_disabling_a_user_and_granting_superuser_ask_first() -> Result<()> {
    run("ask")
}

#[test]
fn unknown_and_unshared_things_say_so_instead_of_loading_for_ever() -> Result<()> {
    run("missing")
}

#[test]
fn no_word_of_a_table_is_broken_at_any_width() -> Result<()> {
    run("words")
}

#[test]
fn on_a_phone_menu_tabs_and_results_can_be_read() -> Result<()> {
    run("phone")
}

#[test]
fn an_application_has_one_status_everywhere() -> Result<()> {
    run("agree")
}

#[test]
fn nobody_reads_a_private_key_in_the_page() -> Result<()> {
    run("secrets")
}

#[test]
fn while_the_controller_is_gone_the_page_stays_readable() -> Result<()> {
    run("outage")
}
