//! What the site is measured by: the files that it serves.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Pages, and bytes of all files.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Measured {
    pub pages: u64,
    pub bytes: u64,
}

/// A site that was never rendered has nothing.
pub fn measure(folder: &Path) -> io::Result<Measured> {
    let mut found = Measured::default();
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(found),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        found.pages += u64::from(entry.path().extension().is_some_and(|kind| kind == "html"));
        found.bytes += entry.metadata()?.len();
    }
    Ok(found)
}
