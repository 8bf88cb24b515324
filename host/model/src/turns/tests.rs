//! Order, shares and bounds, and a simulation in which some applications are slow.

use proptest::prelude::*;

use super::*;

const ROOM: Room = Room {
    shared: 4,
    reserve: 8,
};

fn request(unit: &str, machine: &str) -> Request {
    Request {
        unit: unit.parse().unwrap(),
        machine: machine.parse().unwrap(),
        hook: "config-changed".to_owned(),
    }
}

/// Asks for `count` units of an application, each on a machine of its own from `first` on.
fn ask_many(turns: &mut Turns, application: &str, count: usize, first: usize) -> Vec<Ticket> {
    (0..count)
        .map(|number| {
            let unit = format!("{application}/{number}");
            turns.ask(request(&unit, &(first + number).to_string()))
        })
        .collect()
}

#[test]
fn hooks_of_one_machine_run_one_at_a_time_in_the_order_they_were_asked_for() {
    let mut turns = Turns::new(ROOM);
    let tickets: Vec<Ticket> = ["a/0", "b/0", "a/1"]
        .map(|unit| turns.ask(request(unit, "0")))
        .into();
    for (place, ticket) in tickets.iter().enumerate() {
        assert_eq!(turns.grant(), [*ticket]);
        assert_eq!(turns.line(&"0".parse().unwrap()), tickets[place + 1..]);
        turns.end(*ticket, Duration::ZERO);
    }
    assert!(turns.grant().is_empty());
    assert!(turns.machines.is_empty() && turns.ready.is_empty() && turns.active.is_empty());
}

#[test]
fn who_waits_is_told_for_what() {
    let mut turns = Turns::new(Room {
        shared: 1,
        reserve: 0,
    });
    let first = turns.ask(request("b/0", "0"));
    let same_machine = turns.ask(request("a/0", "0"));
    let other_machine = turns.ask(request("a/1", "1"));
    turns.grant();
    assert_eq!(turns.waits_for(first), None);
    let told = |ticket| turns.waits_for(ticket).unwrap().to_string();
    assert_eq!(
        told(same_machine),
        "waiting for the machine's lock, held by b/0 config-changed"
    );
    assert_eq!(told(other_machine), "waiting for a turn: 1 hook is running");
}

#[test]
fn slow_hooks_of_one_application_leave_a_place_for_every_other() {
    let mut turns = Turns::new(ROOM);
    ask_many(&mut turns, "slow", 100, 0);
    assert_eq!(turns.grant().len(), ROOM.shared);
    for (number, other) in ["b", "c", "d"].into_iter().enumerate() {
        let tickets = ask_many(&mut turns, other, 2, 200 + 10 * number);
        assert_eq!(turns.grant(), [tickets[0]], "one of {other} at once");
        turns.end(tickets[0], Duration::from_millis(5));
        assert_eq!(turns.grant(), [tickets[1]], "the next when that has ended");
    }
}

#[test]
fn whoever_has_a_place_does_not_wait_behind_one_on_its_machine_that_has_none() {
    let mut turns = Turns::new(ROOM);
    ask_many(&mut turns, "slow", 4, 0);
    turns.grant();
    let behind = turns.ask(request("slow/9", "50"));
    let free = turns.ask(request("b/0", "50"));
    assert_eq!(turns.grant(), [free]);
    turns.end(free, Duration::ZERO);
    assert!(turns.grant().is_empty());
    turns.end(1, Duration::from_secs(60));
    assert_eq!(turns.grant(), [behind]);
}

#[test]
fn many_slow_applications_leave_the_last_places_to_the_quick_ones() {
    let mut turns = Turns::new(ROOM);
    for number in 0..40 {
        let application = format!("slow{}", char::from(b'a' + number));
        let Ok(_) = application.parse::<ApplicationName>() else {
            continue;
        };
        turns.slow.insert(application.parse().unwrap());
        ask_many(&mut turns, &application, 1, usize::from(number));
    }
    assert_eq!(turns.grant().len(), ROOM.shared + 6, "a quarter is kept");
    let quick = turns.ask(request("quick/0", "90"));
    assert_eq!(turns.grant(), [quick]);
}

#[test]
fn a_request_that_gives_up_leaves_nothing() {
    let mut turns = Turns::new(ROOM);
    let holder = turns.ask(request("a/0", "0"));
    let waits = turns.ask(request("a/1", "0"));
    turns.grant();
    turns.end(waits, Duration::ZERO);
    turns.end(holder, Duration::ZERO);
    turns.end(holder, Duration::ZERO);
    assert!(turns.grant().is_empty());
    assert!(turns.waiting.is_empty() && turns.running.is_empty() && turns.machines.is_empty());
}

/// What happens in the simulation.
#[derive(Clone, Debug)]
enum Event {
    /// A unit of an application asks, on a machine.
    Asks(u8, u8),
    /// Who waits or runs ends, by its place among them.
    Ends(usize, bool),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        3 => (0_u8..6, 0_u8..12).prop_map(|(application, machine)| Event::Asks(application, machine)),
        2 => (any::<usize>(), any::<bool>()).prop_map(|(who, slow)| Event::Ends(who, slow)),
    ]
}

proptest! {
    #[test]
    fn whatever_is_asked_for_bounds_hold_and_nobody_waits_without_a_reason(
        events in prop::collection::vec(event(), 1..200),
    ) {
        let mut turns = Turns::new(ROOM);
        let mut live: Vec<Ticket> = Vec::new();
        for (number, event) in events.into_iter().enumerate() {
            match event {
                Event::Asks(application, machine) => {
                    let unit = format!("{}/{number}", char::from(b'a' + application));
                    live.push(turns.ask(request(&unit, &machine.to_string())));
                }
                Event::Ends(who, slow) if !live.is_empty() => {
                    let ticket = live.remove(who % live.len());
                    let took = if slow { 2 * SLOW } else { Duration::ZERO };
                    turns.end(ticket, took);
                }
                Event::Ends(..) => {}
            }
            turns.grant();
            prop_assert!(turns.running.len() <= ROOM.all());
            prop_assert!(turns.running.len() - turns.in_reserve <= ROOM.shared);
            let mut machines: Vec<&MachineId> =
                turns.running.values().map(|(request, _)| &request.machine).collect();
            machines.sort();
            machines.dedup();
            prop_assert_eq!(machines.len(), turns.running.len(), "one hook on a machine");
            for (ticket, request) in &turns.waiting {
                let application = request.unit.application();
                let machine_is_free = turns.machines[&request.machine].holder.is_none();
                let reserve_is_free = turns.in_reserve < ROOM.reserve - ROOM.reserve / 4;
                prop_assert!(
                    !machine_is_free || !reserve_is_free || turns.active_of(&application) > 0,
                    "{ticket} of {application} waits although it could run"
                );
            }
        }
        for ticket in live {
            turns.end(ticket, Duration::ZERO);
            turns.grant();
        }
        prop_assert!(turns.running.is_empty() && turns.waiting.is_empty());
        prop_assert!(turns.machines.is_empty() && turns.ready.is_empty() && turns.active.is_empty());
    }
}
