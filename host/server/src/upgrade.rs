//! Whether this version of the controller still sets itself up: its upgrade steps run.
//!
//! The worker upgradesteps tells; the API asks before each call, so that whoever logged in
//! meanwhile need not do so again when the gate opens. It outlives runs of the API server, as
//! the gate does. It runs no step and refuses nothing by itself.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use periapt_engine::Gate;

/// The state of the upgrade. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Upgrade {
    gate: Gate,
    shown: Arc<Mutex<UpgradeProgress>>,
}

/// How far an upgrade that is not done has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpgradeProgress {
    /// The step that runs, or that failed; empty before the first.
    pub step: String,
    /// Why it failed; empty while it runs.
    pub error: String,
}

impl Upgrade {
    /// An upgrade that is in progress until `gate` opens.
    #[must_use]
    pub fn new(gate: Gate) -> Self {
        Self {
            gate,
            shown: Arc::default(),
        }
    }

    /// An upgrade that is done.
    #[must_use]
    pub fn done() -> Self {
        let gate = Gate::new();
        gate.unlock();
        Self::new(gate)
    }

    /// A step begins.
    pub fn begin(&self, step: &str) {
        self.show(step, "");
    }

    /// A step failed. It will be tried again.
    pub fn fail(&self, step: &str, error: &str) {
        self.show(step, error);
    }

    /// None once everything is done.
    #[must_use]
    pub fn in_progress(&self) -> Option<UpgradeProgress> {
        if self.gate.is_unlocked() {
            return None;
        }
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        Some(shown.clone())
    }

    fn show(&self, step: &str, error: &str) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        *shown = UpgradeProgress {
            step: step.to_owned(),
            error: error.to_owned(),
        };
    }
}

impl fmt::Display for UpgradeProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the controller is being upgraded")?;
        match (self.step.as_str(), self.error.as_str()) {
            ("", _) => Ok(()),
            (step, "") => write!(f, ": step \"{step}\" is running"),
            (step, error) => write!(
                f,
                ": step \"{step}\" failed and will be tried again: {error}"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upgrade_tells_its_step_until_the_gate_opens() {
        let gate = Gate::new();
        let upgrade = Upgrade::new(gate.clone());
        let says = || upgrade.in_progress().map(|progress| progress.to_string());
        assert_eq!(says().as_deref(), Some("the controller is being upgraded"));
        upgrade.begin("forget-compiled");
        assert_eq!(
            says().as_deref(),
            Some("the controller is being upgraded: step \"forget-compiled\" is running")
        );
        upgrade.clone().fail("forget-compiled", "no such file");
        assert!(says().is_some_and(|text| text.ends_with("tried again: no such file")));
        gate.unlock();
        assert_eq!(says(), None);
        assert_eq!(Upgrade::done().in_progress(), None);
    }
}
