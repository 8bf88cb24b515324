use super::*;

#[test]
fn each_kind_holds_back_what_those_before_it_do_and_more() {
    use Change::{DestroyModel, Other, RemoveObject};
    let held = |kind: BlockKind| {
        [DestroyModel, RemoveObject, Other]
            .into_iter()
            .filter(|change| kind.holds(*change))
            .count()
    };
    assert_eq!(BlockKind::ALL.map(held), [1, 2, 3]);
    for change in [DestroyModel, RemoveObject, Other] {
        let mut holds = false;
        for kind in BlockKind::ALL {
            assert!(kind.holds(change) || !holds, "{kind}");
            holds = kind.holds(change);
        }
    }
    assert!(RemoveObject.can_be_forced());
    assert!(!DestroyModel.can_be_forced() && !Other.can_be_forced());
}

#[test]
fn kinds_are_read_as_they_are_written() {
    for kind in BlockKind::ALL {
        assert_eq!(kind.to_string().parse::<BlockKind>(), Ok(kind));
        assert_eq!(
            serde_json::to_value(kind).unwrap(),
            serde_json::json!(kind.as_str())
        );
    }
    let wrong = "remove-objects".parse::<BlockKind>().unwrap_err();
    assert!(wrong.contains("did you mean \"remove-object\""), "{wrong}");
}
