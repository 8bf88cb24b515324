//! Whoever reads while pages change, and while somebody dies, gets whole pages.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use periapt_tests::web::{Kept, get, until_page};
use periapt_tests::{PATIENCE, kill};

use super::{AT_ONCE, Sites, kill_all};

/// Connections that read at the same time.
const READERS: usize = 64;
const CHANGES: usize = 50;

/// Each connection is kept for all of its requests, so that one which breaks is an error.
#[test]
fn of_64_connections_each_reads_whole_pages_while_the_title_changes_50_times() -> Result<()> {
    let sites = Sites::deployed()?;
    let home = &sites.home;
    let host = sites.host("docs");
    home.ok(["expose", "docs"])?;
    let titles = ["One title", "Another title"];
    let mut pages = Vec::new();
    for title in titles {
        home.ok(["config", "docs", &format!("title={title}")])?;
        pages.push(sites.page_with("docs", title)?);
    }
    ensure!(pages[0] != pages[1], "{pages:?}");
    let over = AtomicBool::new(false);
    let read = std::thread::scope(|scope| {
        let readers: Vec<_> = (0..READERS)
            .map(|_| scope.spawn(|| whole_pages(&over, sites.port, &host, &pages)))
            .collect();
        let changed = (0..CHANGES).try_for_each(|number| {
            let title = format!("title={}", titles[number % 2]);
            home.ok(["config", "docs", &title])?;
            until_page(sites.port, &host, &pages[number % 2])
        });
        over.store(true, Ordering::SeqCst);
        let read: Vec<_> = readers.into_iter().map(|reader| reader.join()).collect();
        changed.map(|()| read)
    })?;
    for one in read {
        let Ok(seen) = one else {
            bail!("a reader panicked");
        };
        let seen = seen?;
        ensure!(
            seen.iter().all(|times| *times > 0),
            "both pages are read by each: {seen:?}"
        );
    }
    Ok(())
}

/// How often each of the pages was read over one connection, and nothing else ever was.
fn whole_pages(over: &AtomicBool, port: u16, host: &str, pages: &[String]) -> Result<Vec<u32>> {
    let mut seen = vec![0; pages.len()];
    let mut connection = Kept::open(port)?;
    while !over.load(Ordering::SeqCst) {
        let (status, page) = connection.get(host, "/")?;
        ensure!(status == 200, "{status}: {page}");
        let which = pages.iter().position(|one| *one == page);
        seen[which.with_context(|| format!("neither page: {page}"))?] += 1;
        // Whoever changes the title needs the processors as well.
        std::thread::sleep(Duration::from_millis(30));
    }
    Ok(seen)
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
        // The supervisor holds the listeners, so they end with it; who starts it again waits for a moment first,
        // and longer after each death, so that one that cannot live does not take the processor.
        let bound = match *who {
            "supervisor" => Duration::from_secs(10),
            _ => AT_ONCE,
        };
        ensure!(longest < bound, "{who}: {longest:?}");
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
