//! Order, shares and bounds, and a simulation in which some applications are slow.

use proptest::prelude::*;

use super::*;
use crate::MachineId;
use crate::task::Beside;

mod fairness;

const ROOM: Room = Room {
    shared: 4,
    reserve: 8,
    aside: 4,
};

fn request(unit: &str, machine: &str) -> Request {
    Request {
        unit: unit.parse().unwrap(),
        lock: Lock::Machine(machine.parse().unwrap()),
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
        assert_eq!(
            turns.line(&Lock::Machine("0".parse().unwrap())),
            tickets[place + 1..]
        );
        turns.end(*ticket, Duration::ZERO);
    }
    assert!(turns.grant().is_empty());
    assert!(is_empty(&turns));
}

/// Whether nothing is left of hooks that have ended.
fn is_empty(turns: &Turns) -> bool {
    turns.waiting.is_empty()
        && turns.under_way.is_empty()
        && turns.locks.is_empty()
        && turns.ready.0.is_empty()
        && turns.stepping_in.0.is_empty()
        && turns.shares.is_empty()
        && turns.computing() == 0
}

#[test]
fn who_waits_is_told_for_what() {
    let mut turns = Turns::new(Room {
        shared: 1,
        reserve: 0,
        aside: 0,
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
fn tasks_of_a_group_wait_for_one_another_and_parallel_ones_for_nobody() {
    let mut turns = Turns::new(ROOM);
    let machine: MachineId = "0".parse().unwrap();
    let mut ask = |unit: &str, beside: Beside| {
        let request = request(unit, "0");
        let lock = Lock::of(&request.unit, &machine, &beside);
        turns.ask(Request { lock, ..request })
    };
    let hook = ask("a/0", Beside::Nothing);
    let first = ask("b/0", Beside::OtherGroups("disk".to_owned()));
    let second = ask("c/0", Beside::OtherGroups("disk".to_owned()));
    let other = ask("d/0", Beside::OtherGroups("net".to_owned()));
    let parallel = ask("e/0", Beside::Anything);
    let mut granted = turns.grant();
    granted.sort_unstable();
    assert_eq!(granted[..3], [hook, first, other]);
    turns.end(hook, Duration::ZERO);
    assert_eq!(
        granted.get(3).copied().or(turns.grant().first().copied()),
        Some(parallel)
    );
    assert_eq!(
        turns.waits_for(second).unwrap().to_string(),
        "waiting for the execution group disk, of which b/0 runs config-changed"
    );
    turns.end(first, Duration::ZERO);
    assert!(turns.grant().contains(&second));
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
fn many_applications_leave_the_last_places_to_those_whose_last_hook_was_quick() {
    let mut turns = Turns::new(ROOM);
    let run = |turns: &mut Turns, computed| {
        let ticket = turns.ask(request("quick/0", "90"));
        assert_eq!(turns.grant(), [ticket]);
        turns.end(ticket, computed);
    };
    run(&mut turns, Duration::ZERO);
    for number in 0..20 {
        let application = format!("slow{}", char::from(b'a' + number));
        ask_many(&mut turns, &application, 1, usize::from(number));
    }
    assert_eq!(turns.grant().len(), ROOM.shared + 6, "a quarter is kept");
    run(&mut turns, 2 * SLOW);
    turns.ask(request("quick/0", "90"));
    assert!(turns.grant().is_empty(), "its last hook was slow");
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
    assert!(is_empty(&turns));
}

#[test]
fn while_hooks_wait_for_the_controller_others_compute() {
    let mut turns = Turns::new(ROOM);
    let tickets = ask_many(&mut turns, "a", 20, 0);
    let most = ROOM.shared + ROOM.aside;
    let mut begun = Vec::new();
    loop {
        let granted = turns.grant();
        if granted.is_empty() {
            break;
        }
        for ticket in &granted {
            turns.step_aside(*ticket);
        }
        begun.extend(granted);
    }
    assert_eq!(begun, tickets[..most], "and so many are under way");
    let further = turns.ask(request("b/0", "90"));
    assert_eq!(
        turns.grant(),
        [further],
        "one of every other application is"
    );
    turns.end(tickets[0], Duration::ZERO);
    assert!(turns.grant().is_empty(), "the one in reserve counts");
    turns.end(tickets[1], Duration::ZERO);
    assert_eq!(turns.grant(), [tickets[most]]);
}

#[test]
fn who_steps_in_goes_before_who_begins_and_computes_in_no_more_than_the_places() {
    let mut turns = Turns::new(ROOM);
    let first = ask_many(&mut turns, "a", 4, 0);
    assert_eq!(turns.grant(), first);
    turns.step_aside(first[0]);
    let next = ask_many(&mut turns, "a", 2, 10);
    assert_eq!(turns.grant(), [next[0]]);
    turns.step_in(first[0]);
    assert!(turns.grant().is_empty());
    assert_eq!(
        turns.waits_for(first[0]),
        Some(WaitsFor::Place { running: 4 })
    );
    turns.step_aside(first[1]);
    assert_eq!(turns.grant(), [first[0]]);
    turns.step_aside(first[0]);
    assert_eq!(turns.grant(), [next[1]]);
}

#[test]
fn hooks_that_compute_without_end_leave_a_place_to_step_into() {
    let mut turns = Turns::new(ROOM);
    let waits = turns.ask(request("b/0", "90"));
    turns.grant();
    turns.step_aside(waits);
    ask_many(&mut turns, "slow", 40, 0);
    assert_eq!(turns.grant().len(), ROOM.shared);
    turns.step_in(waits);
    assert_eq!(turns.grant(), [waits]);
}

/// What happens in the simulation.
#[derive(Clone, Debug)]
enum Event {
    /// A unit of an application asks, on a machine, for a hook, a group or beside everything.
    Asks(u8, u8, Beside),
    /// Who waits or is under way steps aside, by its place among them.
    StepsAside(usize),
    StepsIn(usize),
    Ends(usize, bool),
}

fn beside() -> impl Strategy<Value = Beside> {
    prop_oneof![
        4 => Just(Beside::Nothing),
        1 => Just(Beside::Anything),
        1 => (0_u8..3).prop_map(|group| Beside::OtherGroups(group.to_string())),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        6 => (0_u8..6, 0_u8..20, beside())
            .prop_map(|(application, machine, beside)| Event::Asks(application, machine, beside)),
        4 => any::<usize>().prop_map(Event::StepsAside),
        3 => any::<usize>().prop_map(Event::StepsIn),
        3 => (any::<usize>(), any::<bool>()).prop_map(|(who, slow)| Event::Ends(who, slow)),
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
            let one = |who: usize| live[who % live.len()];
            match event {
                Event::Asks(application, machine, beside) => {
                    let unit = format!("{}/{number}", char::from(b'a' + application));
                    let request = request(&unit, &machine.to_string());
                    let lock = Lock::of(&request.unit, &machine.to_string().parse().unwrap(), &beside);
                    live.push(turns.ask(Request { lock, ..request }));
                }
                _ if live.is_empty() => {}
                Event::StepsAside(who) => turns.step_aside(one(who)),
                Event::StepsIn(who) => turns.step_in(one(who)),
                Event::Ends(who, slow) => {
                    let ticket = one(who);
                    live.retain(|other| *other != ticket);
                    let computed = if slow { 2 * SLOW } else { Duration::ZERO };
                    turns.end(ticket, computed);
                }
            }
            turns.grant();
            check(&turns)?;
        }
        // Nobody has to step aside or to end for another to go on: they only have to end.
        for ticket in turns.under_way.keys().copied().collect::<Vec<_>>() {
            turns.step_in(ticket);
        }
        turns.grant();
        while !turns.under_way.is_empty() {
            check(&turns)?;
            let computes = turns.under_way.keys().copied().find(|ticket| turns.has_place(*ticket));
            prop_assert!(computes.is_some(), "nobody of those under way can go on");
            turns.end(computes.unwrap_or_default(), Duration::ZERO);
            turns.grant();
        }
        prop_assert!(is_empty(&turns));
    }
}

fn check(turns: &Turns) -> Result<(), TestCaseError> {
    let place = |wanted: Place| {
        let places = turns.under_way.values();
        places.filter(|(_, place)| *place == Some(wanted)).count()
    };
    prop_assert_eq!(place(Place::Shared), turns.in_shared);
    prop_assert_eq!(place(Place::Reserve), turns.in_reserve);
    prop_assert!(turns.in_shared <= ROOM.shared && turns.in_reserve <= ROOM.reserve);
    prop_assert!(turns.under_way.len() <= ROOM.all());
    let mut locks: Vec<&Lock> = turns
        .under_way
        .values()
        .map(|(request, _)| &request.lock)
        .collect();
    locks.sort();
    locks.dedup();
    prop_assert_eq!(locks.len(), turns.under_way.len(), "one hook at a lock");
    let shared_is_free = turns.in_shared < ROOM.shared;
    let has_reserve = |taken: usize| taken < ROOM.reserve - ROOM.reserve / 4;
    for application in turns.stepping_in.0.keys() {
        let computes = turns.share(application).computing > 0;
        prop_assert!(
            !shared_is_free && (computes || !has_reserve(turns.in_reserve)),
            "a hook of {application} waits to step in although it could"
        );
    }
    let open = ROOM.shared + ROOM.aside;
    for (ticket, request) in &turns.waiting {
        let share = turns.share(&request.unit.application());
        let has_place = shared_is_free || (share.computing == 0 && has_reserve(turns.in_reserve));
        let may_begin = turns.under_way.len() < open
            || (share.under_way == 0 && has_reserve(turns.under_way.len() - open));
        let lock_is_free = turns.locks[&request.lock].holder.is_none();
        prop_assert!(
            !(lock_is_free && has_place && may_begin),
            "{ticket} waits although it could begin"
        );
    }
    Ok(())
}
