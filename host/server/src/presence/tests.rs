use periapt_engine::FakeClock;

use super::*;

fn model() -> ModelUuid {
    "11111111-2222-4333-8444-555555555555".parse().unwrap()
}

fn host() -> Agent {
    (model(), AgentName::Host)
}

fn machine(id: &str) -> AgentName {
    AgentName::Machine(id.parse().unwrap())
}

#[test]
fn the_agents_of_a_model_come_and_go_one_by_one() {
    let clock = FakeClock::new();
    let presence = Presence::new(clock.shared());
    assert!(presence.of(&model()).has(&machine("0")), "on its way");
    clock.advance(GRACE);
    let first = presence.enter(&model(), &machine("0"));
    let second = presence.enter(&model(), &machine("1"));
    let both = presence.of(&model());
    assert!(both.has(&machine("0")) && both.has(&machine("1")) && !both.has(&AgentName::Host));
    drop(first);
    let one = presence.of(&model());
    assert!(!one.has(&machine("0")) && one.has(&machine("1")));
    assert_ne!(one, both);
    let mut other = model().to_string();
    other.replace_range(..1, "2");
    assert!(!presence.of(&other.parse().unwrap()).has(&machine("1")));
    presence.set_elsewhere([(model(), machine("0"))].into());
    assert_eq!(presence.of(&model()), both);
    drop(second);
}

#[test]
fn connections_are_counted_and_the_first_ones_time_is_kept() {
    let clock = FakeClock::new();
    let presence = Presence::new(clock.shared());
    assert_eq!(presence.here(&host()), None);
    let first = presence.enter(&model(), &AgentName::Host);
    let since = presence.here(&host()).unwrap().since;
    clock.advance(Duration::from_secs(5));
    let second = presence.enter(&model(), &AgentName::Host);
    assert_eq!(
        presence.here(&host()),
        Some(AgentPresence {
            connections: 2,
            since
        })
    );
    drop(first);
    assert_eq!(
        presence.report(),
        [(
            host(),
            AgentPresence {
                connections: 1,
                since
            }
        )]
    );
    drop(second);
    assert_eq!(presence.here(&host()), None);
}

#[test]
fn nobody_is_absent_before_the_grace_is_over() {
    let clock = FakeClock::new();
    let presence = Presence::new(clock.shared());
    assert!(presence.is_present(&host()));
    clock.advance(GRACE);
    assert!(!presence.is_present(&host()));
    let _guard = presence.enter(&model(), &AgentName::Host);
    assert!(presence.is_present(&host()));
}

#[test]
fn an_agent_connected_to_another_process_of_the_controller_is_present() {
    let clock = FakeClock::new();
    let presence = Presence::new(clock.shared());
    clock.advance(GRACE);
    let host = host();
    assert!(!presence.is_present(&host));
    let mut changed = presence.changed();
    presence.set_elsewhere([host.clone()].into());
    assert!(presence.is_present(&host) && presence.here(&host).is_none());
    assert!(changed.has_changed().unwrap());
    changed.mark_unchanged();
    presence.set_elsewhere([host.clone()].into());
    assert!(!changed.has_changed().unwrap(), "nothing new");
    presence.set_elsewhere(Default::default());
    assert!(!presence.is_present(&host));
}
