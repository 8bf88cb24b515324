//! Streams that read files of `/state`, and go on in the copy once there is one.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use wasmtime_wasi::p2::{InputStream, Pollable, StreamError, StreamResult};

/// Bytes that one call reads at most.
const MOST: usize = 64 << 10;

/// The file that a stream reads from, which may become another one.
type Shared = Mutex<Arc<File>>;

/// A stream. It reads on the calling thread, which is one for blocking work.
pub(super) struct Reading {
    file: Arc<Shared>,
    position: u64,
}

/// The other end of a stream, while there is one.
pub(super) struct Source(Weak<Shared>);

impl Reading {
    pub(super) fn new(file: Arc<File>, position: u64) -> (Self, Source) {
        let file = Arc::new(Mutex::new(file));
        let source = Source(Arc::downgrade(&file));
        (Self { file, position }, source)
    }
}

impl Source {
    /// What the stream reads from; none when it is gone.
    pub(super) fn file(&self) -> Option<Arc<File>> {
        Some(lock(&*self.0.upgrade()?).clone())
    }

    pub(super) fn go_on_in(&self, other: Arc<File>) {
        if let Some(file) = self.0.upgrade() {
            *lock(&file) = other;
        }
    }
}

#[async_trait]
impl Pollable for Reading {
    /// A file is always ready.
    async fn ready(&mut self) {}
}

#[async_trait]
impl InputStream for Reading {
    fn read(&mut self, size: usize) -> StreamResult<Bytes> {
        if size == 0 {
            return Ok(Bytes::new());
        }
        let mut bytes = BytesMut::zeroed(size.min(MOST));
        let file = lock(&self.file);
        loop {
            match file.read_at(&mut bytes, self.position) {
                Ok(0) => return Err(StreamError::Closed),
                Ok(read) => {
                    bytes.truncate(read);
                    self.position += read as u64;
                    return Ok(bytes.freeze());
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(StreamError::LastOperationFailed(error.into())),
            }
        }
    }
}

fn lock(file: &Shared) -> MutexGuard<'_, Arc<File>> {
    file.lock().unwrap_or_else(PoisonError::into_inner)
}
