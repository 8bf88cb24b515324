use proptest::prelude::*;

use super::*;

fn read(text: &str) -> Constraints {
    text.parse().unwrap()
}

fn refused(text: &str) -> (String, &'static str) {
    let error = text.parse::<Constraints>().unwrap_err();
    (error.to_string(), error.refusal().code())
}

#[test]
fn constraints_have_one_order_and_one_spelling() {
    for (text, shown) in [
        ("", ""),
        (
            "mem=4G  cores=2\tarch=amd64",
            "arch=amd64 cores=2 mem=4096M",
        ),
        ("mem=512", "mem=512M"),
        ("mem=1.5G", "mem=1536M"),
        ("mem=0.1M", "mem=1M"),
        ("root-disk=2T", "root-disk=2097152M"),
        ("cpu-cores=08", "cores=8"),
        ("mem= zones=a,b", "mem= zones=a,b"),
        ("tags=fast,^red spaces=^dmz", "spaces=^dmz tags=fast,^red"),
        (
            "allocate-public-ip=true container=lxd",
            "allocate-public-ip=true container=lxd",
        ),
        (
            "virt-type=virtual-machine image-id=ami-1",
            "image-id=ami-1 virt-type=virtual-machine",
        ),
        (
            "instance-role=auto root-disk-source=volume",
            "instance-role=auto root-disk-source=volume",
        ),
        (
            "instance-type=m5.large cpu-power=",
            "cpu-power= instance-type=m5.large",
        ),
    ] {
        assert_eq!(read(text).to_string(), shown, "{text}");
        assert_eq!(read(shown), read(text));
    }
}

#[test]
fn what_is_no_constraint_is_refused_with_what_was_meant() {
    let (why, code) = refused("men=4G");
    assert_eq!(code, "constraint-unknown");
    assert!(why.contains("did you mean \"mem\"?"), "{why}");
    let (why, code) = refused("arch=amd46");
    assert_eq!(code, "constraint-invalid");
    assert!(why.contains("did you mean \"amd64\"?"), "{why}");
    for text in [
        "mem",
        "mem=4X",
        "tags=a\u{0}b",
        "mem=-1",
        "mem=nan",
        "mem=G",
        "mem=1e99G",
        "cores=two",
        "cores=-1",
        "cores=1.5",
        "container=jail",
        "zones=a,,b",
        "zones=^",
        "allocate-public-ip=yes",
        "mem=1G mem=2G",
        "cores=1 cpu-cores=2",
        "instance-type=big mem=4G",
        "cores=2 instance-type=big",
    ] {
        assert_eq!(refused(text).1, "constraint-invalid", "{text}");
    }
    let long = format!("tags={}", "t".repeat(CONSTRAINTS_BYTES.most as usize));
    assert_eq!(Constraints::said(&long), Err(ConstraintError::TooLong));
    assert_eq!(Constraints::said("mem=4G"), Ok(read("mem=4G")));
}

#[test]
fn what_is_said_has_a_bound_in_both_spellings_and_what_is_merged_is_read_back() {
    let most = CONSTRAINTS_BYTES.most as usize;
    let own = format!("tags={}", "t".repeat(most - "tags=".len()));
    let model = format!("zones={}", "z".repeat(most - "zones=".len()));
    let own = Constraints::said(&own).unwrap();
    let both = own.over(&Constraints::said(&model).unwrap());
    assert!(both.to_string().len() > most);
    assert_eq!(both.to_string().parse(), Ok(both));
    let rest = "t".repeat(most - "mem=4G tags=".len());
    let shorter_than_kept = format!("mem=4G tags={rest}");
    assert_eq!(shorter_than_kept.len(), most);
    assert_eq!(
        Constraints::said(&shorter_than_kept),
        Err(ConstraintError::TooLong)
    );
}

#[test]
fn an_applications_constraints_go_before_the_models() {
    for (own, model, together) in [
        ("", "mem=4G", "mem=4096M"),
        ("mem=1G", "mem=4G arch=arm64", "arch=arm64 mem=1024M"),
        ("mem=", "mem=4G", "mem="),
        (
            "instance-type=big",
            "mem=4G cores=2 arch=amd64",
            "arch=amd64 instance-type=big",
        ),
        ("mem=1G", "instance-type=big zones=a", "mem=1024M zones=a"),
        ("mem=", "instance-type=big", "instance-type=big mem="),
        ("zones=b", "zones=a", "zones=b"),
    ] {
        assert_eq!(
            read(own).over(&read(model)).to_string(),
            together,
            "{own} over {model}"
        );
    }
}

#[test]
fn a_machine_that_is_too_small_or_of_another_kind_says_so() {
    let has = Hardware {
        arch: "amd64".to_owned(),
        cores: Some(2),
        mem: Some(4000),
    };
    assert_eq!(has.to_string(), "arch=amd64 cores=2 mem=4000M");
    for fits in [
        "",
        "arch=amd64 cores=2 mem=4000M",
        "mem= arch=",
        "zones=moon root-disk=9T",
    ] {
        assert_eq!(read(fits).unmet(&has), None, "{fits}");
    }
    let why = read("arch=arm64 cores=3 mem=4G").unmet(&has).unwrap();
    assert_eq!(
        why,
        "constraints cannot be met: arch=arm64, and this machine is amd64; \
         cores=3, and this machine has 2; mem=4096M, and this machine has 4000M"
    );
    let unknown = Hardware {
        cores: None,
        mem: None,
        ..has
    };
    assert_eq!(read("cores=64 mem=9T").unmet(&unknown), None);
}

/// Any constraints, by their texts.
fn any() -> impl Strategy<Value = Constraints> {
    let size = (0u64..1 << 40).prop_map(|size| format!("{size}M"));
    let value = prop_oneof![
        (Just(Key::Mem), size.clone()),
        (Just(Key::RootDisk), size),
        (
            Just(Key::Cores),
            (0u64..999).prop_map(|cores| cores.to_string())
        ),
        (Just(Key::Arch), Just("arm64".to_owned())),
        (Just(Key::InstanceType), "[a-z]{1,4}"),
        (Just(Key::Tags), "[a-z]{1,4}(,\\^?[a-z]{1,4}){0,2}"),
        (Just(Key::Zones), Just(String::new())),
    ];
    prop::collection::vec(value, 0..6).prop_filter_map(
        "a type beside what it says",
        |values: Vec<(Key, String)>| {
            let all: BTreeMap<Key, String> = values.into_iter().collect();
            Constraints(all).to_string().parse().ok()
        },
    )
}

proptest! {
    #[test]
    fn what_is_shown_reads_as_the_same(constraints in any()) {
        prop_assert_eq!(constraints.to_string().parse(), Ok(constraints));
    }

    #[test]
    fn constraints_over_a_models_are_constraints_and_keep_their_own(own in any(), model in any()) {
        let both = own.over(&model);
        prop_assert_eq!(both.to_string().parse(), Ok(both.clone()));
        for (key, value) in own.iter() {
            prop_assert_eq!(both.0.get(&key).map(String::as_str), Some(value));
        }
        prop_assert_eq!(both.over(&model), both);
    }
}
