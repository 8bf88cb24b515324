//! The tables of a model: applications, units and machines, few of them and thousands.

use anyhow::Result;
use periapt_tests::Home;

use super::{run, run_on};

#[test]
fn rows_are_sorted_narrowed_chosen_and_changed_together() -> Result<()> {
    run("fleet")
}

#[test]
fn two_thousand_units_are_listed_within_a_second_and_filtered_at_once() -> Result<()> {
    run_on(&Home::started()?, "thousands", None)
}
