use std::collections::{BTreeMap, BTreeSet};

use periapt_engine::{EngineReport, EngineState, NodeReport, NodeState};

use super::{AgentKind, AgentReport, Standing, WORKERS, rows};

/// Juju's workers.
const JUJU: &str = "
    actionpruner agent agentconfigupdater apiaddressupdater apicaller apiconfigwatcher apiserver
    apiservercertwatcher applicationscaler auditconfigupdater authenticationworker caasadmission
    caasapplicationprovisioner caasbroker caasenvironupgrader caasfirewaller
    caasfirewallersidecar caasmodelconfigmanager caasmodeloperator caasoperator
    caasoperatorprovisioner caasprober caasrbacmapper caasunitprovisioner caasunitsmanager
    caasunitterminationworker caasupgrader centralhub certupdater changestream charmdownloader
    charmrevision cleaner common containerbroker controllerport credentialvalidator dbaccessor
    deployer diskmanager environ environupgrader externalcontrollerupdater fanconfigurer
    filenotifywatcher firewaller fortress gate hostkeyreporter httpserver httpserverargs
    identityfilewriter instancemutater instancepoller introspection leadership lease leaseexpiry
    lifeflag logforwarder logger logsender machineactions machiner machineundertaker meterstatus
    metrics metricworker migrationflag migrationmaster migrationminion minunitsworker mocks
    modelcache modelworkermanager multiwatcher muxhttpserver peergrouper presence provisioner
    proxyupdater pruner pubsub querylogger reboot remoterelations retrystrategy s3caller
    secretbackendrotate secretdrainworker secretexpire secretrotate simplesignalhandler singular
    state stateconfigwatcher stateconverter statushistorypruner storageprovisioner syslogger
    terminationworker toolsversionchecker undertaker unitassigner uniter upgradedatabase
    upgrader upgradeseries upgradesteps
";

fn node(state: NodeState, waits_for: Option<&str>) -> NodeReport {
    NodeReport {
        state,
        inputs: Vec::new(),
        start_count: 1,
        started_at: None,
        error: waits_for.map(|input| format!("waiting for {input}")),
        waits_for: waits_for.map(str::to_owned),
        report: serde_json::Value::Null,
    }
}

fn report(agent: AgentKind, nodes: &[(&str, NodeReport)]) -> AgentReport {
    let manifolds = nodes
        .iter()
        .map(|(name, node)| ((*name).to_owned(), node.clone()))
        .collect();
    let report = EngineReport {
        name: agent.as_str().to_owned(),
        state: EngineState::Started,
        error: None,
        manifolds,
        uninstalled: BTreeMap::new(),
    };
    AgentReport { agent, report }
}

fn find<'a>(
    rows: &'a [periapt_wire::rest::WorkerRow],
    worker: &str,
) -> &'a periapt_wire::rest::WorkerRow {
    rows.iter().find(|row| row.worker == worker).unwrap()
}

#[test]
fn the_catalogue_holds_each_of_the_109_workers_once() {
    let names: Vec<&str> = WORKERS.iter().map(|worker| worker.name).collect();
    assert_eq!(names, JUJU.split_whitespace().collect::<Vec<_>>());
    assert_eq!(names.len(), 109);
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), 109);
}

#[test]
fn a_row_that_does_not_run_gives_a_reason() {
    for reports in [
        vec![],
        vec![report(
            AgentKind::Model,
            &[("unit-assigner", node(NodeState::Started, None))],
        )],
    ] {
        for row in rows(&reports) {
            assert!(!row.agent.is_empty(), "{row:?}");
            assert_eq!(row.state == "running", row.reason.is_empty(), "{row:?}");
            assert!(
                ["running", "resting", "uninstalled", "library", "not built"]
                    .contains(&row.state.as_str())
            );
        }
    }
}

#[test]
fn a_row_tells_how_its_nodes_fare() {
    let mut second = report(
        AgentKind::Model,
        &[("unit-assigner", node(NodeState::Started, None))],
    );
    second
        .report
        .uninstalled
        .insert("charm-downloader".to_owned(), "no need".to_owned());
    let reports = [
        report(
            AgentKind::Model,
            &[
                ("unit-assigner", node(NodeState::Started, None)),
                (
                    "undertaker",
                    node(NodeState::Stopped, Some("not-alive-flag")),
                ),
                ("not-dead-flag", node(NodeState::Started, None)),
            ],
        ),
        second,
    ];
    let rows = rows(&reports);
    assert_eq!(find(&rows, "unitassigner").running, 2);
    assert_eq!(find(&rows, "unitassigner").start_count, 2);
    let undertaker = find(&rows, "undertaker");
    assert_eq!(
        (undertaker.state.as_str(), undertaker.reason.as_str()),
        ("resting", "waiting for not-alive-flag")
    );
    let downloader = find(&rows, "charmdownloader");
    assert_eq!(
        (downloader.state.as_str(), downloader.reason.as_str()),
        ("uninstalled", "no need")
    );
    assert_eq!(
        (
            find(&rows, "lifeflag").state.as_str(),
            find(&rows, "lifeflag").running
        ),
        ("running", 1)
    );
    assert_eq!(
        find(&rows, "uniter").reason,
        "no agent of this kind is looked at here: unit"
    );
}

/// Our own tables and the catalogue name the same nodes.
#[test]
fn every_node_of_the_model_and_controller_tables_is_in_the_catalogue() {
    let known: BTreeSet<(AgentKind, &str)> = WORKERS
        .iter()
        .flat_map(|worker| match worker.standing {
            Standing::Built(nodes) | Standing::Library(nodes, _) => nodes,
            _ => &[],
        })
        .copied()
        .collect();
    let model = crate::model::tests::table();
    let controller = crate::controller::tests::table();
    let ours: BTreeSet<(AgentKind, &str)> = model
        .names()
        .map(|name| (AgentKind::Model, name))
        .chain(controller.names().map(|name| (AgentKind::Controller, name)))
        .collect();
    let catalogued: BTreeSet<_> = known
        .into_iter()
        .filter(|(agent, _)| matches!(agent, AgentKind::Model | AgentKind::Controller))
        .collect();
    assert_eq!(ours, catalogued);
}
