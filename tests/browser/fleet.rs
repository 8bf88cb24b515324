//! The tables of a model: applications, units and machines, few of them and thousands.

use anyhow::Result;
use periapt_tests::Home;

use super::{run, run_on};

#[test]
fn rows_are_sorted_narrowed_chosen_and_changed_together() -> Result<()> {
    run("fleet")
}

#[test]
fn two_thousand_units_are_listed_filtered_and_walked_without_drawing_them_all() -> Result<()> {
    run_on(&Home::started()?, "thousands", None)
}
