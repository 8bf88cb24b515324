use periapt_model::Life;

use super::*;

#[test]
fn what_the_store_refuses_is_answered_with_the_code_the_status_and_the_advice_of_its_refusal() {
    let name = || "site".to_owned();
    let kind = Subject::Application;
    for (error, code, status) in [
        (
            StoreError::NotFound { kind, name: name() },
            "application-not-found",
            404,
        ),
        (
            StoreError::AlreadyExists { kind, name: name() },
            "application-already-exists",
            409,
        ),
        (
            StoreError::NotAlive {
                kind,
                name: name(),
                life: Life::Dying,
            },
            "application-dying",
            409,
        ),
        (
            StoreError::Refused {
                refusal: Refusal::CidrInvalid,
                message: "a reason".to_owned(),
            },
            "cidr-invalid",
            400,
        ),
        (
            StoreError::LeaseDenied { lease: name() },
            "leadership-claim-denied",
            409,
        ),
        (DatabaseError::Locked.into(), "database-locked", 503),
        (DatabaseError::DiskFull.into(), "disk-full", 507),
        (DatabaseError::KeyTaken.into(), "idempotency-key-taken", 409),
    ] {
        let refusal = error.refusal();
        let why = error.to_string();
        let Answer(problem) = error.into();
        assert_eq!((problem.code.as_str(), problem.status), (code, status));
        assert_eq!(problem.advice, refusal.advice());
        assert_eq!(problem.detail, why);
    }
}

#[test]
fn what_a_driver_says_of_the_database_is_not_answered() {
    let message = "FATAL at /var/lib/postgresql: terminating connection".to_owned();
    let Answer(problem) = DatabaseError::Failed { message }.into();
    assert_eq!(
        (problem.code.as_str(), problem.status),
        ("internal-error", 500)
    );
    assert!(!problem.detail.contains("postgresql"), "{}", problem.detail);
}
