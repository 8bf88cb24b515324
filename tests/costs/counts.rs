//! What the hooks of many units that hear of one changed setting take of the machine, in the real processes.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use periapt_client::rest::RestClient;
use periapt_model::config::Value;
use periapt_tests::counters::Counters;
use periapt_tests::{Home, PATIENCE, account, charm};
use periapt_wire::rest::{ConfigChange, HookPart};

const UNITS: u64 = 100;
const ROUNDS: u64 = 10;
const LOOK: Duration = Duration::from_millis(200);

/// Each with head room: how many hooks share a transaction depends on the machine.
const MOST_STATEMENTS: f64 = 22.0;
const MOST_TRANSACTIONS: f64 = 1.2;
const MOST_WRITTEN_KIB: f64 = 60.0;
const MOST_WOKEN: f64 = 20.0;

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_takes_bounded_statements_transactions_bytes_and_wake_ups() -> Result<()> {
    let home = Home::started()?;
    let client = account::client(&home).await?;
    let (charm, units) = (charm("noop").display().to_string(), UNITS.to_string());
    home.ok(["deploy", &charm, "noop", "-n", &units])?;
    let idle =
        format!("len(units) == {UNITS} && forEach(units, unit => unit.agent-status==\"idle\")");
    home.ok(["wait-for", "model", "test", "--query", &idle])?;
    // The first round still fills caches.
    change(&client, 0).await?;
    let before = Counters::read(&home, &client).await?;
    for round in 1..=ROUNDS {
        change(&client, round).await?;
    }
    let after = Counters::read(&home, &client).await?;
    let hook = after.per_hook(&before, usize::try_from(UNITS * ROUNDS)?);
    println!("{hook:?}");
    for (what, each, most) in [
        ("statements of SQL", hook.statements, MOST_STATEMENTS),
        ("transactions", hook.commits, MOST_TRANSACTIONS),
        ("KiB written", hook.controller.written_kib, MOST_WRITTEN_KIB),
        (
            "wake-ups of the controller",
            hook.controller.woken,
            MOST_WOKEN,
        ),
        ("wake-ups of the agent", hook.agents.woken, MOST_WOKEN),
    ] {
        assert!(each <= most, "{each:.1} {what} a hook");
        assert!(each > 0.0, "{what} are counted");
    }
    Ok(())
}

/// Sets an option and waits until all units have heard of it.
async fn change(client: &RestClient, round: u64) -> Result<()> {
    let before = ran(client).await?;
    let salt = ("salt".to_owned(), Value::Text(format!("round {round}")));
    let change = ConfigChange {
        set: [salt].into_iter().collect(),
        reset: Vec::new(),
    };
    client
        .set_application_config("test", &"noop".parse()?, &change)
        .await?;
    let began = Instant::now();
    while ran(client).await? < before + UNITS {
        ensure!(began.elapsed() < PATIENCE, "not all units heard of it");
        tokio::time::sleep(LOOK).await;
    }
    Ok(())
}

/// How many hooks that tell of a changed setting were committed so far.
async fn ran(client: &RestClient) -> Result<u64> {
    let told = client.model_introspection("test", "hooktimes").await?;
    let parts: Vec<HookPart> = serde_json::from_str(&told)?;
    let part = parts.iter().rfind(|part| part.hook == "config-changed");
    Ok(part.context("no such hook ran")?.hooks)
}
