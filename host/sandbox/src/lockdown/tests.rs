//! What can be decided without restricting a process. The rest is in `tests/processes.rs`.

use rustix::thread::CapabilitySet;

use super::identity::choose;
use super::*;

const WHOLE: &str = "         0          0 4294967295\n";
const CONTAINER: &str = "         0     100000      65536\n";
const ONE: &str = "         0       1000          1\n";

fn user(name: &str, map: &str) -> Result<u32, String> {
    let maps = [map.to_owned(), map.to_owned()];
    choose(name, CapabilitySet::all(), &maps).map(User::id)
}

#[test]
fn the_same_name_gets_the_same_user_at_every_start() {
    let model = "0d3a1f0e-2a35-4c0e-8f0c-6a5f4a8d7b11";
    let one = user(model, WHOLE).unwrap();
    assert_eq!(user(model, WHOLE), Ok(one));
    assert!(OWN_USERS.contains(&one));
    assert_ne!(user("another", WHOLE), Ok(one));
}

#[test]
fn a_small_user_namespace_gives_a_user_it_has() {
    let one = user("model", CONTAINER).unwrap();
    assert!(OWN_USERS_SMALL.contains(&one));
    assert!(user("model", ONE).unwrap_err().contains("no user ids"));
    assert!(user("model", "").is_err());
    let maps = [WHOLE.to_owned(), CONTAINER.to_owned()];
    let both = choose("model", CapabilitySet::all(), &maps).unwrap();
    assert!(
        OWN_USERS_SMALL.contains(&both.id()),
        "both maps must have it"
    );
}

#[test]
fn root_without_the_means_keeps_its_user_and_says_which_is_lacking() {
    let maps = [WHOLE.to_owned(), WHOLE.to_owned()];
    let lacking = CapabilitySet::all() - CapabilitySet::KILL;
    let reason = choose("model", lacking, &maps).unwrap_err();
    assert!(reason.contains("CAP_KILL"), "{reason}");
}

#[test]
fn what_an_older_kernel_leaves_open_is_said() {
    let report = |version| LockdownReport {
        user: 1000,
        own_user: true,
        keeps_root: None,
        reach: Reach { version },
        ports: vec![17070],
        denied_calls: 1,
    };
    assert_eq!(report(6).missing(), Vec::<String>::new());
    assert!(
        report(6)
            .to_string()
            .contains("the controller's ports only")
    );
    let old = report(3).missing();
    assert_eq!(old.len(), 3, "{old:?}");
    assert!(
        old[0].contains("every TCP port") && old[0].contains("Linux 6.7"),
        "{old:?}"
    );
    assert!(report(3).to_string().contains("ports are NOT restricted"));
    let none = report(0).missing();
    assert_eq!(none.len(), Wall::ALL.len());
    assert!(none[0].contains("none, or it is switched off"), "{none:?}");
    let root = LockdownReport {
        keeps_root: Some("root has no CAP_KILL here".to_owned()),
        ..report(6)
    };
    assert!(root.missing()[0].contains("CAP_KILL"));
    assert_eq!(report(6).lacks(), Vec::<String>::new());
    assert_eq!(report(3).lacks(), ["Landlock beyond version 3"]);
    let ordinary = LockdownReport {
        own_user: false,
        ..report(0)
    };
    assert_eq!(ordinary.lacks(), ["user of its own", "Landlock"]);
}
