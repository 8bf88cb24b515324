use std::sync::Arc;

use rustls::RootCertStore;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::pki_types::{ServerName, UnixTime};

use super::*;

fn verify(trusted: &Authority, leaf: &Leaf, name: &str) -> Result<(), rustls::Error> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.inner.certificate.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider)
        .build()
        .unwrap();
    let name = ServerName::try_from(name.to_owned()).unwrap();
    verifier
        .verify_server_cert(
            &leaf.chain()[0],
            &leaf.chain()[1..],
            &name,
            &[],
            UnixTime::now(),
        )
        .map(|_| ())
}

#[test]
fn a_leaf_is_good_for_its_names_and_no_other() {
    let authority = Authority::generate("home").unwrap();
    let leaf = authority
        .issue(&["10.1.2.3".to_owned(), "juju.example".to_owned()])
        .unwrap();
    for name in [
        SERVER_NAME,
        "localhost",
        "127.0.0.1",
        "::1",
        "10.1.2.3",
        "juju.example",
    ] {
        verify(&authority, &leaf, name).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    assert!(verify(&authority, &leaf, "elsewhere.example").is_err());
    assert!(verify(&authority, &leaf, "10.1.2.4").is_err());
}

#[test]
fn a_stored_authority_issues_leaves_that_its_first_certificate_vouches_for() {
    let first = Authority::generate("home").unwrap();
    let again = Authority::load(first.ca_pem(), first.key_pem()).unwrap();
    let leaf = again.issue(&[]).unwrap();
    verify(&first, &leaf, SERVER_NAME).unwrap();
    assert_eq!(leaf.chain().len(), 2, "the authority travels with the leaf");
    let stranger = Authority::generate("home").unwrap();
    assert!(verify(&stranger, &leaf, SERVER_NAME).is_err());
}

#[test]
fn wildcards_brackets_and_repeats_do_not_reach_the_leaf() {
    let names = leaf_names(&[
        "0.0.0.0".to_owned(),
        "::".to_owned(),
        "[::1]".to_owned(),
        "10.0.0.1".to_owned(),
        "10.0.0.1".to_owned(),
    ]);
    assert_eq!(
        names,
        [SERVER_NAME, "localhost", "127.0.0.1", "::1", "10.0.0.1"]
    );
}

#[test]
fn a_broken_authority_is_refused_with_a_code() {
    let authority = Authority::generate("home").unwrap();
    let error = Authority::load("nothing", authority.key_pem())
        .err()
        .unwrap();
    assert_eq!(error.code(), "certificate-authority-unusable");
    assert!(Authority::load(authority.ca_pem(), "nothing").is_err());
}

#[test]
fn a_swapped_leaf_is_what_the_resolver_shows() {
    let authority = Authority::generate("home").unwrap();
    let resolver = LeafResolver::new(authority.issue(&[]).unwrap());
    server_config(&resolver).unwrap();
    let before = resolver.current().chain()[0].clone();
    resolver.swap(authority.issue(&["10.9.9.9".to_owned()]).unwrap());
    assert_ne!(resolver.current().chain()[0], before);
    assert!(resolver.current().names().contains(&"10.9.9.9".to_owned()));
}
