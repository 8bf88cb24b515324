//! Where an agent keeps what its units keep, for the agent itself and for who copies it.

use std::path::{Path, PathBuf};

use periapt_model::UnitName;

/// Where the directories of units are.
pub(crate) const UNITS: &str = "units";
/// Where the shared directories are.
pub(crate) const SHARED: &str = "shared";

/// Where the directories of storage are. Each is made, and taken back, by the model's provider, which is not the
/// agent; what is in them the agent's units have.
pub(crate) const STORAGE: &str = "storage";

/// The directory of a unit.
pub fn unit(agent: &Path, unit: &UnitName) -> PathBuf {
    agent.join(UNITS).join(name(unit))
}

/// The generations of a unit's state directory.
pub fn state(agent: &Path, unit: &UnitName) -> PathBuf {
    self::unit(agent, unit).join("state")
}

/// One generation of a unit's state directory.
pub fn generation(agent: &Path, unit: &UnitName, generation: u64) -> PathBuf {
    state(agent, unit).join(generation.to_string())
}

/// What a principal and its subordinates share, a directory for each name; it goes with the principal
/// unit.
pub fn shared(agent: &Path, principal: &UnitName) -> PathBuf {
    agent.join(SHARED).join(name(principal))
}

fn name(unit: &UnitName) -> String {
    unit.as_str().replace('/', "-")
}
