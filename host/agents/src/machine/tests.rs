//! The table of the machine agent. Its workers are tested within a whole agent process.

use super::*;

/// The table as the catalogue's test sees it.
pub(crate) fn table() -> Manifolds {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let _entered = runtime.enter();
    let (connection, _) = periapt_uniter::testing::Controller::new().connect();
    let machine = MachineContext {
        machine: "0".parse().unwrap(),
        host: crate::host::tests::host_context(connection),
        boot: Arc::default(),
    };
    let engine = DependencyEngine::new(EngineConfig::new("machine 0", machine.host.clock.clone()));
    let table = manifolds(&machine, &engine);
    engine.kill();
    table
}

#[test]
fn every_input_of_the_table_has_a_row() {
    assert_eq!(table().unknown_inputs(), []);
}
