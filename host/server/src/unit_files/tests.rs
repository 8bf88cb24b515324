use periapt_engine::{FakeClock, SystemClock};

use super::*;

const PART: WantedFiles = WantedFiles::Part {
    offset: 0,
    most: 10,
};

fn model() -> ModelUuid {
    "11111111-2222-4333-8444-555555555555".parse().unwrap()
}

fn unit() -> UnitName {
    "site/0".parse().unwrap()
}

#[tokio::test]
async fn a_question_is_answered_by_the_agent_that_watches() {
    let files = UnitFiles::new(SystemClock::shared());
    let mut questions = files.questions(&model());
    let agent = {
        let files = files.clone();
        tokio::spawn(async move {
            questions.changed().await.unwrap();
            let waiting = files.waiting(&model());
            assert_eq!(
                (waiting[0].generation, waiting[0].path.as_str()),
                (7, "note")
            );
            let number = waiting[0].number;
            assert_eq!(files.unit(&model(), number), Some(unit()));
            files.put(&model(), number, FileAnswer::NotFound);
            questions
        })
    };
    let (model, unit) = (model(), unit());
    let answer = files.ask(&model, &unit, 7, "note", PART).await;
    assert_eq!(answer, Ok(FileAnswer::NotFound));
    assert!(files.waiting(&model).is_empty());
    drop(agent.await.unwrap());
}

#[tokio::test]
async fn nobody_is_waited_for_where_no_agent_is_connected() {
    let files = UnitFiles::new(SystemClock::shared());
    let (model, unit) = (model(), unit());
    let answer = files.ask(&model, &unit, 0, "", PART).await;
    assert_eq!(answer, Err(Silence::NotConnected));
    drop(files.questions(&model));
    let answer = files.ask(&model, &unit, 0, "", PART).await;
    assert_eq!(answer, Err(Silence::NotConnected));
}

#[tokio::test(start_paused = true)]
async fn a_silent_agent_costs_the_bound_and_leaves_no_question() {
    let clock = FakeClock::new();
    let files = UnitFiles::new(clock.shared());
    let _questions = files.questions(&model());
    let asked = {
        let files = files.clone();
        tokio::spawn(async move { files.ask(&model(), &unit(), 0, "", PART).await })
    };
    clock.wait_sleepers(1).await;
    clock.advance(ANSWER_BOUND);
    assert_eq!(asked.await.unwrap(), Err(Silence::Late));
    assert!(files.waiting(&model()).is_empty());
}
