use std::collections::BTreeMap;

use super::{
    DUE_AGAIN, DueSecret, DueSecrets, RotatePolicy, SecretId, next_rotate, obsolete, rescheduled,
    rotated,
};
use crate::hook::{Kind, SecretEvent};

const HOUR: i64 = 3600 * 1_000_000;

fn due(id: u8, revision: u32, leaders: bool) -> DueSecret {
    let event = SecretEvent {
        id: SecretId::of_random([id; 12]),
        label: String::new(),
        revision,
    };
    DueSecret { event, leaders }
}

#[test]
fn hooks_of_secrets_come_in_jujus_order_and_those_of_the_application_for_its_leader() {
    let mut secrets = DueSecrets {
        expired: vec![due(1, 1, true)],
        rotate: vec![due(2, 1, false)],
        changed: vec![due(3, 2, false)],
        remove: vec![due(4, 1, false)],
        next: None,
    };
    let kind = |secrets: &DueSecrets, leader| secrets.next(leader).map(|hook| hook.kind);
    assert_eq!(kind(&secrets, true), Some(Kind::SecretExpired));
    assert_eq!(kind(&secrets, false), Some(Kind::SecretRotate));
    secrets.rotate.clear();
    assert_eq!(kind(&secrets, false), Some(Kind::SecretChanged));
    secrets.changed.clear();
    assert_eq!(kind(&secrets, false), Some(Kind::SecretRemove));
    secrets.remove.clear();
    assert_eq!(kind(&secrets, false), None);
    assert!(!secrets.is_empty());
    assert!(DueSecrets::default().is_empty());
}

#[test]
fn a_rotation_without_a_new_value_is_due_again_soon() {
    assert_eq!(next_rotate(RotatePolicy::Never, 7), None);
    assert_eq!(next_rotate(RotatePolicy::Hourly, 7), Some(7 + HOUR));
    assert_eq!(rotated(RotatePolicy::Hourly, true, 0), Some(HOUR));
    assert_eq!(rotated(RotatePolicy::Yearly, false, 0), Some(DUE_AGAIN));
    assert_eq!(rotated(RotatePolicy::Never, false, 0), None);
}

#[test]
fn another_policy_counts_from_now_and_never_puts_off_what_is_due() {
    assert_eq!(rescheduled(None, RotatePolicy::Daily, 0), Some(24 * HOUR));
    let before = Some(HOUR);
    assert_eq!(rescheduled(before, RotatePolicy::Daily, 0), before);
    let weekly = next_rotate(RotatePolicy::Weekly, 0);
    assert_eq!(rescheduled(weekly, RotatePolicy::Hourly, 0), Some(HOUR));
    assert_eq!(rescheduled(before, RotatePolicy::Never, 0), None);
}

#[test]
fn a_revision_that_nobody_is_on_is_obsolete_unless_it_is_the_newest() {
    let readers = |on: &[u32]| -> BTreeMap<String, u32> {
        let named = on.iter().enumerate();
        named.map(|(n, on)| (format!("blog/{n}"), *on)).collect()
    };
    assert_eq!(obsolete(&[1, 2, 4], &readers(&[2, 2])), [1]);
    assert_eq!(obsolete(&[1, 2, 4], &readers(&[])), [1, 2]);
    assert_eq!(obsolete(&[3], &readers(&[])), Vec::<u32>::new());
    assert_eq!(obsolete(&[], &readers(&[1])), Vec::<u32>::new());
}
