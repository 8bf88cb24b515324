use periapt_engine::{FakeClock, SystemClock};

use super::*;

const PART: WantedFiles = WantedFiles::Part {
    offset: 0,
    most: 10,
};

fn model() -> ModelUuid {
    "11111111-2222-4333-8444-555555555555".parse().unwrap()
}

fn host() -> Host {
    (model(), AgentName::Host)
}

fn unit() -> UnitName {
    "site/0".parse().unwrap()
}

#[tokio::test]
async fn a_question_is_answered_by_the_agent_that_watches() {
    let files = UnitFiles::new(SystemClock::shared());
    let mut questions = files.questions(&host());
    let agent = {
        let files = files.clone();
        tokio::spawn(async move {
            questions.changed().await.unwrap();
            let waiting = files.waiting(&host());
            assert_eq!(
                (waiting[0].generation, waiting[0].path.as_str()),
                (7, "note")
            );
            let number = waiting[0].number;
            files.put(&host(), number, FileAnswer::NotFound);
            questions
        })
    };
    let (host, unit) = (host(), unit());
    let answer = files.ask(&host, &unit, 7, "note", PART).await;
    assert_eq!(answer, Ok(FileAnswer::NotFound));
    assert!(files.waiting(&host).is_empty());
    drop(agent.await.unwrap());
}

#[tokio::test]
async fn nobody_is_waited_for_where_no_agent_is_connected() {
    let files = UnitFiles::new(SystemClock::shared());
    let (host, unit) = (host(), unit());
    let answer = files.ask(&host, &unit, 0, "", PART).await;
    assert_eq!(answer, Err(Silence::NotConnected));
    drop(files.questions(&host));
    let answer = files.ask(&host, &unit, 0, "", PART).await;
    assert_eq!(answer, Err(Silence::NotConnected));
}

#[tokio::test(start_paused = true)]
async fn a_silent_agent_costs_the_bound_and_leaves_no_question() {
    let clock = FakeClock::new();
    let files = UnitFiles::new(clock.shared());
    let _questions = files.questions(&host());
    let asked = {
        let files = files.clone();
        tokio::spawn(async move { files.ask(&host(), &unit(), 0, "", PART).await })
    };
    clock.wait_sleepers(1).await;
    clock.advance(ANSWER_BOUND);
    assert_eq!(asked.await.unwrap(), Err(Silence::Late));
    assert!(files.waiting(&host()).is_empty());
}

#[tokio::test]
async fn no_other_agent_hears_of_a_question_or_answers_it() {
    let files = UnitFiles::new(SystemClock::shared());
    let other: Host = (model(), "machine-3".parse().unwrap());
    let (mut own, others) = (files.questions(&host()), files.questions(&other));
    let asked = {
        let files = files.clone();
        tokio::spawn(async move { files.ask(&host(), &unit(), 0, "", PART).await })
    };
    own.changed().await.unwrap();
    assert!(!others.has_changed().unwrap());
    assert!(files.waiting(&other).is_empty());
    let number = files.waiting(&host())[0].number;
    files.put(&other, number, FileAnswer::NotAFile);
    files.put(&host(), number, FileAnswer::NotFound);
    assert_eq!(asked.await.unwrap(), Ok(FileAnswer::NotFound));
}

#[tokio::test]
async fn agents_that_are_gone_are_forgotten() {
    let files = UnitFiles::new(SystemClock::shared());
    for number in 0..3 {
        let name = format!("machine-{number}").parse().unwrap();
        drop(files.questions(&(model(), name)));
    }
    let _questions = files.questions(&host());
    assert_eq!(files.lock().len(), 1);
}
