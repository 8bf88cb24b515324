use super::*;

#[test]
fn the_worst_unit_speaks_for_the_application() {
    let units = [
        Status::new(Workload::Active, "ready"),
        Status::new(Workload::Blocked, "needs a title"),
        Status::new(Workload::Waiting, ""),
    ];
    let derived = derive_application(units);
    assert_eq!(
        (derived.status, derived.message.as_str()),
        (Workload::Blocked, "needs a title")
    );
    assert_eq!(derive_application([]).status, Workload::Unknown);
}

#[test]
fn words_survive_text_and_json() {
    for status in Machine::ALL {
        assert_eq!(status.as_str().parse::<Machine>(), Ok(*status));
        let json = serde_json::to_string(status).expect("serialises");
        assert_eq!(json, format!("\"{status}\""));
    }
    assert!(
        "splendid"
            .parse::<Workload>()
            .expect_err("unknown word")
            .contains("blocked")
    );
}
