//! Requests to what charms serve, made of plain bytes: what came is what was sent.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::PATIENCE;

/// A port that nobody has, for somebody who takes it soon.
pub fn free_port() -> Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
        .local_addr()?
        .port())
}

/// One request over a connection of its own: the status and the body, which is whole.
pub fn get(port: u16, host: &str, path: &str) -> Result<(u16, String)> {
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

/// Waits until this is the page.
pub fn until_page(port: u16, host: &str, page: &str) -> Result<()> {
    until(port, host, |body| body == page).map(drop)
}

/// Waits for a page with these words.
pub fn until_found(port: u16, host: &str, words: &str) -> Result<String> {
    until(port, host, |body| body.contains(words))
}

fn until(port: u16, host: &str, holds: impl Fn(&str) -> bool) -> Result<String> {
    let begun = Instant::now();
    loop {
        let last = get(port, host, "/");
        match last {
            Ok((200, body)) if holds(&body) => return Ok(body),
            last => ensure!(begun.elapsed() < PATIENCE, "not the page: {last:?}"),
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
