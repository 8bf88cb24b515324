//! What a charm deploys is there to be visited: nobody gets in before it is exposed, everybody who asks by
//! its name gets a whole page, and it is closed at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use periapt_tests::web::{Kept, free_port, get};
use periapt_tests::{Home, PATIENCE, charm, kill};
use serde_json::Value;

mod lines;
mod readers;

/// How long it may take until a page that is closed is refused, and until one is answered again whose process died:
/// moments, with room for a machine that has other work.
const AT_ONCE: Duration = Duration::from_secs(5);

/// A controller with an ingress port of its own, and two sites with a page over both.
struct Sites {
    home: Home,
    port: u16,
}

impl Sites {
    fn deployed() -> Result<Self> {
        let home = Home::started()?;
        let port = free_port()?;
        home.ok(["controller-config", &format!("ingress-port={port}")])?;
        let site = charm("site").display().to_string();
        for (name, title) in [("docs", "Documentation"), ("blog", "Blog")] {
            home.ok(["deploy", &site, name, "--config", &format!("title={title}")])?;
        }
        home.ok(["deploy".as_ref(), charm("front").as_os_str()])?;
        for name in ["docs", "blog"] {
            home.ok(["integrate", "front", name])?;
        }
        for unit in ["docs/0", "blog/0", "front/0"] {
            home.until_workload(unit, "active")?;
        }
        Ok(Self { home, port })
    }

    fn host(&self, name: &str) -> String {
        format!("{name}.test.localhost")
    }

    /// The answer to a request by name, as soon as there is a good one.
    fn page(&self, name: &str) -> Result<String> {
        self.page_with(name, "")
    }

    /// The same, as soon as it has this text.
    fn page_with(&self, name: &str, text: &str) -> Result<String> {
        let begun = Instant::now();
        loop {
            match get(self.port, &self.host(name), "/") {
                Ok((200, body)) if body.contains(text) => return Ok(body),
                other if begun.elapsed() > PATIENCE => bail!("{name}: {other:?}"),
                _ => std::thread::sleep(Duration::from_millis(50)),
            }
        }
    }

    /// What `meanwhile` says, during which every request by name is answered with a page.
    fn answers<T>(&self, name: &str, meanwhile: impl FnOnce() -> Result<T>) -> Result<T> {
        let (port, host, over) = (self.port, self.host(name), AtomicBool::new(false));
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| -> Result<u32> {
                let mut pages = 0;
                while !over.load(Ordering::SeqCst) {
                    let (status, page) = get(port, &host, "/")?;
                    ensure!(status == 200, "{host}: {status} {page}");
                    pages += 1;
                    std::thread::sleep(Duration::from_millis(5));
                }
                Ok(pages)
            });
            let said = meanwhile();
            over.store(true, Ordering::SeqCst);
            let Ok(pages) = reader.join() else {
                bail!("the reader of {host} panicked");
            };
            ensure!(pages? > 0, "nobody asked {host} for a page");
            said
        })
    }

    /// Waits until a request by name is not let in any more; how long that took.
    fn closed(&self, name: &str) -> Result<Duration> {
        let begun = Instant::now();
        loop {
            match get(self.port, &self.host(name), "/") {
                Ok((200, _)) => {}
                _ => return Ok(begun.elapsed()),
            }
            ensure!(begun.elapsed() < PATIENCE, "{name} stays open");
        }
    }
}

#[test]
fn a_page_is_there_once_its_application_is_exposed_and_gone_at_once_when_it_is_not() -> Result<()> {
    let sites = Sites::deployed()?;
    let home = &sites.home;
    let closed = get(sites.port, &sites.host("docs"), "/");
    ensure!(!matches!(closed, Ok((200, _))), "{closed:?}");
    for name in ["docs", "blog", "front"] {
        home.ok(["expose", name])?;
    }
    ensure!(sites.page("docs")?.contains("Documentation"));
    ensure!(
        sites.page("docs-0")?.contains("Documentation"),
        "by the unit's name"
    );
    let index = sites.page("front")?;
    let link = format!("href=\"//{}:{}/\"", sites.host("blog"), sites.port);
    ensure!(index.contains(&link), "{link}: {index}");
    ensure!(sites.page("blog")?.contains("Blog"), "where the link leads");

    let status = home.status()?;
    ensure!(
        status["applications"]["docs"]["exposed"] == true,
        "{status:#}"
    );
    let services: Value = serde_json::from_str(&home.ok(["services", "--format", "json"])?)?;
    ensure!(services.as_array().map(Vec::len) == Some(3), "{services:#}");

    let mut open = Kept::open(sites.port)?;
    ensure!(open.get(&sites.host("blog"), "/")?.0 == 200);
    let took = sites.answers("docs", || {
        home.ok(["unexpose", "blog"])?;
        let took = sites.closed("blog")?;
        open.ended()?;
        Ok(took)
    })?;
    ensure!(took < AT_ONCE, "{took:?}");
    home.ok(["expose", "blog"])?;
    sites.page("blog")?;
    // Another model's name does not lead here, nor does one that nobody has.
    for host in ["docs.other.localhost", "nobody.test.localhost", "localhost"] {
        let (status, _) = get(sites.port, host, "/")?;
        ensure!(status == 404, "{host}: {status}");
    }
    home.ok(["remove-application", "docs", "--no-prompt"])?;
    sites.closed("docs")?;
    // Who stops everything means that nobody is served any more.
    home.ok(["controller", "stop", "--agents"])?;
    let left = home.pid_of("workloads run")?;
    ensure!(left.is_empty(), "{left:?}");
    home.ok(["controller", "start"])?;
    ensure!(sites.page("blog")?.contains("Blog"), "as before");
    Ok(())
}

/// Waits for counts, which come within twenty seconds; nothing of that can be faked with the real program.
#[test]
fn requests_are_counted_and_lines_of_services_are_shown_apart() -> Result<()> {
    let sites = Sites::deployed()?;
    let home = &sites.home;
    home.ok(["expose", "docs"])?;
    sites.page("docs")?;
    for _ in 0..19 {
        get(sites.port, &sites.host("docs"), "/")?;
    }
    get(sites.port, &sites.host("docs"), "/nothing-here")?;
    let counted = |metrics: &str, code: &str| -> u64 {
        let of_unit = |line: &&str| {
            line.starts_with("periapt_service_requests_total{")
                && line.contains("unit=\"docs/0\"")
                && line.contains(&format!("code=\"{code}\""))
        };
        let line = metrics.lines().find(of_unit);
        let value = line.and_then(|line| line.rsplit_once(' ')?.1.parse().ok());
        value.unwrap_or_default()
    };
    let begun = Instant::now();
    let metrics = loop {
        let metrics = home.ok(["introspect", "metrics"])?;
        let (found, missing) = (counted(&metrics, "2xx"), counted(&metrics, "4xx"));
        if (found, missing) == (20, 1) {
            break metrics;
        }
        ensure!(found <= 20 && missing <= 1, "{found} {missing}");
        ensure!(begun.elapsed() < PATIENCE, "{found} {missing}: {metrics}");
        std::thread::sleep(Duration::from_millis(500));
    };
    for line in [
        "periapt_service_request_seconds_count{",
        "periapt_service_cpu_seconds_total{",
        "periapt_service_up{",
        "periapt_service_restarts_total{",
    ] {
        let of_docs = |one: &str| one.starts_with(line) && one.contains("application=\"docs\"");
        ensure!(metrics.lines().any(of_docs), "{line}: {metrics}");
    }
    // Nobody else was asked anything, and nothing is counted twice whoever dies.
    ensure!(!metrics.contains("unit=\"blog/0\",code"), "{metrics}");
    kill_all(home, "serve")?;
    home.pid_of("workloads run")?.into_iter().for_each(kill);
    home.agent_pids()?.into_iter().for_each(kill);
    sites.page("docs")?;
    let begun = Instant::now();
    loop {
        let metrics = home.ok(["introspect", "metrics"])?;
        let found = counted(&metrics, "2xx");
        ensure!(found <= 21, "counted twice: {found}");
        if found == 21 {
            break;
        }
        ensure!(begun.elapsed() < PATIENCE, "{found}");
        std::thread::sleep(Duration::from_millis(500));
    }

    let written = home.ok(["logs", "docs/0"])?;
    ensure!(
        written.lines().all(of_who_left),
        "it wrote nothing: {written}"
    );
    for (arguments, word) in [
        (vec!["logs", "docs/7"], "docs/7"),
        (vec!["logs", "docs/7", "web"], "docs/7"),
        (vec!["logs", "docs/0", "wbe"], "did you mean \"web\""),
    ] {
        let answer = home.periapt(&arguments)?;
        ensure!(
            answer.code != 0 && answer.err.contains(word),
            "{}",
            answer.err
        );
    }
    Ok(())
}

/// Whether a line is about a visitor who left before the whole answer: on a busy machine a test is one.
fn of_who_left(line: &str) -> bool {
    line.contains("the answer could not be written")
}

/// Kills the children of the supervisor that have this part.
fn kill_all(home: &Home, part: &str) -> Result<()> {
    let children = home.workload_pids(part)?;
    ensure!(!children.is_empty(), "nobody runs workloads {part}");
    children.into_iter().for_each(kill);
    Ok(())
}
