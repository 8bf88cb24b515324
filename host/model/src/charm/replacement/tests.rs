use super::*;
use crate::charm::{CharmMetadata, CharmUrl};
use crate::config::Schema;

fn charm(name: &str, revision: u32, subordinate: bool) -> CharmInfo {
    CharmInfo {
        url: CharmUrl::new(name, revision).unwrap(),
        name: name.to_owned(),
        revision,
        sha256: String::new(),
        size: 0,
        metadata: CharmMetadata {
            name: name.to_owned(),
            subordinate,
            ..CharmMetadata::default()
        },
        config: Schema {
            options: Default::default(),
        },
        actions: Default::default(),
        capabilities: Vec::new(),
        declared: Default::default(),
        unused: Vec::new(),
        shared: Default::default(),
        workload: Default::default(),
        components: Vec::new(),
        metrics: Default::default(),
        hooks: Vec::new(),
        subordinate,
    }
}

#[test]
fn a_charm_follows_on_one_of_its_name_and_kind_newer_or_older() {
    use Refusal::{CharmKindDiffers, CharmNameDiffers};
    let old = charm("site", 1, false);
    for (new, refused) in [
        (charm("site", 2, false), None),
        (charm("site", 0, false), None),
        (charm("site", 1, false), None),
        (charm("front", 2, false), Some(CharmNameDiffers)),
        (charm("site", 2, true), Some(CharmKindDiffers)),
        (charm("front", 2, true), Some(CharmNameDiffers)),
    ] {
        let answer = may_replace(&old, &new);
        assert_eq!(
            answer.err().map(|unfit| unfit.refusal),
            refused,
            "{}",
            new.url
        );
    }
}

#[test]
fn what_is_said_follows_on_the_name_of_the_application() {
    let unfit = may_replace(&charm("site", 0, true), &charm("site", 1, false)).unwrap_err();
    assert_eq!(unfit.why, "cannot change between principal and subordinate");
    let unfit = may_replace(&charm("site", 0, true), &charm("front", 0, true)).unwrap_err();
    assert_eq!(
        unfit.why,
        "runs charm \"site\" and cannot be refreshed to \"front\""
    );
}
