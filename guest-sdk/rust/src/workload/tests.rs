use std::time::Duration;

use super::*;
use crate::testing::Harness;
use crate::{Charm, Hook};

fn web(port: u16) -> Service {
    Service::http("server.wasm", port)
}

/// Says everything that the builders can say.
#[derive(Default)]
struct Everything;

impl Charm for Everything {
    type Config = ();
    const HOOKS: &'static [Hook] = &[Hook::Start, Hook::ConfigChanged, Hook::UpdateStatus];

    fn start(&mut self, context: &Context<()>) -> Result<()> {
        let front = web(80)
            .after("back")
            .requires("back")
            .requires_ready("back")
            .on_failure(OnFailure::Ignore)
            .concurrency(32)
            .request_timeout(5);
        let second = Duration::from_secs(1);
        let back = web(81)
            .before("front")
            .restart_on("port")
            .backoff(second / 4, 1.5, 10 * second);
        let layer = Layer::new("all")
            .service("front", front)
            .service("back", back)
            .check("page", Check::http(80, "/up").ready().period(5).timeout(2))
            .check("port", Check::tcp(81).alive().threshold(2))
            .check("later", Check::tcp(80).disabled());
        let container = context.container("web");
        container.set(&layer)?;
        container.start_checks(&["later"])?;
        container.stop_checks(&["page", "port"])?;
        container.replan()
    }

    fn config_changed(&mut self, context: &Context<()>) -> Result<()> {
        let layer = Layer::new("all").service("front", web(80).concurrency(33));
        context.container("web").set(&layer)
    }

    fn update_status(&mut self, context: &Context<()>) -> Result<()> {
        let checks = context.container("web").checks()?;
        let down = checks.iter().filter(|check| !check.is_up());
        let words: Vec<String> = down
            .map(|check| {
                let (name, failures, threshold) = (&check.name, check.failures, check.threshold);
                let message = check.message.as_deref().unwrap_or_default();
                format!("{name}: {failures} of {threshold}: {message}")
            })
            .collect();
        context.set_status(crate::Status::blocked(words.join("; ")))
    }
}

fn harness() -> Harness<Everything> {
    let mut harness = Harness::new();
    harness.add_container("web", &["80-81/tcp"], &["server.wasm"]);
    harness
}

#[test]
fn what_the_builders_say_is_what_the_host_reads() {
    let mut harness = harness();
    harness.run(Hook::Start).expect("the host takes all of it");
    let plan = harness.plan("web");
    let (front, back) = (&plan["services"]["front"], &plan["services"]["back"]);
    for (written, wanted) in [
        (&front["after"], serde_json::json!(["back"])),
        (&front["requires"], serde_json::json!(["back"])),
        (&front["requires-ready"], serde_json::json!(["back"])),
        (&front["on-failure"], serde_json::json!("ignore")),
        (&back["before"], serde_json::json!(["front"])),
        (&back["backoff-delay"], serde_json::json!("250ms")),
        (&back["backoff-factor"], serde_json::json!(1.5)),
        (&back["backoff-limit"], serde_json::json!("10s")),
        (&plan["checks"]["page"]["level"], serde_json::json!("ready")),
        (&plan["checks"]["page"]["timeout"], serde_json::json!("2s")),
        (&plan["checks"]["port"]["level"], serde_json::json!("alive")),
        (
            &plan["checks"]["port"]["tcp"]["port"],
            serde_json::json!(81),
        ),
        (
            &plan["checks"]["later"]["startup"],
            serde_json::json!("disabled"),
        ),
    ] {
        assert_eq!(*written, wanted, "{plan:#}");
    }
    assert_eq!(
        harness.requests("web"),
        ["start checks later", "stop checks page, port", "replan"]
    );
}

#[test]
fn more_requests_at_once_than_there_is_room_for_are_refused() {
    let refused = harness()
        .run(Hook::ConfigChanged)
        .expect_err("33 are too many");
    let words = refused.to_string();
    assert!(
        words.contains("\"concurrency\" is 33, and 32 is the most"),
        "{words}"
    );
}

#[test]
fn a_hook_sees_what_a_check_said() {
    let mut harness = harness();
    for (name, status, message) in [
        (
            "page",
            CheckStatus::Down,
            Some("answered with 500".to_owned()),
        ),
        ("port", CheckStatus::Up, None),
    ] {
        let check = CheckInfo {
            name: name.to_owned(),
            status,
            successes: 7,
            failures: 4,
            threshold: 3,
            message,
        };
        harness.see_check("web", check);
    }
    harness.run(Hook::UpdateStatus).expect("succeeds");
    let wanted = crate::Status::blocked("page: 4 of 3: answered with 500");
    assert_eq!(harness.status(), wanted);
}
