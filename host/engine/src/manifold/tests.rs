use super::{Manifold, Manifolds};
use crate::clock::FakeClock;
use crate::engine::{DependencyEngine, EngineConfig, InstallError};
use crate::error::WorkerError;
use crate::housing::Housing;
use crate::testing::Script;

fn row(inputs: &[&'static str]) -> super::Manifold {
    Script::new().manifold(inputs.iter().copied())
}

#[test]
fn a_table_reads_in_order_and_groups_nest() {
    let table = Manifolds::new()
        .add("agent", row(&[]))
        .group(Housing::new().flag("responsible"), |rows| {
            rows.add("caller", row(&["agent"]))
                .group(Housing::new().flag("alive"), |rows| {
                    rows.add("firewaller", row(&["caller"]))
                })
        })
        .merge(Manifolds::new().add("last", row(&[])));
    assert_eq!(
        table.names().collect::<Vec<_>>(),
        ["agent", "caller", "firewaller", "last"]
    );
    let inputs: Vec<_> = table.rows().map(|(_, row)| row.inputs().to_vec()).collect();
    assert_eq!(inputs[1], ["agent", "responsible"]);
    assert_eq!(inputs[2], ["caller", "alive", "responsible"]);
}

#[test]
fn an_input_is_needed_once() {
    assert_eq!(
        row(&["agent"]).needs(["agent", "clock"]).inputs(),
        ["agent", "clock"]
    );
}

#[test]
fn slips_of_the_pen_are_found() {
    let table = Manifolds::new()
        .add("agent", row(&[]))
        .add("caller", row(&["agnet"]));
    assert_eq!(table.unknown_inputs(), [("caller".into(), "agnet".into())]);
}

#[tokio::test(start_paused = true)]
async fn installing_a_table_stops_at_the_first_refusal() {
    let engine = DependencyEngine::new(EngineConfig::new("test", FakeClock::new().shared()));
    let table = Manifolds::new()
        .add("one", row(&[]))
        .add("one", row(&[]))
        .add("two", row(&[]));
    assert_eq!(
        table.install(&engine),
        Err(InstallError::Duplicate("one".into()))
    );
    assert_eq!(engine.report().manifolds.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_ends_the_engine_at_once_ends_it_after_the_whole_table_is_there() {
    for _ in 0..20 {
        let engine = DependencyEngine::new(EngineConfig::new("test", FakeClock::new().shared()));
        let ends = Manifold::new(|_| async { Err(WorkerError::fatal("a test ends it")) });
        let table = (0..500).fold(Manifolds::new().add("ends", ends), |table, number| {
            table.add(format!("row {number}"), row(&[]))
        });
        assert_eq!(table.install(&engine), Ok(()));
        let ended = engine.wait().await.unwrap_err();
        assert!(ended.to_string().contains("a test ends it"), "{ended}");
    }
}
