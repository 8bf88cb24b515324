//! What is in files that nobody should find there.

use std::io::ErrorKind;
use std::path::Path;

use anyhow::Result;

/// Every file below a directory, but those whose names `passed` says, that has this text. What goes while it is
/// looked at has nothing.
pub fn holding(directory: &Path, text: &str, passed: fn(&str) -> bool) -> Result<Vec<String>> {
    let entries = match std::fs::read_dir(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        let kind = match entry.file_type() {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            kind => kind?,
        };
        if kind.is_dir() {
            found.extend(holding(&path, text, passed)?);
        } else if kind.is_file() && !passed(&entry.file_name().to_string_lossy()) {
            let bytes = match std::fs::read(&path) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                bytes => bytes?,
            };
            let text = text.as_bytes();
            if bytes.windows(text.len()).any(|window| window == text) {
                found.push(path.display().to_string());
            }
        }
    }
    Ok(found)
}
