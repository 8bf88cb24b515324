//! A small controller for the tests: a real TLS listener with an authority of its own.

use std::net::SocketAddr;

use axum::Router;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose,
};
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::tls::SERVER_NAME;

/// Serves until dropped.
pub(crate) struct TestServer {
    pub(crate) ca_pem: String,
    pub(crate) address: SocketAddr,
    cut: CancellationToken,
    _listener: AbortOnDropHandle<()>,
}

impl TestServer {
    pub(crate) async fn start(router: Router) -> Self {
        let (ca_pem, config) = identity();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let cut = CancellationToken::new();
        let acceptor = TlsAcceptor::from(config);
        let cutting = cut.clone();
        let accepting = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (acceptor, router, cut) = (acceptor.clone(), router.clone(), cutting.clone());
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else {
                        return;
                    };
                    let serving = hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
                        .with_upgrades();
                    tokio::select! {
                        _ = serving => {}
                        () = cut.cancelled() => {}
                    }
                });
            }
        });
        Self {
            ca_pem,
            address,
            cut,
            _listener: AbortOnDropHandle::new(accepting),
        }
    }

    pub(crate) fn addresses(&self) -> Vec<String> {
        vec![self.address.to_string()]
    }

    /// Cuts every connection that is not upgraded.
    pub(crate) fn cut(&self) {
        self.cut.cancel();
    }
}

/// An address on which nobody listens.
pub(crate) async fn deserted() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    listener.local_addr().unwrap().to_string()
}

fn identity() -> (String, Arc<rustls::ServerConfig>) {
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    authority
        .distinguished_name
        .push(DnType::CommonName, "test authority");
    let issuer = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let leaf = CertificateParams::new(vec![SERVER_NAME.to_owned()])
        .unwrap()
        .signed_by(&key, &issuer)
        .unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![leaf.der().clone()],
            rustls::pki_types::PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
        )
        .unwrap();
    (issuer.pem(), Arc::new(config))
}
