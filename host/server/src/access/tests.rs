use std::collections::BTreeSet;

use periapt_wire::agent;

use super::*;

/// Every facade of the wire with its methods.
fn wire() -> Vec<(&'static str, &'static [&'static str])> {
    vec![
        ("Pinger", agent::pinger::METHODS),
        ("LifeFlag", agent::life_flag::METHODS),
        ("Singular", agent::singular::METHODS),
        ("ModelManager", agent::models::METHODS),
        ("ModelConfig", agent::model_config::METHODS),
        ("LogSink", agent::log_sink::METHODS),
        ("LogForwarding", agent::log_forwarding::METHODS),
        ("UnitAssigner", agent::unit_assigner::METHODS),
        ("Provisioner", agent::provisioner::METHODS),
        ("MachineUndertaker", agent::machine_undertaker::METHODS),
        ("CharmDownloader", agent::charm_downloader::METHODS),
        ("Cleaner", agent::cleaner::METHODS),
        ("Undertaker", agent::undertaker::METHODS),
        ("CredentialValidator", agent::credential_validator::METHODS),
        ("ModelUpgrader", agent::model_upgrader::METHODS),
        ("StatusHistory", agent::status_history::METHODS),
        ("AgentHost", agent::host::METHODS),
        ("Machiner", agent::machiner::METHODS),
        ("Deployer", agent::deployer::METHODS),
        ("LeadershipService", agent::leadership::METHODS),
        ("RetryStrategy", agent::retry_strategy::METHODS),
        ("Uniter", agent::uniter::METHODS),
    ]
}

#[test]
fn every_call_of_the_wire_has_one_row_and_one_handler() {
    let wire: BTreeSet<(&str, &str)> = wire()
        .into_iter()
        .flat_map(|(facade, methods)| methods.iter().map(move |method| (facade, *method)))
        .collect();
    let rows: Vec<(&str, &str)> = CALLS
        .iter()
        .map(|rule| (rule.facade, rule.method))
        .collect();
    assert_eq!(rows.len(), wire.len(), "a row too many or twice");
    assert_eq!(rows.into_iter().collect::<BTreeSet<_>>(), wire);
    for (facade, method) in wire {
        assert!(
            crate::facades::find(facade, method).is_some(),
            "{facade}.{method} has no handler"
        );
    }
}

#[test]
fn a_person_may_call_nothing_that_belongs_to_agents() {
    for rule in CALLS {
        assert_eq!(
            rule.roles.contains(&Role::User),
            rule.facade == "Pinger",
            "{rule:?}"
        );
    }
}

#[test]
fn what_an_agent_may_call_names_what_it_hosts() {
    for rule in CALLS
        .iter()
        .filter(|rule| rule.roles.contains(&Role::Agent) && rule.effect == Effect::Write)
    {
        assert!(
            matches!(rule.subject, Subject::Unit | Subject::Machine),
            "{rule:?}"
        );
    }
}

#[test]
fn routes_are_listed_once() {
    let distinct: BTreeSet<_> = ROUTES
        .iter()
        .map(|route| (route.method, route.path))
        .collect();
    assert_eq!(distinct.len(), ROUTES.len());
}
