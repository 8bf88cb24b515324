use periapt_model::Life;
use periapt_model::charm::CharmInfo;
use periapt_model::status::{Machine, Status};
use periapt_wire::rest::{
    ApplicationInfo, Backup, BlockDevice, BlockInfo, Cloud, CloudCredential, ControllerNode,
    MachineInfo, MetricHistory, ModelAccess, ModelSummary, RelationInfo, SecretBackendInfo,
    StoragePoolInfo, TokenInfo, UnitInfo, UserInfo, WorkerRow,
};
use utoipa::PartialSchema;

use super::*;

fn machine(id: &str, status: &str) -> MachineInfo {
    MachineInfo {
        id: id.parse().unwrap(),
        life: Life::Alive,
        instance_id: String::new(),
        agent: Status::new(status.parse().unwrap(), ""),
        instance: Status::new(Machine::Running, ""),
        addresses: Vec::new(),
        hardware: String::new(),
        constraints: String::new(),
        units: vec!["site/0".parse().unwrap()],
        created_at: 0,
        waiting_for: Vec::new(),
    }
}

fn machines() -> Vec<MachineInfo> {
    (0..25)
        .rev()
        .map(|number| {
            machine(
                &number.to_string(),
                if number < 10 { "started" } else { "down" },
            )
        })
        .collect()
}

fn ids(page: &Page<Value>) -> Vec<&str> {
    page.items
        .iter()
        .map(|item| item["id"].as_str().unwrap())
        .collect()
}

#[test]
fn pages_put_together_are_the_list_in_order() {
    let mut query = ListQuery {
        limit: Some(10),
        ..ListQuery::default()
    };
    let mut seen = Vec::new();
    loop {
        let Json(page) = page(machines(), &query).unwrap();
        seen.extend(ids(&page).into_iter().map(str::to_owned));
        match page.next {
            Some(next) => query.after = Some(next),
            None => break,
        }
    }
    let expected: Vec<String> = (0..25).map(|number| number.to_string()).collect();
    assert_eq!(seen, expected);
}

#[test]
fn a_page_goes_on_after_an_item_that_is_gone() {
    let query = ListQuery {
        limit: Some(2),
        after: Some("9".to_owned()),
        ..ListQuery::default()
    };
    let mut left = machines();
    left.retain(|machine| machine.id.as_str() != "9");
    let Json(page) = page(left, &query).unwrap();
    assert_eq!(ids(&page), ["10", "11"]);
}

#[test]
fn all_filters_must_fit() {
    let filtered = |query: ListQuery| {
        let Json(page) = page(machines(), &query).unwrap();
        page.items.len()
    };
    let some = |text: &str| Some(text.to_owned());
    let none = ListQuery::default;
    assert_eq!(
        filtered(ListQuery {
            status: some("down"),
            ..none()
        }),
        15
    );
    assert_eq!(
        filtered(ListQuery {
            name: some("1*"),
            ..none()
        }),
        11
    );
    assert_eq!(
        filtered(ListQuery {
            name: some("1"),
            ..none()
        }),
        1
    );
    assert_eq!(
        filtered(ListQuery {
            machine: some("3"),
            ..none()
        }),
        1
    );
    assert_eq!(
        filtered(ListQuery {
            application: some("site"),
            ..none()
        }),
        25
    );
    assert_eq!(
        filtered(ListQuery {
            name: some("1*"),
            status: some("down"),
            ..none()
        }),
        10
    );
    assert_eq!(
        filtered(ListQuery {
            application: some("other"),
            ..none()
        }),
        0
    );
}

#[test]
fn only_the_wanted_members_are_shown_and_unknown_ones_are_refused() {
    let query = |fields: &str| ListQuery {
        fields: Some(fields.to_owned()),
        limit: Some(1),
        ..ListQuery::default()
    };
    let Json(shown) = page(machines(), &query("id, life")).unwrap();
    assert_eq!(
        shown.items,
        [serde_json::json!({ "id": "0", "life": "alive" })]
    );
    let Answer(problem) = page(machines(), &query("id,lief")).unwrap_err();
    assert_eq!(problem.code, "field-unknown");
    assert!(problem.detail.contains("lief") && problem.detail.contains("hardware"));
}

#[test]
fn limits_and_filters_that_make_no_sense_are_refused() {
    for limit in [0, 1001, u64::MAX] {
        let query = ListQuery {
            limit: Some(limit),
            ..ListQuery::default()
        };
        let Answer(problem) = page(machines(), &query).unwrap_err();
        assert_eq!(
            (problem.status, problem.code.as_str()),
            (400, "limit-invalid")
        );
    }
    let query = ListQuery {
        machine: Some("0".to_owned()),
        ..ListQuery::default()
    };
    let Answer(problem) = page(Vec::<ModelSummary>::new(), &query).unwrap_err();
    assert_eq!(problem.code, "filter-unknown");
}

/// The names in `FIELDS` are those that the type's own description has, but for what lists leave
/// out.
#[test]
fn the_fields_of_a_list_are_the_members_of_its_items() {
    fn check<T: Listed + PartialSchema>(left_out: &[&str]) {
        let schema = serde_json::to_value(T::schema()).unwrap();
        let mut members: Vec<&str> = schema["properties"]
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .filter(|member| !left_out.contains(member))
            .collect();
        let mut fields = T::FIELDS.to_vec();
        members.sort_unstable();
        fields.sort_unstable();
        assert_eq!(fields, members);
    }
    check::<ModelSummary>(&[]);
    check::<ApplicationInfo>(&[]);
    check::<UnitInfo>(&["relations"]);
    check::<MachineInfo>(&[]);
    check::<CharmInfo>(&[]);
    check::<RelationInfo>(&[]);
    check::<Backup>(&[]);
    check::<Cloud>(&[]);
    check::<ControllerNode>(&[]);
    check::<CloudCredential>(&[]);
    check::<ModelAccess>(&[]);
    check::<BlockInfo>(&[]);
    check::<BlockDevice>(&[]);
    check::<StoragePoolInfo>(&[]);
    check::<WorkerRow>(&[]);
    check::<SecretBackendInfo>(&[]);
    check::<UserInfo>(&[]);
    check::<TokenInfo>(&[]);
    check::<MetricHistory>(&[]);
}
