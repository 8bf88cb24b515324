//! The journal of one hook: its log lines, within a budget, on their way to the context.
//!
//! stdout and stderr become log lines as they are written; a line is held until it is complete
//! or long, so that two streams never mix within a line.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamError, StreamResult};

use periapt_model::bounds::LOG_LINE_BYTES;
use periapt_model::text;

use crate::tools::{HookContext, LogLevel, Output};

/// A longer line is broken here.
const LINE_BYTES: usize = LOG_LINE_BYTES.length();
/// What one write may carry; the guest asks again for more.
const WRITE_BYTES: usize = 64 << 10;

/// The budget is used up.
#[derive(Debug)]
pub(crate) struct OutputExceeded;

/// The context of a hook with the budget of its output.
pub(crate) struct Journal {
    pub(crate) context: Box<dyn HookContext>,
    limit: u64,
    used: u64,
    exceeded: bool,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    last_error_line: Option<String>,
}

/// Shared by the host calls and the streams the guest holds; used by one thread at a time.
pub(crate) type SharedJournal = Arc<Mutex<Journal>>;

pub(crate) fn lock(journal: &SharedJournal) -> MutexGuard<'_, Journal> {
    journal.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Journal {
    pub(crate) fn shared(context: Box<dyn HookContext>, limit: u64) -> SharedJournal {
        Arc::new(Mutex::new(Self {
            context,
            limit,
            used: 0,
            exceeded: false,
            stdout: Vec::new(),
            stderr: Vec::new(),
            last_error_line: None,
        }))
    }

    pub(crate) fn used(&self) -> u64 {
        self.used
    }

    pub(crate) fn exceeded(&self) -> bool {
        self.exceeded
    }

    /// The last line of stderr that said something, kept or still incomplete.
    pub(crate) fn last_error_line(&self) -> Option<String> {
        self.last_error_line.clone()
    }

    /// Logs a message of the charm, one record for each of its lines.
    pub(crate) fn log(&mut self, level: LogLevel, message: &str) -> Result<(), OutputExceeded> {
        self.charge(message.len() + 1)?;
        let mut rest = message.strip_suffix('\n').unwrap_or(message);
        loop {
            let end = rest.find('\n').unwrap_or(rest.len());
            self.context
                .log(level, &text::clean_line_at_most(&rest[..end], LINE_BYTES));
            match rest.get(end + 1..) {
                Some(more) => rest = more,
                None => return Ok(()),
            }
        }
    }

    pub(crate) fn write(&mut self, stream: Output, bytes: &[u8]) -> Result<(), OutputExceeded> {
        self.charge(bytes.len())?;
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let buffer = self.buffer(stream);
            buffer.extend_from_slice(piece);
            if piece.ends_with(b"\n") || buffer.len() >= LINE_BYTES {
                self.emit(stream);
            }
        }
        Ok(())
    }

    /// Logs what was written without a line end.
    pub(crate) fn finish(&mut self) {
        self.emit(Output::Stdout);
        self.emit(Output::Stderr);
    }

    fn emit(&mut self, stream: Output) {
        let line = std::mem::take(self.buffer(stream));
        if line.is_empty() {
            return;
        }
        let line = String::from_utf8_lossy(&line);
        let line = text::clean_line_at_most(line.trim_end_matches(['\n', '\r']), LINE_BYTES);
        self.context.output(stream, &line);
        if stream == Output::Stderr && says_something(&line) {
            self.last_error_line = Some(text::clean_line_at_most(line.trim(), 300));
        }
    }

    fn buffer(&mut self, stream: Output) -> &mut Vec<u8> {
        match stream {
            Output::Stdout => &mut self.stdout,
            Output::Stderr => &mut self.stderr,
        }
    }

    fn charge(&mut self, bytes: usize) -> Result<(), OutputExceeded> {
        let used = self.used.saturating_add(bytes as u64);
        if used > self.limit {
            self.exceeded = true;
            return Err(OutputExceeded);
        }
        self.used = used;
        Ok(())
    }
}

/// Rust follows a panic message with advice about backtraces, which is not its last word.
fn says_something(line: &str) -> bool {
    !line.trim().is_empty() && !line.starts_with("note: run with `RUST_BACKTRACE")
}

/// One of the guest's output streams.
#[derive(Clone)]
pub(crate) struct GuestStream {
    pub(crate) journal: SharedJournal,
    pub(crate) stream: Output,
}

impl IsTerminal for GuestStream {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for GuestStream {
    fn async_stream(&self) -> Box<dyn tokio::io::AsyncWrite + Send + Sync> {
        // Only worlds that are not offered here use this form.
        Box::new(tokio::io::sink())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

#[async_trait::async_trait]
impl Pollable for GuestStream {
    async fn ready(&mut self) {}
}

impl OutputStream for GuestStream {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        lock(&self.journal)
            .write(self.stream, &bytes)
            .map_err(|OutputExceeded| StreamError::trap("output limit"))
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(WRITE_BYTES)
    }
}
