//! Strangers who mean no good.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::Test;
use crate::machine::{Machine, get, until_closed};
use crate::smuggling::{begun, frame, written};

/// A frame of HTTP/2.
const HEADERS: u8 = 1;

pub const TESTS: &[Test] = &[
    ("a request that never comes to an end is given up", slow),
    ("heads that are too large are refused", large),
    ("heads of HTTP/2 that grow and grow are refused", growing),
    ("idle connections give way", idle),
    ("ten thousand idle connections hurt nobody", ten_thousand),
    (
        "gate and serve have nothing but what they were given",
        walls,
    ),
    ("what serves is the user of the units' files", owner),
];

fn site(machine: &mut Machine) {
    let mut model = machine.model("demo", 1);
    model.unit("docs/0").expose("docs", &[]);
    machine.publish(&model);
    machine.until("docs.demo.localhost", 200);
}

fn slow() {
    let mut machine = Machine::with(r#"{"head-ms": 700}"#);
    site(&mut machine);
    // A frame of a head, most of which is yet to come.
    let mut unfinished = begun();
    let head = frame(HEADERS, 0, 1, &[0; 200]);
    unfinished.extend(&head[..head.len() - 150]);
    for begin in [
        &b""[..],
        b"GET / HT",
        b"GET / HTTP/1.1\r\nHost: docs.demo.localhost\r\n",
        b"PRI * HTTP/2.0\r\n",
        &begun(),
        &unfinished,
    ] {
        let mut stream = machine.connect();
        let mut drip = stream.try_clone().unwrap();
        stream.write_all(begin).unwrap();
        let begun = Instant::now();
        let dripping = std::thread::spawn(move || {
            // A byte now and then does not help.
            for byte in b"X-A: aaaaaaaaaaaaaaaaaaaaaaaaaa".iter().cycle() {
                std::thread::sleep(Duration::from_millis(50));
                if drip.write_all(&[*byte]).is_err() || begun.elapsed().as_secs() > 10 {
                    return;
                }
            }
        });
        let took = until_closed(stream);
        dripping.join().unwrap();
        assert!(took < Duration::from_secs(3), "{begin:?}: {took:?}");
        assert_eq!(machine.get("docs.demo.localhost", "/").status, 200);
    }
}

fn large() {
    let mut machine = Machine::new();
    site(&mut machine);
    let many: String = (0..150).map(|n| format!("X-{n}: a\r\n")).collect();
    let long = format!("X-A: {}\r\n", "a".repeat(100 << 10));
    for fields in [many, long] {
        let request = format!("GET / HTTP/1.1\r\nHost: docs.demo.localhost\r\n{fields}\r\n");
        let mut stream = machine.connect();
        // It may refuse before it has read all.
        let _ = stream.write_all(request.as_bytes());
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        let text = String::from_utf8_lossy(&text).into_owned();
        assert!(
            text.is_empty() || text.starts_with("HTTP/1.1 431"),
            "{text}"
        );
    }
    let long = format!("/{}", "a".repeat(100 << 10));
    let mut stream = machine.connect();
    let _ = stream.write_all(get("docs.demo.localhost", &long).as_bytes());
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text);
    assert!(!text.starts_with(b"HTTP/1.1 200"));
    let body = "POST / HTTP/1.1\r\nHost: docs.demo.localhost\r\nContent-Length: 99999999\r\n\r\n";
    let mut stream = machine.connect();
    stream.write_all(body.as_bytes()).unwrap();
    let mut head = [0; 12];
    stream.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 413");
}

fn growing() {
    const MORE: u8 = 9;
    let mut machine = Machine::new();
    site(&mut machine);
    let value = "a".repeat(100);
    let fields: Vec<String> = (0..100).map(|number| format!("x-{number}")).collect();
    let fields: Vec<(&str, &str)> = fields.iter().map(|name| (name.as_str(), &*value)).collect();
    let block = written(&fields);
    let mut stream = machine.connect();
    let mut sent = begun();
    sent.extend(frame(HEADERS, 0, 1, &written(&[(":method", "GET")])));
    let _ = stream.write_all(&sent);
    // Without end, but that somebody has enough of it.
    let piece = frame(MORE, 0, 1, &block);
    let most = (64 << 20) / piece.len();
    let taken = (0..most)
        .take_while(|_| stream.write_all(&piece).is_ok())
        .count();
    assert!(taken < most, "all of {most} pieces were taken");
    let gate = machine.children("gate")[0];
    let status = std::fs::read_to_string(format!("/proc/{gate}/status")).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak: u64 = peak
        .unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap();
    assert!(peak < 100 << 10, "{peak} KiB");
    assert_eq!(machine.get("docs.demo.localhost", "/").status, 200);
}

/// A neighbour asks for its page again and again, while so many connections come and say nothing.
fn crowd(machine: &Machine, most: usize) -> Vec<TcpStream> {
    let mut idle: Vec<TcpStream> = Vec::new();
    let mut longest = Duration::ZERO;
    for number in 0..most {
        idle.push(machine.connect());
        if number % 50 == 0 {
            let begun = Instant::now();
            assert_eq!(machine.get("docs.demo.localhost", "/").status, 200);
            longest = longest.max(begun.elapsed());
        }
    }
    println!("  beside {most} others, a neighbour waits for {longest:?} at most");
    assert!(longest < Duration::from_secs(1), "{longest:?}");
    idle
}

fn ten_thousand() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).unwrap();
    let most = limit
        .maximum
        .map_or(10_000, |most| usize::try_from(most).unwrap() - 100);
    let mut machine = Machine::new();
    site(&mut machine);
    crowd(&machine, most.min(10_000));
}

fn idle() {
    let mut machine = Machine::with(r#"{"connections": 200}"#);
    site(&mut machine);
    let mut idle = crowd(&machine, 1000);
    // The oldest went.
    until_closed(idle.remove(0));
    let gate = machine.children("gate")[0];
    let open = std::fs::read_dir(format!("/proc/{gate}/fd"))
        .unwrap()
        .count();
    assert!(open < 300, "{open}");
}

fn owner() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    const AGENT: u32 = 45_000;
    let mut machine = Machine::new();
    let mut model = machine.model("demo", 1);
    model.unit("docs/0").expose("docs", &[]);
    // As an agent's directories are.
    let mut pending = vec![
        model.directory.join("units"),
        model.directory.join("compiled"),
    ];
    while let Some(path) = pending.pop() {
        std::os::unix::fs::chown(&path, Some(AGENT), Some(AGENT)).unwrap();
        if path.is_dir() {
            pending.extend(
                std::fs::read_dir(path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        }
    }
    machine.publish(&model);
    machine.until("docs.demo.localhost", 200);
    let status = |pid: u32| std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let serve = status(machine.children("serve")[0]);
    let ids = format!("{AGENT}\t{AGENT}\t{AGENT}\t{AGENT}");
    assert!(serve.contains(&format!("Uid:\t{ids}")), "{serve}");
    use std::os::unix::fs::MetadataExt;
    for file in ["observed/docs-0.json", "desired", "logs"] {
        let found = std::fs::metadata(model.directory.join("workloads").join(file)).unwrap();
        assert_eq!(found.uid(), AGENT, "{file}");
    }
}

fn walls() {
    let mut machine = Machine::new();
    site(&mut machine);
    for role in ["gate", "serve"] {
        let pid = machine.children(role)[0];
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let field = |name: &str| {
            let line = status.lines().find(|line| line.starts_with(name)).unwrap();
            line.split_whitespace().nth(1).unwrap().to_owned()
        };
        assert_eq!(field("CapEff:"), "0000000000000000", "{role}");
        if rustix::process::geteuid().is_root() {
            assert_eq!(field("CapBnd:"), "0000000000000000", "{role}");
        }
        assert_eq!(field("NoNewPrivs:"), "1");
        assert_eq!(field("Seccomp:"), "2");
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap();
        assert!(!String::from_utf8_lossy(&environment).contains("PATH="));
        if role == "gate" && rustix::process::geteuid().is_root() {
            assert_ne!(field("Uid:"), "0");
        }
        // Sockets that they were given or that are a pair, and nothing that is a file. Who runs guests has what the
        // kernel tells of its own pages, and directories in which it may read anyway.
        for entry in std::fs::read_dir(format!("/proc/{pid}/fd"))
            .unwrap()
            .flatten()
        {
            let number = entry.file_name().to_string_lossy().parse::<u32>().unwrap();
            let Ok(to) = std::fs::read_link(entry.path()) else {
                continue;
            };
            let to = to.to_string_lossy().into_owned();
            let plain = to.starts_with("socket:") || to.starts_with("anon_inode:");
            let memory = to.starts_with("/memfd:");
            // What started the tests may have left that open, here as there.
            let ours = std::fs::read_link(format!("/proc/self/fd/{number}"));
            let inherited = ours.is_ok_and(|ours| ours.to_string_lossy() == to);
            let own = to == format!("/proc/{pid}/pagemap") || to.contains("/units/");
            let fine = number < 3 || plain || memory || inherited || (role == "serve" && own);
            assert!(fine, "{role}: {number} is {to}");
        }
    }
    assert!(
        !machine.log().contains("a wall around"),
        "{}",
        machine.log()
    );
}
