//! Attacks of requests: each is a request to the API, by somebody who may use it or by nobody. Its answer is a plain
//! refusal, while others are answered.
//!
//! `TOKEN` stands for one of the person who bootstrapped. A request that says nothing of the length of its body is
//! given the right one. All are on their way at the same time, as some of them wait for a deadline.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::Verdicts;
use super::attack::Attack;
use super::neighbour::Neighbour;
use super::units::{ended, judged};
use crate::connections::Port;

/// More than any of the API's own deadlines.
const ANSWER: Duration = Duration::from_secs(90);

pub fn run(attacks: &[Attack]) -> Result<Verdicts> {
    let port = Arc::new(Port::open("-n 1024")?);
    let runtime = Runtime::new()?;
    let token = runtime.block_on(port.token())?;
    let neighbour = Neighbour::of(&port.home, "site")?;
    let (ends, steps) = neighbour.beside(|| Ok(runtime.block_on(all(&port, &token, attacks))))?;
    neighbour.is_unharmed()?;
    Ok(judged(ends, &neighbour, &steps))
}

async fn all(
    port: &Arc<Port>,
    token: &str,
    attacks: &[Attack],
) -> BTreeMap<&'static str, super::units::End> {
    let mut asking = JoinSet::new();
    for attack in attacks {
        let (port, attack, token) = (Arc::clone(port), attack.clone(), token.to_owned());
        asking.spawn(async move {
            let from = Instant::now();
            let told = match ask(&port, &request(&attack.text, &token)).await {
                Ok(answer) => attack.is_told(&answer),
                Err(error) => Err(format!("{error:#}")),
            };
            (attack.name, ended(from, told))
        });
    }
    asking.join_all().await.into_iter().collect()
}

/// As it goes over the connection.
fn request(text: &str, token: &str) -> String {
    let text = text.trim_start_matches('\n');
    let (head, body) = text.split_once("\n\n").unwrap_or((text, ""));
    let body = body.strip_suffix('\n').unwrap_or(body);
    let head = head.trim_end().replace("TOKEN", token);
    let lower = head.to_lowercase();
    let mut whole = head.replace('\n', "\r\n");
    whole.push_str("\r\nHost: x\r\nConnection: close");
    let told = lower.contains("content-length:") || lower.contains("transfer-encoding:");
    if !told && !body.is_empty() {
        whole.push_str(&format!("\r\nContent-Length: {}", body.len()));
    }
    whole.push_str("\r\n\r\n");
    // Chunks have lines of their own.
    match lower.contains("transfer-encoding:") {
        true => whole.push_str(&body.replace('\n', "\r\n")),
        false => whole.push_str(body),
    }
    whole
}

async fn ask(port: &Port, request: &str) -> Result<String> {
    let mut stream = port.connect().await?;
    let mut answer = Vec::new();
    let asking = async {
        // Who refuses a request need not take all of it.
        let _ = stream.write_all(request.as_bytes()).await;
        let _ = stream.flush().await;
        // An end without TLS's own is an end.
        let _ = stream.read_to_end(&mut answer).await;
    };
    let asked = timeout(ANSWER, asking).await;
    ensure!(
        asked.is_ok(),
        "neither an answer nor an end within {ANSWER:?}"
    );
    let answer = String::from_utf8(answer).context("an answer that is no text")?;
    match answer.is_empty() {
        true => Ok("[no answer]".to_owned()),
        false => Ok(answer),
    }
}
