//! One run of one hook: from its files to the effects, ready to be committed.
//!
//! The hook runs on a thread for blocking work, in a turn that ends with the thread. It has a place
//! only while its guest computes: not while what it wrote is made durable, nor while it sleeps or a
//! call waits for the controller. When the agent stops, a hook gets a moment to end; then it is severed and left to
//! its own time limit, with a stage that nobody will look at.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use periapt_contract::workload::Committed;
use periapt_engine::{SharedClock, failpoint};
use periapt_model::UnitName;
use periapt_model::charm::{Access, Capability};
use periapt_model::hook::{AtOnce, Effects};
use periapt_model::storage::StorageId;
use periapt_model::turns::SLICE;
use periapt_sandbox::{
    Directories, HookContext, HookEvent, HookFailure, HookOutcome, RelationInfo, SharedDirectory,
};
use periapt_wire::rest::HookUsage;
use tokio_util::sync::CancellationToken;

use crate::charms::Charm;
use crate::context::{Tether, UnitContext};
use crate::dispatch::Dispatch;
use crate::environment;
use crate::error::{UniterError, call};
use crate::files::is_word;
use crate::hook_files::HookFiles;
use crate::lines::Lines;
use crate::process::Process;
use crate::resources::{OfHook, declared};
use crate::sandbox::{HookCall, RunnableCharm, SandboxError};
use crate::settings::KnownSettings;
use crate::snapshot::HookSnapshot;
use crate::state_directory::StateDirectory;
use crate::storage::{self, Held};
use crate::turns::Turn;
use crate::withheld;
use crate::worker::UniterConfig;
use crate::workloads;

/// How long a running hook may go on after the agent was asked to stop: enough for one that is
/// nearly done, and well within the ten seconds an agent process has to stop.
pub(crate) const GRACE: Duration = Duration::from_secs(4);

/// How a run ended.
#[expect(
    clippy::large_enum_variant,
    reason = "it is made once for a hook and taken apart at once"
)]
pub(crate) enum Ended {
    /// The hook returned ok, and what it wrote is durable under `generation`.
    Well {
        effects: Effects,
        generation: u64,
        status_set: bool,
        at_once: Vec<AtOnce>,
        usage: HookUsage,
        /// When its thread began and when it was done.
        ran: Range<Duration>,
    },
    Failed {
        code: &'static str,
        reason: String,
        /// What it asked for that its application was not granted, in a sentence.
        refused: Option<String>,
        status_set: bool,
        at_once: Vec<AtOnce>,
        /// None if no sandbox was entered.
        usage: Option<HookUsage>,
    },
    /// It asked for a reboot at once, and is to be run again after it.
    Reboots {
        status_set: bool,
        at_once: Vec<AtOnce>,
        usage: HookUsage,
    },
    /// The agent stops; the hook's result is not wanted any more.
    BrokenOff,
}

/// What a hook is told of others.
pub(crate) struct Surroundings {
    pub relations: Vec<RelationInfo>,
    pub settings: KnownSettings,
    /// Where the hook's lines go.
    pub lines: Arc<Lines>,
    /// Until when the unit leads, as it was known before the controller said what the hook sees.
    pub leads_until: Option<Duration>,
    /// What was committed of the unit's containers.
    pub containers: Arc<BTreeMap<String, Committed>>,
    /// Storage that the unit has.
    pub storage: Held,
}

/// A hook that is about to run on the files of `generation`. The turn goes on until its thread has
/// ended, also that of a hook that is broken off; dropped before, nothing ran.
pub(crate) struct Starting {
    pub state_directory: StateDirectory,
    pub generation: u64,
    pub turn: Arc<Turn>,
}

/// The charm's code, or how the hook failed for the lack of it. A charm whose files are damaged is
/// fetched again first.
pub(crate) async fn load(
    config: &UniterConfig,
    charm: &Charm,
) -> Result<Result<Arc<dyn RunnableCharm>, Ended>, UniterError> {
    let (sandbox, connection) = (config.process.sandbox(), &config.connection);
    let mut loaded = sandbox.load(connection, charm.files()).await;
    if let Err(SandboxError::Damaged(reason)) = &loaded {
        tracing::warn!(charm = %charm.info.url, reason, "an unpacked charm is damaged");
        let url = charm.info.url.to_string();
        let renewed = config.process.charms().renew(connection, &url).await?;
        loaded = sandbox.load(connection, renewed.files()).await;
    }
    match loaded {
        Ok(code) => Ok(Ok(code)),
        Err(SandboxError::Charm(reason) | SandboxError::Damaged(reason)) => {
            Ok(Err(Ended::Failed {
                code: "charm-not-loaded",
                reason,
                refused: None,
                status_set: false,
                at_once: Vec::new(),
                usage: None,
            }))
        }
        Err(SandboxError::Descriptors(reason)) => Err(UniterError::Descriptors(reason)),
        Err(SandboxError::NotCompiled) => Err(UniterError::NotCompiled),
        Err(SandboxError::Call(error)) => Err(call("fetching the compiled charm")(error)),
    }
}

impl Starting {
    /// Runs `code` for this, in the place that its turn has, with what the controller lets it see.
    #[allow(clippy::too_many_arguments)]
    pub async fn run(
        self,
        config: &UniterConfig,
        charm: &Charm,
        code: Arc<dyn RunnableCharm>,
        dispatch: Dispatch<'_>,
        mut around: Surroundings,
        snapshot: HookSnapshot,
        dying: &CancellationToken,
    ) -> Result<Ended, UniterError> {
        let Starting {
            state_directory,
            generation,
            turn,
        } = self;
        let lacks = |id: &StorageId| withheld::storage(&snapshot.withheld, id.name());
        around.storage.retain(|id, _| !lacks(id));
        let tether = Tether::default();
        let process = config.process.clone();
        let held = OfHook::default();
        let files = HookFiles::new(state_directory, generation, process, held.clone());
        let files = Arc::new(files);
        let job = Job {
            call: hook_call(
                config,
                charm,
                dispatch,
                files.clone(),
                &snapshot,
                &around.storage,
            ),
            context: Box::new(context(
                config,
                charm,
                around,
                snapshot,
                held,
                dispatch,
                tether.clone(),
                turn.clone(),
            )),
            code,
            tether: tether.clone(),
            files,
        };
        let clock = config.process.clock().clone();
        let mut thread = tokio::task::spawn_blocking(move || job.work(&turn, &clock));
        tokio::select! {
            ended = &mut thread => ended.map_err(|error| UniterError::Thread(error.to_string()))?,
            () = out_of_patience(config.process.clock(), dying, config) => {
                tether.severed.cancel();
                Ok(Ended::BrokenOff)
            }
        }
    }
}

async fn out_of_patience(clock: &SharedClock, dying: &CancellationToken, config: &UniterConfig) {
    dying.cancelled().await;
    tokio::select! {
        () = config.connection.broken().cancelled_owned() => {}
        () = clock.sleep(GRACE) => {}
    }
}

/// What the hook's thread does.
struct Job {
    call: HookCall,
    context: Box<dyn HookContext>,
    code: Arc<dyn RunnableCharm>,
    tether: Tether,
    files: Arc<HookFiles>,
}

impl Job {
    fn work(self, turn: &Turn, clock: &SharedClock) -> Result<Ended, UniterError> {
        let entered = clock.monotonic();
        let HookOutcome {
            result,
            effects,
            usage,
        } = self.code.run(self.call, self.context);
        let usage = HookUsage {
            memory_bytes: usage.memory_bytes,
            host_calls: usage.host_calls,
            output_bytes: usage.output_bytes,
            state_directory_bytes: usage.state_directory_bytes,
        };
        turn.step_aside();
        let (status_set, at_once) = self.tether.takes();
        if let Some(error) = self.files.failure() {
            return Err(error);
        }
        match result {
            Ok(()) if self.tether.severed.is_cancelled() => Ok(Ended::BrokenOff),
            Ok(()) => {
                let generation = self.files.seal()?;
                failpoint::reach("uniter-after-execute");
                Ok(Ended::Well {
                    effects,
                    generation,
                    status_set,
                    at_once,
                    usage,
                    ran: entered..clock.monotonic(),
                })
            }
            Err(HookFailure::Reboot) if self.tether.severed.is_cancelled() => Ok(Ended::BrokenOff),
            Err(HookFailure::Reboot) => Ok(Ended::Reboots {
                status_set,
                at_once,
                usage,
            }),
            Err(HookFailure::Descriptors(reason)) => Err(UniterError::Descriptors(reason)),
            Err(failure) => Ok(Ended::Failed {
                code: failure.code(),
                reason: failure.to_string(),
                refused: self.tether.refused(),
                status_set,
                at_once,
                usage: Some(usage),
            }),
        }
    }
}

fn hook_call(
    config: &UniterConfig,
    charm: &Charm,
    dispatch: Dispatch<'_>,
    files: Arc<HookFiles>,
    snapshot: &HookSnapshot,
    storage: &Held,
) -> HookCall {
    let (machine, principal) = (snapshot.machine.as_ref(), snapshot.principal.as_ref());
    let name = dispatch.name();
    let mut environment = environment::variables(
        &config.unit,
        &config.model,
        machine,
        principal,
        &config.proxies.borrow(),
        &name,
    );
    environment.extend(dispatch.variables());
    environment.extend(snapshot.meter.iter().flat_map(environment::of_meter));
    HookCall {
        event: HookEvent {
            hook: name,
            attributes: dispatch.attributes(),
        },
        environment,
        directories: Directories {
            charm: charm.directory.clone(),
            unit: files,
            temporary: config.process.temporary(),
            shared: shared(
                &config.process,
                &config.unit,
                principal,
                charm,
                &snapshot.withheld,
            ),
            resources: declared(&charm.info).into_keys().collect(),
            storage: storage::directories_of(storage, &config.process.storage()),
        },
        limits: snapshot.limits.clone(),
    }
}

/// The directories that the charm shares with its principal or its subordinates. A name that is
/// more than one word was never checked, and is left out; so is one that was not granted.
pub(crate) fn shared(
    process: &Process,
    unit: &UnitName,
    principal: Option<&UnitName>,
    charm: &Charm,
    withheld: &[Capability],
) -> Vec<SharedDirectory> {
    let root = process.shared_directory(principal.unwrap_or(unit));
    let declared = charm.info.shared.iter();
    let words = declared.filter(|(name, _)| is_word(name) && !withheld::directory(withheld, name));
    let directory = |(name, access): (&String, &Access)| SharedDirectory {
        name: name.clone(),
        path: root.join(name),
        access: *access,
    };
    words.map(directory).collect()
}

/// The classes of payloads that a charm declares, with their types.
fn payload_classes(charm: &Charm) -> BTreeMap<String, String> {
    let classes = charm.info.metadata.payloads.iter();
    classes
        .map(|(class, declared)| (class.clone(), declared.kind.clone()))
        .collect()
}

#[allow(clippy::too_many_arguments)]
fn context(
    config: &UniterConfig,
    charm: &Charm,
    around: Surroundings,
    snapshot: HookSnapshot,
    held: OfHook,
    dispatch: Dispatch<'_>,
    tether: Tether,
    turn: Arc<Turn>,
) -> UnitContext {
    UnitContext {
        unit: config.unit.clone(),
        model: config.model.clone(),
        options: charm.info.config.options.keys().cloned().collect(),
        containers: workloads::declared(&charm.info),
        declared_ports: charm.info.declared.ports().collect(),
        committed: around.containers,
        workloads: config.process.workloads().clone(),
        endpoints: charm.info.metadata.endpoints(),
        bindings: charm.info.metadata.bindings(),
        payload_classes: payload_classes(charm),
        resources: declared(&charm.info),
        all_resources: config.process.resources().clone(),
        held,
        storage: around.storage,
        hook_storage: dispatch.storage().cloned(),
        relations: around.relations,
        settings: around.settings,
        shared_settings: config.process.settings().clone(),
        goals: None,
        snapshot,
        application: None,
        connection: config.connection.clone(),
        leadership: config.leadership.clone(),
        leads_until: around.leads_until,
        lines: around.lines,
        task: dispatch.task().cloned(),
        clock: config.process.clock().clone(),
        randomness: config.process.randomness().clone(),
        runtime: tokio::runtime::Handle::current(),
        tether,
        turn,
        slice_ends: config.process.clock().monotonic() + SLICE,
    }
}
