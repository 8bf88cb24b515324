//! What hooks use of what they may, and the files that they leave.

use anyhow::Result;
use periapt_tests::Home;

use super::run_on;

#[test]
fn what_hooks_use_is_shown_and_files_are_looked_at_on_record() -> Result<()> {
    run_on(&Home::started()?, "sandbox", None)
}
