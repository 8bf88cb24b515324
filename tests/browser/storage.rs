//! Directories that outlive the units which have them.

use anyhow::Result;
use periapt_tests::Home;

use super::run_on;

#[test]
fn storage_is_added_detached_attached_and_removed() -> Result<()> {
    run_on(&Home::started()?, "model-storage", None)
}
