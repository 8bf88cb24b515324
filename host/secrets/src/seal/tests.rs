use super::*;

#[test]
fn what_is_sealed_opens_with_its_key_for_what_it_is_about_and_else_never() {
    let (key, other) = (Key::random().unwrap(), Key::random().unwrap());
    let about = ["model", "secret", "content"];
    let sealed = key.seal(&about, b"hush").unwrap();
    assert_eq!(key.open(&about, &sealed).unwrap(), b"hush");
    assert!(!sealed.contains("hush"));
    assert_ne!(sealed, key.seal(&about, b"hush").unwrap());
    assert_eq!(other.open(&about, &sealed), Err(SealError::Foreign));
    for elsewhere in [
        &["model", "secret", "other"][..],
        &["modelsecret", "content"],
        &["model", "secretcontent"],
        &[],
    ] {
        assert_eq!(key.open(elsewhere, &sealed), Err(SealError::Foreign));
    }
    for broken in ["", "AAAA", "no base64", &sealed[4..]] {
        assert_eq!(
            key.open(&about, broken),
            Err(SealError::Foreign),
            "{broken}"
        );
    }
}

#[test]
fn checksums_and_ids_are_those_of_their_key() {
    let (key, other) = (Key::random().unwrap(), Key::random().unwrap());
    assert_eq!(key.checksum(b"one"), key.checksum(b"one"));
    assert_ne!(key.checksum(b"one"), key.checksum(b"two"));
    assert_ne!(key.checksum(b"one"), other.checksum(b"one"));
    assert_ne!(key.id(), other.id());
    assert_eq!(key.id().len(), 16);
    assert_eq!(Key::of_bytes(key.bytes()), Ok(key.clone()));
    assert_eq!(Key::made_of("a"), Key::made_of("a"));
    assert_ne!(Key::made_of("a"), Key::made_of("b"));
    assert_eq!(format!("{key:?}"), format!("key {}", key.id()));
}
