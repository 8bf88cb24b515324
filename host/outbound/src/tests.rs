use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::rustls::{ServerConfig, crypto};

use super::*;

const SERVER: &str = "the server";

/// An address of this machine that takes connections, and a client for it.
async fn server(scheme: &str, given: Option<&str>) -> (TcpListener, String, Client) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("{scheme}://{}/key", listener.local_addr().unwrap());
    let patience = Duration::from_secs(10);
    let client = Client::new(SERVER, &url, given, patience);
    (listener, url, client.unwrap())
}

/// The head of an answer, and the client that asked for it.
async fn asked(text: &'static str) -> (Client, Response) {
    let (listener, url, client) = server("http", None).await;
    tokio::spawn(async move { answer(listener.accept().await.unwrap().0, text).await });
    let sent = client.send(client.request(Method::GET, &url)).await;
    (client, sent.unwrap())
}

async fn answer(mut stream: impl AsyncRead + AsyncWrite + Unpin, text: &str) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    stream.write_all(text.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
}

/// An acceptor, and the certificate by which it is believed.
fn certified() -> (TlsAcceptor, String) {
    let own = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(own.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![own.cert.der().clone()], key)
        .unwrap();
    (TlsAcceptor::from(Arc::new(config)), own.cert.pem())
}

#[tokio::test]
async fn a_server_is_believed_by_the_authority_that_was_given_and_by_no_other() {
    let (tls, own) = certified();
    let (_, other) = certified();
    let believed = async |pem: &str| {
        let (listener, url, client) = server("https", Some(pem)).await;
        let tls = tls.clone();
        tokio::spawn(async move {
            if let Ok(stream) = tls.accept(listener.accept().await.unwrap().0).await {
                answer(stream, "HTTP/1.1 204 No Content\r\n\r\n").await;
            }
        });
        client.send(client.request(Method::GET, &url)).await
    };
    let status = believed(&own).await.unwrap().status();
    assert_eq!(status, StatusCode::NO_CONTENT);
    let failure = believed(&other).await.unwrap_err();
    assert_eq!(failure, Failure::Unproven(SERVER));
    assert_eq!(authorities(SERVER, Some(&own)).unwrap(), own.as_bytes());
    // What was given and is none does not become the machine's.
    let refused = authorities(SERVER, Some("")).unwrap_err();
    assert_eq!(refused, Failure::NoCertificate(SERVER));
}

#[tokio::test]
async fn an_answer_has_a_bound_and_one_that_breaks_off_is_none() {
    let four = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfour";
    let five = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nfour";
    for (text, most, read) in [
        (four, 4, Ok(b"four".to_vec())),
        (four, 3, Err(Failure::TooMuch(SERVER))),
        (five, 5, Err(Failure::Broken(SERVER))),
    ] {
        let (client, answer) = asked(text).await;
        assert_eq!(client.body(answer, most).await, read);
    }
}

#[tokio::test]
async fn no_redirect_is_followed_and_what_is_said_with_it_is_told() {
    let moved =
        "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 8\r\n\r\nnot\nhere";
    let (client, answer) = asked(moved).await;
    let failure = client.refusal(answer).await;
    assert_eq!(failure.to_string(), "the server answers 302: not here");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_says_nothing_is_late() {
    let (_listener, url, client) = server("http", None).await;
    let sent = client.send(client.request(Method::GET, &url)).await;
    assert_eq!(sent.unwrap_err(), Failure::Late(SERVER));
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_without_its_address() {
    let (listener, url, client) = server("http", None).await;
    drop(listener);
    let sent = client.send(client.request(Method::GET, &url)).await;
    let text = sent.unwrap_err().to_string();
    assert_eq!(text, "the server cannot be reached");
}
