//! Trust: a controller is whoever holds a leaf of the one authority that bootstrap made.
//!
//! Nothing else is trusted, the machine's own roots included, and the name asked for is always
//! [`SERVER_NAME`], whatever the address: controllers move between addresses and keep their
//! identity, and Juju's clients ask for the same name.

use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use thiserror::Error;

/// The name in every controller's certificate, as Juju's clients demand it.
pub const SERVER_NAME: &str = "juju-apiserver";

/// A certificate authority or an address that cannot be used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TrustError {
    #[error("the controller's certificate authority cannot be read: {0}")]
    Authority(String),
    #[error("\"{0}\" is not an address: use HOST:PORT, as in 127.0.0.1:17070")]
    Address(String),
    #[error("no address of the controller is known")]
    NoAddress,
}

impl TrustError {
    /// Stable name of the error.
    pub fn code(&self) -> &'static str {
        match self {
            TrustError::Authority(_) => "authority-invalid",
            TrustError::Address(_) => "address-invalid",
            TrustError::NoAddress => "address-missing",
        }
    }
}

/// A TLS configuration that trusts the certificates in `ca_pem` and nothing else.
pub fn client_config(ca_pem: &str) -> Result<ClientConfig, TrustError> {
    let refused = |error: String| TrustError::Authority(error);
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(ca_pem.as_bytes()) {
        let certificate = certificate.map_err(|error| refused(error.to_string()))?;
        roots
            .add(certificate)
            .map_err(|error| refused(error.to_string()))?;
    }
    if roots.is_empty() {
        return Err(refused("there is no certificate in it".to_owned()));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| refused(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(config)
}

/// [`SERVER_NAME`] as rustls wants it.
pub(crate) fn server_name() -> Result<ServerName<'static>, TrustError> {
    ServerName::try_from(SERVER_NAME).map_err(|error| TrustError::Authority(error.to_string()))
}

/// Host and port of `HOST:PORT`, brackets around IPv6 taken off.
pub fn split_address(address: &str) -> Result<(&str, u16), TrustError> {
    let bad = || TrustError::Address(address.to_owned());
    let (host, port) = address.rsplit_once(':').ok_or_else(bad)?;
    let host = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .unwrap_or(host);
    let port: u16 = port.parse().map_err(|_| bad())?;
    if host.is_empty() || port == 0 {
        return Err(bad());
    }
    Ok((host, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_split_at_its_last_colon() {
        assert_eq!(split_address("127.0.0.1:17070"), Ok(("127.0.0.1", 17070)));
        assert_eq!(split_address("[::1]:17070"), Ok(("::1", 17070)));
        assert_eq!(
            split_address("controller.example:443"),
            Ok(("controller.example", 443))
        );
        for bad in [
            "",
            "localhost",
            "localhost:",
            ":17070",
            "localhost:0",
            "localhost:70000",
        ] {
            assert_eq!(
                split_address(bad),
                Err(TrustError::Address(bad.to_owned())),
                "{bad}"
            );
        }
    }

    #[test]
    fn an_authority_without_a_certificate_is_refused() {
        for bad in [
            "",
            "not pem",
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        ] {
            assert_eq!(client_config(bad).unwrap_err().code(), "authority-invalid");
        }
    }
}
