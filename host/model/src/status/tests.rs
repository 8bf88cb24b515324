use super::*;

fn idle() -> Status<Agent> {
    Status::new(Agent::Idle, "")
}

#[test]
fn the_worst_unit_speaks_for_the_application() {
    let units = [
        Status::new(Workload::Active, "ready"),
        Status::new(Workload::Blocked, "needs a title"),
        Status::new(Workload::Waiting, ""),
    ];
    let parts = ApplicationParts {
        units: units.into_iter().map(|unit| (unit, idle())).collect(),
        ..ApplicationParts::default()
    };
    let status = parts.status();
    assert_eq!(
        (status.status, status.message.as_str()),
        (Workload::Blocked, "needs a title")
    );
    assert_eq!(
        ApplicationParts::default().status().status,
        Workload::Unknown
    );
}

#[test]
fn an_application_is_what_its_units_display_unless_somebody_says_otherwise() {
    let failed = Status::new(Agent::Error, "hook failed: \"start\"");
    let working = Status::new(Workload::Maintenance, "starting");
    let mut parts = ApplicationParts {
        units: vec![
            (Status::new(Workload::Blocked, "needs a title"), idle()),
            (working, failed),
        ],
        ..ApplicationParts::default()
    };
    let status = parts.clone().status();
    assert_eq!(status.status, Workload::Error);
    assert_eq!(status.message, "hook failed: \"start\"");

    parts.set = Some(Status::new(Workload::Unset, ""));
    assert_eq!(parts.clone().status().status, Workload::Error);
    parts.set = Some(Status::new(Workload::Active, "half of it works"));
    assert_eq!(
        parts.clone().status().status,
        Workload::Error,
        "the leader does not hide a failed hook"
    );
    let mut mended = parts.clone();
    mended.units.pop();
    assert_eq!(mended.status().message, "half of it works");
    parts.trouble = Some(Status::new(Workload::Error, "its charm does not compile"));
    assert_eq!(parts.status().message, "its charm does not compile");
}

#[test]
fn an_absent_agent_is_lost_and_a_failed_hook_stays_known() {
    let unit: UnitName = "site/0".parse().unwrap();
    let active = || Status::new(Workload::Active, "");
    let (workload, agent) = displayed(&unit, active(), idle(), false);
    assert_eq!(
        (workload.status, agent.status),
        (Workload::Unknown, Agent::Lost)
    );
    let failed = || Status::new(Agent::Error, "hook failed");
    let (workload, agent) = displayed(&unit, active(), failed(), false);
    assert_eq!(
        (workload.status, agent.status),
        (Workload::Error, Agent::Lost)
    );
    let (workload, agent) = displayed(&unit, active(), failed(), true);
    assert_eq!(
        (workload.status, agent.status),
        (Workload::Error, Agent::Idle)
    );
    let down = displayed_machine(Status::new(Machine::Started, ""), false);
    assert_eq!(down.status, Machine::Down);
    let pending = displayed_machine(Status::new(Machine::Pending, ""), false);
    assert_eq!(pending.status, Machine::Pending);
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

#[test]
fn words_are_described_as_they_are_written() {
    let schema = serde_json::to_value(<Agent as utoipa::PartialSchema>::schema()).expect("JSON");
    let words: Vec<&str> = Agent::ALL.iter().map(|word| word.as_str()).collect();
    assert_eq!(schema["enum"], serde_json::json!(words));
    assert_eq!(schema["description"], "What the unit's agent is doing.");
}
