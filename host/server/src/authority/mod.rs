//! The controller's own certificate authority and the leaf its listener shows.
//!
//! The authority is made once, at bootstrap; its certificate is what clients trust. Leaves are
//! short work: one is issued at each start, whenever the controller's addresses change, and when
//! two thirds of its life are over, and swapped into the resolver without touching the listener or
//! a connection. Leaf keys live in memory only. Nothing here reads or writes a file: whoever owns the data directory does.
//!
//! Rules that come from clients: the name `juju-apiserver` is demanded by Juju's clients, the
//! presented chain holds the authority too (so that its fingerprint can be shown), and Python
//! 3.13 wants critical basic constraints and key usage, and key identifiers.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, SanType,
};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::sign::CertifiedKey;

use crate::error::ServerError;

mod resolver;
#[cfg(test)]
mod tests;

pub use resolver::LeafResolver;

/// The name every leaf carries, demanded by Juju's clients whatever address they dialled.
pub const SERVER_NAME: &str = "juju-apiserver";

/// Clients' clocks may be behind the controller's by this much.
const BACKDATED: Duration = Duration::from_secs(7 * 24 * 3600);
const AUTHORITY_LIFE: Duration = Duration::from_secs(10 * 365 * 24 * 3600);
/// How long a leaf is good.
pub const LEAF_LIFE: Duration = Duration::from_secs(5 * 365 * 24 * 3600);

/// The certificate authority of one controller. Clones share it.
#[derive(Clone)]
pub struct Authority {
    inner: Arc<Inner>,
}

struct Inner {
    certificate: CertificateDer<'static>,
    certificate_pem: String,
    key_pem: String,
    issuer: Issuer<'static, KeyPair>,
}

/// A certificate with its key and the chain up to the authority.
#[derive(Clone)]
pub struct Leaf {
    key: Arc<CertifiedKey>,
    names: Vec<String>,
    issued: SystemTime,
}

impl Leaf {
    /// What the leaf answers for: names and addresses.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// When it is to be replaced, unless its names change before.
    pub fn renew_at(&self) -> SystemTime {
        self.issued + LEAF_LIFE / 3 * 2
    }

    /// Whether it is to be replaced at `now`: two thirds of its life are over, or the clock was
    /// put back to before it was issued.
    pub fn is_due(&self, now: SystemTime) -> bool {
        now >= self.renew_at() || now < self.issued - BACKDATED / 2
    }

    /// The leaf, then the authority, as sent to clients.
    pub fn chain(&self) -> &[CertificateDer<'static>] {
        &self.key.cert
    }
}

impl Authority {
    /// A new authority for the controller of this name.
    pub fn generate(controller_name: &str) -> Result<Self, ServerError> {
        let mut params = CertificateParams::default();
        params.distinguished_name = name(&format!("periapt controller {controller_name}"));
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![
            KeyUsagePurpose::KeyCertSign,
            KeyUsagePurpose::CrlSign,
            KeyUsagePurpose::DigitalSignature,
        ];
        valid_for(&mut params, SystemTime::now(), AUTHORITY_LIFE);
        let key = KeyPair::generate().map_err(unusable)?;
        let certificate = params.self_signed(&key).map_err(unusable)?;
        Self::load(&certificate.pem(), &key.serialize_pem())
    }

    /// The authority from its two PEM texts, as [`Authority::ca_pem`] and
    /// [`Authority::key_pem`] gave them.
    pub fn load(ca_pem: &str, key_pem: &str) -> Result<Self, ServerError> {
        let certificate = rustls_pemfile::certs(&mut ca_pem.as_bytes())
            .next()
            .ok_or_else(|| {
                ServerError::Certificate("the certificate file holds no certificate".to_owned())
            })?
            .map_err(unusable)?;
        let key = KeyPair::from_pem(key_pem).map_err(unusable)?;
        let issuer = Issuer::from_ca_cert_der(&certificate, key).map_err(unusable)?;
        Ok(Self {
            inner: Arc::new(Inner {
                certificate,
                certificate_pem: ca_pem.to_owned(),
                key_pem: key_pem.to_owned(),
                issuer,
            }),
        })
    }

    /// The certificate clients trust. Public.
    pub fn ca_pem(&self) -> &str {
        &self.inner.certificate_pem
    }

    /// The private key. Belongs into a file only its owner can read.
    pub fn key_pem(&self) -> &str {
        &self.inner.key_pem
    }

    /// What a leaf for these addresses answers for.
    pub fn names(addresses: &[String]) -> Vec<String> {
        leaf_names(addresses)
    }

    /// A fresh leaf for these addresses (host names or IP addresses, without a port) besides
    /// the names every leaf has. Wildcard addresses are left out: nobody dials them. Other
    /// machines judge a certificate by their wall clocks, so `now` is the wall clock's.
    pub fn issue(&self, addresses: &[String], now: SystemTime) -> Result<Leaf, ServerError> {
        let names = leaf_names(addresses);
        let mut params = CertificateParams::default();
        params.distinguished_name = name(SERVER_NAME);
        params.is_ca = IsCa::ExplicitNoCa;
        params.use_authority_key_identifier_extension = true;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.subject_alt_names = names
            .iter()
            .map(|name| alternative(name))
            .collect::<Result<_, _>>()?;
        valid_for(&mut params, now, LEAF_LIFE);
        let key = KeyPair::generate().map_err(unusable)?;
        let certificate = params
            .signed_by(&key, &self.inner.issuer)
            .map_err(unusable)?;
        let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let signing = rustls::crypto::ring::sign::any_supported_type(&private).map_err(unusable)?;
        let chain = vec![certificate.der().clone(), self.inner.certificate.clone()];
        Ok(Leaf {
            key: Arc::new(CertifiedKey::new(chain, signing)),
            names,
            issued: now,
        })
    }
}

/// TLS 1.2 and 1.3 with the resolver's leaf. HTTP/1.1 only: websockets need it, and one
/// protocol is one set of limits.
pub fn server_config(resolver: &LeafResolver) -> Result<Arc<ServerConfig>, ServerError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| ServerError::Tls(error.to_string()))?
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(resolver.clone()));
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn leaf_names(addresses: &[String]) -> Vec<String> {
    let always = [SERVER_NAME, "localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let mut names: Vec<String> = Vec::new();
    for name in always.into_iter().chain(addresses.iter().cloned()) {
        let name = name.trim_matches(['[', ']']).to_owned();
        let wildcard = name
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_unspecified());
        if !wildcard && !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn alternative(name: &str) -> Result<SanType, ServerError> {
    match name.parse::<IpAddr>() {
        Ok(address) => Ok(SanType::IpAddress(address)),
        Err(_) => Ok(SanType::DnsName(name.try_into().map_err(unusable)?)),
    }
}

fn name(common: &str) -> DistinguishedName {
    let mut name = DistinguishedName::new();
    name.push(DnType::CommonName, common);
    name.push(DnType::OrganizationName, "Periapt");
    name
}

fn valid_for(params: &mut CertificateParams, now: SystemTime, life: Duration) {
    params.not_before = (now - BACKDATED).into();
    params.not_after = (now + life).into();
}

fn unusable(error: impl std::fmt::Display) -> ServerError {
    ServerError::Certificate(error.to_string())
}
