use std::fs;

use serde::Deserialize;

use super::*;
use crate::{Error, ErrorCode, MeterColor, MeterStatus, PortRange, Protocol, StatusKind};

#[derive(Deserialize)]
struct Config {
    #[serde(default)]
    fail: bool,
}

#[derive(Default)]
struct Sample;

impl Charm for Sample {
    type Config = Config;
    const HOOKS: &'static [Hook] = &[Hook::ConfigChanged, Hook::Start, Hook::LeaderElected];

    fn config_changed(&mut self, context: &Context<Config>) -> Result<()> {
        let runs = context.state().get::<u32>("runs")?.unwrap_or(0) + 1;
        context.state().set("runs", &runs)?;
        assert_eq!(
            context.state().get("runs")?,
            Some(runs),
            "a hook reads its own writes"
        );
        context.open_ports(PortRange::tcp(8000 + runs as u16))?;
        fs::write(context.state_dir().join("runs"), runs.to_string())?;
        assert_eq!(fs::read_dir(context.tmp_dir())?.count(), 0);
        fs::write(context.tmp_dir().join("scratch"), "x")?;
        context.set_status(Status::active(format!("run {runs}")))?;
        crate::info!(context, "run {runs} of {}", context.unit_name());
        if context.config()?.fail {
            return Err("told to fail".into());
        }
        Ok(())
    }

    fn start(&mut self, context: &Context<Config>) -> Result<()> {
        context.set_workload_version("1.2")?;
        let refused = context.open_ports(PortRange {
            start: 9,
            end: 1,
            protocol: Protocol::Tcp,
        });
        assert_eq!(
            refused.err().and_then(|error| error.host_code()),
            Some(ErrorCode::Invalid)
        );
        fs::read(context.charm_dir().join("missing"))?;
        Ok(())
    }

    fn leader_elected(&mut self, context: &Context<Config>) -> Result<()> {
        context.set_application_status(Status::active("led"))
    }
}

#[test]
fn a_committed_hook_leaves_everything() {
    let mut harness = Harness::<Sample>::new();
    assert_eq!(
        harness.run(Hook::ConfigChanged).expect("succeeds"),
        Outcome::Ran
    );
    assert_eq!(
        harness.run(Hook::ConfigChanged).expect("succeeds"),
        Outcome::Ran
    );
    assert_eq!(harness.state::<u32>("runs"), Some(2));
    assert_eq!(
        harness.ports(),
        [PortRange::tcp(8001), PortRange::tcp(8002)]
    );
    assert_eq!(
        fs::read_to_string(harness.state_dir().join("runs")).expect("reads"),
        "2"
    );
    assert_eq!(
        harness.log()[0],
        (Level::Info, "run 1 of test/0".to_owned())
    );
}

#[test]
fn a_failed_hook_leaves_what_is_at_once_only() {
    let mut harness = Harness::<Sample>::new();
    harness.run(Hook::ConfigChanged).expect("succeeds");
    harness.set_config("fail", true);
    let error = harness.run(Hook::ConfigChanged).expect_err("fails");
    assert_eq!(error.to_string(), "told to fail");
    assert_eq!(harness.state::<u32>("runs"), Some(1));
    assert_eq!(harness.ports(), [PortRange::tcp(8001)]);
    assert_eq!(
        fs::read_to_string(harness.state_dir().join("runs")).expect("reads"),
        "1"
    );
    assert_eq!(harness.status(), Status::active("run 2"));

    let error = harness.run(Hook::Start).expect_err("fails");
    assert!(error.to_string().contains("operation on a file"), "{error}");
    assert_eq!(harness.workload_version().as_deref(), Some("1.2"));
}

#[test]
fn hooks_that_are_not_listed_are_skipped() {
    assert_eq!(
        Harness::<Sample>::new().run(Hook::Stop).expect("skips"),
        Outcome::Skipped
    );
}

#[test]
fn only_the_leader_speaks_for_the_application() {
    let mut harness = Harness::<Sample>::new();
    let error = harness.run(Hook::LeaderElected).expect_err("denied");
    assert!(matches!(error, Error::Host(ref host) if host.code == ErrorCode::Denied));
    harness
        .set_leader(true)
        .run(Hook::LeaderElected)
        .expect("allowed");
    assert_eq!(harness.application_status(), Status::active("led"));
}

#[test]
fn state_has_the_limits_of_the_controller() {
    let mut harness = Harness::<Sample>::new();
    harness.with_context(Hook::Start, |context| {
        let code = |result: Result<()>| result.err().and_then(|error| error.host_code());
        assert_eq!(
            code(context.state().set(&"k".repeat(257), "v")),
            Some(ErrorCode::Limit)
        );
        assert_eq!(
            code(context.state().set("k", &"v".repeat(64 << 10))),
            Some(ErrorCode::Limit)
        );
        for index in 0..32 {
            context
                .state()
                .set(&index.to_string(), &"v".repeat(65_000))
                .expect("fits");
        }
        assert_eq!(
            code(context.state().set("last", &"v".repeat(65_000))),
            Some(ErrorCode::Limit)
        );
        context.state().delete("0").expect("deletes");
        assert_eq!(context.state().get::<String>("0").expect("reads"), None);
    });
}

#[test]
fn what_a_unit_is_refused_the_harness_refuses() {
    let mut harness = Harness::<Sample>::new();
    harness.with_context(Hook::Start, |context| {
        let code = |result: Result<()>| result.err().and_then(|error| error.host_code());
        let range = PortRange {
            start: 80,
            end: 90,
            protocol: Protocol::Tcp,
        };
        context.open_ports(range).expect("opens");
        let part = PortRange::tcp(85);
        assert_eq!(code(context.open_ports(part)), Some(ErrorCode::Invalid));
        assert_eq!(code(context.close_ports(part)), Some(ErrorCode::Invalid));
        let stranger = context.open_ports_for(range, &["nosuch"]);
        assert_eq!(code(stranger), Some(ErrorCode::NotFound));
        for port in 1000..1099 {
            context.open_ports(PortRange::tcp(port)).expect("opens");
        }
        let more = context.open_ports(PortRange::tcp(2000));
        assert_eq!(code(more), Some(ErrorCode::Limit));
        let agents = Status::new(StatusKind::Error, "");
        assert_eq!(code(context.set_status(agents)), Some(ErrorCode::Invalid));
        context
            .set_status(Status::active("one\u{1b}[2J\ntwo"))
            .expect("is set");
        let settings = [("a=b", Some("c"))];
        let led = context.set_leader_settings(&settings);
        assert_eq!(code(led), Some(ErrorCode::Denied));
    });
    assert_eq!(harness.status(), Status::active("one two"));
    harness
        .set_leader(true)
        .with_context(Hook::Start, |context| {
            let refused = context.set_leader_settings(&[("a=b", Some("c"))]);
            let code = refused.err().and_then(|error| error.host_code());
            assert_eq!(code, Some(ErrorCode::Invalid));
        });
}

/// Measures its files, and tries what only other hooks may.
#[derive(Default)]
struct Measuring;

impl Charm for Measuring {
    type Config = ();
    const HOOKS: &'static [Hook] = &[Hook::Start, Hook::CollectMetrics];

    fn start(&mut self, context: &Context<()>) -> Result<()> {
        std::fs::write(context.state_dir().join("pings"), "7")?;
        match context.add_metric("pings", 1.0) {
            Err(error) if error.host_code() == Some(ErrorCode::Denied) => Ok(()),
            other => Err(Error::failed(format!("{other:?}"))),
        }
    }

    fn collect_metrics(&mut self, context: &Context<()>) -> Result<()> {
        let denied = [
            context.state().set("key", &1),
            context.set_status(Status::active("")),
            context.is_leader().map(|_| ()),
            context.goal_state().map(|_| ()),
            context.config_value("title").map(|_| ()),
        ];
        for answer in denied {
            match answer {
                Err(error) if error.host_code() == Some(ErrorCode::Denied) => {}
                other => return Err(Error::failed(format!("{other:?}"))),
            }
        }
        let pings = std::fs::read_to_string(context.state_dir().join("pings"))?;
        let pings = pings.parse().map_err(|_| "no number")?;
        context.add_metric("pings", pings)?;
        context.add_metric_with("pings", 1.0, &[("path", "/")])
    }
}

#[test]
fn metrics_are_added_in_their_own_hook_which_may_do_nothing_else() {
    let mut harness = Harness::<Measuring>::new();
    harness.run(Hook::Start).expect("denied, as it should be");
    let unknown = harness.run(Hook::CollectMetrics).expect_err("undeclared");
    assert_eq!(unknown.host_code(), Some(ErrorCode::NotFound));
    assert!(harness.metrics().is_empty());
    harness.add_metric("pings", "gauge");
    harness.run(Hook::CollectMetrics).expect("measures");
    let values: Vec<f64> = harness.metrics().iter().map(|one| one.value).collect();
    assert_eq!(values, [7.0, 1.0]);
    harness.run(Hook::Start).expect("is no restricted context");
}

/// Says how it fares, and tries what it may not do.
#[derive(Default)]
struct Metered;

impl Charm for Metered {
    type Config = ();
    const HOOKS: &'static [Hook] = &[Hook::MeterStatusChanged];

    fn meter_status_changed(&mut self, context: &Context<()>, status: &MeterStatus) -> Result<()> {
        let denied = [
            context.set_status(Status::active("")),
            context.add_metric("pings", 1.0),
            context.config_value("title").map(|_| ()),
        ];
        for answer in denied {
            match answer {
                Err(error) if error.host_code() == Some(ErrorCode::Denied) => {}
                other => return Err(Error::failed(format!("{other:?}"))),
            }
        }
        std::fs::write(context.state_dir().join("kept"), "not")?;
        let MeterStatus { color, info } = status;
        context.log(Level::Info, &format!("{}: {info}", color.as_str()));
        Ok(())
    }
}

#[test]
fn a_charm_is_told_its_meter_status_and_may_only_log() {
    let mut harness = Harness::<Metered>::new();
    let event = MeterStatus::event(MeterColor::Red, "more than 10 requests");
    harness.run_event(&event).expect("denied, as it should be");
    let expected = (Level::Info, "RED: more than 10 requests".to_owned());
    assert_eq!(harness.log().to_vec(), [expected]);
    assert!(!harness.state_dir().join("kept").exists());
    let event = MeterStatus::event(MeterColor::Green, "");
    harness.run_event(&event).expect("runs");
    let untold = harness.run(Hook::MeterStatusChanged);
    assert!(untold.expect_err("no code").to_string().contains("code"));
    assert!(MeterColor::Green < MeterColor::Amber && MeterColor::Amber < MeterColor::Red);
}

/// The host decides a commit on what is there at its moment.
#[test]
fn a_commit_that_is_refused_leaves_nothing() {
    use crate::ports::PortsHost;
    use crate::state::StateHost;
    use periapt_contract::ports::PortRange as HostRange;

    let mut harness = Harness::<Sample>::new();
    harness.host.get_mut().begin(None);
    harness.host.open_ports(PortRange::tcp(8001)).unwrap();
    harness.host.state_set("runs", "1").unwrap();
    let host = harness.host.get_mut();
    let taken: HostRange = "8000-8010/tcp".parse().unwrap();
    host.ports = [taken].into_iter().collect();
    let refused = host.commit().unwrap_err();
    assert_eq!(refused.code, ErrorCode::Invalid);
    assert_eq!(harness.ports().len(), 1);
    assert_eq!(harness.state::<u32>("runs"), None);
}
