//! The uniter against a controller and a sandbox in memory. Time is the test's own; what waits
//! for work on other threads waits for the controller to see it.

mod answers;
mod charms;
mod compiling;
mod containers;
mod effects;
mod failing;
mod files;
mod grants;
mod hooks;
mod reboot;
mod recovery;
mod relations;
mod resources;
mod secrets;
mod standing;
mod storage;
mod tasks;
#[path = "../../files/src/testing.rs"]
pub(crate) mod trees;
mod turns;
mod wasm;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use periapt_engine::{FakeClock, Fatal, Fortress, Guest, Kind, Seeded, SharedWorker};
use periapt_model::charm::CharmUrl;
use periapt_model::hook::{Effects, Limits};
use periapt_model::turns::Room;
use periapt_model::uniter::OperationKind;
use periapt_model::{MachineId, UnitName};
use periapt_wire::agent::log_sink::LogRecord;
use periapt_wire::agent::retry_strategy::RetryStrategy;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::leadership::{Leadership, Standing};
use crate::process::{HookLog, ModelIdentity, Process, ProcessOptions};
use crate::sandbox::Sandbox;
use crate::testing::{
    Controller, MODEL, ScriptedSandbox, UnitRecord, archive, charm_info, retry_strategy,
};
use crate::worker::{Uniter, UniterConfig};

const ALL_HOOKS: &[&str] = &[
    "install",
    "leader-elected",
    "config-changed",
    "start",
    "update-status",
    "upgrade-charm",
    "stop",
    "remove",
];
/// Small, so that few units fill it.
const ROOM: Room = Room {
    shared: 2,
    reserve: 2,
    aside: 2,
};
/// Generous: only a broken test waits this long.
const LIMIT: Duration = Duration::from_secs(30);

struct NoLog;

impl HookLog for NoLog {
    fn write(&self, _: LogRecord) {}

    fn admit(&self, records: Vec<LogRecord>) -> Vec<LogRecord> {
        records
    }
}

/// A controller, a clock, and the agent process whose files are in a directory of its own.
struct World {
    controller: Controller,
    clock: FakeClock,
    sandbox: ScriptedSandbox,
    process: Process,
    retry: RetryStrategy,
    directory: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let sandbox = ScriptedSandbox::default();
        let directory = tempfile::tempdir().unwrap();
        let clock = FakeClock::new();
        let controller = Controller::new();
        let process = open(&clock, &directory, Arc::new(sandbox.clone()));
        let world = Self {
            controller,
            clock,
            sandbox,
            process,
            retry: retry_strategy(),
            directory,
        };
        world.add_charm(0, ALL_HOOKS);
        world.controller.add_machine(&machine());
        world
            .controller
            .add_unit(&unit(), &machine(), "local:site-0");
        world
    }

    fn add_charm(&self, revision: u32, hooks: &[&str]) {
        let bytes = archive("site", &revision.to_string());
        let url = CharmUrl::new("site", revision).unwrap();
        self.controller
            .add_charm(charm_info(&bytes, &url, hooks).unwrap(), bytes);
    }

    /// The agent process is killed and started again: what it kept in memory is gone.
    fn kill_process(&mut self) {
        self.process = open(&self.clock, &self.directory, Arc::new(self.sandbox.clone()));
    }

    fn start(&self) -> Agent {
        self.start_unit(&unit())
    }

    fn start_unit(&self, unit: &UnitName) -> Agent {
        let (leadership, mut source) = Leadership::new(self.clock.shared());
        source.standing.send_replace(Standing::Minion);
        let leads = Arc::new(AtomicBool::new(false));
        let standing = source.standing.clone();
        let answers = leads.clone();
        tokio::spawn(async move {
            while let Some(request) = source.claims.recv().await {
                let _ = request.send(answers.load(Ordering::SeqCst));
            }
        });
        let (connection, cut) = self.controller.connect();
        let fortress = Fortress::new();
        let (interval, update_status) = watch::channel(Duration::from_secs(300));
        let worker = Uniter::start(UniterConfig {
            unit: unit.clone(),
            model: ModelIdentity {
                uuid: MODEL.parse().unwrap(),
                name: "default".parse().unwrap(),
            },
            connection,
            process: self.process.clone(),
            machine: self
                .controller
                .unit(unit)
                .map_or_else(machine, |record| record.machine),
            leadership,
            limits: Limits::default(),
            charm_directory: fortress.guard(),
            retry: self.retry.clone(),
            update_status,
            proxies: watch::channel(Default::default()).1,
        });
        Agent {
            worker,
            cut,
            standing,
            leads,
            guest: fortress.guest(),
            interval,
        }
    }

    /// Starts the unit and waits until its first hook runs, which goes on when the barrier opens.
    async fn start_into_a_hook(&self) -> (Agent, Barrier) {
        let (mut barrier, pass) = Barrier::new();
        self.sandbox.script(move |_, _| {
            pass();
            Ok(Effects::default())
        });
        let agent = self.start();
        barrier.entered().await;
        (agent, barrier)
    }

    /// Starts a unit whose `install` was not committed: it is run again, and the others follow.
    async fn start_over(&self) -> Agent {
        self.sandbox.script(|_, _| Ok(Effects::default()));
        let agent = self.start();
        self.settle().await;
        assert_eq!(
            self.sandbox.hooks(),
            ["install", "install", "config-changed", "start"]
        );
        agent
    }

    async fn until(&self, condition: impl Fn(&UnitRecord) -> bool) {
        let unit = unit();
        let wait = self.controller.until_unit(&unit, condition);
        if tokio::time::timeout(LIMIT, wait).await.is_err() {
            panic!(
                "did not happen; hooks: {:?}, unit: {:#?}",
                self.sandbox.hooks(),
                self.record()
            );
        }
    }

    /// Waits until the unit is idle with nothing recorded.
    async fn settle(&self) {
        self.until(is_idle).await;
    }

    /// Waits until the unit is idle with nothing recorded after so many commits. A unit is idle
    /// until its hook is reported, so that a hook that runs does not tell this apart.
    async fn settle_with(&self, commits: usize) {
        self.until(|record| record.commits.len() >= commits && is_idle(record))
            .await;
    }

    fn record(&self) -> UnitRecord {
        self.controller.unit(&unit()).expect("the unit exists")
    }

    /// Moves time on once both the uniter's timers are set.
    async fn pass(&self, sleepers: usize, time: Duration) {
        self.clock.wait_sleepers(sleepers).await;
        self.clock.advance(time);
    }
}

struct Agent {
    worker: SharedWorker,
    cut: CancellationToken,
    standing: watch::Sender<Standing>,
    leads: Arc<AtomicBool>,
    guest: Guest,
    interval: watch::Sender<Duration>,
}

impl Agent {
    fn lead(&self) {
        self.leads.store(true, Ordering::SeqCst);
        self.standing.send_replace(Standing::Leader {
            claimed_at: Duration::ZERO,
        });
    }

    async fn stop(&self) {
        self.worker.kill();
        self.stopped().await;
    }

    /// Waits until it has stopped, as it was asked to.
    async fn stopped(&self) {
        tokio::time::timeout(LIMIT, self.worker.wait())
            .await
            .expect("stops")
            .expect("stops well");
    }

    /// Its connection is lost and it has to stop: it can tell nothing any more.
    async fn cut_off(&self) {
        self.cut.cancel();
        self.worker.kill();
        let _ = tokio::time::timeout(LIMIT, self.worker.wait())
            .await
            .expect("stops at once");
    }

    /// It is killed: whatever it still does reaches nobody.
    fn killed(&self) {
        self.cut.cancel();
    }

    async fn terminated(&self) {
        let error = tokio::time::timeout(LIMIT, self.worker.wait())
            .await
            .expect("ends")
            .unwrap_err();
        assert_eq!(error.kind(), Kind::Fatal(Fatal::TerminateAgent), "{error}");
    }
}

fn open(clock: &FakeClock, directory: &tempfile::TempDir, sandbox: Arc<dyn Sandbox>) -> Process {
    Process::open(ProcessOptions {
        clock: clock.shared(),
        randomness: Seeded::shared(1),
        sandbox,
        log: Arc::new(NoLog),
        directory: directory.path().to_owned(),
        room: ROOM,
        boot: Some("tests".to_owned()),
    })
    .unwrap()
}

fn is_idle(record: &UnitRecord) -> bool {
    let state = record.state.operation.clone().unwrap_or_default();
    record.agent.status.as_str() == "idle" && state.kind == OperationKind::Continue && state.started
}

fn unit() -> UnitName {
    "site/0".parse().unwrap()
}

fn machine() -> MachineId {
    "0".parse().unwrap()
}

/// Waits until somebody is let through, then lets everybody through.
struct Barrier {
    entered: tokio::sync::mpsc::UnboundedReceiver<()>,
    open: std::sync::mpsc::Sender<()>,
}

impl Barrier {
    /// The test's end, and what a hook calls to wait.
    fn new() -> (Self, impl Fn() + Send + Sync + 'static) {
        let (entering, entered) = tokio::sync::mpsc::unbounded_channel();
        let (open, gate) = std::sync::mpsc::channel::<()>();
        let gate = std::sync::Mutex::new(gate);
        let pass = move || {
            let _ = entering.send(());
            let _ = gate.lock().unwrap().recv_timeout(LIMIT);
        };
        (Self { entered, open }, pass)
    }

    async fn entered(&mut self) {
        tokio::time::timeout(LIMIT, self.entered.recv())
            .await
            .expect("the hook begins")
            .expect("the hook begins");
    }

    fn open(&self) {
        let _ = self.open.send(());
    }
}
