use std::collections::BTreeSet;

use super::*;

/// Every refusal there can be.
fn all() -> Vec<Refusal> {
    let subjects = Subject::ALL.iter().flat_map(|subject| {
        [
            Refusal::NotFound(*subject),
            Refusal::AlreadyExists(*subject),
            Refusal::Dying(*subject),
            Refusal::Dead(*subject),
        ]
    });
    let names = Name::ALL.iter().map(|name| Refusal::NameInvalid(*name));
    let rules = Refusal::RULES.iter().copied();
    subjects.chain(names).chain(rules).collect()
}

#[test]
fn no_two_refusals_have_the_same_code() {
    let codes: BTreeSet<&str> = all().into_iter().map(Refusal::code).collect();
    assert_eq!(codes.len(), all().len());
}

#[test]
fn every_refusal_has_a_well_formed_code_an_http_error_and_advice() {
    for refusal in all() {
        let code = refusal.code();
        assert!(
            code.split('-')
                .all(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase())),
            "{code}"
        );
        assert!((400..=507).contains(&refusal.status()), "{code}");
        let advice = refusal.advice();
        assert!(
            advice.len() > 8 && !advice.ends_with('.') && !advice.starts_with(char::is_uppercase),
            "{code}: {advice}"
        );
    }
}

#[test]
fn codes_of_calls_are_those_of_juju_or_their_own() {
    for refusal in Refusal::RULES {
        let call = refusal.call_code();
        let juju = matches!(call, "" | "model not found" | "operation is blocked");
        assert!(
            juju || call.replace(' ', "-") == refusal.code(),
            "{refusal} is \"{call}\" as a call"
        );
    }
}

#[test]
fn codes_name_what_is_missing_taken_or_leaving() {
    for (refusal, code, status) in [
        (
            Refusal::NotFound(Subject::Application),
            "application-not-found",
            404,
        ),
        (
            Refusal::NotFound(Subject::ControllerNode),
            "controller-node-not-found",
            404,
        ),
        (
            Refusal::NotFound(Subject::Credential),
            "credential-not-found",
            400,
        ),
        (
            Refusal::AlreadyExists(Subject::User),
            "user-already-exists",
            409,
        ),
        (
            Refusal::leaving(Subject::Unit, Life::Dying),
            "unit-dying",
            409,
        ),
        (
            Refusal::leaving(Subject::Machine, Life::Dead),
            "machine-dead",
            409,
        ),
        (
            Refusal::NameInvalid(Name::CharmUrl),
            "charm-url-invalid",
            400,
        ),
    ] {
        assert_eq!((refusal.code(), refusal.status()), (code, status));
    }
    assert_eq!(Subject::ControllerNode.to_string(), "controller node");
}
