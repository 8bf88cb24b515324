//! Who is asked to run something: a unit, or a machine, which runs no charm and knows a few commands of its
//! agent's.

use std::fmt;
use std::str::FromStr;

use crate::nearest::suggestion;
use crate::{ApplicationName, MachineId, NameError, UnitName};

/// How a machine is written among units: `machine-0`, which is no unit's name.
const MACHINE: &str = "machine-";

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Receiver {
    Unit(UnitName),
    Machine(MachineId),
}

impl Receiver {
    pub fn unit(self) -> Option<UnitName> {
        match self {
            Receiver::Unit(unit) => Some(unit),
            Receiver::Machine(_) => None,
        }
    }

    pub fn machine(self) -> Option<MachineId> {
        match self {
            Receiver::Unit(_) => None,
            Receiver::Machine(machine) => Some(machine),
        }
    }

    /// That of a unit.
    pub fn application(&self) -> Option<ApplicationName> {
        match self {
            Receiver::Unit(unit) => Some(unit.application()),
            Receiver::Machine(_) => None,
        }
    }
}

impl fmt::Display for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Receiver::Unit(unit) => f.write_str(unit.as_str()),
            Receiver::Machine(machine) => write!(f, "{MACHINE}{machine}"),
        }
    }
}

impl FromStr for Receiver {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let machine = text.strip_prefix(MACHINE).map(str::parse::<MachineId>);
        match machine {
            Some(Ok(machine)) => Ok(Receiver::Machine(machine)),
            Some(Err(_)) | None => Ok(Receiver::Unit(text.parse()?)),
        }
    }
}

/// What a machine's agent does when it is asked to. It runs no program: there is no shell on a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineCommand {
    /// Says how many bytes the directories of each unit have.
    Df,
    /// Starts the machine afresh, with all of its units, once they are between hooks.
    Reboot,
    /// Tells of its engine and those of its units, as JSON.
    Report,
}

impl MachineCommand {
    pub const ALL: &[MachineCommand] = &[
        MachineCommand::Df,
        MachineCommand::Reboot,
        MachineCommand::Report,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            MachineCommand::Df => "df",
            MachineCommand::Reboot => "reboot",
            MachineCommand::Report => "report",
        }
    }
}

impl fmt::Display for MachineCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for MachineCommand {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = MachineCommand::ALL.iter().copied();
        let found = all.clone().find(|command| command.as_str() == text);
        found.ok_or_else(|| {
            let shown: String = text.chars().take(80).collect();
            let known: Vec<&str> = all.map(MachineCommand::as_str).collect();
            format!(
                "a machine has no shell, and its agent knows {}, not \"{shown}\"{}",
                known.join(", "),
                suggestion(text, known.iter().copied())
            )
        })
    }
}
