//! Who leads, who comes after, and what one that leads no more can still write: nothing.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::time::Duration;

use crate::common::{Done, charm, own_bag, relation_of, until_in_error, until_ran};
use periapt_agents::agent_config::AgentConfig;
use periapt_agents::credential::OwnPassword;
use periapt_client::websocket::{ApiInfo, dial};
use periapt_testing::{Scenario, ScenarioError};
use periapt_wire::ApiConnection;
use periapt_wire::agent::leadership::{BlockUntilLeadershipReleased, ClaimLeadership};
use periapt_wire::rpc::code;
use periapt_wire::status::FullStatus;
use rusqlite::Connection;

/// A lease, as its holder asks for it; whoever falls silent is succeeded after that.
const LEASE: Duration = Duration::from_secs(60);
/// An expired lease is swept, and then whoever waits is woken: a second each.
const WOKEN: Duration = Duration::from_secs(2);

/// The unit that says it leads so many members, alone.
fn leads(status: &FullStatus, members: usize) -> Option<String> {
    let units = status.applications["registry"].units.iter().flatten();
    // What a unit says shows at once, the table with the end of its hook.
    let units = units.filter(|(_, unit)| unit.agent_status.status == "idle");
    let says: Vec<(&String, &str)> = units
        .map(|(name, unit)| (name, unit.workload_status.info.as_str()))
        .collect();
    let count = |text: &str| says.iter().filter(|(_, says)| *says == text).count();
    let leading = format!("leader, {members} members");
    let alone = count(&leading) == 1 && count(&format!("member of {members}")) + 1 == members;
    let leader = says.iter().find(|(_, says)| *says == leading)?;
    alone.then(|| leader.0.clone())
}

async fn registry(scenario: &Scenario) -> Result<String, ScenarioError> {
    scenario.deploy(charm("registry"), "registry", 3).await?;
    let status = scenario.until("a leader of three members", |status| {
        leads(status, 3).is_some()
    });
    Ok(leads(&status.await?, 3).unwrap_or_default())
}

/// The table that the leader writes for all.
async fn table(scenario: &Scenario, unit: &str) -> Result<serde_json::Value, ScenarioError> {
    let data = relation_of(scenario, unit, "members").await?;
    let fields = data.local_application_data.into_iter().map(|(key, value)| {
        let value = serde_json::from_str(&value).unwrap_or(serde_json::Value::String(value));
        (key, value)
    });
    Ok(serde_json::Value::Object(fields.collect()))
}

/// A connection with the credential of the model's agent, for a call in a unit's name.
async fn agent(scenario: &Scenario) -> Result<ApiConnection, ScenarioError> {
    let file = scenario.agent_directory().await?.join("agent.json");
    let config = AgentConfig::read(&file).unwrap();
    let own = OwnPassword::read(&config).unwrap().unwrap();
    let info = ApiInfo {
        addresses: config.api_addresses,
        ca_pem: config.ca_cert,
        model: Some(config.model_uuid),
        tag: config.tag,
        password: own.password().to_owned(),
    };
    Ok(dial(info).await.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leader_that_is_removed_is_succeeded_without_delay() -> Done {
    let scenario = Scenario::start().await?;
    let leader = registry(&scenario).await?;
    assert_eq!(table(&scenario, &leader).await?["term"], 1);
    scenario.remove_unit(&leader, false).await?;
    // Not a second passes between the removal and the next leader's table.
    let status = scenario.at_once("another leader of two members", |status| {
        leads(status, 2).is_some_and(|next| next != leader)
    });
    let next = leads(&status.await?, 2).unwrap_or_default();
    let table = table(&scenario, &next).await?;
    assert_eq!(table["leader"], next, "{table}");
    assert_eq!(table["term"], 2, "{table}");
    scenario.stop().await
}

/// All agents die, and of the followers one comes back: its agent asks for the leadership.
#[tokio::test(flavor = "multi_thread")]
async fn a_leader_whose_agent_is_dead_is_succeeded_within_a_minute() -> Done {
    let scenario = Scenario::start().await?;
    let leader = registry(&scenario).await?;
    let next = ["registry/0", "registry/1"];
    let next = next.into_iter().find(|unit| *unit != leader).unwrap();
    let connection = agent(&scenario).await?;
    scenario.stop_agents().await;
    let claim = ClaimLeadership {
        unit: next.parse().unwrap(),
        duration_ms: LEASE.as_millis().try_into().unwrap(),
    };
    let denied = connection.call(&claim).await.unwrap_err();
    assert!(denied.is(code::LEASE_DENIED), "{denied}");
    let released = {
        let connection = connection.clone();
        tokio::spawn(async move {
            let released = BlockUntilLeadershipReleased {
                application: "registry".parse().unwrap(),
            };
            connection.call(&released).await
        })
    };
    let mut passed = Duration::ZERO;
    while !released.is_finished() && passed < LEASE + WOKEN {
        let step = Duration::from_secs(1);
        scenario.clock().advance(step);
        passed += step;
        // For the answer to the wait, which is not virtual.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let released = tokio::time::timeout(Duration::from_secs(30), released).await;
    let released = released.expect("free once the lease is over").unwrap();
    released.unwrap();
    connection.call(&claim).await.unwrap();
    scenario.start_agents().await?;
    let status = scenario.until("the successor to lead three members", |status| {
        leads(status, 3).is_some_and(|leader| leader == next)
    });
    status.await?;
    let table = table(&scenario, next).await?;
    assert_eq!(table["leader"], next, "{table}");
    assert_eq!(table["term"], 2, "{table}");
    scenario.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_leader_sets_what_is_the_leaders() -> Done {
    let scenario = Scenario::start().await?;
    let script = [("script", "start: status active ready")];
    let probe = charm("probe");
    scenario.deploy_with(probe, "probe", 2, &script).await?;
    scenario.until_active("probe").await?;
    scenario
        .set_model_config(&[("automatically-retry-hooks", "false")])
        .await?;
    let (leader, minion) = match scenario.unit("probe/0").await?.leader {
        true => ("probe/0", "probe/1"),
        false => ("probe/1", "probe/0"),
    };
    for deed in [
        "leader-set token mine",
        "relation-set-app token mine in ring",
    ] {
        let script = format!("config-changed: status active well\nconfig-changed: {deed}");
        scenario.configure("probe", &[("script", &script)]).await?;
        until_in_error(&scenario, minion).await?;
        scenario.until_says(leader, "active: well").await?;
        let runs = scenario.hooks(Some(minion)).await?;
        let failed = runs.iter().rfind(|run| run.result == "failed");
        assert!(
            failed.is_some_and(|run| run.message.contains("lead")),
            "{failed:?}"
        );
        let script = [("script", "config-changed: status active settled")];
        scenario.configure("probe", &script).await?;
        scenario.resolved(minion, true).await?;
        for unit in [leader, minion] {
            scenario.until_says(unit, "active: settled").await?;
        }
    }
    scenario.stop().await
}

/// The hook asks whether it leads, writes as the leader, and sleeps. Meanwhile the lease goes to
/// another unit: in the database, since no well-behaved process would do that.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_leader_writes_whose_lease_was_taken_in_between_is_refused_as_a_whole() -> Done {
    let scenario = Scenario::start().await?;
    // Before there are units: they begin anew with another way to retry, and that takes time.
    scenario
        .set_model_config(&[("automatically-retry-hooks", "false")])
        .await?;
    let script = [("script", "start: status active ready")];
    let probe = charm("probe");
    scenario.deploy_with(probe, "probe", 2, &script).await?;
    scenario.until_active("probe").await?;
    until_ran(&scenario, "probe/0", "ring-relation-changed").await?;
    let (leader, minion) = match scenario.unit("probe/0").await?.leader {
        true => ("probe/0", "probe/1"),
        false => ("probe/1", "probe/0"),
    };
    let controller = scenario.agent_directory().await?;
    let controller = controller.ancestors().nth(2).unwrap();
    let database = Connection::open(controller.join("controller.db")).unwrap();
    database.busy_timeout(Duration::from_secs(10)).unwrap();
    // Only the leader gets as far as the sleep; the other fails at once, which is its affair.
    let script = "config-changed: is-leader\n\
        config-changed: leader-set token lost\n\
        config-changed: relation-set-app token lost in ring\n\
        config-changed: relation-set own lost in ring\n\
        config-changed: append lost\n\
        config-changed: status maintenance asleep\n\
        config-changed: sleep 1500";
    scenario.configure("probe", &[("script", script)]).await?;
    let asleep = scenario.at_once("the leader to be asleep", |status| {
        status.applications["probe"]
            .units
            .iter()
            .flatten()
            .any(|(name, unit)| name == leader && unit.workload_status.info == "asleep")
    });
    asleep.await?;
    let sql = "UPDATE lease SET holder = $1 WHERE namespace = 'application-leadership' AND name = 'probe'";
    assert_eq!(database.execute(sql, [minion]).unwrap(), 1);
    let failed = scenario.at_once("the leader's hook to fail", |status| {
        status.applications["probe"]
            .units
            .iter()
            .flatten()
            .any(|(name, unit)| name == leader && unit.workload_status.status == "error")
    });
    failed.await?;
    let runs = scenario.hooks(Some(leader)).await?;
    let failed = runs.iter().rfind(|run| run.result == "failed");
    let failed = failed.map(|run| (run.hook.as_str(), run.code.as_str(), run.message.as_str()));
    assert!(
        failed.is_some_and(|(hook, code, message)| hook == "config-changed"
            && code == "commit-refused"
            && message.contains("does not hold the lease")),
        "{failed:?}"
    );
    // Nothing of it is there: settings of the unit and of the application, the leader's, files.
    let bag = own_bag(&scenario, leader, "ring").await?;
    assert!(!bag.contains_key("own"), "{bag:?}");
    let ring = relation_of(&scenario, leader, "ring").await?;
    assert!(
        !ring.local_application_data.contains_key("token"),
        "{ring:?}"
    );
    let sql = "SELECT COUNT(*) FROM leader_settings";
    let told: i64 = database.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(told, 0);
    let state = scenario.state_directory(leader).await?;
    assert!(!state.join("journal").exists(), "{state:?}");
    scenario.stop().await
}
