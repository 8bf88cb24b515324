//! Attacks of web workloads: each is the server of a charm that is exposed, and is asked for one page. Who asks gets a
//! plain refusal or an answer that is visibly cut off, and the pages of a neighbour go on.
//!
//! A guest is a core module in text within the frame of the serving tests. It defines `$attack`, with the request and
//! where its answer goes, and may use the helpers of the frame.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use periapt_tests::web::{free_port, get, until_page};
use periapt_tests::{Home, PATIENCE, charm};

use super::Verdicts;
use super::attack::{Attack, How};

/// More than a web workload has for an answer.
const ANSWER: Duration = Duration::from_secs(60);
/// Of one answer, more than any may have.
const MOST: u64 = 100 << 20;
/// How long a page of the neighbour may take beside attacks, on cores that they share.
const PAGE: Duration = Duration::from_secs(10);
const NEIGHBOUR: &str = "neighbour.test.localhost";

pub fn run(attacks: &[Attack]) -> Result<Verdicts> {
    let home = Home::started()?;
    let port = free_port()?;
    home.ok(["controller-config", &format!("ingress-port={port}")])?;
    let unruly = charm("unruly").display().to_string();
    home.ok(["deploy", &unruly, "neighbour", "--config", "page=quiet"])?;
    home.ok(["expose", "neighbour"])?;
    until_page(port, NEIGHBOUR, "quiet")?;
    let controller = home.controller_pid()?;
    let agents = home.agent_pids()?;

    let mut verdicts = Verdicts::new();
    let mut deployed = Vec::new();
    for attack in attacks {
        match deploy(&home, attack) {
            Ok(true) => deployed.push(attack),
            Ok(false) => {
                verdicts.insert(attack.name, Ok(()));
            }
            Err(error) => {
                verdicts.insert(attack.name, Err(format!("{error:#}")));
            }
        }
    }
    for attack in &deployed {
        home.until_workload(&format!("{}/0", attack.application()), "active")?;
    }
    let (ends, pages) = beside(port, || {
        std::thread::scope(|scope| {
            let asked = deployed.iter().map(|attack| {
                let asking = scope.spawn(move || asked(port, attack));
                (attack.name, asking)
            });
            let asked: Vec<_> = asked.collect();
            let ends = asked.into_iter().map(|(name, asking)| {
                let told = asking.join();
                (
                    name,
                    told.unwrap_or_else(|_| Err("who asked panicked".to_owned())),
                )
            });
            ends.collect::<BTreeMap<_, _>>()
        })
    })?;
    ensure!(pages > 0, "nobody asked the neighbour for a page");
    until_page(port, NEIGHBOUR, "quiet")?;
    ensure!(
        home.controller_pid()? == controller,
        "the controller is another"
    );
    ensure!(home.agent_pids()? == agents, "the agent is another");
    verdicts.extend(ends);
    Ok(verdicts)
}

/// What is done, while the neighbour is asked for its page again and again; how many it answered, each in time.
fn beside<T>(port: u16, attacks: impl FnOnce() -> T) -> Result<(T, u32)> {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reading = scope.spawn(|| -> Result<u32> {
            let mut pages = 0;
            while !over.load(Ordering::SeqCst) {
                let begun = Instant::now();
                let page = get(port, NEIGHBOUR, "/")?;
                let took = begun.elapsed();
                ensure!(
                    page == (200, "quiet".to_owned()),
                    "the neighbour answers {page:?}"
                );
                ensure!(took < PAGE, "a page of the neighbour took {took:?}");
                pages += 1;
                std::thread::sleep(Duration::from_millis(20));
            }
            Ok(pages)
        });
        let done = attacks();
        over.store(true, Ordering::SeqCst);
        let pages = reading.join();
        let pages = pages.map_err(|_| anyhow!("the neighbour's reader panicked"))??;
        Ok((done, pages))
    })
}

/// Whether it is deployed and exposed; it is not where its file says that it is refused.
fn deploy(home: &Home, attack: &Attack) -> Result<bool> {
    let component = catch_unwind(|| component(&attack.text));
    let component = component.map_err(|_| anyhow!("it is no component: see above"))?;
    let name = attack.application();
    let file = home.path().join(format!("{name}.charm"));
    pack(&file, &component)?;
    let answer = home.periapt(["deploy", &file.display().to_string(), &name])?;
    if attack.how == How::Refused {
        ensure!(answer.code != 0, "it is deployed");
        attack.is_told(&answer.err).map_err(|why| anyhow!(why))?;
        return Ok(false);
    }
    ensure!(answer.code == 0, "it is not deployed: {answer:?}");
    home.ok(["expose", &name])?;
    Ok(true)
}

/// The component of a file, in the frame.
pub fn component(text: &str) -> Vec<u8> {
    let text = format!("\n{text}");
    let others = text
        .match_indices("\n(")
        .find(|(at, _)| !text[at + 1..].starts_with("(import"));
    let (imports, items) = text.split_at(others.map_or(0, |(at, _)| at));
    super::handler::Guest {
        imports,
        items,
        handle: "(call $attack (local.get $request) (local.get $out))",
        world: "",
    }
    .component()
}

/// The charm `unruly` with another server.
fn pack(target: &std::path::Path, component: &[u8]) -> Result<()> {
    let mut source = zip::ZipArchive::new(fs::File::open(charm("unruly"))?)?;
    let mut archive = zip::ZipWriter::new(fs::File::create(target)?);
    let options = zip::write::SimpleFileOptions::default();
    for index in 0..source.len() {
        let mut entry = source.by_index(index)?;
        let name = entry.name()?.into_owned();
        let own = name == "server.wasm";
        archive.start_file(name, options)?;
        match own {
            true => archive.write_all(component)?,
            false => std::io::copy(&mut entry, &mut archive).map(drop)?,
        }
    }
    archive.finish()?;
    Ok(())
}

/// Asks for its page, once it is there to be asked.
fn asked(port: u16, attack: &Attack) -> Result<(), String> {
    let host = format!("{}.test.localhost", attack.application());
    let begun = Instant::now();
    loop {
        match ask(port, &host) {
            // Its exposure and its service come a moment after its hook.
            Ok(answer)
                if (answer.starts_with("HTTP/1.1 404") || answer.starts_with("HTTP/1.1 503"))
                    && begun.elapsed() < PATIENCE =>
            {
                std::thread::sleep(Duration::from_millis(100));
            }
            Ok(answer) => return attack.is_told(&answer),
            Err(error) => return Err(format!("{error:#}")),
        }
    }
}

/// One request: the whole answer, with `[cut]` at its end if it is not whole.
fn ask(port: u16, host: &str) -> Result<String> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(ANSWER))?;
    write!(
        stream,
        "GET /attack HTTP/1.1\r\nhost: {host}:{port}\r\nconnection: close\r\n\r\n"
    )?;
    let mut bytes = Vec::new();
    let read = stream.take(MOST).read_to_end(&mut bytes);
    let answer = String::from_utf8_lossy(&bytes).into_owned();
    // A connection that ends before the head was written is an answer that is not whole.
    if bytes.is_empty() {
        return Ok("[cut]".to_owned());
    }
    let (head, body) = answer.split_once("\r\n\r\n").context("no head")?;
    let head = head.to_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
    let whole = match length {
        Some(length) => body.len() == length,
        None if head.contains("transfer-encoding: chunked") => body.ends_with("0\r\n\r\n"),
        None => true,
    };
    // What an answer of megabytes says is of no use to who reads why a test failed.
    let shown: String = answer.chars().take(4_000).collect();
    match whole && read.is_ok() {
        true => Ok(shown),
        false => Ok(format!("{shown}[cut]")),
    }
}
