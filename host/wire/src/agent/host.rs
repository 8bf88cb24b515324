//! The machines an agent process hosts.

use periapt_model::hook::Limits;
use periapt_model::{MachineId, ModelName, ModelUuid, UnitName};
use serde::{Deserialize, Serialize};

use crate::rpc::{Empty, Watch};

crate::facade! { "periapt.AgentHost" 1 for AgentOfModel {
    /// Changes name machines hosted by the caller.
    [Watch] WatchMachines as WatchHostedMachines {} -> Watch;
    /// Those of these machines that the caller hosts.
    [Read] Machines as HostedMachines { machines: Vec<MachineId> } -> Vec<MachineId>;
    /// Identity of the connection's model.
    [Read] Model as HostModel {} -> HostedModel;
    /// Which of these units the model does not have, or not any more.
    [Read] GoneUnits as GoneUnits { units: Vec<UnitName> } -> Vec<UnitName>;
    /// Fires when the controller's addresses, which `Model` tells, change.
    [Watch] WatchApiAddresses as WatchApiAddresses {} -> Watch;
    /// A password that the agent made itself. The present one counts until this one has been used.
    [Write] ChangePassword as ChangePassword { present_password: String, password: String } -> Empty;
    /// Fires when the caller is asked something; `Questions` says what.
    [Watch] WatchQuestions as WatchAgentQuestions {} -> Watch;
    /// What the caller is asked and has not answered yet.
    [Read] Questions as AgentQuestions {} -> Vec<AgentQuestion>;
    [Tell] PutAnswer as PutAnswer { number: u64, answer: AgentAnswer } -> Empty;
} }

/// A question to the process of an agent.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AgentQuestion {
    pub number: u64,
    pub asked: Asked,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Asked {
    /// Which workers run.
    Workers,
    /// A look into the process.
    Process,
    Files(FileQuestion),
}

/// An answer, of the kind of its question.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AgentAnswer {
    Workers(Vec<crate::rest::WorkerRow>),
    Process(Box<crate::rest::AgentIntrospection>),
    Files(FileAnswer),
}

/// A question about the files that a unit's charm keeps in `/state`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct FileQuestion {
    pub unit: UnitName,
    /// The one that counts.
    pub generation: u64,
    /// Below `/state`.
    pub path: String,
    pub wanted: WantedFiles,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WantedFiles {
    /// The entries of a directory, at most so many.
    Entries { most: usize },
    /// At most so many bytes of a file, from an offset.
    Part { offset: u64, most: usize },
}

/// What an agent found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileAnswer {
    Entries {
        entries: Vec<FoundFile>,
        /// How many there are.
        all: u64,
    },
    /// Base64.
    Part {
        content: String,
        total: u64,
    },
    NotFound,
    NotADirectory,
    IsADirectory,
    /// A link, which is not followed, or what is neither a file nor a directory.
    NotAFile,
    /// The generation is not there: a later one counts meanwhile.
    Outdated,
    /// Why it could not be read.
    Failed {
        reason: String,
    },
}

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct FoundFile {
    pub name: String,
    pub kind: crate::rest::FileKind,
    pub bytes: u64,
    /// Seconds since 1970, UTC.
    pub modified_at: i64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct HostedModel {
    pub uuid: ModelUuid,
    pub name: ModelName,
    pub controller_uuid: ModelUuid,
    pub api_addresses: Vec<String>,
    pub limits: Limits,
}
