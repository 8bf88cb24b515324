//! What the hooks of many units that hear of one changed setting take of the machine, in the real processes.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use periapt_client::rest::RestClient;
use periapt_tests::counters::Counters;
use periapt_tests::{Home, PATIENCE, account, charm, hooks};

const MODEL: &str = "test";
const UNITS: u64 = 100;
const ROUNDS: u64 = 10;
const LOOK: Duration = Duration::from_millis(200);

/// Each with head room: how many hooks share a transaction depends on the machine.
const MOST_STATEMENTS: f64 = 15.0;
const MOST_TRANSACTIONS: f64 = 0.8;
const MOST_WRITTEN_KIB: f64 = 40.0;
const MOST_WOKEN: f64 = 10.0;
/// A hook that touches no file has none written.
const MOST_WRITTEN_BY_THE_AGENT_KIB: f64 = 1.0;

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_takes_bounded_statements_transactions_bytes_and_wake_ups() -> Result<()> {
    let home = Home::started()?;
    let client = account::client(&home).await?;
    let (charm, units) = (charm("noop").display().to_string(), UNITS.to_string());
    home.ok(["deploy", &charm, "noop", "-n", &units])?;
    let idle =
        format!("len(units) == {UNITS} && forEach(units, unit => unit.agent-status==\"idle\")");
    home.ok(["wait-for", "model", MODEL, "--query", &idle])?;
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
    let written = hook.agents.written_kib;
    assert!(
        written <= MOST_WRITTEN_BY_THE_AGENT_KIB,
        "{written:.1} KiB written by the agent a hook"
    );
    Ok(())
}

/// Sets an option and waits until all units have heard of it.
async fn change(client: &RestClient, round: u64) -> Result<()> {
    let before = hooks::heard(client, MODEL).await?;
    hooks::set(client, MODEL, "noop", "salt", &format!("round {round}")).await?;
    let began = Instant::now();
    while hooks::heard(client, MODEL).await? < before + UNITS {
        ensure!(began.elapsed() < PATIENCE, "not all units heard of it");
        tokio::time::sleep(LOOK).await;
    }
    Ok(())
}
