//! (g) How fast leases are claimed, over the API as the agents of units do it.

use anyhow::{Context, Result};
use periapt_client::websocket::{ApiInfo, dial};
use periapt_tests::{Home, charm};
use periapt_wire::ApiConnection;
use periapt_wire::agent::leadership::ClaimLeadership;
use serde_json::Value;

use crate::figures::Figures;
use crate::load::at_once;
use crate::report::Report;

/// Of one lease, then of a thousand.
pub async fn measure(report: &mut Report, claims: usize) -> Result<()> {
    let home = home()?;
    for leases in [1, 1_000] {
        self::claims(report, &home, leases, claims).await?;
    }
    Ok(())
}

/// `claims` claims of `leases` leases in turn, each by its holder, as renewals are.
async fn claims(report: &mut Report, home: &Home, leases: usize, claims: usize) -> Result<()> {
    let agent = connect(home).await?;
    add_units(home, leases)?;
    // So that every lease is there before the clock starts.
    run(&agent, leases, leases).await?;
    let (per_second, figures) = run(&agent, leases, claims).await?;
    report.figure(&format!("{leases} leases"), per_second, "claims/s");
    report.times(&format!("{leases} leases, one claim"), &figures, None, None);
    Ok(())
}

/// A controller with an agent to speak for.
fn home() -> Result<Home> {
    let home = Home::started()?;
    home.ok(["deploy", &charm("noop").display().to_string(), "noop"])?;
    home.until("an agent runs", |status| {
        let unit = &status["applications"]["noop"]["units"]["noop/0"];
        unit["juju-status"]["current"] == "idle"
    })?;
    Ok(home)
}

/// Units to claim for, on a machine of which the agent that claims is not told, so that nobody runs them.
fn add_units(home: &Home, leases: usize) -> Result<()> {
    let database = home.controller_directory().join("controller.db");
    let connection = rusqlite::Connection::open(database)?;
    connection.busy_timeout(std::time::Duration::from_secs(10))?;
    let sql = "INSERT INTO machine (model_uuid, id, life, hardware, addresses, for_unit, created_at, agent)
        SELECT model_uuid, '999', 'alive', '', '[]', 0, 0, agent FROM machine WHERE id = '0' ON CONFLICT DO NOTHING";
    connection.execute(sql, [])?;
    let sql = "WITH RECURSIVE bench (number) AS
            (SELECT 0 UNION ALL SELECT number + 1 FROM bench WHERE number + 1 < $1)
        INSERT INTO unit (model_uuid, name, application, number, life, machine_id, resolved,
            workload_version, opened_ports, forced, created_at)
        SELECT model_uuid, 'bench' || bench.number || 'x/0', 'bench' || bench.number || 'x', 0, 'alive',
            '999', 'none', '', '[]', 0, 0
        FROM unit, bench WHERE name = 'noop/0' ON CONFLICT DO NOTHING";
    connection.execute(sql, [i64::try_from(leases)?])?;
    Ok(())
}

async fn run(agent: &ApiConnection, leases: usize, claims: usize) -> Result<(f64, Figures)> {
    let agent = agent.clone();
    let claim = move |number: usize| {
        let agent = agent.clone();
        async move {
            let claim = ClaimLeadership {
                unit: format!("bench{}x/0", number % leases).parse()?,
                duration_ms: 60_000,
            };
            agent.call(&claim).await?;
            anyhow::Ok(())
        }
    };
    at_once(claims, claim).await
}

/// A connection as the agent of the model has it.
pub async fn connect(home: &Home) -> Result<ApiConnection> {
    let agents = std::fs::read_dir(home.controller_directory().join("agents"))?;
    let text = agents
        .flatten()
        .find_map(|entry| std::fs::read_to_string(entry.path().join("agent.json")).ok())
        .context("no agent")?;
    let agent: Value = serde_json::from_str(&text)?;
    let text = |key: &str| agent[key].as_str().unwrap_or_default().to_owned();
    let address = agent["api-addresses"][0].as_str().context("no address")?;
    let connection = dial(ApiInfo {
        addresses: vec![address.to_owned()],
        ca_pem: text("ca-cert"),
        model: Some(text("model-uuid").parse()?),
        tag: text("tag").parse()?,
        password: text("password"),
    });
    Ok(connection.await?)
}
