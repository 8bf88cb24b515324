//! The command `list`: prints the unit's files.

use std::fs;
use std::io;
use std::path::Path;

use periapt_charm::{Context, Result};

use crate::{Config, SiteCharm};

#[cfg(test)]
mod tests;

/// What a command returns that was not understood.
const MISUSED: u8 = 2;

impl SiteCharm {
    pub(crate) fn list(&mut self, context: &Context<Config>, arguments: &[String]) -> Result<u8> {
        let long = match arguments {
            [] => false,
            [word] if word == "--long" => true,
            _ => {
                eprintln!("usage: list [--long]");
                return Ok(MISUSED);
            }
        };
        print!("{}", listing(context.state_dir(), long)?);
        Ok(0)
    }
}

/// A line for each file below `folder`, in order: its path, and its bytes before it in a long list.
fn listing(folder: &Path, long: bool) -> io::Result<String> {
    let mut files = Vec::new();
    collect(folder, "", &mut files)?;
    files.sort();
    let lines = files.into_iter().map(|(path, bytes)| match long {
        true => format!("{bytes:>10} {path}\n"),
        false => format!("{path}\n"),
    });
    Ok(lines.collect())
}

fn collect(folder: &Path, below: &str, files: &mut Vec<(String, u64)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = format!("{below}{}", entry.file_name().to_string_lossy());
        let metadata = entry.metadata()?;
        match metadata.is_dir() {
            true => collect(&entry.path(), &format!("{path}/"), files)?,
            false => files.push((path, metadata.len())),
        }
    }
    Ok(())
}
