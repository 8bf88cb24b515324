//! What a machine has, as far as its provider knows.

use std::fmt;

/// The unit in which memory is written.
pub(super) const MEGABYTES: &str = "M";

/// `arch=amd64 cores=2 mem=4096M`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hardware {
    pub arch: String,
    pub cores: Option<u64>,
    /// In megabytes.
    pub mem: Option<u64>,
}

impl fmt::Display for Hardware {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "arch={}", self.arch)?;
        if let Some(cores) = self.cores {
            write!(f, " cores={cores}")?;
        }
        match self.mem {
            Some(mem) => write!(f, " mem={mem}{MEGABYTES}"),
            None => Ok(()),
        }
    }
}
