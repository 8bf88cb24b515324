use std::net::Ipv4Addr;

use super::*;

fn address(last: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(10, 0, 0, last))
}

fn user(name: &str) -> Identity {
    Identity::User {
        name: name.parse().unwrap(),
    }
}

fn agent(number: u32) -> Identity {
    Identity::Agent {
        model: format!("00000000-0000-4000-8000-{number:012}")
            .parse()
            .unwrap(),
        agent: periapt_model::AgentName::Host,
    }
}

struct Client {
    place: Arc<Place>,
    cut: CancellationToken,
}

fn come(places: &Places, from: u8) -> Option<Client> {
    let cut = CancellationToken::new();
    let place = Arc::new(places.enter(address(from), cut.clone())?);
    Some(Client { place, cut })
}

#[test]
fn a_newcomer_displaces_the_oldest_of_the_address_that_has_the_most() {
    let places = Places::new(Budgets::of(64));
    let quiet = come(&places, 2).unwrap();
    let crowd: Vec<Client> = (0..15).map(|_| come(&places, 1).unwrap()).collect();
    assert!(crowd.iter().all(|one| !one.cut.is_cancelled()));
    let newcomer = come(&places, 3).unwrap();
    assert!(crowd[0].cut.is_cancelled());
    assert!(!quiet.cut.is_cancelled() && !newcomer.cut.is_cancelled());
    assert_eq!(crowd.iter().filter(|one| one.cut.is_cancelled()).count(), 1);
}

#[test]
fn thousands_that_prove_nothing_neither_end_nor_refuse_agents_at_the_same_address() {
    let places = Places::new(Budgets::of(64));
    let agents: Vec<Client> = (0..16).map(|_| come(&places, 1).unwrap()).collect();
    let holds: Vec<Hold> = (0..)
        .zip(&agents)
        .map(|(number, client)| client.place.session(&agent(number)).unwrap())
        .collect();
    let mut flood = Vec::new();
    for _ in 0..4_200 {
        let client = come(&places, 1).unwrap();
        flood.push(client);
        // The listener drops those that were told to end.
        flood.retain(|one| !one.cut.is_cancelled());
    }
    assert!(flood.len() <= 16, "{}", flood.len());
    assert!(agents.iter().all(|one| !one.cut.is_cancelled()));
    // And one of them comes back.
    let again = come(&places, 1).unwrap();
    let _hold = again.place.session(&agent(3)).unwrap();
    flood.push(come(&places, 1).unwrap());
    assert!(!again.cut.is_cancelled());
    drop(holds);
}

#[test]
fn a_request_under_way_is_not_ended_and_one_that_is_answered_may_be() {
    let places = Places::new(Budgets::of(16));
    let busy = come(&places, 1).unwrap();
    let hold = busy.place.request(&user("admin")).unwrap();
    let mut others: Vec<Client> = (0..20).filter_map(|_| come(&places, 1)).collect();
    assert!(!busy.cut.is_cancelled());
    others.retain(|one| !one.cut.is_cancelled());
    drop(hold);
    for _ in 0..20 {
        others.extend(come(&places, 1));
        others.retain(|one| !one.cut.is_cancelled());
    }
    assert!(busy.cut.is_cancelled());
}

#[test]
fn no_account_takes_all_places_of_people_and_people_take_none_of_agents() {
    let budgets = Budgets::of(64);
    let places = Places::new(budgets);
    let mut holds = Vec::new();
    let mut lasting = |name: &str| {
        let client = come(&places, 1).unwrap();
        let held = client.place.session(&user(name));
        held.map(|hold| holds.push((client, hold)))
    };
    for _ in 0..budgets.lasting_of_one {
        lasting("greedy").unwrap();
    }
    assert_eq!(lasting("greedy"), Err(Crowded::Account));
    for _ in budgets.lasting_of_one..budgets.lasting {
        lasting("other").unwrap();
    }
    assert_eq!(lasting("third"), Err(Crowded::People));
    for number in 0..16 {
        let client = come(&places, 1).unwrap();
        let hold = client.place.session(&agent(number)).unwrap();
        holds.push((client, hold));
    }
    // A place given back is to be had again.
    holds.remove(0);
    let client = come(&places, 1).unwrap();
    assert!(client.place.session(&user("greedy")).is_ok());
}

#[test]
fn requests_of_one_account_are_bounded_and_those_of_another_are_not_refused() {
    let budgets = Budgets::of(64);
    let places = Places::new(budgets);
    let clients: Vec<Client> = (0..=budgets.requests_of_one)
        .map(|_| come(&places, 1).unwrap())
        .collect();
    let (last, first) = clients.split_last().unwrap();
    let holds: Vec<Hold> = first
        .iter()
        .map(|one| one.place.request(&user("busy")).unwrap())
        .collect();
    assert!(last.place.request(&user("busy")).is_err());
    assert!(last.place.request(&user("other")).is_ok());
    drop(holds);
    assert!(last.place.request(&user("busy")).is_ok());
}

#[test]
fn an_agent_that_lost_its_network_again_and_again_ends_its_own_leftovers() {
    let budgets = Budgets::of(64);
    let places = Places::new(budgets);
    let mut sessions = Vec::new();
    for _ in 0..10 {
        let client = come(&places, 1).unwrap();
        let hold = client.place.session(&agent(1)).unwrap();
        sessions.push((client, hold));
    }
    let ended = |(client, _): &(Client, Hold)| client.cut.is_cancelled();
    let left = sessions.iter().filter(|one| !ended(one)).count();
    assert_eq!(left, budgets.sessions_of_agent);
    assert!(!ended(&sessions[9]) && ended(&sessions[0]));
}

#[test]
fn when_all_are_known_a_newcomer_waits_until_one_leaves() {
    let budgets = Budgets::of(8);
    let places = Places::new(budgets);
    let mut agents = Vec::new();
    while let Some(client) = come(&places, 1) {
        let number = u32::try_from(agents.len()).unwrap();
        let hold = client.place.session(&agent(number)).unwrap();
        agents.push((client, hold));
    }
    assert_eq!(agents.len(), budgets.connections);
    agents.pop();
    assert!(come(&places, 1).is_some());
}

#[test]
fn budgets_follow_the_descriptors_there_are() {
    let full = Budgets::of_descriptors(1 << 20);
    assert_eq!(full, Budgets::default());
    assert_eq!(full.connections, 4096);
    assert!(Budgets::of_descriptors(1024).connections < 1024);
    for limit in [16, 120, 1024, 4096] {
        let budgets = Budgets::of_descriptors(limit);
        assert!((budgets.connections as u64) < limit, "{limit}");
        assert!(
            budgets.open + budgets.lasting < budgets.connections,
            "{limit}"
        );
        assert!(budgets.open > 0 && budgets.lasting_of_one > 0 && budgets.requests_of_one > 0);
    }
}

#[test]
fn all_is_counted_back_when_everybody_left() {
    let places = Places::new(Budgets::of(16));
    let mut clients = Vec::new();
    for number in 0..40_u32 {
        let Some(client) = come(&places, u8::try_from(number % 5).unwrap()) else {
            continue;
        };
        let hold = match number % 4 {
            0 => client.place.session(&user("ann")).ok(),
            1 => client.place.session(&agent(number)).ok(),
            2 => client.place.request(&user("bob")).ok(),
            _ => None,
        };
        clients.push((hold, client));
    }
    drop(clients);
    let book = places.shared.lock();
    assert!(book.entries.is_empty() && book.idle.is_empty() && book.requests.is_empty());
    assert!(book.lasting.is_empty() && book.agents.is_empty());
    assert_eq!((book.open, book.people, book.leaving), (0, 0, 0));
}
