use std::sync::Arc;

use periapt_engine::{Clock, FakeClock, SystemClock};
use rustls::RootCertStore;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::pki_types::{ServerName, UnixTime};
use rustls::time_provider::TimeProvider;

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
        .issue(
            &["10.1.2.3".to_owned(), "juju.example".to_owned()],
            SystemTime::now(),
        )
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
    let leaf = again.issue(&[], SystemTime::now()).unwrap();
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
    let resolver = LeafResolver::new(authority, &[], SystemClock::shared()).unwrap();
    server_config(&resolver).unwrap();
    let before = resolver.current().chain()[0].clone();
    resolver.renew(&["10.9.9.9".to_owned()]).unwrap();
    assert_ne!(resolver.current().chain()[0], before);
    assert!(resolver.current().names().contains(&"10.9.9.9".to_owned()));
}

/// A client whose wall clock is the server's.
#[derive(Debug)]
struct ClientTime(Duration);

impl TimeProvider for ClientTime {
    fn current_time(&self) -> Option<UnixTime> {
        Some(UnixTime::since_unix_epoch(self.0))
    }
}

/// Whether a handshake succeeds at the clock's time.
fn handshake(authority: &Authority, resolver: &LeafResolver, clock: &FakeClock) -> bool {
    let mut roots = RootCertStore::empty();
    roots.add(authority.inner.certificate.clone()).unwrap();
    let now = SystemTime::from(clock.now());
    let now = now.duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_details(provider, Arc::new(ClientTime(now)))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let mut client = rustls::ClientConnection::new(Arc::new(config), name).unwrap();
    let mut server = rustls::ServerConnection::new(server_config(resolver).unwrap()).unwrap();
    while client.is_handshaking() || server.is_handshaking() {
        let mut wire = Vec::new();
        while client.wants_write() {
            client.write_tls(&mut wire).unwrap();
        }
        let mut rest = wire.as_slice();
        while !rest.is_empty() {
            server.read_tls(&mut rest).unwrap();
            server.process_new_packets().unwrap();
        }
        let mut wire = Vec::new();
        while server.wants_write() {
            server.write_tls(&mut wire).unwrap();
        }
        let mut rest = wire.as_slice();
        while !rest.is_empty() {
            client.read_tls(&mut rest).unwrap();
            if client.process_new_packets().is_err() {
                return false;
            }
        }
    }
    true
}

#[test]
fn a_handshake_after_the_clock_jumped_past_the_certificates_end_shows_a_good_one() {
    let clock = FakeClock::new();
    let authority = Authority::generate("home").unwrap();
    let resolver = LeafResolver::new(authority.clone(), &[], clock.shared()).unwrap();
    let leaf = || resolver.current().chain()[0].clone();
    let first = leaf();
    assert!(handshake(&authority, &resolver, &clock));
    assert_eq!(leaf(), first, "a good one is kept");

    clock.advance(LEAF_LIFE + Duration::from_secs(1));
    assert!(
        resolver.current().is_due(clock.now().into()),
        "nobody has looked yet"
    );
    assert!(handshake(&authority, &resolver, &clock));
    assert_ne!(leaf(), first);
    let second = leaf();
    assert!(handshake(&authority, &resolver, &clock));
    assert_eq!(leaf(), second, "it is renewed once");
}

#[test]
fn a_certificate_from_the_future_is_replaced_once_the_clock_is_put_back() {
    let ahead = SystemTime::now() + Duration::from_secs(30 * 24 * 3600);
    let authority = Authority::generate("home").unwrap();
    let leaf = authority.issue(&[], ahead).unwrap();
    assert!(leaf.is_due(SystemTime::now()));
    assert!(!leaf.is_due(ahead));
    assert!(!leaf.is_due(ahead - Duration::from_secs(3600)));
}
