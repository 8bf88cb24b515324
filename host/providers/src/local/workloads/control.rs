//! The connection to the process: requests and answers, a line of JSON each.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::time::Duration;

use periapt_engine::Clock;
use periapt_model::reach::published::{Answer, Request};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedWriteHalf;
use tokio::sync::mpsc;

use crate::ProviderError;
use crate::error::file;

/// Name of the socket within the process's directory.
const SOCKET: &str = "control.sock";
/// How long a process has to listen there once it was started.
const LISTENS: Duration = Duration::from_secs(10);

/// An open connection. Its end shows as the end of its answers.
pub(super) struct Control {
    writer: OwnedWriteHalf,
    answers: mpsc::UnboundedReceiver<Answer>,
}

impl Control {
    /// Connects as soon as somebody listens.
    pub async fn open(directory: &Path, clock: &dyn Clock) -> Result<Self, ProviderError> {
        let path = directory.join(SOCKET);
        // The path of a socket is short, and that of a directory may not be.
        let here = File::open(directory).map_err(file("open", directory))?;
        let short = format!("/proc/self/fd/{}/{SOCKET}", here.as_raw_fd());
        let until = clock.monotonic() + LISTENS;
        let mut pause = Duration::from_millis(5);
        let stream = loop {
            match UnixStream::connect(&short).await {
                Ok(stream) => break stream,
                Err(error) if clock.monotonic() >= until => {
                    return Err(file("connect to", path)(error));
                }
                Err(_) => clock.sleep(pause).await,
            }
            pause = (pause * 2).min(Duration::from_millis(200));
        };
        let (reader, writer) = stream.into_split();
        // Without a bound: who tells it many documents reads in between not at all, and the process waits for
        // its answers to be read. There are as many as there are requests.
        let (sender, answers) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            let mut lines = BufReader::new(reader).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                match serde_json::from_str(&line) {
                    Ok(answer) => {
                        if sender.send(answer).is_err() {
                            return;
                        }
                    }
                    Err(error) => {
                        tracing::warn!(%error, "the process of the workloads answers with what is no answer");
                        return;
                    }
                }
            }
        });
        Ok(Self { writer, answers })
    }

    pub async fn send(&mut self, request: &Request) -> io::Result<()> {
        let mut line = serde_json::to_vec(request)?;
        line.push(b'\n');
        self.writer.write_all(&line).await
    }

    /// The next answer; none once the connection has ended.
    pub async fn answer(&mut self) -> Option<Answer> {
        self.answers.recv().await
    }
}
