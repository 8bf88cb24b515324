//! What a charm asks to have done with the services and checks of a container.

use serde::{Deserialize, Serialize};

/// Something to be done once; whoever has seen the number does not do it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Asked {
    /// Of the container's requests, growing.
    pub id: u64,
    pub request: Request,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// Starts what is enabled and does not run.
    Replan,
    Start(Vec<String>),
    Stop(Vec<String>),
    Restart(Vec<String>),
    /// A signal by its name, and the services that get it.
    Signal(String, Vec<String>),
    StartChecks(Vec<String>),
    StopChecks(Vec<String>),
}

impl Request {
    /// For people: `start web, worker`.
    pub fn words(&self) -> String {
        let of = |verb: &str, names: &[String]| format!("{verb} {}", names.join(", "));
        match self {
            Request::Replan => "replan".to_owned(),
            Request::Start(names) => of("start", names),
            Request::Stop(names) => of("stop", names),
            Request::Restart(names) => of("restart", names),
            Request::Signal(signal, names) => of(&format!("send {signal} to"), names),
            Request::StartChecks(names) => of("start checks", names),
            Request::StopChecks(names) => of("stop checks", names),
        }
    }

    /// The services that it names, or else the checks.
    pub fn names(&self) -> &[String] {
        match self {
            Request::Replan => &[],
            Request::Start(names)
            | Request::Stop(names)
            | Request::Restart(names)
            | Request::Signal(_, names)
            | Request::StartChecks(names)
            | Request::StopChecks(names) => names,
        }
    }

    /// Whether its names are of checks.
    pub fn is_of_checks(&self) -> bool {
        matches!(self, Request::StartChecks(_) | Request::StopChecks(_))
    }
}
