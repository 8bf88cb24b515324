//! The catalogue: every worker Juju has, and what has become of it here; and the workers that Juju has not.
//!
//! None of the 109 is silently absent. A row runs, rests on an input that it names, has removed
//! itself and says why, is a library that others are built on, or is not built and says what it
//! waits for. The table says which nodes of our engines carry a row and which tests hold it to its
//! promise; the reports of the engines say how the nodes fare.
//!
//! It knows engines by the names of their nodes alone, so that the controller and every agent can
//! make rows of what runs in them. Beside each engine's table a test compares its names with these.

mod table;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use periapt_engine::{EngineReport, NodeReport, NodeState};
use periapt_wire::rest::WorkerRow;

pub use table::{OWN, WORKERS};

/// The agents whose engines are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AgentKind {
    Controller,
    Model,
    /// The process in which the machines of a model are.
    Host,
    Machine,
    Unit,
}

impl AgentKind {
    pub const ALL: [Self; 5] = [
        AgentKind::Controller,
        AgentKind::Model,
        AgentKind::Host,
        AgentKind::Machine,
        AgentKind::Unit,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            AgentKind::Controller => "controller",
            AgentKind::Model => "model",
            AgentKind::Host => "agent process",
            AgentKind::Machine => "machine",
            AgentKind::Unit => "unit",
        }
    }
}

/// How far Juju's worker makes sense here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The same work, the same effect.
    Same,
    /// The same purpose by other means.
    Adapted,
    /// Tied to something that is not here (MongoDB, Ubuntu, Canonical's services).
    Artefact,
    /// Other workers are built on it.
    Library,
    /// Only with a Kubernetes cluster.
    Kubernetes,
    /// Only here: Juju has no such worker.
    Own,
}

/// What has become of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nodes that carry it, by agent and name.
    Built(&'static [(AgentKind, &'static str)]),
    /// A library, with the nodes that are made of it and a word on what it is here.
    Library(&'static [(AgentKind, &'static str)], &'static str),
    /// Its work is not needed here, for this reason.
    NotNeeded(&'static str),
    /// What it waits for.
    NotBuilt(&'static str),
}

/// A row of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Worker {
    /// Juju's name.
    pub name: &'static str,
    pub class: Class,
    /// Where it runs, or would run: agents, `library` or `kubernetes`.
    pub agent: &'static str,
    pub standing: Standing,
    /// What it promises here, where that is not what Juju's worker promises; empty otherwise.
    pub sentence: &'static str,
    /// Names of the tests that hold it to its promise.
    pub tests: &'static [&'static str],
}

/// One engine's report with the kind of agent it belongs to.
#[derive(Clone, Debug)]
pub struct AgentReport {
    pub agent: AgentKind,
    pub report: EngineReport,
}

/// The nodes of this agent that carry a row.
pub fn nodes(agent: AgentKind) -> BTreeSet<&'static str> {
    all()
        .flat_map(|worker| match worker.standing {
            Standing::Built(nodes) | Standing::Library(nodes, _) => nodes,
            Standing::NotNeeded(_) | Standing::NotBuilt(_) => &[],
        })
        .filter(|(of, _)| *of == agent)
        .map(|(_, name)| *name)
        .collect()
}

/// Juju's workers, then our own.
fn all() -> impl Iterator<Item = &'static Worker> {
    WORKERS.iter().chain(OWN)
}

/// All rows, as these engines see them.
pub fn rows(reports: &[AgentReport]) -> Vec<WorkerRow> {
    all().map(|worker| row(worker, reports)).collect()
}

fn row(worker: &Worker, reports: &[AgentReport]) -> WorkerRow {
    let mut row = WorkerRow {
        worker: worker.name.to_owned(),
        agent: worker.agent.to_owned(),
        state: String::new(),
        reason: String::new(),
        running: 0,
        start_count: 0,
        sentence: worker.sentence.to_owned(),
        tests: worker.tests.iter().map(|test| (*test).to_owned()).collect(),
    };
    let (state, reason) = match worker.standing {
        Standing::NotBuilt(waits_for) => ("not built", waits_for.to_owned()),
        Standing::NotNeeded(why) => ("uninstalled", why.to_owned()),
        Standing::Library(nodes, what) => {
            count(nodes, reports, &mut row);
            (
                if row.running > 0 {
                    "running"
                } else {
                    "library"
                },
                what.to_owned(),
            )
        }
        Standing::Built(nodes) => {
            count(nodes, reports, &mut row);
            if row.running > 0 {
                ("running", String::new())
            } else {
                at_rest(nodes, reports)
            }
        }
    };
    row.state = state.to_owned();
    row.reason = reason;
    row
}

/// The nodes as they stand in the reports.
fn found<'a>(
    nodes: &'a [(AgentKind, &'a str)],
    reports: &'a [AgentReport],
) -> impl Iterator<Item = (&'a str, &'a AgentReport)> {
    nodes.iter().flat_map(move |(agent, name)| {
        reports
            .iter()
            .filter(move |report| report.agent == *agent)
            .map(move |report| (*name, report))
    })
}

fn count(nodes: &[(AgentKind, &str)], reports: &[AgentReport], row: &mut WorkerRow) {
    for (name, report) in found(nodes, reports) {
        if let Some(node) = report.report.manifolds.get(name) {
            row.running += u64::from(node.state == NodeState::Started);
            row.start_count += node.start_count;
        }
    }
}

/// Why none of the nodes runs.
fn at_rest(nodes: &[(AgentKind, &str)], reports: &[AgentReport]) -> (&'static str, String) {
    let resting =
        found(nodes, reports).find_map(|(name, report)| report.report.manifolds.get(name));
    if let Some(node) = resting {
        return ("resting", rests_on(node));
    }
    let gone = found(nodes, reports).find_map(|(name, report)| report.report.uninstalled.get(name));
    if let Some(reason) = gone {
        return ("uninstalled", reason.clone());
    }
    let agents: Vec<&str> = nodes.iter().map(|(agent, _)| agent.as_str()).collect();
    (
        "uninstalled",
        format!(
            "no agent of this kind is connected to the process that answers: {}",
            agents.join(", ")
        ),
    )
}

fn rests_on(node: &NodeReport) -> String {
    match (&node.waits_for, &node.error, node.state) {
        (Some(input), _, _) => format!("waiting for {input}"),
        (None, Some(error), _) => error.clone(),
        (None, None, NodeState::Stopping) => "stopping".to_owned(),
        (None, None, NodeState::Starting) => "starting".to_owned(),
        (None, None, _) => "finished its work".to_owned(),
    }
}
