//! The table of the machine agent. Its workers are tested within a whole agent process.

use super::*;

#[test]
fn every_input_of_the_table_has_a_row() {
    let (connection, _) = periapt_uniter::testing::Controller::new().connect();
    let host = crate::host::tests::host_context(connection);
    let table = manifolds(&MachineContext {
        machine: "0".parse().unwrap(),
        host,
    });
    assert_eq!(table.unknown_inputs(), []);
}
