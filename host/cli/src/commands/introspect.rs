//! `introspect`: a look into a controller's process, or into the agent of a model.
//!
//! On the controller's own machine the controller is asked over its socket, which answers even
//! while the API does not and asks for no login; from elsewhere, and for agents, over the API.

use std::path::{Path, PathBuf};
use std::time::Duration;

use periapt_controller::INTROSPECTION_SOCKET;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use super::Context;
use crate::arguments::{DetailFormat, Introspect, ModelChoice};
use crate::failure::{Failure, Outcome};
use crate::session::{ModelSession, Session};

/// Agents have two seconds to answer, all at once.
const PATIENCE: Duration = Duration::from_secs(30);

pub async fn introspect(context: &Context, arguments: Introspect) -> Outcome {
    let report = arguments.report.as_str();
    let text = match &arguments.agent {
        Some(_) => {
            let choice = ModelChoice {
                model: arguments.agent.clone(),
            };
            let here = ModelSession::open(&context.files, &choice).await?;
            here.client()
                .model_introspection(&here.model, report)
                .await?
        }
        None => of_controller(context, &arguments).await?,
    };
    let output = context.output.to(&arguments.target)?;
    // Metrics are text of their own kind.
    let Ok(json) = serde_json::from_str::<Value>(&text) else {
        return output.value(&text);
    };
    match arguments.format {
        DetailFormat::Json => output.json(&json),
        DetailFormat::Yaml => output.yaml(&json),
    }
}

async fn of_controller(context: &Context, arguments: &Introspect) -> Outcome<String> {
    if let Some(socket) = socket(context, arguments)? {
        match tokio::time::timeout(PATIENCE, ask(&socket, &arguments.report)).await {
            Ok(Ok(Answer { status: 200, body })) => return Ok(body),
            Ok(Ok(refused)) => {
                return Err(Failure::failed(format!(
                    "the controller has no report \"{}\"",
                    arguments.report
                ))
                .why(refused.body.trim().to_owned())
                .advice("periapt introspect depengine"));
            }
            // Nobody listens there: the controller is down, or is another one now.
            Ok(Err(_)) | Err(_) => {}
        }
    }
    let session = Session::open(&context.files, &arguments.controller).await?;
    Ok(session
        .client
        .controller_introspection(&arguments.report)
        .await?)
}

/// The socket of the chosen controller, if it is one of this machine.
fn socket(context: &Context, arguments: &Introspect) -> Outcome<Option<PathBuf>> {
    let contents = context.files.read()?;
    let name = arguments
        .controller
        .controller
        .clone()
        .or(contents.controllers.current_controller);
    let socket = name
        .and_then(|name| {
            contents
                .controllers
                .controllers
                .get(&name)?
                .data_dir
                .clone()
        })
        .map(|directory| directory.join(INTROSPECTION_SOCKET));
    Ok(socket.filter(|socket| socket.exists()))
}

struct Answer {
    status: u16,
    body: String,
}

/// One request in the oldest form of HTTP, which ends with the connection.
async fn ask(socket: &Path, report: &str) -> std::io::Result<Answer> {
    let path: String = report
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '-')
        .collect();
    let mut stream = UnixStream::connect(socket).await?;
    stream
        .write_all(format!("GET /{path} HTTP/1.0\r\n\r\n").as_bytes())
        .await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    let answer = String::from_utf8_lossy(&answer);
    parse(&answer).ok_or_else(|| std::io::Error::from(std::io::ErrorKind::InvalidData))
}

fn parse(answer: &str) -> Option<Answer> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split_whitespace().nth(1)?.parse().ok()?;
    Some(Answer {
        status,
        body: body.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn an_answer_has_a_status_and_a_body() {
        let answer =
            parse("HTTP/1.0 200 OK\r\ncontent-type: text/plain\r\n\r\na\r\n\r\nb").unwrap();
        assert_eq!((answer.status, answer.body.as_str()), (200, "a\r\n\r\nb"));
        assert!(parse("no HTTP").is_none());
    }
}
