use periapt_engine::{FakeClock, SystemClock};

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

fn model() -> ModelUuid {
    "11111111-2222-4333-8444-555555555555".parse().unwrap()
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

#[tokio::test]
async fn a_question_wakes_the_agents_and_takes_their_answers() {
    let reports = AgentReports::<Vec<WorkerRow>>::new(SystemClock::shared());
    let mut questions = reports.questions(&model());
    let agent = {
        let reports = reports.clone();
        tokio::spawn(async move {
            questions.changed().await.unwrap();
            reports.put(&model(), 7, vec![row("uniter", "running", 3)]);
            questions
        })
    };
    let rows = reports.rows(&model()).await;
    assert_eq!((rows.len(), rows[0].running), (1, 3));
    drop(agent.await.unwrap());
    reports.forget(&model(), 7);
    assert!(reports.ask(&model()).await.is_empty());
}

#[tokio::test]
async fn a_silent_agent_costs_the_bound_and_no_more() {
    let clock = FakeClock::new();
    let reports = AgentReports::<Vec<WorkerRow>>::new(clock.shared());
    let _questions = reports.questions(&model());
    let ask = {
        let reports = reports.clone();
        tokio::spawn(async move { reports.ask(&model()).await })
    };
    while clock.sleepers() == 0 {
        tokio::task::yield_now().await;
    }
    clock.advance(ANSWER_BOUND);
    assert!(ask.await.unwrap().is_empty());
}

#[tokio::test]
async fn without_agents_nothing_is_waited_for() {
    assert!(
        AgentReports::<Vec<WorkerRow>>::new(FakeClock::new().shared())
            .ask(&model())
            .await
            .is_empty()
    );
}
