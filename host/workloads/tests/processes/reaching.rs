//! Who reaches what, and what happens to connections when that changes.

use std::io::{Read, Write};
use std::time::Duration;

use periapt_model::reach::published::Answer;

use crate::Test;
use crate::machine::{Machine, SITE, ask, connect_from, get, until, until_closed};

pub const TESTS: &[Test] = &[
    (
        "what is not exposed is not there, and what was is cut",
        unexposed,
    ),
    ("an exposure to other addresses is none", other_addresses),
    (
        "by address, who is outside of every range is closed before anything is read",
        outside_of_every_range,
    ),
    ("another model's name leads to another model", other_models),
    ("a model that is gone is gone", gone),
    ("a port that becomes free is listened on", free_again),
    ("a name that two models have leads to neither", twins),
    ("a port that is not open is reached by nobody", not_open),
    (
        "no name of the machine itself is a workload's",
        names_of_the_machine,
    ),
];

/// A connection that was answered and stays open.
fn open(machine: &Machine, host: &str) -> std::net::TcpStream {
    let mut stream = machine.connect();
    let request = get(host, "/").replace("Connection: close\r\n", "");
    stream.write_all(request.as_bytes()).unwrap();
    let mut head = [0; 12];
    stream.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 200");
    stream
}

fn unexposed() {
    let mut machine = Machine::new();
    let mut model = machine.model("demo", 1);
    model.unit("docs/0").unit("blog/0");
    assert_eq!(machine.publish(&model).ingress, None);
    model.expose("blog", &[]);
    machine.publish(&model);
    assert_eq!(machine.get("docs.demo.localhost", "/").status, 404);
    model.expose("docs", &[]);
    machine.publish(&model);
    machine.until("docs.demo.localhost", 200);
    machine.until("blog.demo.localhost", 200);
    let (cut, kept) = (
        open(&machine, "docs.demo.localhost"),
        open(&machine, "blog.demo.localhost"),
    );
    model.unexpose("docs");
    machine.publish(&model);
    // The answer came once it was so.
    let took = until_closed(cut);
    assert!(took < Duration::from_millis(200), "{took:?}");
    assert_eq!(machine.get("docs.demo.localhost", "/").status, 404);
    let mut kept = kept;
    let request = get("blog.demo.localhost", "/");
    kept.write_all(request.as_bytes()).unwrap();
    let mut text = String::new();
    kept.read_to_string(&mut text).unwrap();
    assert!(text.contains("HTTP/1.1 200"), "{text}");
}

fn other_addresses() {
    let mut machine = Machine::new();
    let mut model = machine.model("demo", 1);
    model.unit("docs/0").expose("docs", &["10.0.0.0/8"]);
    machine.publish(&model);
    assert_eq!(machine.get("docs.demo.localhost", "/").status, 404);
    model.expose("docs", &["127.0.0.1/32"]);
    machine.publish(&model);
    machine.until("docs.demo.localhost", 200);
}

fn outside_of_every_range() {
    const INSIDE: [u8; 4] = [127, 0, 0, 2];
    const REQUEST: &str = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    let mut machine = Machine::new();
    let mut model = machine.model("demo", 1);
    model.unit("docs/0").expose("docs", &["127.0.0.2/32"]);
    model.address("docs/0", [127, 77, 211, 2]);
    let address = machine.publish(&model).listening[0].address;
    until("the page", || {
        let page = ask(connect_from(INSIDE, address), REQUEST).ok()?;
        (page.status == 200).then_some(page)
    });
    // Nobody waits for the head of a request, nor says what is not there.
    let took = until_closed(connect_from([127, 0, 0, 1], address));
    assert!(took < Duration::from_secs(1), "{took:?}");
    assert!(ask(connect_from([127, 0, 0, 1], address), REQUEST).is_err());

    let quiet = connect_from(INSIDE, address);
    model.expose("docs", &["127.0.0.3/32"]);
    machine.publish(&model);
    let took = until_closed(quiet);
    assert!(
        took < Duration::from_secs(1),
        "it asked for nothing: {took:?}"
    );
    let page = ask(connect_from([127, 0, 0, 3], address), REQUEST).unwrap();
    assert_eq!(page.status, 200);
}

fn other_models() {
    let mut machine = Machine::new();
    let mut one = machine.model("one", 1);
    one.unit("docs/0").expose("docs", &[]);
    let mut two = machine.model("two", 2);
    two.unit("docs/0").expose("docs", &[]);
    two.commit("docs/0", 2, crate::machine::SITE);
    machine.publish(&one);
    machine.publish(&two);
    assert_eq!(machine.until("docs.one.localhost", 200).body, "<h1>1</h1>");
    assert!(
        machine
            .until("docs.two.localhost", 200)
            .body
            .contains("<h1>2</h1>")
    );
    assert_eq!(machine.children("serve").len(), 2);
    for host in ["docs.one.localhost", "docs.two.localhost"].repeat(20) {
        let wanted = if host.contains("one") {
            "<h1>1</h1>"
        } else {
            "<h1>2</h1>"
        };
        assert!(machine.get(host, "/").body.contains(wanted));
    }
    two.unexpose("docs");
    machine.publish(&two);
    assert_eq!(machine.get("docs.two.localhost", "/").status, 404);
    assert_eq!(machine.get("docs.one.localhost", "/").status, 200);
}

fn gone() {
    let mut machine = Machine::new();
    let mut model = machine.model("demo", 1);
    model.unit("docs/0").expose("docs", &[]);
    let mut other = machine.model("other", 2);
    other.unit("docs/0").expose("docs", &[]);
    machine.publish(&model);
    machine.publish(&other);
    machine.until("docs.demo.localhost", 200);
    let stream = open(&machine, "docs.demo.localhost");
    machine.say(&model, None);
    assert!(until_closed(stream) < Duration::from_millis(200));
    assert_eq!(machine.get("docs.demo.localhost", "/").status, 404);
    machine.until("docs.other.localhost", 200);
    machine.say(&other, None);
    assert!(std::net::TcpStream::connect(machine.ingress).is_err());
}

fn free_again() {
    let mut machine = Machine::new();
    let mut model = machine.model("demo", 1);
    model.unit("docs/0").expose("docs", &[]);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    machine.ingress = taken.local_addr().unwrap();
    let answer = machine.publish(&model);
    assert!(answer.ingress_failed.is_some(), "{answer:?}");
    drop(taken);
    // It is said without a question, and told to who asks.
    assert_eq!(machine.hear().number, 0);
    let answer = machine.publish(&model);
    assert_eq!(answer.ingress, Some(machine.ingress));
    machine.until("docs.demo.localhost", 200);
}

fn twins() {
    let mut machine = Machine::new();
    // Both models are told of the same port, as they are by a controller.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    machine.ingress = free.local_addr().unwrap();
    drop(free);
    let mut one = machine.model("demo", 1);
    one.unit("docs/0").expose("docs", &[]);
    machine.publish(&one);
    machine.until("docs.demo.localhost", 200);
    let mut other = machine.model("demo", 2);
    other.unit("docs/0").expose("docs", &[]);
    let says = |answer: Answer| match answer.ingress_failed {
        Some(reason) => reason,
        None => panic!("{answer:?}"),
    };
    assert!(says(machine.publish(&other)).contains("called demo as well"));
    let page = machine.get("docs.demo.localhost", "/");
    // To a stranger it is as if there were none; whoever asked for the other one is told to ask again.
    assert_eq!(page.status, 404, "{}", page.body);
    assert_eq!(machine.hear().number, 0);
    let answer = machine.publish(&one);
    assert_eq!(answer.ingress, None);
    assert!(says(answer).contains("called demo as well"));
    machine.say(&other, None);
    assert_eq!(machine.hear().number, 0);
    let answer = machine.publish(&one);
    assert_eq!(
        (answer.ingress, answer.ingress_failed),
        (Some(machine.ingress), None)
    );
    machine.until("docs.demo.localhost", 200);
}

fn not_open() {
    let mut machine = Machine::new();
    let mut model = machine.model("demo", 1);
    model.unit("docs/0").expose("docs", &[]);
    machine.publish(&model);
    machine.until("docs.demo.localhost", 200);
    model.commit("docs/0", 2, &SITE.replace("port: 80", "port: 81"));
    let page = machine.until("docs.demo.localhost", 503);
    assert!(
        page.body.contains("No service of docs/0 listens there"),
        "{}",
        page.body
    );
    // Nor where the client names it.
    let page = machine.get("docs.demo.localhost:81", "/");
    assert_eq!(page.status, 503);
}

fn names_of_the_machine() {
    let mut machine = Machine::new();
    let mut model = machine.model("demo", 1);
    model.unit("docs/0").expose("docs", &[]);
    machine.publish(&model);
    machine.until("docs.demo.localhost", 200);
    let port = machine.ingress.port();
    for host in [
        "localhost".to_owned(),
        format!("localhost:{port}"),
        format!("127.0.0.1:{port}"),
        format!("[::1]:{port}"),
        "docs.demo.localhost.example.com".to_owned(),
        "example.com".to_owned(),
        "docs.demo.localhost@example.com".to_owned(),
    ] {
        let page = machine.get(&host, "/");
        assert!([400, 404].contains(&page.status), "{host}: {}", page.status);
        assert!(!page.body.contains("<h1>1</h1>"), "{host}");
    }
}
