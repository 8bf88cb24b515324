use periapt_model::query::Query;

use super::*;

fn status(units: &[(&str, &str, &str)]) -> FullStatus {
    let mut status = FullStatus::default();
    status.model.name = "demo".to_owned();
    status.model.model_status.status = "available".to_owned();
    let mut application = ApplicationStatus {
        charm: "local:site-0".to_owned(),
        ..ApplicationStatus::default()
    };
    application.status.status = "active".to_owned();
    let mut all = std::collections::BTreeMap::new();
    for (name, workload, agent) in units {
        let mut unit = UnitStatus {
            machine: "0".to_owned(),
            ..UnitStatus::default()
        };
        unit.workload_status.status = (*workload).to_owned();
        unit.agent_status.status = (*agent).to_owned();
        all.insert((*name).to_owned(), unit);
    }
    application.units = Some(all);
    status.applications.insert("site".to_owned(), application);
    let mut machine = MachineStatus::default();
    machine.agent_status.status = "started".to_owned();
    status.machines.insert("0".to_owned(), machine);
    status
}

fn holds(kind: WaitKind, name: &str, query: &str, status: &FullStatus) -> bool {
    Query::parse(query)
        .unwrap()
        .holds(&kind.find(name, status).unwrap())
        .unwrap()
}

#[test]
fn by_default_all_units_are_active_and_idle() {
    let ready = status(&[("site/0", "active", "idle"), ("site/1", "active", "idle")]);
    let busy = status(&[
        ("site/0", "active", "idle"),
        ("site/1", "active", "executing"),
    ]);
    for (kind, name) in [
        (WaitKind::Application, "site"),
        (WaitKind::Model, "demo"),
        (WaitKind::Unit, "site/1"),
    ] {
        assert!(holds(kind, name, kind.default_query(), &ready), "{kind:?}");
        assert!(!holds(kind, name, kind.default_query(), &busy), "{kind:?}");
    }
    assert!(holds(
        WaitKind::Machine,
        "0",
        WaitKind::Machine.default_query(),
        &ready
    ));
    let none = status(&[]);
    assert!(!holds(
        WaitKind::Application,
        "site",
        WaitKind::Application.default_query(),
        &none
    ));
    assert!(holds(
        WaitKind::Model,
        "demo",
        WaitKind::Model.default_query(),
        &none
    ));
}

#[test]
fn names_of_the_help_are_all_there() {
    let status = status(&[("site/0", "active", "idle")]);
    for (kind, name, names) in [
        (
            WaitKind::Application,
            "site",
            "name life status message charm charm-rev exposed version scale units",
        ),
        (
            WaitKind::Unit,
            "site/0",
            "name life workload-status workload-message agent-status agent-message leader machine public-address open-ports application",
        ),
        (
            WaitKind::Machine,
            "0",
            "name life status instance-status instance-id address",
        ),
        (
            WaitKind::Model,
            "demo",
            "name life status applications units machines",
        ),
    ] {
        let entity = kind.find(name, &status).unwrap();
        for name in names.split(' ') {
            assert!(entity.get(name).is_some(), "{kind:?} has no {name}");
        }
    }
    assert_eq!(WaitKind::Unit.find("site/7", &status), None);
}

#[test]
fn a_model_on_its_way_out_is_dying() {
    let mut status = status(&[]);
    status.model.model_status.status = "destroying".to_owned();
    assert!(holds(WaitKind::Model, "demo", "life==\"dying\"", &status));
}

#[test]
fn a_relation_is_found_by_number_or_key() {
    let mut status = status(&[]);
    status.relations.push(RelationStatus {
        id: 3,
        key: "front:web site:web".to_owned(),
        ..RelationStatus::default()
    });
    status.relations[0].status.status = "joined".to_owned();
    for name in ["3", "front:web site:web"] {
        let query = WaitKind::Relation.default_query();
        assert!(holds(WaitKind::Relation, name, query, &status), "{name}");
    }
    assert!(WaitKind::Relation.find("4", &status).is_none());
    status.relations[0].status.life = "dying".to_owned();
    assert!(holds(WaitKind::Relation, "3", r#"life=="dying""#, &status));
}
