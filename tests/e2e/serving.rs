//! What a charm deploys is there to be visited: nobody gets in before it is exposed, everybody who asks by
//! its name gets a whole page, and it is closed at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use periapt_tests::web::{free_port, get};
use periapt_tests::{Home, PATIENCE, charm, kill};
use serde_json::Value;

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
    let mut deaths = Vec::new();
    let mut controller = None;
    for round in 0..24 {
        home.ok(["config", "docs", &format!("title=Title {round}.")])?;
        let dies = match round {
            4 => "serve",
            8 => "gate",
            12 => "agent",
            16 => "supervisor",
            20 => "controller",
            _ => "",
        };
        if !dies.is_empty() {
            deaths.push((dies, Instant::now()));
        }
        match dies {
            "serve" | "gate" => kill_all(home, dies)?,
            "agent" => home.agent_pids()?.into_iter().for_each(kill),
            "supervisor" => home.pid_of("workloads run")?.into_iter().for_each(kill),
            "controller" => {
                kill(home.controller_pid()?);
                // Nobody needs it to be served.
                std::thread::sleep(Duration::from_millis(500));
                controller = Some(home.restart_controller()?);
                home.until("the controller to answer", |_| true)?;
            }
            _ => {}
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let begun = Instant::now();
    while !sites.page("docs")?.contains("Title 23.") {
        ensure!(begun.elapsed() < PATIENCE, "the last title does not come");
        std::thread::sleep(Duration::from_millis(50));
    }
    stop.store(true, Ordering::SeqCst);
    let mut refusals = Vec::new();
    for reader in readers {
        let Ok(read) = reader.join() else {
            bail!("a reader panicked");
        };
        let (pages, refused) = read?;
        ensure!(pages > 20, "{pages}");
        refusals.extend(refused);
    }
    for (number, (who, at)) in deaths.iter().enumerate() {
        let next = deaths.get(number + 1).map(|(_, at)| *at);
        let after = refusals
            .iter()
            .filter(|(from, until)| until > at && next.is_none_or(|next| *from < next));
        let longest = after.map(|(from, until)| *until - *from).max();
        let longest = longest.unwrap_or_default();
        println!("after the end of the {who} nobody was answered for {longest:?} at most");
        // It is to be less than a second; here it is that there is an end to it.
        ensure!(longest < Duration::from_secs(10), "{who}: {longest:?}");
    }
    if let Some(mut controller) = controller {
        kill(home.controller_pid()?);
        controller.wait()?;
    }
    Ok(())
}

/// From when until when somebody got no page.
type Refusal = (Instant, Instant);

/// Reads until told to stop; how many pages it got, and when for a while it got none. A page is whole,
/// of one title, and never older than the one before.
fn reader(stop: &AtomicBool, port: u16, host: &str) -> Result<(u32, Vec<Refusal>)> {
    let (mut pages, mut refused, mut last) = (0, Vec::new(), Instant::now());
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
                if last.elapsed() > Duration::from_millis(20) {
                    refused.push((last, Instant::now()));
                }
                last = Instant::now();
                pages += 1;
            }
            // Those who were killed are started again.
            Ok((502..=504, _)) | Err(_) => std::thread::sleep(Duration::from_millis(10)),
            Ok((status, page)) => bail!("{status}: {page}"),
        }
    }
    Ok((pages, refused))
}

/// Kills the children of the supervisor that have this part.
fn kill_all(home: &Home, part: &str) -> Result<()> {
    let children = home.workload_pids(part)?;
    ensure!(!children.is_empty(), "nobody runs workloads {part}");
    children.into_iter().for_each(kill);
    Ok(())
}
