//! Processes that are killed, and commits in the middle of requests.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::Test;
use crate::machine::{Machine, Model, SITE, until};

pub const TESTS: &[Test] = &[
    (
        "a commit under load gives one whole page or the other",
        commits,
    ),
    ("the gate is killed", gate),
    ("the process that serves is killed", serve),
    ("the supervisor is killed", supervisor),
    (
        "requests are counted once, whoever is killed or rests",
        counted,
    ),
    ("another directory takes the place of the agent's", replaced),
    ("who hangs is killed and started again", hangs),
    (
        "what an agent wants and nobody understands changes nothing",
        unknown,
    ),
];

fn site(machine: &mut Machine) -> Model {
    let mut model = machine.model("demo", 1);
    model.unit("docs/0").expose("docs", &[]);
    machine.publish(&model);
    machine.until("docs.demo.localhost", 200);
    model
}

fn kill(pid: u32) {
    let pid = Pid::from_raw(pid.try_into().unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
}

fn stop(pid: u32) {
    let pid = Pid::from_raw(pid.try_into().unwrap()).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    // Each of its threads stops when it next runs.
    let tasks = || std::fs::read_dir(format!("/proc/{}/task", pid.as_raw_nonzero())).unwrap();
    until("the last thread", || {
        let stopped = |task: std::fs::DirEntry| {
            let stat = std::fs::read_to_string(task.path().join("stat"));
            stat.is_ok_and(|stat| stat.contains(") T "))
        };
        tasks().flatten().all(stopped).then_some(())
    });
}

fn hangs() {
    let mut machine = Machine::with(r#"{"pulse-ms": 300}"#);
    let _model = site(&mut machine);
    for role in ["serve", "gate", "serve"] {
        let before = machine.children(role)[0];
        // Whoever answers is left alone.
        std::thread::sleep(Duration::from_millis(1500));
        assert_eq!(machine.children(role), [before], "{role}");
        stop(before);
        let begun = Instant::now();
        machine.until("docs.demo.localhost", 200);
        println!("  {role}: answered {:?} after it hung", begun.elapsed());
        assert_ne!(machine.children(role), [before], "{role}");
    }
}

fn is_page(body: &str) -> bool {
    body == "<h1>1</h1>" || body == "<h1>2</h1>".repeat(2000) || body == "<h1>3</h1>".repeat(2000)
}

fn commits() {
    let mut machine = Machine::new();
    let model = site(&mut machine);
    let (over, asked) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    let page = machine.get("docs.demo.localhost", "/");
                    assert_eq!(page.status, 200, "{}", page.body);
                    assert!(is_page(&page.body), "{}", page.body.len());
                    asked.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for number in [2, 3] {
            std::thread::sleep(Duration::from_millis(300));
            model.commit("docs/0", number, SITE);
        }
        until("the last page", || {
            let page = machine.get("docs.demo.localhost", "/");
            page.body.starts_with("<h1>3</h1>").then_some(())
        });
        over.store(true, Ordering::Relaxed);
    });
    println!("  {} whole pages", asked.into_inner());
}

/// Asks all the time while something happens: how long nobody was answered, at most. What is answered is
/// whole.
fn refusals(machine: &Machine, happens: impl FnOnce()) -> Duration {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let (mut longest, mut since) = (Duration::ZERO, Instant::now());
            while !over.load(Ordering::Relaxed) {
                match machine.try_get("docs.demo.localhost", "/") {
                    Ok(page) if page.status == 200 => {
                        assert!(is_page(&page.body));
                        longest = longest.max(since.elapsed());
                        since = Instant::now();
                    }
                    Ok(page) => assert!([502, 503, 504].contains(&page.status), "{page:?}"),
                    Err(_) => std::thread::sleep(Duration::from_millis(2)),
                }
            }
            longest.max(since.elapsed())
        });
        std::thread::sleep(Duration::from_millis(200));
        happens();
        std::thread::sleep(Duration::from_millis(1500));
        over.store(true, Ordering::Relaxed);
        asking.join().unwrap()
    })
}

fn gate() {
    let mut machine = Machine::new();
    let _model = site(&mut machine);
    let gate = machine.children("gate")[0];
    let longest = refusals(&machine, || kill(gate));
    println!("  nobody was answered for {longest:?}");
    assert!(longest < Duration::from_secs(1), "{longest:?}");
    assert_ne!(machine.children("gate"), [gate]);
}

fn serve() {
    let mut machine = Machine::new();
    let _model = site(&mut machine);
    let serve = machine.children("serve")[0];
    let longest = refusals(&machine, || kill(serve));
    println!("  nobody was answered for {longest:?}");
    assert!(longest < Duration::from_secs(1), "{longest:?}");
    assert_ne!(machine.children("serve"), [serve]);
}

fn supervisor() {
    let mut machine = Machine::new();
    let model = site(&mut machine);
    let children = [machine.children("gate"), machine.children("serve")].concat();
    // The document that is kept names the port 0 that was asked for; this one the port that was found.
    machine.publish(&model);
    machine.kill_supervisor();
    until("the end of its children", || {
        let gone = |pid: &u32| {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
            stat.is_err() || stat.is_ok_and(|stat| stat.contains(") Z "))
        };
        children.iter().all(gone).then_some(())
    });
    // A process that ends may still hold its descriptors for a moment.
    until("the end of what they listened on", || {
        std::net::TcpStream::connect(machine.ingress).err()
    });
    let begun = Instant::now();
    machine.start();
    machine.until("docs.demo.localhost", 200);
    println!("  answered {:?} after it began again", begun.elapsed());
    assert!(begun.elapsed() < Duration::from_secs(2));
    let seen = until("the next boot", || {
        model.observed("docs/0").filter(|seen| seen.boot == 2)
    });
    assert_eq!(seen.number, 1);
}

fn replaced() {
    let mut machine = Machine::new();
    let model = site(&mut machine);
    until("the first boot", || model.observed("docs/0"));
    let folder = model.directory.join("workloads/desired");
    let aside = model.directory.join("aside");
    std::fs::rename(&folder, &aside).unwrap();
    std::fs::create_dir(&folder).unwrap();
    std::fs::copy(aside.join("docs-0.json"), folder.join("docs-0.json")).unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(machine.get("docs.demo.localhost", "/").status, 200);
    model.commit("docs/0", 2, SITE);
    let seen = until("the next commit", || {
        model.observed("docs/0").filter(|seen| seen.number == 2)
    });
    assert_eq!(seen.boot, 1, "it is the same unit");
}

fn unknown() {
    let mut machine = Machine::new();
    let model = site(&mut machine);
    let text = std::fs::read_to_string(model.desired("docs/0")).unwrap();
    let text = text.replace(r#""number":1"#, r#""number":2"#);
    for (known, unknown) in [
        (r#""port":80"#, r#""port":80,"prot":81"#),
        (r#""port":80"#, r#""port":0"#),
        (r#""kind":"http""#, r#""kind":"htpp""#),
        (r#""number":2"#, r#""number":2,"root":"/""#),
        (r#""unit":"docs/0""#, r#""unit":"docs/1""#),
    ] {
        let other = text.replacen(known, unknown, 1);
        assert_ne!(other, text, "{known}");
        let before = machine.log().matches("is not understood").count();
        model.write_desired("docs/0", &other);
        until("a word on it", || {
            (machine.log().matches("is not understood").count() > before).then_some(())
        });
        let page = machine.get("docs.demo.localhost", "/");
        assert_eq!((page.status, page.body.as_str()), (200, "<h1>1</h1>"));
        assert_eq!(model.observed("docs/0").map(|seen| seen.number), Some(1));
    }
    model.commit("docs/0", 3, SITE);
    let page = until("the next page", || {
        let page = machine.get("docs.demo.localhost", "/");
        (page.body != "<h1>1</h1>").then_some(page)
    });
    assert!(page.body.starts_with("<h1>3</h1>"));
}

fn counted() {
    let mut machine = Machine::with(r#"{"rest-ms": 500}"#);
    let model = site(&mut machine);
    let begun = Instant::now();
    for (path, status) in [("/", 200), ("/nothing", 404)] {
        assert_eq!(machine.get("docs.demo.localhost", path).status, status);
    }
    let until_counted = |successes: u64| {
        until("counts", || {
            let counted = model.counted("docs/0")?;
            let requests = counted.services.values().next()?.clone();
            assert!(requests.successes <= successes, "{requests:?}");
            assert_eq!(requests.buckets.iter().sum::<u64>(), requests.all());
            (requests.successes == successes && requests.client_errors == 1)
                .then_some(counted.begun)
        })
    };
    // The first was written at once; the others are when what serves rests, and not ten seconds later.
    let first = until_counted(2);
    assert!(begun.elapsed() < Duration::from_secs(8));
    machine.publish(&model);
    machine.kill_supervisor();
    machine.start();
    machine.until("docs.demo.localhost", 200);
    assert_eq!(until_counted(3), first, "the next supervisor goes on");
    std::fs::remove_file(model.directory.join("workloads/desired/docs-0.json")).unwrap();
    until("no counts of a unit that is gone", || {
        model.counted("docs/0").is_none().then_some(())
    });
}
