//! The metrics worker beside a whole unit engine, on virtual time.

use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use periapt_engine::{DependencyEngine, FakeClock, Seeded, SharedWorker};
use periapt_model::charm::CharmUrl;
use periapt_model::hook::Effects;
use periapt_uniter::process::{HookLog, Process, ProcessOptions};
use periapt_uniter::testing::{
    Controller, ScriptedSandbox, UnitRecord, archive, charm_info, failure,
};
use periapt_wire::agent::log_sink::LogRecord;

use super::*;
use crate::machine::HostContext;

const INTERVAL: Duration = Duration::from_secs(300);
/// Only a broken test waits this long.
const LIMIT: Duration = Duration::from_secs(30);
const HOOKS: &[&str] = &["install", "config-changed", "start", "upgrade-charm"];

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<LogRecord>>>);

impl HookLog for Log {
    fn write(&self, record: LogRecord) {
        self.0.lock().unwrap().push(record);
    }

    fn admit(&self, records: Vec<LogRecord>) -> Vec<LogRecord> {
        records
    }
}

struct Stage {
    controller: Controller,
    clock: FakeClock,
    sandbox: ScriptedSandbox,
    log: Log,
    directory: tempfile::TempDir,
}

impl Stage {
    /// A unit whose charm has these hooks beside the usual ones. What charms of tests declare is `pings`.
    fn new(hooks: &[&str]) -> Self {
        let stage = Self {
            controller: Controller::new(),
            clock: FakeClock::new(),
            sandbox: ScriptedSandbox::default(),
            log: Log::default(),
            directory: tempfile::tempdir().unwrap(),
        };
        stage.add_charm(0, hooks);
        let machine = "0".parse().unwrap();
        stage.controller.add_machine(&machine);
        stage
            .controller
            .add_unit(&name("site/0"), &machine, "local:site-0");
        stage
    }

    fn add_charm(&self, revision: u32, hooks: &[&str]) {
        let bytes = archive("site", &revision.to_string());
        let url = CharmUrl::new("site", revision).unwrap();
        let info = charm_info(&bytes, &url, &[HOOKS, hooks].concat()).unwrap();
        self.controller.add_charm(info, bytes);
    }

    async fn start(&self) -> (DependencyEngine, SharedWorker) {
        let (connection, _) = self.controller.connect();
        let process = Process::open(ProcessOptions {
            clock: self.clock.shared(),
            randomness: Seeded::shared(1),
            sandbox: Arc::new(self.sandbox.clone()),
            log: Arc::new(self.log.clone()),
            directory: self.directory.path().to_owned(),
            room: Process::default_room(),
            boot: None,
        });
        let host = HostContext {
            process: process.unwrap(),
            clock: self.clock.shared(),
            ..crate::host::tests::host_context(connection)
        };
        let interval = host.settings.collect_metrics.clone();
        let metrics = crate::host::metrics::start(host.process.clone(), interval);
        let machine = MachineContext {
            machine: "0".parse().unwrap(),
            host,
            boot: Arc::default(),
        };
        let unit = name("site/0");
        let engine = super::super::start(&UnitContext { unit, machine }).unwrap();
        // Nodes of an engine start a moment after what they need.
        self.pass_by(Duration::from_millis(10), || is_idle(&self.record()))
            .await;
        (engine, metrics)
    }

    async fn until(&self, condition: impl Fn(&UnitRecord) -> bool) {
        let unit = name("site/0");
        let wait = self.controller.until_unit(&unit, condition);
        let waited = tokio::time::timeout(LIMIT, wait).await;
        assert!(waited.is_ok(), "hooks: {:?}", self.sandbox.hooks());
    }

    /// Lets time pass until something has happened, since timers are set when workers get to it.
    async fn pass_until(&self, condition: impl Fn() -> bool) {
        self.pass_by(INTERVAL / 4, condition).await;
    }

    async fn pass_by(&self, step: Duration, condition: impl Fn() -> bool) {
        let happened = async {
            while !condition() {
                self.clock.advance(step);
                periapt_engine::testing::settle().await;
            }
        };
        let waited = tokio::time::timeout(LIMIT, happened).await;
        assert!(waited.is_ok(), "hooks: {:?}", self.sandbox.hooks());
    }

    fn record(&self) -> UnitRecord {
        self.controller.unit(&name("site/0")).unwrap()
    }

    fn collected(&self) -> usize {
        let hooks = self.sandbox.hooks().into_iter();
        hooks.filter(|hook| hook == "collect-metrics").count()
    }
}

fn is_idle(record: &UnitRecord) -> bool {
    let state = record.state.operation.clone().unwrap_or_default();
    record.agent.status.as_str() == "idle" && state.hook.is_none() && state.started
}

async fn end((engine, metrics): (DependencyEngine, SharedWorker)) {
    metrics.kill();
    let _ = tokio::time::timeout(LIMIT, metrics.wait()).await.unwrap();
    engine.kill();
    let _ = tokio::time::timeout(LIMIT, engine.wait()).await.unwrap();
}

/// metrics: "When a charm declares metric `pings` and adds a value, then after one cycle the unit's
/// metrics API shows it; during charm upgrade no collect runs".
#[tokio::test(flavor = "multi_thread")]
async fn a_value_of_a_declared_metric_arrives_after_one_cycle_and_none_is_collected_during_an_upgrade()
 {
    let stage = Stage::new(&["collect-metrics"]);
    let (entering, entered) = mpsc::channel::<()>();
    let (open, gate) = mpsc::channel::<()>();
    let (entering, gate) = (Mutex::new(entering), Mutex::new(gate));
    stage.sandbox.script(move |seen, context| {
        let (name, labels) = (
            "pings".to_owned(),
            vec![("path".to_owned(), "/".to_owned())],
        );
        match seen.hook.as_str() {
            "collect-metrics" => {
                let added = context.add_metric(name, 7.5, labels);
                added.map_err(|error| failure(&error.to_string()))?;
                if seen.state().is_ok() {
                    return Err(failure("its files are to be read"));
                }
            }
            "upgrade-charm" => {
                let _ = entering.lock().unwrap().send(());
                let _ = gate.lock().unwrap().recv_timeout(LIMIT);
            }
            _ if context.add_metric(name, 7.5, labels).is_ok() => {
                return Err(failure("no other hook adds any"));
            }
            _ => {}
        }
        Ok(Effects::default())
    });
    let engine = stage.start().await;
    let before = stage.record();
    stage
        .pass_until(|| !stage.record().metrics.is_empty())
        .await;
    let batch = stage.record().metrics[0].clone();
    assert_eq!(batch.interval, 300);
    assert_eq!(batch.samples.len(), 1);
    let sample = &batch.samples[0];
    assert_eq!((sample.name.as_str(), sample.value), ("pings", 7.5));
    assert_eq!(sample.labels["path"], "/");
    let after = stage.record();
    assert_eq!(after.state.operation, before.state.operation);
    assert_eq!(after.runs.len(), before.runs.len());
    assert_eq!(after.workload, before.workload);

    stage.add_charm(1, &["collect-metrics"]);
    stage.controller.change(&name("site/0"), |record| {
        record.remote.charm_url = "local:site-1".to_owned();
        record.remote.charm_modified_version += 1;
    });
    let upgrades = tokio::task::spawn_blocking(move || entered.recv_timeout(LIMIT));
    upgrades.await.unwrap().unwrap();
    let collected = stage.collected();
    for _ in 0..20 {
        stage.clock.advance(INTERVAL);
        periapt_engine::testing::settle().await;
    }
    assert_eq!(stage.collected(), collected, "the charm is being upgraded");
    open.send(()).unwrap();
    stage.until(is_idle).await;
    stage.pass_until(|| stage.collected() > collected).await;
    let seen = stage.sandbox.seen().into_iter();
    let charms: Vec<String> = seen
        .filter(|seen| seen.hook == "collect-metrics")
        .map(|seen| seen.charm)
        .collect();
    assert_eq!(charms[collected - 1], "local:site-0");
    assert_eq!(charms[collected], "local:site-1");
    end(engine).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collect_that_fails_is_logged_and_the_unit_stays_idle() {
    let stage = Stage::new(&["collect-metrics"]);
    stage.sandbox.script(|seen, context| {
        if seen.hook != "collect-metrics" {
            return Ok(Effects::default());
        }
        let _ = context.add_metric("pings".to_owned(), 1.0, Vec::new());
        Err(failure("the meter is broken"))
    });
    let engine = stage.start().await;
    stage.pass_until(|| stage.collected() > 1).await;
    assert!(is_idle(&stage.record()), "{:?}", stage.record().agent);
    assert!(stage.record().metrics.is_empty(), "nothing of it is kept");
    let log = stage.log.0.lock().unwrap().clone();
    let line = log
        .iter()
        .find(|line| line.message.contains("the meter is broken"));
    assert_eq!(line.unwrap().level, "WARNING");
    end(engine).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charm_without_the_hook_is_asked_once_and_never_again() {
    let stage = Stage::new(&[]);
    let engine = stage.start().await;
    let others = || stage.sandbox.hooks().len();
    for _ in 0..20 {
        stage.clock.advance(INTERVAL);
        periapt_engine::testing::settle().await;
    }
    assert_eq!((stage.collected(), others()), (0, 3));
    assert_eq!(stage.controller.count("AddBatches"), 0);
    end(engine).await;
}
