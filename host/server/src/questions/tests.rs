use periapt_engine::{FakeClock, SystemClock};
use periapt_wire::agent::host::WantedFiles;

use super::*;

fn model() -> ModelUuid {
    "11111111-2222-4333-8444-555555555555".parse().unwrap()
}

fn host() -> Host {
    (model(), AgentName::Host)
}

fn other() -> Host {
    (model(), "machine-3".parse().unwrap())
}

fn note() -> FileQuestion {
    FileQuestion {
        unit: "site/0".parse().unwrap(),
        generation: 7,
        path: "note".to_owned(),
        wanted: WantedFiles::Part {
            offset: 0,
            most: 10,
        },
    }
}

fn uniter(running: u64) -> AgentAnswer {
    AgentAnswer::Workers(vec![WorkerRow {
        worker: "uniter".to_owned(),
        agent: "unit".to_owned(),
        state: "running".to_owned(),
        running,
        ..WorkerRow::default()
    }])
}

/// An agent that answers one question.
fn answering(
    questions: &Questions,
    host: Host,
    answer: AgentAnswer,
) -> tokio::task::JoinHandle<(Asked, watch::Receiver<u64>)> {
    let questions = questions.clone();
    let mut watched = questions.watch(&host);
    tokio::spawn(async move {
        watched.changed().await.unwrap();
        let question = questions.waiting(&host).remove(0);
        questions.put(&host, question.number, answer);
        (question.asked, watched)
    })
}

#[tokio::test]
async fn a_question_is_answered_by_the_agent_that_watches() {
    let questions = Questions::new(SystemClock::shared());
    let agent = answering(&questions, host(), AgentAnswer::Files(FileAnswer::NotFound));
    let answer = questions.files(&host(), note()).await;
    assert_eq!(answer, Ok(FileAnswer::NotFound));
    assert!(questions.waiting(&host()).is_empty());
    assert_eq!(agent.await.unwrap().0, Asked::Files(note()));
}

#[tokio::test]
async fn an_answer_to_something_else_is_none() {
    let questions = Questions::new(SystemClock::shared());
    let agent = answering(&questions, host(), uniter(1));
    let answer = questions.files(&host(), note()).await;
    assert_eq!(answer, Err(Silence::Late));
    drop(agent.await.unwrap());
}

#[tokio::test]
async fn all_agents_of_a_model_are_asked_at_once_and_each_worker_has_one_row() {
    let questions = Questions::new(SystemClock::shared());
    let neighbour: ModelUuid = "99999999-2222-4333-8444-555555555555".parse().unwrap();
    let elsewhere = questions.watch(&(neighbour, AgentName::Host));
    let agents = [
        answering(&questions, host(), uniter(3)),
        answering(&questions, other(), uniter(4)),
    ];
    let rows = questions.workers(&model()).await;
    assert_eq!((rows.len(), rows[0].running), (1, 7));
    assert!(!elsewhere.has_changed().unwrap(), "another model's");
    for agent in agents {
        assert_eq!(agent.await.unwrap().0, Asked::Workers);
    }
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_does_not_answer_about_itself_is_left_out_and_costs_the_bound_once() {
    let clock = FakeClock::new();
    let questions = Questions::new(clock.shared());
    let _silent = [questions.watch(&host()), questions.watch(&other())];
    let asked = {
        let questions = questions.clone();
        tokio::spawn(async move { questions.workers(&model()).await })
    };
    clock.wait_sleepers(2).await;
    clock.advance(REPORT_BOUND);
    assert!(asked.await.unwrap().is_empty());
    assert!(questions.waiting(&host()).is_empty());
}

#[tokio::test]
async fn nobody_is_waited_for_where_no_agent_is_connected() {
    let questions = Questions::new(FakeClock::new().shared());
    let answer = questions.files(&host(), note()).await;
    assert_eq!(answer, Err(Silence::NotConnected));
    drop(questions.watch(&host()));
    let answer = questions.files(&host(), note()).await;
    assert_eq!(answer, Err(Silence::NotConnected));
    assert!(questions.workers(&model()).await.is_empty());
    assert!(questions.processes(&model()).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_silent_agent_costs_the_bound_and_leaves_no_question() {
    let clock = FakeClock::new();
    let questions = Questions::new(clock.shared());
    let _watched = questions.watch(&host());
    let asked = {
        let questions = questions.clone();
        tokio::spawn(async move { questions.files(&host(), note()).await })
    };
    clock.wait_sleepers(1).await;
    clock.advance(FILES_BOUND);
    assert_eq!(asked.await.unwrap(), Err(Silence::Late));
    assert!(questions.waiting(&host()).is_empty());
}

#[tokio::test]
async fn no_other_agent_hears_of_a_question_or_answers_it() {
    let questions = Questions::new(SystemClock::shared());
    let (mut own, others) = (questions.watch(&host()), questions.watch(&other()));
    let asked = {
        let questions = questions.clone();
        tokio::spawn(async move { questions.files(&host(), note()).await })
    };
    own.changed().await.unwrap();
    assert!(!others.has_changed().unwrap());
    assert!(questions.waiting(&other()).is_empty());
    let number = questions.waiting(&host())[0].number;
    let answer = AgentAnswer::Files(FileAnswer::NotAFile);
    questions.put(&other(), number, answer);
    let answer = AgentAnswer::Files(FileAnswer::NotFound);
    questions.put(&host(), number, answer);
    assert_eq!(asked.await.unwrap(), Ok(FileAnswer::NotFound));
}

#[tokio::test]
async fn agents_that_are_gone_are_forgotten() {
    let questions = Questions::new(SystemClock::shared());
    for number in 0..3 {
        let name = format!("machine-{number}").parse().unwrap();
        drop(questions.watch(&(model(), name)));
    }
    let _watched = questions.watch(&host());
    assert_eq!(questions.lock().len(), 1);
}
