//! Several units in one agent process.

use std::collections::BTreeMap;

use super::*;
use periapt_catalogue::AgentKind;

/// How often the uniter of each unit was started.
fn uniters(engine: &DependencyEngine) -> BTreeMap<String, u64> {
    introspection::reports(engine.report())
        .into_iter()
        .filter(|report| report.agent == AgentKind::Unit)
        .map(|report| {
            let uniter = report.report.manifolds.get("uniter");
            (
                report.report.name,
                uniter.map_or(0, |node| node.start_count),
            )
        })
        .collect()
}

/// caasoperator: "when one agent hosts 3 units of an app, then its report shows 3 uniter children,
/// and killing one does not restart the other two".
#[tokio::test(flavor = "multi_thread")]
async fn a_unit_agent_that_fails_leaves_its_siblings_alone() {
    let host = Host::new(false);
    let controller = &host.controller;
    controller.add_machine(&machine());
    for number in 0..3 {
        controller.add_unit(&unit(number), &machine(), "local:site-0");
    }
    let clock = SystemClock::shared();
    let engine = DependencyEngine::new(EngineConfig::new("agent", clock).delays(DELAYS));
    manifolds(&host.context, &engine).install(&engine).unwrap();
    host.until("deployed", |controller| {
        (0..3).all(|number| idle(controller, &unit(number)))
    })
    .await;
    let once: BTreeMap<String, u64> = (0..3).map(|number| (unit(number).to_string(), 1)).collect();
    assert_eq!(uniters(&engine), once);

    // Each has heard of the others' last hooks, which may take a moment longer than these.
    let mut heard = 0;
    while controller.count("RemoteState") > heard {
        heard = controller.count("RemoteState");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    // Only the second has something to hear, and is refused.
    let refused = CallError::Refused {
        code: code::INTERNAL.to_owned(),
        message: "a test ends it".to_owned(),
    };
    controller.refuse_next("RemoteState", refused);
    controller.set_title(&unit(1), "changed");
    host.until("the second goes on", |controller| {
        let record = controller.unit(&unit(1)).unwrap();
        record.state.operation.unwrap().config_hash.as_ref() == Some(&record.remote.config_hash)
    })
    .await;
    let mut expected = once;
    expected.insert(unit(1).to_string(), 2);
    assert_eq!(uniters(&engine), expected);
    engine.kill();
    tokio::time::timeout(LIMIT, engine.wait())
        .await
        .expect("stops")
        .unwrap();
}
