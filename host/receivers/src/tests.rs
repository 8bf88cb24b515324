//! Messages sent to receivers on this machine.

use std::collections::BTreeMap;

use periapt_model::alert::ReceiverKind;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;

fn message() -> Message {
    Message {
        rule: "errors".to_owned(),
        summary: "unit in error for longer than 5m".to_owned(),
        controller: "lab".to_owned(),
        firing: 1,
        resolved: 0,
        items: Vec::new(),
    }
}

fn receiver(kind: ReceiverKind, options: &[(&str, &str)]) -> Receiver {
    let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let config: BTreeMap<String, String> = options.iter().map(pair).collect();
    Receiver::of(kind, &config).unwrap()
}

async fn sent(receiver: &Receiver) -> Result<String, SendError> {
    let message = message();
    let outgoing = Outgoing {
        id: "7".to_owned(),
        now: 1_700_000_000,
        message: &message,
    };
    send(receiver, &outgoing).await
}

/// Answers one HTTP request; the request as text.
async fn answer(listener: TcpListener, answer: &'static str) -> String {
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut read = Vec::new();
    loop {
        let mut part = [0; 4096];
        let count = stream.read(&mut part).await.unwrap();
        read.extend_from_slice(&part[..count]);
        let text = String::from_utf8_lossy(&read).into_owned();
        let length = text
            .lines()
            .find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
        let body = text.split_once("\r\n\r\n").map(|(_, body)| body.len());
        if count == 0 || body.is_some() && body == length {
            break;
        }
    }
    stream.write_all(answer.as_bytes()).await.unwrap();
    String::from_utf8(read).unwrap()
}

async fn posted(text: &'static str) -> (Result<String, SendError>, String) {
    posted_to("/hook", text).await
}

async fn posted_to(path: &str, text: &'static str) -> (Result<String, SendError>, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}{path}", listener.local_addr().unwrap());
    let receiver = receiver(
        ReceiverKind::Webhook,
        &[("url", &url), ("key", "0123456789abcdef")],
    );
    tokio::join!(sent(&receiver), answer(listener, text))
}

#[tokio::test]
async fn a_webhook_gets_signed_json() {
    let (said, request) = posted("HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n").await;
    assert_eq!(said.unwrap(), "204");
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /hook HTTP/1.1"), "{head}");
    let header = |name: &str| {
        let line = head.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap().trim_start_matches(": ").to_owned()
    };
    assert_eq!(header(DELIVERY), "7");
    let signed = signature("0123456789abcdef", 1_700_000_000, body.as_bytes());
    assert_eq!(header(SIGNATURE), signed);
    assert_eq!(header(TIMESTAMP), "1700000000");
    let read: Message = serde_json::from_str(body).unwrap();
    assert_eq!(read, message());
    assert_ne!(
        signed,
        signature("another key 0000", 1_700_000_000, body.as_bytes())
    );
}

#[tokio::test]
async fn what_a_webhook_refuses_is_said_and_no_redirect_is_followed() {
    let refused = "HTTP/1.1 403 Forbidden\r\ncontent-length: 9\r\n\r\nwrong key";
    let (said, _) = posted(refused).await;
    assert_eq!(said.unwrap_err().0, "the receiver answers 403: wrong key");
    let moved = "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
    let (said, _) = posted(moved).await;
    assert_eq!(said.unwrap_err().0, "the receiver answers 302");
}

#[tokio::test]
async fn what_a_webhook_repeats_of_its_address_is_not_said() {
    let refused =
        "HTTP/1.1 404 Not Found\r\ncontent-length: 30\r\n\r\nCannot POST /hook/secret-token";
    let (said, request) = posted_to("/hook/secret-token", refused).await;
    assert!(request.starts_with("POST /hook/secret-token "), "{request}");
    assert_eq!(
        said.unwrap_err().0,
        "the receiver answers 404: Cannot POST /hook/…"
    );
}

#[tokio::test]
async fn a_receiver_that_is_not_there_is_named_without_its_address() {
    let url = "http://127.0.0.1:1/token-in-the-path";
    let receiver = receiver(
        ReceiverKind::Webhook,
        &[("url", url), ("key", "0123456789abcdef")],
    );
    let said = sent(&receiver).await.unwrap_err().0;
    assert!(said.contains("cannot be reached"), "{said}");
    assert!(!said.contains("token-in-the-path"), "{said}");
}

#[test]
fn the_signature_is_the_one_that_other_programs_compute() {
    // Computed with Python's `hmac`.
    assert_eq!(
        signature("key", 1, b"The quick brown fox jumps over the lazy dog"),
        "sha256=3ff4d3cc115b639a16dc5b217aa5c89be41d1e4b54efc356d63d0cd2a65b30f1"
    );
}
