//! The rules of the engine as a state machine. Nothing here waits, and nothing calls a worker: what
//! has to be done outside is put into the [`Effects`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use super::InstallError;
use super::config::EngineConfig;
use super::report::{EngineState, NodeSnapshot, NodeState, Snapshot};
use super::run::{Effects, Start};
use crate::error::{Kind, WorkerError, WorkerResult};
use crate::manifold::{Context, Manifold, Name};
use crate::worker::{Outputs, SharedWorker};

#[derive(Default)]
pub(super) struct State {
    life: EngineState,
    /// Boxed, since a tree keeps room for ten more than it has.
    nodes: BTreeMap<Name, Box<Node>>,
    /// Nodes that removed themselves, with the reason they gave.
    uninstalled: BTreeMap<Name, String>,
    worst: Option<WorkerError>,
}

struct Node {
    /// Shared with the task that runs the node.
    manifold: Arc<Manifold>,
    phase: Phase,
    /// The engine asked for the stop; that is why the node comes back, however it ends.
    stopping: bool,
    start_count: u64,
    recent_errors: u32,
    started: Option<Started>,
    error: Option<WorkerError>,
}

pub(super) enum Phase {
    Stopped,
    Starting(CancellationToken),
    Running {
        worker: SharedWorker,
        outputs: Outputs,
    },
}

#[derive(Clone, Copy)]
struct Started {
    at: Timestamp,
    monotonic: Duration,
}

/// How a node ended, judged before the state is locked, because judging calls into the agent.
pub(super) struct Ending {
    /// As the worker said it.
    pub raw: WorkerResult,
    /// After the node's filter.
    pub filtered: WorkerResult,
    /// The engine's judgement of the filtered error.
    pub fatal: bool,
}

impl State {
    pub fn install(
        &mut self,
        name: Name,
        manifold: Manifold,
        config: &EngineConfig,
        effects: &mut Effects,
    ) -> Result<(), InstallError> {
        if self.life != EngineState::Started {
            return Err(InstallError::Dying);
        }
        if self.nodes.contains_key(&name) {
            return Err(InstallError::Duplicate(name));
        }
        if self.reaches(&manifold.inputs, &name) {
            return Err(InstallError::Cycle(name));
        }
        self.uninstalled.remove(&name);
        self.nodes
            .insert(name.clone(), Box::new(Node::new(manifold)));
        self.request_start(&name, Duration::ZERO, config, effects);
        Ok(())
    }

    /// True when `target` is one of `inputs` or of their inputs, and so on.
    fn reaches(&self, inputs: &[Name], target: &Name) -> bool {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&Name> = inputs.iter().collect();
        while let Some(input) = open.pop() {
            if input == target {
                return true;
            }
            if seen.insert(input)
                && let Some(node) = self.nodes.get(input)
            {
                open.extend(&node.manifold.inputs);
            }
        }
        false
    }

    /// The inputs are read now, also when some are absent: the start itself answers "missing".
    fn request_start(
        &mut self,
        name: &Name,
        base_delay: Duration,
        config: &EngineConfig,
        effects: &mut Effects,
    ) {
        if self.life != EngineState::Started {
            return;
        }
        let Some(node) = self.nodes.get(name) else {
            return;
        };
        if !matches!(node.phase, Phase::Stopped) {
            let text = format!("engine asked {name} to start while it runs");
            self.begin_stop(Some(WorkerError::fatal(text)), config, effects);
            return;
        }
        let lent = |input: &Name| match &self.nodes.get(input)?.phase {
            Phase::Running { outputs, .. } => Some(outputs.clone()),
            Phase::Stopped | Phase::Starting(_) => None,
        };
        let snapshot = node
            .manifold
            .inputs
            .iter()
            .map(|input| (input.clone(), lent(input)))
            .collect();
        let delay = config
            .delays
            .real(base_delay, node.recent_errors, config.randomness.as_ref());
        let abort = CancellationToken::new();
        let context = Context::new(
            name.clone(),
            snapshot,
            abort.clone(),
            config.clock.clone(),
            config.randomness.clone(),
        );
        effects.start(Start {
            manifold: Arc::clone(&node.manifold),
            delay,
            context,
        });
        if let Some(node) = self.nodes.get_mut(name) {
            node.phase = Phase::Starting(abort);
            node.stopping = false;
        }
    }

    fn request_stop(&mut self, name: &Name, effects: &mut Effects) {
        let Some(node) = self.nodes.get_mut(name) else {
            return;
        };
        if node.stopping {
            return;
        }
        match &node.phase {
            Phase::Stopped => return,
            Phase::Starting(abort) => effects.cancel(abort.clone()),
            Phase::Running { worker, .. } => effects.kill(worker.clone()),
        }
        node.stopping = true;
    }

    fn bounce_dependents(&mut self, name: &Name, config: &EngineConfig, effects: &mut Effects) {
        let dependents: Vec<Name> = self
            .nodes
            .iter()
            .filter(|(_, node)| node.manifold.inputs.contains(name))
            .map(|(name, _)| name.clone())
            .collect();
        for dependent in dependents {
            match self.nodes.get(&dependent).map(|node| &node.phase) {
                Some(Phase::Stopped) => {
                    self.request_start(&dependent, config.delays.bounce, config, effects);
                }
                Some(_) => self.request_stop(&dependent, effects),
                None => {}
            }
        }
    }

    pub fn started(
        &mut self,
        name: &Name,
        worker: SharedWorker,
        outputs: Outputs,
        config: &EngineConfig,
        effects: &mut Effects,
    ) {
        let Some(node) = self.nodes.get_mut(name) else {
            effects.kill(worker);
            return;
        };
        if node.stopping || self.life != EngineState::Started {
            effects.kill(worker);
            return;
        }
        node.phase = Phase::Running { worker, outputs };
        node.start_count += 1;
        node.error = None;
        node.started = Some(Started {
            at: config.clock.now(),
            monotonic: config.clock.monotonic(),
        });
        self.bounce_dependents(name, config, effects);
    }

    pub fn stopped(
        &mut self,
        name: &Name,
        ending: Ending,
        config: &EngineConfig,
        effects: &mut Effects,
    ) {
        let Some(node) = self.nodes.get_mut(name) else {
            return;
        };
        let phase = std::mem::replace(&mut node.phase, Phase::Stopped);
        let was_running = matches!(phase, Phase::Running { .. });
        effects.discard(phase);
        node.count_error(&ending.raw, was_running, config);
        let requested = std::mem::take(&mut node.stopping);
        node.error = ending.filtered.as_ref().err().cloned();

        if ending.fatal {
            self.begin_stop(ending.filtered.as_ref().err().cloned(), config, effects);
        }
        if self.life != EngineState::Started {
            self.finish_if_empty(effects);
            return;
        }
        if requested {
            self.request_start(name, config.delays.bounce, config, effects);
        } else if let Err(error) = ending.filtered {
            self.answer(name, &error, config, effects);
        }
        if was_running {
            self.bounce_dependents(name, config, effects);
        }
    }

    /// What an error means for a node that ended by itself. A clean end means rest.
    fn answer(
        &mut self,
        name: &Name,
        error: &WorkerError,
        config: &EngineConfig,
        effects: &mut Effects,
    ) {
        match error.kind() {
            Kind::Missing | Kind::Aborted => {}
            Kind::Bounce => self.request_start(name, config.delays.bounce, config, effects),
            Kind::Uninstall => {
                if let Some(node) = self.nodes.remove(name) {
                    effects.discard_node(node.manifold);
                }
                self.uninstalled.insert(name.clone(), error.to_string());
            }
            Kind::Dying | Kind::Fatal(_) | Kind::EntityRemoved | Kind::Other => {
                let text = error.to_string();
                if text.contains("try again") {
                    tracing::info!(engine = %config.name, worker = %name, error = %text, "worker stopped");
                } else {
                    tracing::error!(engine = %config.name, worker = %name, error = %text, "worker stopped");
                }
                self.request_start(name, config.delays.error, config, effects);
            }
        }
    }

    pub fn kill(&mut self, effects: &mut Effects) {
        if self.life != EngineState::Started {
            return;
        }
        self.life = EngineState::Stopping;
        let names: Vec<Name> = self.nodes.keys().cloned().collect();
        for name in names {
            self.request_stop(&name, effects);
        }
        self.finish_if_empty(effects);
    }

    fn begin_stop(
        &mut self,
        fatal: Option<WorkerError>,
        config: &EngineConfig,
        effects: &mut Effects,
    ) {
        if let Some(fatal) = fatal {
            self.worst = Some((config.worst_error)(fatal, self.worst.take()));
        }
        self.kill(effects);
    }

    fn finish_if_empty(&mut self, effects: &mut Effects) {
        let mut nodes = self.nodes.values();
        let ended =
            nodes.all(|node| node.manifold.is_engine || matches!(node.phase, Phase::Stopped));
        if self.life == EngineState::Stopping && ended {
            self.life = EngineState::Stopped;
            effects.die(self.worst.clone());
        }
    }

    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            state: self.life,
            error: self.worst.clone(),
            nodes: self
                .nodes
                .iter()
                .map(|(name, node)| (name.clone(), node.snapshot()))
                .collect(),
            uninstalled: self.uninstalled.clone(),
        }
    }
}

impl Node {
    fn new(manifold: Manifold) -> Self {
        Self {
            manifold: Arc::new(manifold),
            phase: Phase::Stopped,
            stopping: false,
            start_count: 0,
            recent_errors: 0,
            started: None,
            error: None,
        }
    }

    /// Counts by the error as the worker said it: a filter changes what follows, not what happened.
    fn count_error(&mut self, raw: &WorkerResult, was_running: bool, config: &EngineConfig) {
        let ran = self
            .started
            .filter(|_| was_running)
            .map(|started| config.clock.monotonic().saturating_sub(started.monotonic));
        self.recent_errors = match raw.as_ref().map_err(WorkerError::kind) {
            Ok(()) => 0,
            Err(Kind::Aborted | Kind::Missing) => 1,
            Err(_) if ran.is_some_and(|ran| ran >= config.delays.reset) => 1,
            Err(_) => self.recent_errors.saturating_add(1),
        };
    }

    fn snapshot(&self) -> NodeSnapshot {
        let (state, worker) = match &self.phase {
            Phase::Stopped => (NodeState::Stopped, None),
            Phase::Starting(_) => (NodeState::Starting, None),
            Phase::Running { worker, .. } => (NodeState::Started, Some(worker.clone())),
        };
        NodeSnapshot {
            state: if self.stopping {
                NodeState::Stopping
            } else {
                state
            },
            inputs: self.manifold.inputs.clone(),
            start_count: self.start_count,
            started_at: self.started.map(|started| started.at),
            error: self.error.clone(),
            // The engine does not report itself within its own report.
            worker: worker.filter(|_| !self.manifold.is_engine),
        }
    }
}
