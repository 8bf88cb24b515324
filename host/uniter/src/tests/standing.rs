//! What is known of a unit beside its hooks, while its uniter runs and after.

use std::collections::BTreeSet;

use periapt_model::quota::{Code, Meter};

use super::*;
use crate::Follower;

#[tokio::test]
async fn who_lost_the_controller_is_still_known_and_who_stops_is_forgotten() {
    let world = World::new();
    let agent = world.start();
    world.settle().await;
    let standings = world.process.standings();
    let mine: BTreeSet<UnitName> = [unit()].into();
    assert_eq!(standings.changed(Follower::Meters).await, mine);
    assert_eq!(standings.changed(Follower::Metrics).await, mine);
    let stands = world.process.standing_unit(&unit()).expect("it stands");
    assert_eq!(stands.standing.charm_url, "local:site-0");
    assert_eq!(stands.meter, Meter::default());

    agent.cut_off().await;
    let lost = world.process.standing_unit(&unit()).expect("kept");
    assert_eq!(lost.of.machine, machine());
    assert_eq!(standings.isolated(Duration::from_secs(7)).as_secs(), 7);
    assert_eq!(standings.isolated(Duration::from_secs(9)).as_secs(), 7);
    standings.connected();
    assert!(!standings.has(&unit()), "its uniter has not come back");
    assert_eq!(standings.isolated(Duration::from_secs(9)).as_secs(), 9);

    let again = world.start();
    world.controller.change(&unit(), |record| {
        record.meter = Some(Meter {
            code: Code::Red,
            info: "more".to_owned(),
        });
    });
    let red = async {
        let told = || world.process.standing_unit(&unit());
        while told().is_none_or(|unit| unit.meter.code != Code::Red) {
            standings.changed(Follower::Meters).await;
        }
    };
    tokio::time::timeout(LIMIT, red).await.expect("told");
    again.stop().await;
    assert!(!standings.has(&unit()), "it stopped");
    let gone = standings.changed(Follower::Metrics).await;
    assert_eq!(gone, mine, "that is news as well");
}
