//! The socket at which the provider says how models are to be reachable: a line for each request, and one
//! for each answer. An answer of the number 0 is to no request: what holds is not what was answered any more, and
//! who asks again is told.

use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use periapt_model::reach::published::{Answer, Request};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::OwnedWriteHalf;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, oneshot, watch};

use super::Event;
use crate::Failure;
use crate::failure::file;

/// A longer line is no request.
const LINE_BYTES: usize = 256 << 20;
/// After a connection that could not be accepted; there may be no descriptor for it now.
const PAUSE: Duration = Duration::from_millis(200);

/// Says to whoever is connected that something else holds than was answered.
pub type Changed = watch::Sender<()>;

/// Takes the place of an earlier supervisor's socket. Whoever may write to the file may ask, which is the user
/// of this process.
pub fn listen(path: &Path, events: mpsc::Sender<Event>, changed: Changed) -> Result<(), Failure> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(file("remove", path)(error));
        }
        _ => {}
    }
    let listener = UnixListener::bind(path).map_err(file("listen on", path))?;
    tokio::spawn(async move {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    tokio::spawn(serve(stream, events.clone(), changed.subscribe()));
                }
                Err(error) => {
                    tracing::warn!(%error, "the provider is not heard for a moment");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    });
    Ok(())
}

async fn serve(stream: UnixStream, events: mpsc::Sender<Event>, mut changed: watch::Receiver<()>) {
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    loop {
        tokio::select! {
            whole = read(&mut reader, &mut line) => if !whole { return },
            Ok(()) = changed.changed() => {
                if !say(&mut writer, &Answer::default()).await {
                    return;
                }
                continue;
            }
        }
        let request: Request = match serde_json::from_slice(&line) {
            Ok(request) => request,
            Err(error) => {
                tracing::warn!(%error, "a request of the provider is not understood");
                return;
            }
        };
        line.clear();
        let (reply, answer) = oneshot::channel();
        if events.send(Event::Asked(request, reply)).await.is_err() {
            return;
        }
        let Ok(answer) = answer.await else { return };
        if !say(&mut writer, &answer).await {
            return;
        }
    }
}

/// Reads the rest of a line; whether there is one. What was read stays if this is given up.
async fn read(reader: &mut (impl AsyncBufRead + Unpin), line: &mut Vec<u8>) -> bool {
    let left = LINE_BYTES.saturating_sub(line.len()) as u64;
    let read = reader.take(left).read_until(b'\n', line).await;
    read.is_ok_and(|bytes| bytes > 0)
}

/// Whether somebody hears it.
async fn say(writer: &mut OwnedWriteHalf, answer: &Answer) -> bool {
    let mut line = serde_json::to_vec(answer).unwrap_or_default();
    line.push(b'\n');
    writer.write_all(&line).await.is_ok()
}
