//! Requests whose end or whose host two readers could find in different places: there is one reader, and what
//! it passes on it has written anew.

use std::io::{Read, Write};

use crate::Test;
use crate::machine::{Machine, ask, connect};

pub const TESTS: &[Test] = &[
    ("requests of unclear length are refused", lengths),
    ("lines that are none are refused or mean one thing", lines),
    (
        "requests of HTTP/2 with fields that it forbids are refused",
        fields,
    ),
];

const HEAD: &str = "POST / HTTP/1.1\r\nHost: docs.demo.localhost\r\n";
const HIDDEN: &str = "GET /hidden HTTP/1.1\r\nHost: docs.demo.localhost\r\n\r\n";

fn site(machine: &mut Machine) {
    let mut model = machine.model("demo", 1);
    model.unit("docs/0").expose("docs", &[]);
    machine.publish(&model);
    machine.until("docs.demo.localhost", 200);
}

/// All that comes back until the connection is closed.
fn said(machine: &Machine, request: &str) -> String {
    let mut stream = machine.connect();
    // It may refuse before it has read all.
    let _ = stream.write_all(request.as_bytes());
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

fn answers(text: &str) -> usize {
    text.matches("HTTP/1.1 ").count()
}

fn lengths() {
    let mut machine = Machine::new();
    site(&mut machine);
    for lengths in [
        "Content-Length: 5\r\nContent-Length: 60\r\n",
        "Content-Length: 5, 60\r\n",
        "Content-Length: +5\r\n",
        "Content-Length: 0x5\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: 99999999999999999999\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
        "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding: chunked, gzip\r\n",
        "Content-Length : 5\r\n",
        "Transfer-Encoding : chunked\r\n",
        "Transfer-Encoding:\x0bchunked\r\n",
    ] {
        let text = said(&machine, &format!("{HEAD}{lengths}\r\n0\r\n\r\n{HIDDEN}"));
        assert!(
            text.is_empty() || text.starts_with("HTTP/1.1 400"),
            "{lengths}: {text}"
        );
        assert!(answers(&text) <= 1, "{lengths}: {text}");
    }
    // Both: the chunks count, as the standard has it, and nothing behind them is believed.
    for both in [
        "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
    ] {
        let text = said(&machine, &format!("{HEAD}{both}\r\n0\r\n\r\n{HIDDEN}"));
        assert_eq!(answers(&text), 1, "{both}: {text}");
        assert!(text.starts_with("HTTP/1.1 405"), "{both}: {text}");
    }
    // A length and no body: the connection behind the gate is not left waiting for one.
    let head = "GET / HTTP/1.1\r\nHost: docs.demo.localhost\r\nContent-Length: 0\r\n\
        Connection: close\r\n\r\n";
    for _ in 0..5 {
        let text = said(&machine, head);
        assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    }
}

fn lines() {
    let mut machine = Machine::new();
    site(&mut machine);
    let host = "Host: docs.demo.localhost\r\n";
    for head in [
        // A line that goes on in the next one.
        format!("GET / HTTP/1.1\r\n{host}X-A: a\r\n b\r\n\r\n"),
        format!("GET / HTTP/1.1\r\n{host}X-A: a\r\n\tContent-Length: 5\r\n\r\n"),
        format!("GET / HTTP/1.1\r\n Host: x\r\n{host}\r\n"),
        // A line that ends in the middle.
        format!("GET / HTTP/1.1\r\n{host}X-A: a\rContent-Length: 5\r\n\r\n"),
        format!("GET / HTTP/1.1\r\n{host}X-A: a\0b\r\n\r\n"),
        format!("GET / HTTP/1.1\r\n{host}X A: a\r\n\r\n"),
        format!("GET / HTTP/1.1\r\n{host}: a\r\n\r\n"),
        // A chunk that ends in a half of a line's end.
        format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n5;a\nabcde\r\n0\r\n\r\n{HIDDEN}"),
        format!("GET /a b HTTP/1.1\r\n{host}\r\n"),
        "GET / HTTP/1.1\r\nHost: docs.demo.localhost\r\nHost: docs.demo.localhost\r\nConnection: close\r\n\r\n"
            .to_owned(),
        "GET http://blog.demo.localhost/ HTTP/1.1\r\nHost: docs.demo.localhost\r\nConnection: close\r\n\r\n".to_owned(),
    ] {
        let text = said(&machine, &head);
        assert!(answers(&text) <= 1, "{head:?}: {text}");
        let fine = ["HTTP/1.1 400", "HTTP/1.1 405"];
        assert!(
            text.is_empty() || fine.iter().any(|fine| text.starts_with(fine)),
            "{head:?}: {text}"
        );
    }
    // A line may end without its first half. What is passed on has both, so nobody reads it otherwise.
    let text = said(
        &machine,
        "GET / HTTP/1.1\nHost: docs.demo.localhost\nConnection: close\n\n",
    );
    assert!(
        answers(&text) == 1 && text.starts_with("HTTP/1.1 200"),
        "{text}"
    );
    let request = "GET / HTTP/1.1\r\nHost: docs.demo.localhost\r\nConnection: close\r\n\r\n";
    assert_eq!(ask(connect(machine.ingress), request).unwrap().status, 200);
}

/// What became of a request of HTTP/2, made by hand: no library would send these.
#[derive(Debug, PartialEq, Eq)]
enum Became {
    /// Answered with 200.
    Good,
    /// Answered otherwise, or ended.
    Refused,
}

/// What a client of HTTP/2 sends first.
pub fn begun() -> Vec<u8> {
    let mut sent = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    sent.extend(frame(4, 0, 0, &[]));
    sent
}

pub fn frame(kind: u8, flags: u8, stream: u32, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).unwrap().to_be_bytes();
    let mut frame = length[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(body);
    frame
}

/// The fields of a head, each as a literal.
pub fn written(fields: &[(&str, &str)]) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in fields {
        block.push(0);
        for text in [name, value] {
            block.push(u8::try_from(text.len()).unwrap());
            block.extend(text.as_bytes());
        }
    }
    block
}

fn became(machine: &Machine, fields: &[(&str, &str)]) -> Became {
    const HEADERS: u8 = 1;
    const RESET: u8 = 3;
    const GO_AWAY: u8 = 7;
    const END: u8 = 1 | 4;
    let mut stream = machine.connect();
    let mut sent = begun();
    sent.extend(frame(HEADERS, END, 1, &written(fields)));
    stream.write_all(&sent).unwrap();
    loop {
        let mut head = [0; 9];
        if stream.read_exact(&mut head).is_err() {
            return Became::Refused;
        }
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut body = vec![0; length as usize];
        stream.read_exact(&mut body).unwrap();
        match head[3] {
            // The first field of an answer is its status; 200 is the eighth of those that have a number.
            HEADERS if body.first() == Some(&0x88) => return Became::Good,
            HEADERS | RESET | GO_AWAY => return Became::Refused,
            _ => {}
        }
    }
}

fn fields() {
    let mut machine = Machine::new();
    site(&mut machine);
    let good = [
        (":method", "GET"),
        (":scheme", "http"),
        (":path", "/"),
        (":authority", "docs.demo.localhost"),
    ];
    assert_eq!(became(&machine, &good), Became::Good);
    for more in [
        ("connection", "keep-alive"),
        ("keep-alive", "timeout=5"),
        ("proxy-connection", "keep-alive"),
        ("transfer-encoding", "chunked"),
        ("upgrade", "websocket"),
        ("te", "gzip"),
        ("content-length", "5"),
        ("host", "blog.demo.localhost"),
        ("X-Upper", "a"),
        ("x-a\r\nhost", "a"),
        ("x-a", "a\r\ncontent-length: 5"),
        ("x-a", "a\0b"),
        (":path", "/other"),
        (":authority", "blog.demo.localhost"),
        (":unknown", "a"),
    ] {
        let fields = [&good[..], &[more]].concat();
        assert_eq!(became(&machine, &fields), Became::Refused, "{more:?}");
    }
    for missing in 0..good.len() {
        let mut fields = good.to_vec();
        fields.remove(missing);
        assert_eq!(became(&machine, &fields), Became::Refused, "{missing}");
    }
    let tunnel = [
        (":method", "CONNECT"),
        (":authority", "docs.demo.localhost"),
    ];
    assert_eq!(became(&machine, &tunnel), Became::Refused);
    // Whatever was sent, those that were passed on end where they end.
    assert_eq!(became(&machine, &good), Became::Good);
    assert_eq!(machine.get("docs.demo.localhost", "/").status, 200);
}
