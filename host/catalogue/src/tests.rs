use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use periapt_engine::{EngineReport, EngineState, NodeReport, NodeState};

use super::{AgentKind, AgentReport, OWN, Standing, WORKERS, all, rows};

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
fn a_worker_of_our_own_has_no_name_of_jujus_and_says_that_juju_has_it_not() {
    for worker in OWN {
        assert!(WORKERS.iter().all(|jujus| jujus.name != worker.name));
        assert!(worker.sentence.starts_with("Juju has no such worker."));
    }
    assert_eq!(rows(&[]).len(), WORKERS.len() + OWN.len());
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
        "no agent of this kind is connected to the process that answers: unit"
    );
}

#[test]
fn a_worker_that_runs_names_its_tests_and_one_that_is_not_built_promises_nothing() {
    for worker in all() {
        match worker.standing {
            Standing::Built(_) => assert!(!worker.tests.is_empty(), "{}", worker.name),
            Standing::Library(..) => assert!(!worker.tests.is_empty(), "{}", worker.name),
            Standing::NotNeeded(_) => {
                assert_eq!(
                    worker.sentence.is_empty(),
                    worker.tests.is_empty(),
                    "{}",
                    worker.name
                );
            }
            Standing::NotBuilt(_) => {
                assert!(
                    worker.sentence.is_empty() && worker.tests.is_empty(),
                    "{}",
                    worker.name
                );
            }
        }
    }
}

/// Names of the functions in a source file that are tests.
fn tests_in(source: &str) -> impl Iterator<Item = &str> {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let mut names = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let Some((_, name)) = line.split_once("fn ") else {
            continue;
        };
        let attributes = lines[..number]
            .iter()
            .rev()
            .take_while(|line| line.starts_with("#[") || line.starts_with("///"));
        let is_test = attributes
            .into_iter()
            .any(|line| line.starts_with("#[test]") || line.starts_with("#[tokio::test"));
        if is_test {
            names.push(name.split('(').next().unwrap_or_default());
        }
    }
    names.into_iter()
}

fn sources(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let source = std::fs::read_to_string(&path).unwrap();
            found.extend(tests_in(&source).map(str::to_owned));
        }
    }
}

#[test]
fn every_test_that_the_catalogue_names_is_in_the_sources() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = BTreeSet::new();
    for folder in ["host", "tests"] {
        sources(&top.join(folder), &mut found);
    }
    assert!(found.contains("every_test_that_the_catalogue_names_is_in_the_sources"));
    let missing: Vec<(&str, &str)> = all()
        .flat_map(|worker| worker.tests.iter().map(|test| (worker.name, *test)))
        .filter(|(_, test)| !found.contains(*test))
        .collect();
    assert_eq!(missing, []);
}
