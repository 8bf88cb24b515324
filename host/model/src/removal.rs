//! How a unit leaves: at once, or by its own hooks and, should those take too long, by force.
//!
//! What a step of force does to the unit and all around it is the store's; when there is one is
//! decided here.

#[cfg(test)]
mod tests;

use crate::Life;

/// Whether a removal waits for those who are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Force {
    /// As long as their hooks take, and no longer than the model's `removal-deadline`.
    No,
    /// For the model's `force-wait` before each step.
    Waiting,
    /// For nobody.
    AtOnce,
}

impl From<bool> for Force {
    fn from(force: bool) -> Self {
        if force { Force::Waiting } else { Force::No }
    }
}

impl Force {
    /// What a request with `force` and a bound on the waits means.
    #[must_use]
    pub fn within(force: bool, timeout_ms: Option<u64>) -> Self {
        match (force, timeout_ms) {
            (true, Some(0)) => Force::AtOnce,
            (force, _) => force.into(),
        }
    }
}

/// How a person has units removed, and what is around them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Going {
    pub force: Force,
    /// Their storage goes with what is in it; else what outlives units stays.
    pub destroy_storage: bool,
}

impl From<Force> for Going {
    fn from(force: Force) -> Self {
        Self {
            force,
            destroy_storage: false,
        }
    }
}

impl From<bool> for Going {
    fn from(force: bool) -> Self {
        Force::from(force).into()
    }
}

/// What decides how a unit leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaving {
    pub life: Life,
    /// It leaves by force already.
    pub forced: bool,
    /// No agent ever worked for it.
    pub never_started: bool,
    /// Its machine has an instance, where an agent may be about to start.
    pub provisioned: bool,
}

/// What a removal makes of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// Nobody works for it or is about to: it is gone.
    Gone,
    /// It is dying, and its agent runs its last hooks.
    Dying(NextStep),
}

/// The first step of force against a unit whose hooks do not end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// It is taken now, and the unit is forced from now on.
    Now,
    /// It is taken when the model's `removal-deadline` has passed.
    AtDeadline,
    /// A step is on its way already, and keeps its time.
    Queued,
}

impl Leaving {
    /// What becomes of the unit when its removal is asked for, perhaps once more.
    #[must_use]
    pub fn departure(self, force: Force) -> Departure {
        if self.never_started && !self.provisioned {
            return Departure::Gone;
        }
        Departure::Dying(match (force, self.forced) {
            // Whoever waits for nobody now did not say so before.
            (Force::AtOnce, _) | (Force::Waiting, false) => NextStep::Now,
            (Force::No, false) => NextStep::AtDeadline,
            (Force::Waiting | Force::No, true) => NextStep::Queued,
        })
    }

    /// Whether the deployer may take it away: its agent ended, or there never was one.
    #[must_use]
    pub fn is_removable(self) -> bool {
        match self.life {
            Life::Dead => true,
            Life::Dying => self.never_started,
            Life::Alive => false,
        }
    }
}
