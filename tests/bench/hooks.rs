//! (a) and (k): what one hook takes by itself, and how many run when many are due at once.

use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use periapt_client::rest::RestClient;
use periapt_tests::account::{account, client};
use periapt_tests::counters::Counters;
use periapt_tests::{Home, hooks};
use periapt_wire::juju::pinger::Ping;
use periapt_wire::rest::{HookQuery, HookRun, WaitQuery};

use crate::figures::Figures;
use crate::report::{Budget, Report};
use crate::{MODEL, peer, relations};

/// Between two hooks that are measured alone.
const PAUSE: Duration = Duration::from_millis(20);
const PATIENCE: Duration = Duration::from_secs(900);
/// What one commit in SQLite's journal writes at least: two frames of a page each.
const FRAMES: usize = 2 * (4096 + 24);

/// (a): one hook after the other, each by itself; beside it the peer, and the disk of this minute.
pub async fn alone(
    report: &mut Report,
    peer: &peer::OpsCharm,
    hooks: usize,
    peers: usize,
) -> Result<()> {
    let home = Home::started()?;
    let client = client(&home).await?;
    let noop = relations::upload(&client, "noop").await?;
    relations::deploy(&client, &noop, "noop", 1).await?;
    idle(&client, 1).await?;
    let before = Counters::read(&home, &client).await?;
    let mut answers = Vec::new();
    for number in 0..hooks {
        let asked = Instant::now();
        salt(&client, "noop", number).await?;
        answers.push(asked.elapsed());
        tokio::time::sleep(PAUSE).await;
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    let after = Counters::read(&home, &client).await?;
    let parts = hooks::parts(&client, MODEL, "config-changed").await?;
    let ours = parts.last().context("the agent tells of no hook")?;
    let counted = usize::try_from(ours.hooks)?;
    ensure!(
        counted * 10 >= hooks * 5,
        "only {counted} of {hooks} hooks ran"
    );
    let disk = Figures::new(syncs(&home.path().join("probe"), hooks)?);
    let ops = peer.dispatches(peers)?;
    report.pace(&ops);
    let nothing = calls_that_do_nothing(&home, hooks).await?;

    let milliseconds = |micros: i64| micros as f64 / 1000.0;
    let whole = "no-op hook, from chosen to committed";
    let p50 = milliseconds(ours.p50);
    report.budget(&format!("{whole}, p50"), p50, "ms", Budget::AtMost(1.0));
    let p99 = milliseconds(ours.p99);
    report.budget(&format!("{whole}, p99"), p99, "ms", Budget::AtMost(10.0));
    for part in parts.iter().filter(|part| part.part != ours.part) {
        let name = format!("of that {}, p50", part.part);
        report.figure(&name, milliseconds(part.p50), "ms");
    }
    report.times("a journal's sync in the same minute", &disk, None, None);
    report.times("a call that does nothing, answered", &nothing, None, None);
    report.budget(
        "hook to sync, p50",
        p50 / 1000.0 / disk.p(50).as_secs_f64(),
        "times",
        Budget::AtMost(3.0),
    );
    report.times(
        "the same charm with ops on CPython, stub hook tools",
        &ops,
        None,
        None,
    );
    report.budget(
        "ops to hook, p50",
        ops.p(50).as_secs_f64() / (p50 / 1000.0),
        "times",
        Budget::AtLeast(100.0),
    );
    report.times(
        "a person's setting, answered",
        &Figures::new(answers),
        Some(Budget::AtMost(2.0)),
        None,
    );
    report.per_hook(&after.per_hook(&before, counted));
    Ok(())
}

/// How long a call on a kept connection takes for which the controller does nothing: with the sync
/// and the guest, what no hook can do without.
async fn calls_that_do_nothing(home: &Home, times: usize) -> Result<Figures> {
    let (_, info) = account(home)?;
    let connection = periapt_client::websocket::dial(info).await?;
    let mut took = Vec::new();
    for _ in 0..times {
        let asked = Instant::now();
        connection.call(&Ping {}).await?;
        took.push(asked.elapsed());
        tokio::time::sleep(PAUSE).await;
    }
    Ok(Figures::new(took))
}

/// (k): all units of one application at once.
pub async fn together(report: &mut Report, units: usize, rounds: usize) -> Result<()> {
    let home = Home::started()?;
    let client = client(&home).await?;
    let noop = relations::upload(&client, "noop").await?;
    let began = Instant::now();
    relations::deploy(&client, &noop, "noop", u32::try_from(units)?).await?;
    idle(&client, units).await?;
    let seconds = began.elapsed().as_secs_f64();
    let hooks = runs(&client, "noop", None, 0, 0).await?.len();
    report.budget(
        "from nothing to idle",
        hooks as f64 / seconds,
        "hooks/s",
        Budget::AtLeast(1_000.0),
    );
    // The first round still finds caches cold.
    let mut rates = Vec::new();
    let before = Counters::read(&home, &client).await?;
    for round in 0..rounds {
        rates.push(changed(&client, "noop", units, "salt", round).await?);
    }
    let after = Counters::read(&home, &client).await?;
    report.budget(
        "a changed setting, median of the rounds",
        median(rates),
        "hooks/s",
        Budget::AtLeast(1_200.0),
    );
    report.per_hook(&after.per_hook(&before, units * rounds));
    Ok(())
}

/// Sets an option of the application and gives the rate at which its units heard of it, from the
/// first that began to the last that ended.
pub async fn changed(
    client: &RestClient,
    application: &str,
    units: usize,
    option: &str,
    round: usize,
) -> Result<f64> {
    let since = microseconds()?;
    set(client, application, option, &format!("round {round}")).await?;
    let heard = runs(client, application, Some("config-changed"), since, units).await?;
    let began = heard.iter().map(|run| run.started_at).min();
    let ended = heard.iter().map(|run| run.started_at + run.duration).max();
    let took = ended.unwrap_or(since) - began.unwrap_or(since);
    Ok(heard.len() as f64 / Duration::from_micros(u64::try_from(took.max(1))?).as_secs_f64())
}

pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// Waits until there are so many runs of the hook since then, and gives all of them.
pub async fn runs(
    client: &RestClient,
    application: &str,
    hook: Option<&str>,
    since: i64,
    count: usize,
) -> Result<Vec<HookRun>> {
    let began = Instant::now();
    loop {
        let mut found = Vec::new();
        let mut query = HookQuery {
            application: Some(application.to_owned()),
            hook: hook.map(str::to_owned),
            since: Some(since),
            limit: Some(1000),
            ..HookQuery::default()
        };
        loop {
            let page = client.hooks(MODEL, &query).await?;
            found.extend(page.items);
            query.after = page.next;
            if query.after.is_none() {
                break;
            }
        }
        if found.len() >= count {
            return Ok(found);
        }
        ensure!(
            began.elapsed() < PATIENCE,
            "only {} of {count} hooks ran",
            found.len()
        );
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// Waits until the model has so many units and all of them are idle. The no-op charm never says
/// that it is active.
pub async fn idle(client: &RestClient, units: usize) -> Result<()> {
    let query =
        format!("len(units) == {units} && forEach(units, unit => unit.agent-status==\"idle\")");
    settled(client, MODEL, query).await
}

/// Waits until the query of `wait-for` holds of the model.
pub async fn settled(client: &RestClient, model: &str, query: String) -> Result<()> {
    let wait = WaitQuery {
        kind: "model".to_owned(),
        name: String::new(),
        query,
        timeout: Some(600),
    };
    client.wait(model, &wait).await?;
    Ok(())
}

async fn salt(client: &RestClient, application: &str, number: usize) -> Result<()> {
    set(client, application, "salt", &number.to_string()).await
}

pub async fn set(client: &RestClient, application: &str, option: &str, value: &str) -> Result<()> {
    hooks::set(client, MODEL, application, option, value).await
}

/// How long it takes until what a commit writes at least is on the disk, in a file that is long
/// enough already, as a journal that was begun anew is.
fn syncs(path: &Path, times: usize) -> Result<Vec<Duration>> {
    let frames = vec![7; FRAMES];
    let mut file = std::fs::File::create(path)?;
    file.write_all(&vec![0; FRAMES * 64])?;
    file.sync_all()?;
    let mut took = Vec::new();
    for number in 0..times {
        file.seek(SeekFrom::Start((number % 64 * FRAMES) as u64))?;
        let began = Instant::now();
        file.write_all(&frames)?;
        file.sync_data()?;
        took.push(began.elapsed());
        std::thread::sleep(PAUSE / 10);
    }
    Ok(took)
}

pub fn microseconds() -> Result<i64> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
    Ok(i64::try_from(now.as_micros())?)
}
