//! The entries of the configuration.

use std::collections::BTreeMap;

/// Reads lines of `KEY=VALUE`. The error is advice for the operator.
pub fn read(text: &str) -> Result<BTreeMap<String, String>, String> {
    let mut entries = BTreeMap::new();
    let lines = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    for line in lines {
        let (key, value) = line
            .split_once('=')
            .map(|(key, value)| (key.trim(), value.trim()))
            .filter(|(key, _)| !key.is_empty())
            .ok_or_else(|| format!("set entries: write KEY=VALUE instead of \"{line}\""))?;
        if entries.insert(key.to_owned(), value.to_owned()).is_some() {
            return Err(format!("set entries: \"{key}\" is there twice, remove one"));
        }
    }
    Ok(entries)
}
