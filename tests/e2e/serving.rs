//! What a charm deploys is there to be visited: nobody gets in before it is exposed, everybody who asks by
//! its name gets a whole page, and it is closed at once.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use periapt_tests::{Home, PATIENCE, charm, kill};
use rustix::process::Pid;
use serde_json::Value;

/// A controller with an ingress port of its own, and two sites with a page over both.
struct Sites {
    home: Home,
    port: u16,
}

/// A port that nobody has, for somebody who takes it soon.
fn free_port() -> Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
        .local_addr()?
        .port())
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
        let begun = Instant::now();
        loop {
            match get(self.port, &self.host(name), "/") {
                Ok((200, body)) => return Ok(body),
                other if begun.elapsed() > PATIENCE => bail!("{name}: {other:?}"),
                _ => std::thread::sleep(Duration::from_millis(50)),
            }
        }
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

/// One request over a connection of its own: the status and the body, which is whole.
fn get(port: u16, host: &str, path: &str) -> Result<(u16, String)> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nhost: {host}:{port}\r\nconnection: close\r\n\r\n"
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let answer = String::from_utf8(answer)?;
    let (head, body) = answer.split_once("\r\n\r\n").context("no head")?;
    let status = head.split(' ').nth(1).context("no status")?.parse()?;
    let header = |name: &str| {
        head.lines()
            .filter_map(|line| line.split_once(": "))
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.to_owned())
    };
    let body = match header("content-length") {
        Some(length) => {
            ensure!(length.parse::<usize>()? == body.len(), "cut off: {answer}");
            body.to_owned()
        }
        None if header("transfer-encoding").is_some() => unchunked(body)?,
        None => body.to_owned(),
    };
    Ok((status, body))
}

fn unchunked(mut body: &str) -> Result<String> {
    let mut whole = String::new();
    loop {
        let (length, rest) = body.split_once("\r\n").context("cut off")?;
        let length = usize::from_str_radix(length.trim(), 16)?;
        if length == 0 {
            return Ok(whole);
        }
        whole.push_str(rest.get(..length).context("cut off")?);
        body = rest.get(length + 2..).context("cut off")?;
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

    home.ok(["unexpose", "blog"])?;
    let took = sites.closed("blog")?;
    ensure!(took < Duration::from_secs(5), "{took:?}");
    ensure!(
        sites.page("docs")?.contains("Documentation"),
        "the others stay"
    );
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

    ensure!(home.ok(["logs", "docs/0"])?.is_empty(), "it wrote nothing");
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

/// Whoever reads while the title changes, and while everybody in turn is killed, gets one whole page
/// or another, or is refused for a moment.
#[test]
fn half_a_page_is_never_read_whoever_dies() -> Result<()> {
    let sites = Sites::deployed()?;
    let home = &sites.home;
    home.ok(["expose", "docs"])?;
    sites.page("docs")?;
    let stop = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..8)
        .map(|_| {
            let (stop, port, host) = (Arc::clone(&stop), sites.port, sites.host("docs"));
            std::thread::spawn(move || reader(&stop, port, &host))
        })
        .collect();
    for round in 0..20 {
        home.ok(["config", "docs", &format!("title=Title {round}.")])?;
        match round {
            4 => kill_all(home, "serve")?,
            8 => kill_all(home, "gate")?,
            12 => home.agent_pids()?.into_iter().for_each(kill),
            16 => home.pid_of("workloads run")?.into_iter().for_each(kill),
            _ => {}
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let begun = Instant::now();
    while !sites.page("docs")?.contains("Title 19.") {
        ensure!(begun.elapsed() < PATIENCE, "the last title does not come");
        std::thread::sleep(Duration::from_millis(50));
    }
    stop.store(true, Ordering::SeqCst);
    for reader in readers {
        let Ok(read) = reader.join() else {
            bail!("a reader panicked");
        };
        let (pages, longest) = read?;
        ensure!(pages > 20, "{pages}");
        ensure!(longest < Duration::from_secs(10), "refused for {longest:?}");
    }
    Ok(())
}

/// Reads until told to stop; how many pages it got, and the longest time without one. A page is whole,
/// of one title, and never older than the one before.
fn reader(stop: &AtomicBool, port: u16, host: &str) -> Result<(u32, Duration)> {
    let (mut pages, mut longest, mut last) = (0, Duration::ZERO, Instant::now());
    let mut newest = None;
    while !stop.load(Ordering::SeqCst) {
        match get(port, host, "/") {
            Ok((200, page)) => {
                ensure!(page.trim_end().ends_with("</html>"), "half a page: {page}");
                let titles: Vec<Option<u32>> = page
                    .split("Title ")
                    .skip(1)
                    .map(|rest| rest.split('.').next()?.parse().ok())
                    .collect();
                let title = titles.first().copied().flatten();
                ensure!(
                    titles.iter().all(|one| *one == title),
                    "of two titles: {page}"
                );
                ensure!(title >= newest, "{title:?} after {newest:?}");
                newest = title;
                longest = longest.max(last.elapsed());
                last = Instant::now();
                pages += 1;
            }
            // Those who were killed are started again.
            Ok((502..=504, _)) | Err(_) => std::thread::sleep(Duration::from_millis(10)),
            Ok((status, page)) => bail!("{status}: {page}"),
        }
    }
    Ok((pages, longest))
}

/// Kills the children of the supervisor that have this part.
fn kill_all(home: &Home, part: &str) -> Result<()> {
    let supervisors = home.pid_of("workloads run")?;
    let mut killed = 0;
    for entry in std::fs::read_dir("/proc")?.flatten() {
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        let pid = |text: &str| text.parse().ok().and_then(Pid::from_raw);
        let parent = stat
            .rsplit_once(") ")
            .and_then(|(_, rest)| pid(rest.split(' ').nth(1)?));
        if parent.is_some_and(|parent| supervisors.contains(&parent))
            && line.contains(&format!(" workloads {part}"))
            && let Some(child) = entry.file_name().to_str().and_then(pid)
        {
            kill(child);
            killed += 1;
        }
    }
    ensure!(killed > 0, "nobody runs workloads {part}");
    Ok(())
}
