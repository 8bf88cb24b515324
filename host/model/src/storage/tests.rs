use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::charm::Storage;
use crate::refusal::Subject;

fn charm(text: &str) -> BTreeMap<String, Storage> {
    serde_saphyr::from_str(text).unwrap()
}

fn asked(pairs: &[(&str, &str)]) -> BTreeMap<String, Asked> {
    let pairs = pairs.iter();
    pairs
        .map(|(name, text)| ((*name).to_owned(), text.parse().unwrap()))
        .collect()
}

fn facts(id: &str, provider: PoolKind, attached: &[&str]) -> Facts {
    Facts {
        id: id.parse().unwrap(),
        kind: Kind::Filesystem,
        life: Life::Alive,
        provider,
        size: 1024,
        shared: false,
        agent: Some("host".parse().unwrap()),
        attached: attached.iter().map(|unit| unit.parse().unwrap()).collect(),
    }
}

#[test]
fn a_range_is_a_number_two_or_open() {
    let range = |text: &str| text.parse::<CountRange>().map(|range| range.to_string());
    for (text, shown) in [("2", "2"), ("0-3", "0-3"), ("1-", "1+"), ("1+", "1+")] {
        assert_eq!(range(text).as_deref(), Ok(shown));
    }
    for bad in ["", "-", "+", "3-1", "0", "0-0", "a", "1-b", "+1"] {
        assert!(range(bad).is_err(), "{bad}");
    }
    assert_eq!(CountRange::of(None), Ok(CountRange::ONE));
    assert!(CountRange::ONE.contains(1) && !CountRange::ONE.contains(2));
    assert_eq!(CountRange::ONE.room(5), Some(0));
}

#[test]
fn sizes_are_rounded_up_to_whole_mib() {
    for (text, mib) in [
        ("512", 512),
        ("512M", 512),
        ("10G", 10_240),
        ("1.5GiB", 1536),
        ("0.0001M", 1),
        ("1TB", 1 << 20),
    ] {
        assert_eq!(mib_of(text), Ok(mib), "{text}");
    }
    for bad in ["", "G", "-1G", "1.G", "1K", "5B", "1e3", "99999999999E"] {
        assert!(mib_of(bad).is_err(), "{bad}");
    }
    assert_eq!(
        (shown(512), shown(1536)),
        ("512MiB".into(), "1.5GiB".into())
    );
}

#[test]
fn a_directive_names_pool_count_and_size_in_any_order() {
    let expected = Asked {
        pool: Some("loop".to_owned()),
        size: Some(10_240),
        count: Some(3),
    };
    for text in ["loop,3,10G", "10G,loop,3", "3,10G,loop"] {
        assert_eq!(text.parse(), Ok(expected.clone()), "{text}");
    }
    assert_eq!(expected.to_string(), "loop,3,10240M");
    assert_eq!(expected.to_string().parse(), Ok(expected));
    for bad in [
        "",
        "loop,",
        "loop,tmpfs",
        "1,2",
        "1G,2G",
        "0",
        "-1",
        "lo op",
    ] {
        let refused = bad.parse::<Asked>().map_err(|refused| refused.refusal);
        assert_eq!(refused, Err(Refusal::StorageInvalid), "{bad}");
    }
}

#[test]
fn units_are_given_what_was_asked_for_and_else_what_the_charm_needs() {
    let charm = charm(
        "data: {type: filesystem, minimum-size: 2G, multiple: {range: 1-3}}\ncache: {type: filesystem, multiple: {range: 0-1}}\ndisk: {type: block, multiple: {range: 0-1}}",
    );
    let pools = Pools::with([]);
    let given = |pairs: &[(&str, &str)]| directives(&charm, &asked(pairs), &pools, DEFAULT_POOL);
    let plain = given(&[]).unwrap();
    let of = |pool: &str, size, count| Directive {
        pool: pool.to_owned(),
        size,
        count,
    };
    assert_eq!(plain["data"], of("rootfs", 2048, 1));
    assert_eq!(plain["cache"], of("rootfs", 1024, 0));
    let more = given(&[("data", "loop,2,4G"), ("cache", "tmpfs")]).unwrap();
    assert_eq!(more["data"], of("loop", 4096, 2));
    assert_eq!(more["cache"], of("tmpfs", 1024, 1));
    assert_eq!(
        (to_create(&more["data"], 1), to_create(&more["data"], 3)),
        (1, 0)
    );
    for (pairs, refusal) in [
        ([("dat", "1G")], Refusal::StorageInvalid),
        ([("data", "4")], Refusal::StorageInvalid),
        ([("data", "1G")], Refusal::StorageInvalid),
        ([("disk", "1")], Refusal::StorageKindUnsupported),
        ([("data", "lop")], Refusal::NotFound(Subject::StoragePool)),
    ] {
        let refused = given(&pairs).unwrap_err();
        assert_eq!(refused.refusal, refusal, "{pairs:?}: {refused}");
    }
}

#[test]
fn storage_is_where_the_charm_wants_it_and_else_below_storage() {
    let charm = charm(
        "data: {type: filesystem}\nsite: {type: filesystem, location: /srv/site}\nlogs: {type: filesystem, location: /srv/logs, multiple: {range: 0+}}",
    );
    let at = |name: &str, id: &str| location(&charm[name], &id.parse().unwrap());
    assert_eq!(at("data", "data/0"), "/storage/data/0");
    assert_eq!(at("site", "site/4"), "/srv/site");
    assert_eq!(at("logs", "logs/7"), "/srv/logs/7");
    assert_eq!(locations_are_sound(&charm), Ok(()));
}

#[test]
fn a_location_is_a_path_of_its_own() {
    for bad in ["srv", "/", "/srv/", "/srv/../etc", "/state/x", "/storage"] {
        let charm = charm(&format!("a: {{type: filesystem, location: \"{bad}\"}}"));
        assert!(locations_are_sound(&charm).is_err(), "{bad}");
    }
    let nested =
        charm("a: {type: filesystem, location: /srv}\nb: {type: filesystem, location: /srv/b}");
    assert!(locations_are_sound(&nested).is_err());
}

#[test]
fn one_unit_at_a_time_has_a_storage_that_is_not_shared() {
    let charm = charm("data: {type: filesystem, multiple: {range: 1-2}}");
    let unit = "site/0".parse().unwrap();
    let attach = |storage: &Facts, held| {
        may_attach(
            storage,
            &unit,
            Life::Alive,
            storage.agent.as_ref(),
            &charm,
            held,
        )
        .map_err(|refused| refused.refusal)
    };
    let free = facts("data/0", PoolKind::Rootfs, &[]);
    assert_eq!(attach(&free, 1), Ok(()));
    assert_eq!(attach(&free, 2), Err(Refusal::StorageInvalid));
    let taken = facts("data/0", PoolKind::Rootfs, &["site/1"]);
    assert_eq!(attach(&taken, 0), Err(Refusal::StorageIsAttached));
    let other = "machine-1".parse().unwrap();
    let elsewhere = may_attach(&free, &unit, Life::Alive, Some(&other), &charm, 0).unwrap_err();
    assert_eq!(elsewhere.refusal, Refusal::StorageElsewhere);
}

#[test]
fn a_unit_keeps_what_its_charm_needs_and_what_ends_with_it() {
    let charm = charm("data: {type: filesystem, multiple: {range: 1-2}}");
    let unit = "site/0".parse().unwrap();
    let detach = |storage: &Facts, held, force| {
        may_detach(storage, &unit, &charm, held, force).map_err(|refused| refused.refusal)
    };
    let storage = facts("data/0", PoolKind::Loop, &["site/0"]);
    assert_eq!(detach(&storage, 2, false), Ok(()));
    assert_eq!(
        detach(&storage, 1, false),
        Err(Refusal::StorageNotDetachable)
    );
    assert_eq!(detach(&storage, 1, true), Ok(()));
    let memory = facts("data/0", PoolKind::Tmpfs, &["site/0"]);
    assert_eq!(detach(&memory, 2, true), Err(Refusal::StorageNotDetachable));
    let kept = Removal {
        force: false,
        destroy: false,
    };
    let removed = may_remove(&storage, kept).map_err(|refused| refused.refusal);
    assert_eq!(removed, Err(Refusal::StorageIsAttached));
    assert_eq!(
        may_remove(&facts("data/0", PoolKind::Loop, &[]), kept),
        Ok(())
    );
}

#[test]
fn a_charm_that_takes_away_what_units_have_does_not_follow() {
    let before = charm("data: {type: filesystem, multiple: {range: 0-2}}");
    let used = BTreeSet::from(["data".to_owned()]);
    for (after, fits) in [
        ("data: {type: filesystem, multiple: {range: 0+}}", true),
        ("{}", false),
        ("data: {type: block, multiple: {range: 0-2}}", false),
        ("data: {type: filesystem, multiple: {range: 0-1}}", false),
        ("data: {type: filesystem, multiple: {range: 1-2}}", false),
    ] {
        assert_eq!(
            compatible(&before, &charm(after), &used).is_ok(),
            fits,
            "{after}"
        );
    }
    assert_eq!(compatible(&before, &charm("{}"), &BTreeSet::new()), Ok(()));
}

proptest! {
    #[test]
    fn nothing_that_is_written_stops_a_reader(text in "\\PC{0,24}") {
        let _ = text.parse::<Asked>();
        let _ = text.parse::<CountRange>();
        let _ = mib_of(&text);
    }
}
