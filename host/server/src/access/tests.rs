use super::*;

#[test]
fn a_person_may_call_nothing_that_belongs_to_agents() {
    for rule in calls() {
        assert_eq!(rule.is_for(Role::User), rule.facade == "Pinger", "{rule:?}");
    }
}

#[test]
fn what_an_agent_may_call_names_what_it_hosts() {
    for rule in calls().filter(|rule| rule.is_for(Role::Agent) && rule.effect == Effect::Write) {
        assert!(
            matches!(rule.subject, Subject::Unit | Subject::Machine),
            "{rule:?}"
        );
    }
}

#[test]
fn facades_have_names_of_their_own_beside_jujus() {
    for rule in calls() {
        let own = rule.facade.starts_with("periapt.");
        assert_eq!(own, rule.facade != "Pinger", "{rule:?}");
    }
}
