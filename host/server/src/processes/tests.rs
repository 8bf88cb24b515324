use axum::http::HeaderValue;
use periapt_model::refusal::Subject;

use super::*;

#[test]
fn no_more_questions_than_the_bound_are_outstanding_at_once() {
    let processes = Processes::default();
    let mut places: Vec<_> = (0..WAITING).map(|_| processes.place().unwrap()).collect();
    let refused = processes.clone().place().unwrap_err();
    assert_eq!(refused.0.code, Refusal::TryAgain.code());
    places.pop();
    assert!(processes.place().is_ok());
}

#[test]
fn what_the_other_process_says_of_the_files_is_handed_on_and_nothing_else_it_says() {
    for answer in [
        Refusal::NotFound(Subject::File),
        Refusal::FileKindMismatch,
        Refusal::AgentSilent,
        Refusal::TryAgain,
        Refusal::UpgradeInProgress,
    ] {
        assert!(is_answer(&Problem::new(answer)), "{answer:?}");
    }
    for other in [
        Refusal::TokenInvalid,
        Refusal::CredentialsMissing,
        Refusal::RouteNotFound,
        Refusal::ApiNotServing,
    ] {
        assert!(!is_answer(&Problem::new(other)), "{other:?}");
    }
    let foreign = Problem {
        kind: "about:blank".to_owned(),
        ..Problem::new(Refusal::AgentSilent)
    };
    assert!(!is_answer(&foreign), "no controller said it");
}

#[test]
fn a_secret_is_shown_as_a_bearer_token_and_in_no_other_way() {
    let of = |value: &'static str| {
        let mut headers = HeaderMap::new();
        headers.insert(header::AUTHORIZATION, HeaderValue::from_static(value));
        shown(&headers).map(str::to_owned)
    };
    assert_eq!(of("Bearer s3cret").as_deref(), Some("s3cret"));
    assert_eq!(of("Basic s3cret"), None);
    assert_eq!(shown(&HeaderMap::new()), None);
}

#[test]
fn a_question_comes_out_of_the_store_as_it_went_in() {
    let question = Question {
        model: "11111111-2222-4333-8444-555555555555".parse().unwrap(),
        unit: "site/0".parse().unwrap(),
        path: "/state/note".to_owned(),
        wanted: Wanted::Content,
    };
    let text = serde_json::to_string(&question).unwrap();
    assert_eq!(serde_json::from_str::<Question>(&text).unwrap(), question);
}
