//! Requests to what charms serve, made of plain bytes: what came is what was sent.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

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

/// Serves the files of a directory until the process ends, each request over a connection of its own; where.
pub fn serve_files(directory: &Path) -> Result<String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = format!("http://{}", listener.local_addr()?);
    let directory = directory.to_owned();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // Whoever asked and went away is no concern of the others.
            let _ = answer_file(stream, &directory);
        }
    });
    Ok(address)
}

fn answer_file(stream: TcpStream, directory: &Path) -> Result<()> {
    let mut stream = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 || line.trim_end().is_empty() {
            break;
        }
        lines.push(line);
    }
    let asked = lines.first().and_then(|line| line.split(' ').nth(1));
    let name = asked.unwrap_or_default().trim_start_matches('/');
    let (status, body) = match std::fs::read(directory.join(name)) {
        Ok(body) => ("200 OK", body),
        Err(_) => ("404 Not Found", Vec::new()),
    };
    let mut stream = stream.into_inner();
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    )?;
    stream.write_all(&body)?;
    Ok(())
}

/// A connection that is kept from one request to the next.
pub struct Kept {
    port: u16,
    stream: BufReader<TcpStream>,
}

impl Kept {
    pub fn open(port: u16) -> Result<Self> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        Ok(Self {
            port,
            stream: BufReader::new(stream),
        })
    }

    /// The status and the body, which is whole; a connection that is not kept is an error.
    pub fn get(&mut self, host: &str, path: &str) -> Result<(u16, String)> {
        let port = self.port;
        let request = format!("GET {path} HTTP/1.1\r\nhost: {host}:{port}\r\n\r\n");
        self.stream.get_mut().write_all(request.as_bytes())?;
        let first = self.line()?;
        let status = first.split(' ').nth(1).context("no status")?.parse()?;
        let (mut length, mut chunked) = (None, false);
        loop {
            let line = self.line()?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(": ").context("no header field")?;
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = Some(value.parse()?),
                "transfer-encoding" => chunked = true,
                "connection" => ensure!(value != "close", "the connection is closed"),
                _ => {}
            }
        }
        let body = match (length, chunked) {
            (Some(length), false) => self.bytes(length)?,
            (None, true) => self.chunks()?,
            _ => bail!("how long the body is, is not said"),
        };
        Ok((status, String::from_utf8(body)?))
    }

    /// Waits until the other side ends it, while nothing is asked.
    pub fn ended(mut self) -> Result<()> {
        match self.stream.read(&mut [0]) {
            Ok(0) => Ok(()),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => Ok(()),
            other => bail!("it goes on: {other:?}"),
        }
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        let line = line.strip_suffix("\r\n").context("cut off")?;
        Ok(line.to_owned())
    }

    fn bytes(&mut self, length: usize) -> Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn chunks(&mut self) -> Result<Vec<u8>> {
        let mut whole = Vec::new();
        loop {
            let length = usize::from_str_radix(self.line()?.trim(), 16)?;
            whole.extend(self.bytes(length)?);
            ensure!(self.line()?.is_empty(), "a chunk has no end");
            if length == 0 {
                return Ok(whole);
            }
        }
    }
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
