//! What quick hooks wait for beside hooks that compute without end, on a clock that the test moves.

use super::*;

const TICK: Duration = Duration::from_millis(1);
/// The time limit of a hook.
const LIMIT: Duration = Duration::from_secs(60);

/// A process whose hooks step aside after each slice, as they do in an agent.
struct Process {
    turns: Turns,
    now: Duration,
    /// Since when each has its place.
    places: BTreeMap<Ticket, Duration>,
    /// What each computed before.
    computed: BTreeMap<Ticket, Duration>,
    /// Hooks that compute until their limit, and are asked for again then.
    endless: BTreeMap<Ticket, (String, String)>,
}

impl Process {
    fn new() -> Self {
        Self {
            turns: Turns::new(ROOM),
            now: Duration::ZERO,
            places: BTreeMap::new(),
            computed: BTreeMap::new(),
            endless: BTreeMap::new(),
        }
    }

    fn ask(&mut self, unit: &str, machine: &str) -> Ticket {
        let ticket = self.turns.ask(request(unit, machine));
        self.grant();
        ticket
    }

    fn ask_without_end(&mut self, unit: &str, machine: &str) {
        let ticket = self.ask(unit, machine);
        let request = (unit.to_owned(), machine.to_owned());
        self.endless.insert(ticket, request);
    }

    fn grant(&mut self) {
        self.turns.pass(self.now);
        for ticket in self.turns.grant() {
            self.places.insert(ticket, self.now);
        }
    }

    /// Writes down what it computed since it got its place; all that it computed so far.
    fn account(&mut self, ticket: Ticket) -> Duration {
        let all = self.computed.entry(ticket).or_default();
        if let Some(since) = self.places.remove(&ticket) {
            self.turns.pass(self.now);
            self.turns.charge(ticket, self.now - since);
            *all += self.now - since;
        }
        *all
    }

    fn end(&mut self, ticket: Ticket) {
        let computed = self.account(ticket);
        self.computed.remove(&ticket);
        self.turns.end(ticket, computed);
        self.grant();
    }

    fn tick(&mut self) {
        self.now += TICK;
        let over = |since: &Duration| self.now - *since >= SLICE;
        let over: Vec<Ticket> = self
            .places
            .iter()
            .filter_map(|(ticket, since)| over(since).then_some(*ticket))
            .collect();
        for ticket in over {
            if self.account(ticket) < LIMIT {
                self.turns.step_aside(ticket);
                self.turns.step_in(ticket);
                self.grant();
                continue;
            }
            self.end(ticket);
            if let Some((unit, machine)) = self.endless.remove(&ticket) {
                self.ask_without_end(&unit, &machine);
            }
        }
    }

    /// Runs a hook that computes for so long; what it waited for its turn, and again after each slice.
    fn wait_of(&mut self, unit: &str, machine: &str, computes: Duration) -> Duration {
        let asked = self.now;
        let ticket = self.ask(unit, machine);
        loop {
            let before = self.computed.get(&ticket).copied().unwrap_or_default();
            let since = self.places.get(&ticket).copied();
            if before + since.map_or(Duration::ZERO, |since| self.now - since) >= computes {
                break;
            }
            self.tick();
        }
        self.end(ticket);
        self.now - asked - computes
    }

    fn pass(&mut self, time: Duration) {
        let until = self.now + time;
        while self.now < until {
            self.tick();
        }
    }
}

/// The longest wait of quick hooks, one after the other, beside so many units that compute without end.
fn longest_wait(endless: usize, name: impl Fn(usize) -> String, quick: &str) -> Duration {
    let mut process = Process::new();
    process.wait_of(quick, "900", TICK);
    for number in 0..endless {
        process.ask_without_end(&name(number), &number.to_string());
    }
    let mut longest = Duration::ZERO;
    for _ in 0..200 {
        let wait = process.wait_of(quick, "900", 5 * TICK);
        longest = longest.max(wait);
        process.pass(37 * TICK);
    }
    longest
}

fn letters(number: usize) -> String {
    let letter = |number: usize| char::from(b'a' + u8::try_from(number % 26).unwrap_or_default());
    format!("endless{}{}", letter(number / 26), letter(number))
}

#[test]
fn a_quick_hook_waits_for_no_more_than_a_slice_beside_1_8_and_64_units_that_compute_without_end() {
    for endless in [1, 8, 64] {
        let name = |number: usize| format!("{}/0", letters(number));
        let wait = longest_wait(endless, name, "quick/0");
        assert!(wait <= SLICE, "{endless} applications: {wait:?}");
        let name = |number: usize| format!("endless/{number}");
        let wait = longest_wait(endless, name, "quick/0");
        assert!(wait <= SLICE, "{endless} units of an application: {wait:?}");
    }
}

#[test]
fn a_unit_waits_for_no_more_than_a_slice_beside_others_of_its_application() {
    // So many may be under way at once, of which the quick one is one.
    let most = ROOM.shared + ROOM.aside - 1;
    let wait = longest_wait(most, |number| format!("web/{}", number + 1), "web/0");
    assert!(wait <= SLICE, "{wait:?}");
}

#[test]
fn hooks_that_compute_without_end_share_the_places_among_themselves() {
    let mut process = Process::new();
    let units = ROOM.shared + ROOM.aside;
    for number in 0..units {
        process.ask_without_end(&format!("endless/{number}"), &number.to_string());
    }
    process.pass(Duration::from_secs(20));
    let all: Vec<Duration> = process.computed.values().copied().collect();
    assert_eq!(all.len(), units);
    let (least, most) = (all.iter().min().unwrap(), all.iter().max().unwrap());
    assert!(*most - *least <= 4 * SLICE, "{all:?}");
}

#[test]
fn a_unit_that_computed_much_is_not_behind_for_good() {
    let mut process = Process::new();
    // Short of a limit, so that it counts as much as it can.
    process.wait_of("once/0", "0", LIMIT - TICK);
    for number in 0..ROOM.shared {
        process.ask_without_end(&format!("{}/0", letters(number)), &(number + 1).to_string());
    }
    process.pass(Duration::from_secs(90));
    let wait = process.wait_of("once/0", "0", 5 * TICK);
    assert!(wait <= SLICE, "{wait:?}");
}

#[test]
fn units_of_one_machine_keep_their_order_whatever_they_computed() {
    let mut process = Process::new();
    process.wait_of("long/0", "0", Duration::from_secs(5));
    let first = process.ask("other/0", "0");
    let second = process.ask("long/0", "0");
    let third = process.ask("quick/0", "0");
    process.end(first);
    assert!(process.places.contains_key(&second), "it asked before");
    process.end(second);
    assert!(process.places.contains_key(&third));
}
