//! A whole agent process, from dialling to the end of its machine, against a controller in
//! memory; and its parts.

mod outage;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use periapt_engine::{FakeClock, Seeded, SystemClock};
use periapt_model::charm::CharmUrl;
use periapt_model::config::{Value, Values};
use periapt_model::{AgentName, Life, MachineId, Tag, UnitName};
use periapt_uniter::testing::{
    Controller, MODEL, ScriptedSandbox, archive, charm_info, retry_strategy,
};
use periapt_uniter::{HookLog, ModelIdentity, Process, ProcessOptions};
use periapt_wire::agent::log_sink::LogRecord;
use periapt_wire::rpc::code;
use periapt_wire::{ApiConnection, CallError};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::apiaddressupdater::Routes;
use super::diskmanager::Disks;
use super::kernel_file::KernelFile;
use super::levels::{Level, Levels, SharedLevels};
use super::log::LogBuffer;
use super::*;
use crate::agent_config::AgentConfig;
use crate::machine::HostContext;

mod disks;
mod meters;
mod passwords;
mod proxies;
mod reboots;
mod siblings;

/// The table as the catalogue's test sees it.
pub(crate) fn table() -> Manifolds {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let _entered = runtime.enter();
    let engine = DependencyEngine::new(EngineConfig::new("agent", FakeClock::new().shared()));
    let table = manifolds(&Host::new(false).context, &engine);
    engine.kill();
    table
}

const LIMIT: Duration = Duration::from_secs(60);
const HOOKS: &[&str] = &["install", "config-changed", "start", "stop", "remove"];

/// What an engine within this process is given; nothing runs yet.
pub(crate) fn host_context(connection: ApiConnection) -> HostContext {
    // Files are made in it only by hooks, and none runs.
    let directory = tempfile::tempdir().unwrap();
    let clock = FakeClock::new().shared();
    let (_, settings) = settings::channel(&Values::new(), retry_strategy());
    let levels = SharedLevels::default();
    let log = LogBuffer::new(agent_tag(), clock.clone(), levels, 10);
    HostContext {
        model: ModelIdentity {
            uuid: MODEL.parse().unwrap(),
            name: "default".parse().unwrap(),
        },
        limits: Default::default(),
        connection,
        process: process(&clock, &ScriptedSandbox::default(), log, directory.path()),
        settings,
        proxies: watch::channel(Default::default()).1,
        addresses: Vec::new(),
        lacks: String::new(),
        clock,
        randomness: Seeded::shared(1),
    }
}

fn process(
    clock: &SharedClock,
    sandbox: &ScriptedSandbox,
    log: LogBuffer,
    directory: &Path,
) -> Process {
    std::fs::create_dir_all(directory).unwrap();
    Process::open(ProcessOptions {
        clock: clock.clone(),
        randomness: Seeded::shared(1),
        sandbox: Arc::new(sandbox.clone()),
        log: Arc::new(log),
        directory: directory.to_owned(),
        room: Process::default_room(),
        boot: None,
    })
    .unwrap()
}

fn agent_tag() -> Tag {
    Tag::Agent(MODEL.parse().unwrap(), AgentName::Host)
}

fn config(directory: &Path) -> AgentConfig {
    AgentConfig {
        tag: agent_tag(),
        password: "secret".to_owned(),
        model_uuid: MODEL.parse().unwrap(),
        controller_uuid: MODEL.parse().unwrap(),
        api_addresses: vec!["127.0.0.1:1".to_owned()],
        known_ports: Default::default(),
        ca_cert: String::new(),
        directory: directory.to_owned(),
    }
}

/// Connects to the controller in memory and keeps the means to cut each connection.
struct InMemory {
    controller: Controller,
    refuse: bool,
    dials: AtomicUsize,
    cuts: Mutex<Vec<CancellationToken>>,
    /// The controller cannot be reached, and how often that was found out.
    away: AtomicBool,
    refused: AtomicUsize,
}

impl InMemory {
    /// Takes the controller away, with all connections, or brings it back.
    fn down(&self, away: bool) {
        self.away.store(away, Ordering::SeqCst);
        if away {
            for cut in self.cuts.lock().unwrap().drain(..) {
                cut.cancel();
            }
        }
    }
}

#[async_trait]
impl Dial for InMemory {
    async fn dial(&self, config: &AgentConfig) -> Result<ApiConnection, CallError> {
        if self.away.load(Ordering::SeqCst) {
            self.refused.fetch_add(1, Ordering::SeqCst);
            return Err(CallError::Disconnected("connection refused".to_owned()));
        }
        self.dials.fetch_add(1, Ordering::SeqCst);
        if self.refuse || !self.controller.is_agent_password(&config.password) {
            let message = "invalid entity name or password".to_owned();
            return Err(CallError::Refused {
                code: code::UNAUTHORIZED.to_owned(),
                message,
            });
        }
        let (connection, cut) = self.controller.connect();
        self.cuts.lock().unwrap().push(cut);
        Ok(connection)
    }
}

struct Host {
    controller: Controller,
    sandbox: ScriptedSandbox,
    dial: Arc<InMemory>,
    context: AgentContext,
    _directory: tempfile::TempDir,
}

impl Host {
    fn new(refuse: bool) -> Self {
        Self::on(SystemClock::shared(), refuse)
    }

    fn on(clock: SharedClock, refuse: bool) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let controller = Controller::new();
        let bytes = archive("site", "first");
        let url = CharmUrl::new("site", 0).unwrap();
        controller.add_charm(charm_info(&bytes, &url, HOOKS).unwrap(), bytes);
        let sandbox = ScriptedSandbox::default();
        let levels = SharedLevels::default();
        let log = LogBuffer::new(agent_tag(), clock.clone(), levels.clone(), log::CAPACITY);
        let dial = Arc::new(InMemory {
            controller: controller.clone(),
            refuse,
            dials: AtomicUsize::new(0),
            cuts: Mutex::default(),
            away: AtomicBool::new(false),
            refused: AtomicUsize::new(0),
        });
        let context = AgentContext {
            conf: Arc::new(AgentConf::new(config(directory.path()))),
            dial: dial.clone(),
            process: process(&clock, &sandbox, log.clone(), directory.path()),
            log,
            levels,
            addresses: vec!["127.0.0.1".to_owned()],
            routes: Arc::new(Routes::open()),
            disks: Arc::new(Disks::open()),
            walls: None,
            cgroup: Arc::new(KernelFile::open("/proc/self/cgroup")),
            stopping: CancellationToken::new(),
        };
        Self {
            controller,
            sandbox,
            dial,
            context,
            _directory: directory,
        }
    }

    fn run(&self) -> tokio::task::JoinHandle<Result<ExitReason, AgentError>> {
        tokio::spawn(run_engine(self.context.clone(), SystemClock::shared()))
    }

    async fn until(&self, what: &str, condition: impl Fn(&Controller) -> bool) {
        let happened = tokio::time::timeout(LIMIT, self.controller.until(condition)).await;
        assert!(happened.is_ok(), "{what}: hooks {:?}", self.sandbox.hooks());
    }
}

fn machine() -> MachineId {
    "0".parse().unwrap()
}

fn unit(number: usize) -> UnitName {
    format!("site/{number}").parse().unwrap()
}

fn idle(controller: &Controller, unit: &UnitName) -> bool {
    controller.unit(unit).is_some_and(|record| {
        record.agent.status.as_str() == "idle"
            && record.state.operation.is_some_and(|state| state.started)
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_process_deploys_reports_survives_an_outage_and_follows_removal() {
    let host = Host::new(false);
    let controller = &host.controller;
    controller.add_machine(&machine());
    controller.add_unit(&unit(0), &machine(), "local:site-0");
    let running = host.run();
    host.until("deployed", |controller| idle(controller, &unit(0)))
        .await;
    let (_, status) = controller.machine(&machine()).unwrap();
    assert_eq!(status.unwrap().status.as_str(), "started");
    controller.ask_for_workers();
    let uniter_runs = |controller: &Controller| {
        controller
            .rows()
            .iter()
            .any(|row| row.worker == "uniter" && row.running == 1)
    };
    host.until("reported", uniter_runs).await;
    host.until("logged", |controller| {
        controller.logs().iter().any(|line| {
            line.message.starts_with("ran \"start\" hook") && line.entity == Tag::Unit(unit(0))
        })
    })
    .await;

    for cut in host.dial.cuts.lock().unwrap().drain(..) {
        cut.cancel();
    }
    controller.set_title(&unit(0), "changed during the outage");
    host.until("caught up", |controller| {
        let record = controller.unit(&unit(0)).unwrap();
        record.state.operation.unwrap().config_hash.as_ref() == Some(&record.remote.config_hash)
    })
    .await;
    assert_eq!(host.dial.dials.load(Ordering::SeqCst), 2);

    controller.change(&unit(0), |record| record.remote.life = Life::Dying);
    controller.set_machine_life(&machine(), Life::Dying);
    host.until("the unit is gone", |controller| {
        controller.unit(&unit(0)).is_none()
    })
    .await;
    host.until("the machine is dead", |controller| {
        controller.machine(&machine()).unwrap().0 == Life::Dead
    })
    .await;
    assert_eq!(
        host.sandbox.hooks(),
        [
            "install",
            "config-changed",
            "start",
            "config-changed",
            "stop",
            "remove"
        ]
    );
    host.context.stopping.cancel();
    let ended = tokio::time::timeout(LIMIT, running)
        .await
        .expect("stops")
        .unwrap();
    assert_eq!(ended.unwrap(), ExitReason::Stopped);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_units_left_that_are_gone_is_removed_and_nothing_else() {
    let host = Host::new(false);
    let process = &host.context.process;
    // One is of a machine of its own, the other was taken away while no agent was here.
    let elsewhere: MachineId = "7".parse().unwrap();
    host.controller
        .add_unit(&unit(0), &elsewhere, "local:site-0");
    let kept = [0, 1].map(|number| {
        let unit = unit(number);
        [
            process.unit_directory(&unit),
            process.shared_directory(&unit),
        ]
    });
    for directory in kept.iter().flatten() {
        std::fs::create_dir_all(directory.join("state/3")).unwrap();
    }
    let running = host.run();
    let gone = async {
        while kept[1].iter().any(|directory| directory.exists()) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let gone = tokio::time::timeout(LIMIT, gone).await;
    assert!(gone.is_ok(), "{:?} stay", kept[1]);
    assert!(
        kept[0]
            .iter()
            .all(|directory| directory.join("state/3").is_dir())
    );
    host.context.stopping.cancel();
    let ended = tokio::time::timeout(LIMIT, running).await.expect("stops");
    assert_eq!(ended.unwrap().unwrap(), ExitReason::Stopped);
}

/// apiaddressupdater: "within one watch event every agent's conf lists both addresses; when the
/// list is emptied, the old addresses stay"; apiconfigwatcher: the connection is made anew.
#[tokio::test(flavor = "multi_thread")]
async fn an_agent_learns_the_addresses_of_all_of_its_controllers() {
    let host = Host::new(false);
    let running = host.run();
    let mut conf = host.context.conf.subscribe();
    let both = ["192.0.2.1:17070", "192.0.2.2:17070"];
    let other = ["192.0.2.3:17070"];
    // A process less costs no connection; the controller elsewhere does.
    for (told, dials) in [
        (both.as_slice(), 2),
        (&[], 2),
        (&both[1..], 2),
        (other.as_slice(), 3),
    ] {
        host.controller.set_addresses(told);
        let expected = if told.is_empty() {
            both.as_slice()
        } else {
            told
        };
        let learnt = conf.wait_for(|config| config.api_addresses == expected);
        let learnt = tokio::time::timeout(LIMIT, learnt).await;
        learnt.expect("learnt in time").unwrap();
        let again = async {
            while host.dial.dials.load(Ordering::SeqCst) < dials {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(LIMIT, again)
            .await
            .expect("a connection for each place");
    }
    assert_eq!(host.context.conf.current().api_addresses, other);
    assert_eq!(host.dial.dials.load(Ordering::SeqCst), 3);
    host.context.stopping.cancel();
    assert_eq!(running.await.unwrap().unwrap(), ExitReason::Stopped);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_login_ends_the_agent_for_good() {
    let host = Host::new(true);
    let ended = tokio::time::timeout(LIMIT, host.run())
        .await
        .expect("ends")
        .unwrap();
    assert_eq!(ended.unwrap(), ExitReason::Terminated);
    assert_eq!(host.dial.dials.load(Ordering::SeqCst), 1, "not tried again");
}

/// 100 KiB is what an idle unit may cost; the controller in memory is counted in. Measured in a
/// process of its own, where no other test takes memory.
#[test]
fn an_idle_unit_is_cheap() {
    let test = "host::tests::idle_units_in_a_process_of_their_own";
    let measured = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", test])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&measured.stdout);
    assert!(measured.status.success(), "{said}");
    assert!(said.contains("1 passed"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "run by an_idle_unit_is_cheap"]
async fn idle_units_in_a_process_of_their_own() {
    // With the first ones goes what all share: threads, sandboxes kept for the next hook.
    const FIRST: usize = 100;
    const UNITS: usize = 300;
    let host = Host::new(false);
    host.controller.add_machine(&machine());
    let running = host.run();
    let deploy = async |numbers: std::ops::Range<usize>| {
        for number in numbers.clone() {
            host.controller
                .add_unit(&unit(number), &machine(), "local:site-0");
        }
        for number in numbers {
            host.until("deployed", |controller| idle(controller, &unit(number)))
                .await;
        }
    };
    deploy(0..FIRST).await;
    let before = resident_bytes();
    deploy(FIRST..UNITS).await;
    let each = resident_bytes().saturating_sub(before) / (UNITS - FIRST);
    println!("{each} bytes for each unit");
    assert!(each < 100 << 10, "{each} bytes for each unit");
    host.context.stopping.cancel();
    tokio::time::timeout(LIMIT, running)
        .await
        .expect("stops")
        .unwrap()
        .unwrap();
}

fn resident_bytes() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

#[test]
fn levels_go_by_the_nearest_module() {
    let levels = Levels::parse("<root>=WARNING;unit=DEBUG, unit.site/0=trace;;bad;x=loud");
    assert!(levels.wants("unit.site/0.juju-log", Level::Trace));
    assert!(levels.wants("unit.other/1.juju-log", Level::Debug));
    assert!(!levels.wants("unit.other/1.juju-log", Level::Trace));
    assert!(!levels.wants("units", Level::Info) && levels.wants("x", Level::Warning));
    assert!(Levels::default().wants("anything", Level::Info));
}

#[tokio::test]
async fn a_full_buffer_drops_the_oldest_lines_and_says_so() {
    let log = LogBuffer::new(
        agent_tag(),
        FakeClock::new().shared(),
        SharedLevels::default(),
        3,
    );
    let line = |number: usize| LogRecord {
        time: 0,
        entity: Tag::Unit(unit(0)),
        level: "INFO".to_owned(),
        module: "unit.site/0.juju-log".to_owned(),
        message: number.to_string(),
    };
    (0..5).for_each(|number| log.write(line(number)));
    log.write(LogRecord {
        level: "DEBUG".to_owned(),
        ..line(9)
    });
    let batch = log.take().await;
    let texts = |batch: &[LogRecord]| {
        batch
            .iter()
            .map(|line| line.message.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        texts(&batch),
        [
            "2 lines of unit.site/0.juju-log dropped: it writes more than can be kept until it is sent",
            "2",
            "3",
            "4"
        ]
    );
    log.give_back(batch[1..].to_vec());
    assert_eq!(
        texts(&log.take().await),
        ["2", "3", "4"],
        "nothing is lost by a failed attempt"
    );
}

#[test]
fn a_configuration_that_does_not_change_wakes_nobody() {
    let directory = tempfile::tempdir().unwrap();
    let conf = AgentConf::new(config(directory.path()));
    let mut changes = conf.subscribe();
    conf.update(|_| {});
    assert!(!changes.has_changed().unwrap());
    conf.update(|config| config.api_addresses = vec!["127.0.0.1:2".to_owned()]);
    assert!(changes.has_changed().unwrap());
    assert_eq!(changes.borrow_and_update().api_addresses, ["127.0.0.1:2"]);
}

#[test]
fn settings_tell_only_what_differs() {
    let set =
        |key: &str, text: &str| Values::from([(key.to_owned(), Value::Text(text.to_owned()))]);
    let (publisher, mut settings) = settings::channel(&Values::new(), retry_strategy());
    assert_eq!(
        *settings.update_status.borrow_and_update(),
        Duration::from_secs(300)
    );
    publisher.publish(&set("update-status-hook-interval", "20s"), retry_strategy());
    assert_eq!(
        *settings.update_status.borrow_and_update(),
        Duration::from_secs(20)
    );
    assert!(!settings.retry.has_changed().unwrap() && !settings.logging.has_changed().unwrap());
    publisher.publish(&set("logging-config", "unit=DEBUG"), retry_strategy());
    assert_eq!(*settings.logging.borrow(), "unit=DEBUG");
}

/// The process of one that is to restart ends with an error, after which its supervisor starts it again.
#[test]
fn an_agent_ends_for_good_only_when_it_is_terminated_or_its_machine_shut_down() {
    let ended = |error: WorkerError| exit_reason(Err(error.during("the agent of a machine")));
    assert_eq!(exit_reason(Ok(())).unwrap(), ExitReason::Stopped);
    let terminated = ended(WorkerError::from(Fatal::TerminateAgent));
    assert_eq!(terminated.unwrap(), ExitReason::Terminated);
    let shut_down = ended(WorkerError::from(Fatal::ShutdownMachine));
    assert_eq!(shut_down.unwrap(), ExitReason::ShutDown);
    for error in [
        WorkerError::from(Fatal::RestartAgent),
        WorkerError::from(Fatal::RebootMachine),
        WorkerError::fatal("no disk"),
        WorkerError::text("connection lost"),
    ] {
        assert_eq!(ended(error).unwrap_err().code(), "agent-engine");
    }
}
