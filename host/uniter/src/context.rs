//! The agent's side of one hook: facts from the snapshot taken as the hook began, and the few
//! calls that take effect at once, made over the unit's connection. What it answers for each hook
//! tool is in the files below.
//!
//! A hook that waits for an answer, or sleeps, has no place meanwhile, and goes on once it has one
//! again. One that computes for longer than a slice lets others on who are before it.
//!
//! A context can be severed: when the agent stops before its hook does, nothing the hook still
//! asks for reaches the controller.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use periapt_contract::workload::{Committed, Container};
use periapt_engine::{SharedClock, SharedRandomness, failpoint};
use periapt_model::hook::AtOnce;
use periapt_model::ports::PortRange;
use periapt_model::status::{Status, Workload};
use periapt_model::storage::StorageId;
use periapt_model::turns::SLICE;
use periapt_model::{Tag, UnitName};
use periapt_sandbox::{CallError, Cancelled, Goals, HookContext, RelationInfo};
use periapt_wire::ApiConnection;
use periapt_wire::agent::log_sink::LogRecord;
use periapt_wire::rpc::{Call, code};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use crate::dispatch::RunningTask;
use crate::leadership::Leadership;
use crate::lines::Lines;
use crate::process::ModelIdentity;
use crate::resources::{OfHook, Resources};
use crate::settings::{KnownSettings, SharedSettings};
use crate::snapshot::HookSnapshot;
use crate::storage::Held;
use crate::turns::Turn;
use crate::withheld;
use crate::workloads::Workloads;

mod action;
mod credential;
mod facts;
mod payloads;
mod reboot;
mod relations;
mod resources;
mod secrets;
mod status;
mod storage;

pub(crate) use relations::relations;

/// What the executor keeps of a context while the hook has it.
#[derive(Clone, Default)]
pub(crate) struct Tether {
    /// Cancelled when the hook has no say any more.
    pub severed: CancellationToken,
    /// Whether the charm set the unit's status.
    pub status_set: Arc<AtomicBool>,
    /// What the hook changed at once.
    pub at_once: Arc<Mutex<Vec<AtOnce>>>,
    /// What it was refused last that its application was not granted.
    pub refused: Arc<Mutex<Option<String>>>,
}

impl Tether {
    /// Whether the charm set the unit's status, and all that it changed at once.
    pub fn takes(&self) -> (bool, Vec<AtOnce>) {
        let at_once = self.at_once.lock().unwrap_or_else(PoisonError::into_inner);
        (self.status_set.load(Ordering::Acquire), at_once.clone())
    }

    /// What the hook was refused that its application was not granted, in a sentence.
    pub fn refused(&self) -> Option<String> {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.clone()
    }

    /// Keeps in mind that a call was refused.
    fn refuses(&self, why: Option<String>) -> Option<String> {
        if why.is_some() {
            let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
            refused.clone_from(&why);
        }
        why
    }

    fn tell(&self, effect: AtOnce) {
        let mut at_once = self.at_once.lock().unwrap_or_else(PoisonError::into_inner);
        // A charm that reports its progress by the second has one effect, the newest.
        at_once.retain(|earlier| !effect.replaces(earlier));
        at_once.push(effect);
    }
}

pub(crate) struct UnitContext {
    pub unit: UnitName,
    pub model: ModelIdentity,
    pub snapshot: HookSnapshot,
    /// As the hook set or first asked for it.
    pub application: Option<Status<Workload>>,
    pub options: Vec<String>,
    /// That the charm declares.
    pub containers: Vec<Container>,
    /// That the charm declares, its containers' among them.
    pub declared_ports: Vec<PortRange>,
    pub committed: Arc<BTreeMap<String, Committed>>,
    pub workloads: Workloads,
    pub endpoints: BTreeSet<String>,
    /// Endpoints and what else can be bound to a network.
    pub bindings: BTreeSet<String>,
    /// That the charm declares, with their types.
    pub payload_classes: BTreeMap<String, String>,
    /// That the charm declares, with the names of their files.
    pub resources: BTreeMap<String, String>,
    pub all_resources: Resources,
    /// What this hook asked for of them.
    pub held: OfHook,
    /// That the unit has in this hook.
    pub storage: Held,
    /// What the hook is about.
    pub hook_storage: Option<StorageId>,
    /// As the hook is told of them.
    pub relations: Vec<RelationInfo>,
    pub settings: KnownSettings,
    pub shared_settings: SharedSettings,
    pub goals: Option<Goals>,
    pub connection: ApiConnection,
    pub leadership: Leadership,
    /// Until when the unit leads that led before the snapshot was made: so long nobody else
    /// changes what is the leader's.
    pub leads_until: Option<Duration>,
    pub lines: Arc<Lines>,
    /// What a person asked for; none in a hook.
    pub task: Option<Arc<RunningTask>>,
    pub clock: SharedClock,
    pub randomness: SharedRandomness,
    pub runtime: Handle,
    pub tether: Tether,
    pub turn: Arc<Turn>,
    /// When the hook has computed for a slice, on the clock's monotonic time.
    pub slice_ends: Duration,
}

impl UnitContext {
    /// Makes a call from the hook's thread.
    fn call<C: Call>(&mut self, call: &C) -> Result<C::Reply, CallError> {
        let connection = self.connection.clone();
        self.ask(connection.call(call))
    }

    /// The same, of a question that others may ask as well.
    fn ask<T>(
        &mut self,
        answer: impl Future<Output = Result<T, periapt_wire::CallError>>,
    ) -> Result<T, CallError> {
        failpoint::reach("uniter-during-execute");
        self.wait(async { answer.await.map_err(refused) })?
    }

    /// Waits on the hook's thread. What is not there at once is waited for without a place.
    fn wait<T>(&mut self, work: impl Future<Output = T>) -> Result<T, CallError> {
        let work = async {
            tokio::select! {
                biased;
                () = self.tether.severed.cancelled() => Err(CallError::unavailable("the agent is stopping")),
                output = work => Ok(output),
            }
        };
        let (output, waited) = self.runtime.block_on(async {
            let mut work = pin!(work);
            if let Poll::Ready(output) = futures::poll!(work.as_mut()) {
                return (output, false);
            }
            self.turn.step_aside();
            (work.await, true)
        });
        if waited {
            self.goes_on();
        }
        output
    }

    /// Waits on the hook's thread for a place that it asked for then; nobody waits who is cancelled.
    fn regain(&mut self, asked: Duration) {
        if !self.turn.has_come() {
            let cancelled = self.task.as_ref().map(|task| task.cancelled.clone());
            let cancelled = async {
                match cancelled {
                    Some(cancelled) => cancelled.cancelled_owned().await,
                    None => std::future::pending().await,
                }
            };
            self.runtime.block_on(async {
                tokio::select! {
                    biased;
                    () = self.turn.comes() => {}
                    () = cancelled => {}
                }
            });
        }
        let now = self.clock.monotonic();
        self.turn.pauses().add(now.saturating_sub(asked));
        self.slice_ends = now + SLICE;
    }
}

impl HookContext for UnitContext {
    fn waited(&self) -> Duration {
        self.turn.pauses().total()
    }

    fn lets_others_on(&mut self) {
        let now = self.clock.monotonic();
        if now >= self.slice_ends {
            self.turn.pause();
            self.regain(now);
        }
    }

    fn rests(&mut self) {
        self.turn.rest();
    }

    fn goes_on(&mut self) {
        let now = self.clock.monotonic();
        self.turn.step_in();
        self.regain(now);
    }

    fn withheld(&self, interface: &str) -> Option<String> {
        let why = withheld::tools(&self.snapshot.withheld, &self.unit, interface);
        self.tether.refuses(why)
    }

    fn is_cancelled(&self) -> bool {
        let task = self.task.as_ref();
        task.is_some_and(|task| task.cancelled.is_cancelled())
    }

    fn cancelled(&self) -> Option<Cancelled> {
        let cancelled = self.task.as_ref()?.cancelled.clone();
        Some(Box::pin(cancelled.cancelled_owned()))
    }
}

/// A line about a unit; `part` is what wrote it, and loggers are tuned by `unit.UNIT.PART`.
pub(crate) fn record(
    clock: &SharedClock,
    unit: &UnitName,
    part: &str,
    level: &str,
    message: &str,
) -> LogRecord {
    LogRecord {
        time: clock.now().as_microsecond(),
        entity: Tag::Unit(unit.clone()),
        level: level.to_owned(),
        module: format!("unit.{unit}.{part}"),
        message: message.to_owned(),
    }
}

fn refused(error: periapt_wire::CallError) -> CallError {
    let message = error.to_string();
    match error.code() {
        code::LEASE_DENIED | code::UNAUTHORIZED => CallError::denied(message),
        code::NOT_FOUND => CallError::not_found(message),
        code::BAD_REQUEST => CallError::invalid(message),
        _ => CallError::unavailable(message),
    }
}
