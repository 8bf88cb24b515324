//! Files of units that were removed while nobody ran them.
//!
//! A unit that ends in order removes its own directories. One that is taken away by force while
//! its agent is dead cannot, nor can one whose agent stops at the same moment; the process that
//! hosts them does it then. Nothing is removed under a unit that runs.

use std::collections::BTreeSet;
use std::path::Path;

use periapt_model::UnitName;

use crate::error::{UniterError, file};
use crate::files;
use crate::process::Process;

impl Process {
    /// Units for which something is kept here and which do not run. Directories with other names
    /// than those of units are nobody's business.
    pub async fn kept_units(&self) -> Result<Vec<UnitName>, UniterError> {
        let process = self.clone();
        let kept = files::blocking(move || {
            let mut kept = BTreeSet::new();
            for folder in [process.units(), process.shared_directories()] {
                kept.extend(named(&folder).map_err(file("read", &folder))?);
            }
            Ok(kept)
        })
        .await?;
        Ok(kept
            .into_iter()
            .filter(|unit| !self.is_running(unit))
            .collect())
    }

    /// Removes what is kept for a unit that the model does not have any more, unless it runs;
    /// whether it did. What a principal shares goes with the principal.
    pub async fn remove_unit(&self, unit: &UnitName) -> Result<bool, UniterError> {
        if self.is_running(unit) {
            return Ok(false);
        }
        self.intents().withdraw(unit);
        self.resources().forget(unit);
        let directories = [self.shared_directory(unit), self.unit_directory(unit)];
        let state = self.state_directory(unit);
        let (workloads, name) = (self.workloads().clone(), unit.clone());
        files::blocking(move || {
            workloads.want_nothing(&name)?;
            state.remove()?;
            for directory in directories {
                periapt_files::remove(&directory).map_err(file("remove", &directory))?;
            }
            Ok(true)
        })
        .await
    }
}

/// The units after which directories in `folder` are named.
fn named(folder: &Path) -> std::io::Result<Vec<UnitName>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        found.extend(name.to_str().and_then(unit));
    }
    Ok(found)
}

/// `log-agent-3` is kept for `log-agent/3`: a number never follows a hyphen in the name of an
/// application.
fn unit(directory: &str) -> Option<UnitName> {
    let (application, number) = directory.rsplit_once('-')?;
    format!("{application}/{number}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::unit;

    #[test]
    fn directories_name_units() {
        for (directory, name) in [
            ("site-0", Some("site/0")),
            ("log-agent-12", Some("log-agent/12")),
            ("site", None),
            ("lost+found", None),
            ("site-x", None),
            ("-1", None),
        ] {
            let found = unit(directory).map(|unit| unit.to_string());
            assert_eq!(found.as_deref(), name, "{directory}");
        }
    }
}
