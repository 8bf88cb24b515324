//! Who asks for a turn, what it takes with it, and what somebody waits for who has none.

use crate::task::Beside;
use crate::{MachineId, UnitName};

/// What one turn has at a time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lock {
    /// Everything on a machine that says nothing else.
    Machine(MachineId),
    /// An execution group on a machine.
    Group(MachineId, String),
    /// A unit's own: it runs one thing at a time anyway.
    Unit(UnitName),
}

impl Lock {
    /// What a task of a unit on a machine takes that runs beside others.
    pub fn of(unit: &UnitName, machine: &MachineId, beside: &Beside) -> Self {
        match beside {
            Beside::Nothing => Lock::Machine(machine.clone()),
            Beside::OtherGroups(group) => Lock::Group(machine.clone(), group.clone()),
            Beside::Anything => Lock::Unit(unit.clone()),
        }
    }
}

/// Who wants to run what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub unit: UnitName,
    pub lock: Lock,
    /// The hook's name.
    pub hook: String,
}

/// What a request waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitsFor {
    /// The lock of its machine, and who has it.
    Machine { unit: UnitName, hook: String },
    /// That of a group of tasks, and who has it.
    Group {
        group: String,
        unit: UnitName,
        hook: String,
    },
    /// A place; so many hooks are before it.
    Place { running: usize },
}

impl std::fmt::Display for WaitsFor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            WaitsFor::Machine { unit, hook } => {
                write!(f, "waiting for the machine's lock, held by {unit} {hook}")
            }
            WaitsFor::Group { group, unit, hook } => {
                write!(
                    f,
                    "waiting for the execution group {group}, of which {unit} runs {hook}"
                )
            }
            WaitsFor::Place { running: 1 } => f.write_str("waiting for a turn: 1 hook is running"),
            WaitsFor::Place { running } => {
                write!(f, "waiting for a turn: {running} hooks are running")
            }
        }
    }
}
