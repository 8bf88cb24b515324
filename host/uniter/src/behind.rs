//! Work that no hook waits for, on one thread of the process, in its order.
//!
//! What is left to do is bounded: when much of it waits, it is done by who asks for more. What a
//! crash leaves undone is for the next start.

use std::sync::LazyLock;
use std::sync::mpsc::{SyncSender, TrySendError, channel, sync_channel};
use std::thread;

type Work = Box<dyn FnOnce() + Send>;

/// How much may wait.
const WAITING: usize = 64;

static QUEUE: LazyLock<Option<SyncSender<Work>>> = LazyLock::new(start);

/// Does `work` later; at once when there is too much to do already, or no thread to do it.
pub(crate) fn later(work: impl FnOnce() + Send + 'static) {
    let work: Work = Box::new(work);
    match QUEUE.as_ref() {
        None => work(),
        Some(queue) => match queue.try_send(work) {
            Ok(()) => {}
            Err(TrySendError::Full(work) | TrySendError::Disconnected(work)) => work(),
        },
    }
}

/// Waits until what was asked for so far is done. Blocks.
pub(crate) fn caught_up() {
    let Some(queue) = QUEUE.as_ref() else { return };
    let (done, wait) = channel();
    let last = Box::new(move || {
        // Who asked waits for it.
        let _ = done.send(());
    });
    if queue.send(last).is_ok() {
        // It is done or, should the thread have ended, never will be.
        let _ = wait.recv();
    }
}

fn start() -> Option<SyncSender<Work>> {
    let (queue, waiting) = sync_channel::<Work>(WAITING);
    let thread = thread::Builder::new().name("behind".to_owned());
    let started = thread.spawn(move || {
        for work in waiting {
            work();
        }
    });
    match started {
        Ok(_) => Some(queue),
        Err(error) => {
            tracing::warn!(%error, "no thread for work that no hook waits for");
            None
        }
    }
}
