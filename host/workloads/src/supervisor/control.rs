//! The socket at which the provider says how models are to be reachable: a line for each request, and one
//! for each answer.

use std::io::ErrorKind;
use std::path::Path;

use periapt_model::reach::published::Request;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, oneshot};

use super::Event;
use crate::Failure;
use crate::failure::file;

/// A longer line is no request.
const LINE_BYTES: u64 = 256 << 20;

/// Takes the place of an earlier supervisor's socket. Whoever may write to the file may ask, which is the user
/// of this process.
pub fn listen(path: &Path, events: mpsc::Sender<Event>) -> Result<(), Failure> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(file("remove", path)(error));
        }
        _ => {}
    }
    let listener = UnixListener::bind(path).map_err(file("listen on", path))?;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream, events.clone()));
        }
    });
    Ok(())
}

async fn serve(stream: UnixStream, events: mpsc::Sender<Event>) {
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    loop {
        let mut line = Vec::new();
        let mut bounded = (&mut reader).take(LINE_BYTES);
        match bounded.read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let request: Request = match serde_json::from_slice(&line) {
            Ok(request) => request,
            Err(error) => {
                tracing::warn!(%error, "a request of the provider is not understood");
                return;
            }
        };
        let (reply, answer) = oneshot::channel();
        if events.send(Event::Asked(request, reply)).await.is_err() {
            return;
        }
        let Ok(answer) = answer.await else { return };
        let mut line = serde_json::to_vec(&answer).unwrap_or_default();
        line.push(b'\n');
        if writer.write_all(&line).await.is_err() {
            return;
        }
    }
}
