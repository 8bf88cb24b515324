use super::Kind;

#[test]
fn kinds_read_back_what_is_stored() {
    for kind in Kind::ALL {
        assert_eq!(Kind::named(kind.as_str()), Some(*kind));
    }
    assert_eq!(Kind::named("poison"), None);
}
