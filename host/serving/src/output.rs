//! What an instance writes to its streams, as lines, within a bound.
//!
//! What is beyond the bound is dropped and said once: a request is not ended for its talk, and the log is
//! not filled by it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use periapt_model::bounds::LOG_LINE_BYTES;
use periapt_model::text;
use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};

use crate::Listener;

/// A longer line is broken here.
const LINE_BYTES: usize = LOG_LINE_BYTES.length();
/// What one write may carry; the guest asks again for more.
const WRITE_BYTES: usize = 64 << 10;

/// Where the guest wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Output,
    Error,
}

/// The streams of one request.
#[derive(Clone)]
pub(crate) struct Output {
    lines: Arc<Mutex<Lines>>,
    stream: Stream,
}

struct Lines {
    listener: Arc<dyn Listener>,
    left: u64,
    dropped: bool,
    output: Vec<u8>,
    error: Vec<u8>,
}

impl Output {
    /// Standard output and standard error, which share the bound.
    pub(crate) fn pair(listener: Arc<dyn Listener>, most: u64) -> (Self, Self) {
        let lines = Arc::new(Mutex::new(Lines {
            listener,
            left: most,
            dropped: false,
            output: Vec::new(),
            error: Vec::new(),
        }));
        let output = Self {
            lines: lines.clone(),
            stream: Stream::Output,
        };
        let error = Self {
            lines,
            stream: Stream::Error,
        };
        (output, error)
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lines {
    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        let room = usize::try_from(self.left).unwrap_or(usize::MAX);
        let kept = &bytes[..bytes.len().min(room)];
        self.left -= kept.len() as u64;
        for piece in kept.split_inclusive(|byte| *byte == b'\n') {
            let buffer = self.buffer(stream);
            buffer.extend_from_slice(piece);
            if piece.ends_with(b"\n") || buffer.len() >= LINE_BYTES {
                self.emit(stream);
            }
        }
        if kept.len() < bytes.len() && !self.dropped {
            self.dropped = true;
            self.emit(stream);
            self.listener.line(
                stream,
                "(what the request wrote beyond its bound is dropped)",
            );
        }
    }

    fn emit(&mut self, stream: Stream) {
        let line = std::mem::take(self.buffer(stream));
        if line.is_empty() {
            return;
        }
        let line = String::from_utf8_lossy(&line);
        let line = text::clean_line_at_most(line.trim_end_matches(['\n', '\r']), LINE_BYTES);
        self.listener.line(stream, &line);
    }

    fn buffer(&mut self, stream: Stream) -> &mut Vec<u8> {
        match stream {
            Stream::Output => &mut self.output,
            Stream::Error => &mut self.error,
        }
    }
}

/// What was written without a line end is a line when the instance is gone.
impl Drop for Lines {
    fn drop(&mut self) {
        self.emit(Stream::Output);
        self.emit(Stream::Error);
    }
}

impl IsTerminal for Output {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Output {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        // Only worlds that are not offered here use this form.
        Box::new(tokio::io::sink())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

#[async_trait::async_trait]
impl Pollable for Output {
    async fn ready(&mut self) {}
}

impl OutputStream for Output {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.lines().write(self.stream, &bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(WRITE_BYTES)
    }
}
