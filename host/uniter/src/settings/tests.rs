use std::collections::BTreeMap;

use periapt_model::relation::RemoteRelation;
use periapt_model::secret::DueSecrets;
use periapt_model::uniter::RemoteState;
use periapt_model::{Life, uniter::Resolved};
use periapt_sandbox::{Bag, Member};

use super::KnownSettings;

fn remote(unit_version: u64, application_version: u64) -> RemoteState {
    let relation = RemoteRelation {
        endpoint: "website".to_owned(),
        remote_application: "site".parse().expect("name"),
        life: Life::Alive,
        suspended: false,
        peer: false,
        members: [("site/0".parse().expect("unit"), unit_version)].into(),
        applications: [("site".parse().expect("name"), application_version)].into(),
    };
    RemoteState {
        life: Life::Alive,
        resolved: Resolved::None,
        charm_url: String::new(),
        charm_modified_version: 0,
        force_charm_upgrade: false,
        config_hash: String::new(),
        relations: BTreeMap::from([(3, relation)]),
        leader_settings_version: 0,
        leader: false,
        retry_hook_version: 0,
        update_status_version: 0,
        task: None,
        secrets: DueSecrets::default(),
        reboots: 0,
        reboot_wanted: false,
        storage: Default::default(),
        causes: Default::default(),
    }
}

fn bag(value: &str) -> Bag {
    [("key".to_owned(), value.to_owned())].into()
}

#[test]
fn settings_are_kept_from_hook_to_hook_until_there_is_a_newer_version() {
    let known = KnownSettings::default();
    let unit = (3, Member::Unit("site/0".to_owned()));
    let application = (3, Member::Application("site".to_owned()));
    known.begin(&remote(1, 1));
    assert_eq!(known.get(&unit), None);
    known.put(unit.clone(), bag("first"));
    known.put(application.clone(), bag("all"));
    known.begin(&remote(1, 1));
    assert_eq!(known.get(&unit), Some(bag("first")));
    known.begin(&remote(2, 1));
    assert_eq!(known.get(&unit), None);
    assert_eq!(known.get(&application), Some(bag("all")));
    known.put(unit.clone(), bag("second"));
    known.begin(&remote(2, 2));
    assert_eq!(known.get(&unit), Some(bag("second")));
    assert_eq!(known.get(&application), None);
}

#[test]
fn settings_without_a_version_are_those_of_one_hook() {
    let known = KnownSettings::default();
    let own = (3, Member::Unit("front/0".to_owned()));
    let elsewhere = (4, Member::Unit("site/0".to_owned()));
    known.begin(&remote(1, 1));
    known.put(own.clone(), bag("mine"));
    known.put(elsewhere.clone(), bag("theirs"));
    assert_eq!(known.get(&own), Some(bag("mine")));
    known.begin(&remote(1, 1));
    assert_eq!(known.get(&own), None);
    assert_eq!(known.get(&elsewhere), None);
}

#[test]
fn nothing_is_kept_of_who_left() {
    let known = KnownSettings::default();
    let unit = (3, Member::Unit("site/0".to_owned()));
    known.begin(&remote(1, 1));
    known.put(unit.clone(), bag("first"));
    let mut without = remote(1, 1);
    without.relations.clear();
    known.begin(&without);
    assert_eq!(known.get(&unit), None);
}

#[test]
fn a_hook_reads_so_much_and_little_of_it_is_kept() {
    let known = KnownSettings::default();
    let unit = |number: usize| (3, Member::Unit(format!("site/{number}")));
    known.begin(&remote(1, 1));
    let large = "x".repeat(8 << 20);
    for number in 0..7 {
        assert!(known.put(unit(number), bag(&large)));
    }
    assert!(known.get(&unit(0)).is_some());
    assert!(
        !known.put(unit(7), bag(&large)),
        "more than 64 MiB with its key"
    );
    known.begin(&remote(1, 1));
    assert_eq!(known.get(&unit(0)), None);
    assert!(known.put(unit(0), bag("small")));
    known.begin(&remote(1, 1));
    assert_eq!(known.get(&unit(0)), Some(bag("small")));
}
