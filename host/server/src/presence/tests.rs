use periapt_engine::FakeClock;

use super::*;

fn model() -> ModelUuid {
    "11111111-2222-4333-8444-555555555555".parse().unwrap()
}

#[test]
fn connections_are_counted_and_the_first_ones_time_is_kept() {
    let clock = FakeClock::new();
    let presence = Presence::new(clock.shared());
    assert_eq!(presence.agents(&model()), None);
    let first = presence.enter(&model());
    let since = presence.agents(&model()).unwrap().since;
    clock.advance(Duration::from_secs(5));
    let second = presence.enter(&model());
    assert_eq!(
        presence.agents(&model()),
        Some(AgentPresence {
            connections: 2,
            since
        })
    );
    drop(first);
    assert_eq!(
        presence.report(),
        [(
            model(),
            AgentPresence {
                connections: 1,
                since
            }
        )]
    );
    drop(second);
    assert_eq!(presence.agents(&model()), None);
}

#[test]
fn nobody_is_absent_before_the_grace_is_over() {
    let clock = FakeClock::new();
    let presence = Presence::new(clock.shared());
    assert!(presence.is_present(&model()));
    clock.advance(GRACE);
    assert!(!presence.is_present(&model()));
    let _guard = presence.enter(&model());
    assert!(presence.is_present(&model()));
}

#[test]
fn an_agent_connected_to_another_process_of_the_controller_is_present() {
    let clock = FakeClock::new();
    let presence = Presence::new(clock.shared());
    clock.advance(GRACE);
    let model = model();
    assert!(!presence.is_present(&model));
    let mut changed = presence.changed();
    presence.set_elsewhere([model.clone()].into());
    assert!(presence.is_present(&model) && presence.agents(&model).is_none());
    assert!(changed.has_changed().unwrap());
    changed.mark_unchanged();
    presence.set_elsewhere([model.clone()].into());
    assert!(!changed.has_changed().unwrap(), "nothing new");
    presence.set_elsewhere(Default::default());
    assert!(!presence.is_present(&model));
}
