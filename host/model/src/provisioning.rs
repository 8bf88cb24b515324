//! What the provisioner does with a machine, decided from what the model and the provider say.

use crate::status::{Machine, Status};
use crate::{Life, MachineId};

#[cfg(test)]
mod tests;

/// The next step for one machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Make an instance for it.
    Start,
    /// It has one: see to it that it is there.
    Keep,
    /// It has one whose agent ended for good, and a person wants it to run again.
    StartAgain,
    /// It is on its way out and never had an instance: it may die at once.
    EnsureDead,
    /// It is dead: take its instance away, then have it removed.
    Stop,
    /// Somebody else's turn.
    Leave,
}

/// Classifies a machine. `first_look` is true for the machines found when the provisioner starts:
/// then a start that failed for good is tried again, since what hindered it may be gone.
pub fn classify(
    life: Life,
    has_instance: bool,
    status: &Status<Machine>,
    first_look: bool,
) -> Task {
    match (life, has_instance) {
        (Life::Dead, _) => Task::Stop,
        (Life::Dying, false) => Task::EnsureDead,
        (Life::Alive, false) => match status.status {
            Machine::ProvisioningError if !first_look => Task::Leave,
            _ => Task::Start,
        },
        (_, true) if status.status == Machine::Pending => Task::StartAgain,
        (_, true) if first_look => Task::Keep,
        (_, true) => Task::Leave,
    }
}

/// Which instances that the model does not account for are stopped (`provisioner-harvest-mode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Harvest {
    None,
    /// Those of no machine.
    Unknown,
    /// Those of dead machines.
    #[default]
    Destroyed,
    All,
}

impl std::str::FromStr for Harvest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" => Ok(Harvest::None),
            "unknown" => Ok(Harvest::Unknown),
            "destroyed" => Ok(Harvest::Destroyed),
            "all" => Ok(Harvest::All),
            other => Err(format!(
                "\"{other}\" is not one of: none, unknown, destroyed, all"
            )),
        }
    }
}

impl Harvest {
    /// Whether an instance named `name` is stopped. `machines` are all machines of the model with
    /// their lives.
    pub fn takes(self, name: &str, machines: &[(MachineId, Life)]) -> bool {
        let machine = machines.iter().find(|(id, _)| id.as_str() == name);
        match machine {
            None => matches!(self, Harvest::Unknown | Harvest::All),
            Some((_, Life::Dead)) => matches!(self, Harvest::Destroyed | Harvest::All),
            Some(_) => false,
        }
    }
}

/// The status of an instance whose agent ended for good by `cause`.
pub fn agent_ended(cause: &str) -> Status<Machine> {
    let message =
        format!("its agent ended for good ({cause}); start it again: periapt start-agent");
    Status::new(Machine::Stopped, message)
}

/// The status of an instance whose agent may run; none if `now` does not say otherwise.
pub fn agent_runs_again(now: &Status<Machine>) -> Option<Status<Machine>> {
    matches!(now.status, Machine::Stopped | Machine::Pending)
        .then(|| Status::new(Machine::Running, ""))
}

/// Whether a status of an instance is the instance poller's to change. All others say what the
/// provisioner does with it, or what became of that.
pub fn is_polled(now: Machine) -> bool {
    matches!(now, Machine::Running | Machine::Down)
}

/// The status of an instance whose provider says whether it runs, or nothing of one that it does not
/// have; none if `now` says the same or is not the poller's to change.
pub fn polled(now: &Status<Machine>, runs: Option<bool>) -> Option<Status<Machine>> {
    let found = match runs {
        Some(true) => Status::new(Machine::Running, ""),
        Some(false) => Status::new(Machine::Down, "nothing runs on it at the moment"),
        None => Status::new(Machine::Down, "its provider does not have it any more"),
    };
    // Running is said with other words as well, which stay.
    let same = match runs {
        Some(true) => now.status == Machine::Running,
        _ => (now.status, &now.message) == (found.status, &found.message),
    };
    (is_polled(now.status) && !same).then_some(found)
}

/// Starts of one machine before it is left with an error, and the pause between them.
pub const START_ATTEMPTS: u32 = 10;
pub const START_PAUSE: std::time::Duration = std::time::Duration::from_secs(10);

/// The status after `failed` starts (1 or more) that ended with `reason`.
pub fn failed_start(reason: &str, failed: u32) -> Status<Machine> {
    let left = START_ATTEMPTS.saturating_sub(failed);
    if left == 0 {
        return Status::new(Machine::ProvisioningError, reason);
    }
    let pause = START_PAUSE.as_secs();
    Status::new(
        Machine::Pending,
        format!("failed to start instance ({reason}), retrying in {pause}s ({left} more attempts)"),
    )
}
