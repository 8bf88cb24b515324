//! The table of the machine agent. Its workers are tested within a whole agent process.

use super::*;

/// The table as the catalogue's test sees it.
pub(crate) fn table() -> Manifolds {
    let (connection, _) = periapt_uniter::testing::Controller::new().connect();
    let host = crate::host::tests::host_context(connection);
    manifolds(&MachineContext {
        machine: "0".parse().unwrap(),
        host,
    })
}

#[test]
fn every_input_of_the_table_has_a_row() {
    assert_eq!(table().unknown_inputs(), []);
}
