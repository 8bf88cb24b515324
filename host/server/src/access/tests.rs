use std::collections::HashSet;

use periapt_wire::juju;

use super::*;

#[test]
fn a_person_may_call_nothing_that_belongs_to_agents() {
    for rule in calls() {
        let of_agents = rule.place.starts_with("periapt_wire::agent::");
        assert_ne!(rule.is_for(Role::User), of_agents, "{rule:?}");
    }
}

#[test]
fn what_an_agent_may_call_names_what_it_hosts() {
    let writes = calls().filter(|rule| rule.is_for(Role::Agent) && rule.effect == Effect::Write);
    // Its password and the devices of the machine that it runs on are its own, whatever it hosts.
    let own = ["ChangePassword", "SetBlockDevices"];
    for rule in writes.filter(|rule| !own.contains(&rule.method)) {
        assert!(
            matches!(rule.subject, Subject::Unit | Subject::Machine),
            "{rule:?}"
        );
    }
}

#[test]
fn facades_have_names_of_their_own_or_jujus_with_its_versions_and_methods() {
    for rule in calls() {
        let of_its_kind = match rule.place.split("::").nth(1) {
            Some("agent") => rule.facade.starts_with("periapt.") && rule.version == 1,
            Some("juju") => juju::has(rule.facade, rule.version, rule.method),
            _ => false,
        };
        assert!(of_its_kind, "{rule:?}");
    }
}

#[test]
fn a_method_of_a_version_is_declared_once() {
    let mut seen = HashSet::new();
    for rule in calls() {
        let address = (rule.facade, rule.version, rule.method);
        assert!(seen.insert(address), "{rule:?}");
    }
}
