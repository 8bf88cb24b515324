use super::*;

fn row(worker: &str, state: &str, running: u64) -> WorkerRow {
    WorkerRow {
        worker: worker.to_owned(),
        agent: "unit".to_owned(),
        state: state.to_owned(),
        reason: String::new(),
        running,
        start_count: running,
        ..WorkerRow::default()
    }
}

#[test]
fn rows_of_one_worker_become_one() {
    let merged = merge([
        row("uniter", "resting", 0),
        row("deployer", "running", 1),
        row("uniter", "running", 2),
    ]);
    assert_eq!(merged.len(), 2);
    assert_eq!(
        (
            merged[0].worker.as_str(),
            merged[0].state.as_str(),
            merged[0].running
        ),
        ("uniter", "running", 2)
    );
}
