//! Who runs what waits to be written.
//!
//! With PostgreSQL a task does. A commit to SQLite blocks until the disk has it, so there it is a
//! thread; but waking a thread and being woken by it takes longer than a commit to a quick disk. So
//! whoever hands a job in runs it on the spot while the disk is quick, nobody else writes and other
//! threads can go on meanwhile. Such a turn is never given up halfway, even when its caller is: what
//! would not end at once is handed to the thread, and so is what arrived meanwhile.
//!
//! No job is forgotten between the two: who hands one in looks afterwards whether somebody writes,
//! and who wrote looks afterwards whether something waits.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::runtime::Handle;
use tokio::sync::{Mutex as AsyncMutex, Notify, OwnedSemaphorePermit, Semaphore, oneshot};

use super::{Job, Writer};
use crate::error::Error;
use crate::session::Session;
use crate::tx::Tx;

/// Jobs that may wait for the writer before callers wait to hand theirs over.
pub(crate) const ROOM: usize = 1024;

/// Microseconds that the last commit may have taken for the next one to block a thread that others
/// wait for.
const QUICK: u64 = 1_000;

enum Entry {
    Job(Box<dyn Job>, OwnedSemaphorePermit),
    /// Answered once everything before it is committed; nothing after it is.
    Stop(oneshot::Sender<()>),
}

/// Jobs in the order in which they came.
pub(super) struct Waiting {
    entries: Mutex<Entries>,
    room: Arc<Semaphore>,
}

#[derive(Default)]
struct Entries {
    list: VecDeque<Entry>,
    closed: bool,
}

impl Waiting {
    fn new() -> Self {
        Self {
            entries: Mutex::default(),
            room: Arc::new(Semaphore::new(ROOM)),
        }
    }

    fn push(&self, entry: Entry) -> Result<(), Error> {
        let mut entries = lock(&self.entries);
        if entries.closed {
            return Err(Error::Stopped);
        }
        entries.list.push_back(entry);
        Ok(())
    }

    /// The first jobs, `most` of them and none behind a stop.
    pub(super) fn take(&self, most: usize) -> VecDeque<Box<dyn Job>> {
        let mut jobs = VecDeque::new();
        let mut entries = lock(&self.entries);
        while jobs.len() < most {
            match entries.list.pop_front() {
                Some(Entry::Job(job, _room)) => jobs.push_back(job),
                Some(stop) => {
                    entries.list.push_front(stop);
                    break;
                }
                None => break,
            }
        }
        jobs
    }

    /// The stop that is first, after which nothing more is taken.
    fn take_stop(&self) -> Option<oneshot::Sender<()>> {
        let mut entries = lock(&self.entries);
        match entries.list.pop_front() {
            Some(Entry::Stop(stop)) => Some(stop),
            Some(job) => {
                entries.list.push_front(job);
                None
            }
            None => None,
        }
    }

    fn len(&self) -> usize {
        lock(&self.entries).list.len()
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes no more, and drops what waits, which tells the callers.
    fn close(&self) {
        let mut entries = lock(&self.entries);
        entries.closed = true;
        let dropped = std::mem::take(&mut entries.list);
        drop(entries);
        drop(dropped);
        self.room.close();
    }

    fn is_closed(&self) -> bool {
        lock(&self.entries).closed
    }
}

/// The way to the writer. What was handed in is still written when it is dropped.
pub(crate) struct Turns {
    shared: Arc<Shared>,
}

struct Shared {
    writer: Writer,
    /// Whoever has this writes.
    tx: Arc<AsyncMutex<Option<Tx>>>,
    waiting: Waiting,
    begun: Mutex<Begun>,
    woken: Notify,
    /// Nobody can hand anything in any more.
    left: AtomicBool,
    /// Callers may write themselves: a commit blocks the thread, of which there are others.
    on_the_spot: bool,
}

/// A turn that was begun on the spot.
#[derive(Default)]
enum Begun {
    #[default]
    None,
    /// For the thread to bring to its end.
    Turn(BoxFuture<'static, ()>),
    /// The thread has ended. A turn that nobody goes on with is dropped, which rolls back: it has
    /// the database's lock, and it has this `Shared`, so kept here it would have both for ever.
    Abandoned,
}

impl Turns {
    /// The thread or task ends with the runtime.
    pub(crate) fn start(writer: Writer, session: Session) -> Result<Self, Error> {
        let runtime = Handle::current();
        let blocks = !session.is_postgres();
        let tx = Some(writer.holder(session));
        let shared = Arc::new(Shared {
            writer,
            tx: Arc::new(AsyncMutex::new(tx)),
            waiting: Waiting::new(),
            begun: Mutex::default(),
            woken: Notify::new(),
            left: AtomicBool::new(false),
            on_the_spot: blocks && runtime.metrics().num_workers() > 1,
        });
        let serving = serve(Serving(Arc::clone(&shared)));
        if blocks {
            let (mut alive, ended) = oneshot::channel::<()>();
            runtime.spawn(async move { alive.closed().await });
            let abandoned = Arc::clone(&shared);
            // Before the turn under way is dropped, whose lock somebody else could take.
            let ended = async move {
                let _ = ended.await;
                abandoned.abandon();
            };
            std::thread::Builder::new()
                .name("store-writer".to_owned())
                .spawn(move || {
                    runtime.block_on(async {
                        tokio::select! {
                            () = serving => {}
                            () = ended => {}
                        }
                    });
                })
                .map_err(|error| Error::Internal {
                    message: format!("no thread for the writer: {error}"),
                })?;
        } else {
            runtime.spawn(serving);
        }
        Ok(Self { shared })
    }

    /// How many jobs wait.
    pub(crate) fn waiting(&self) -> usize {
        self.shared.waiting.len()
    }

    /// Hands a job in, which answers by itself; it may have run when this returns.
    pub(crate) async fn hand_over(&self, job: Box<dyn Job>) -> Result<(), Error> {
        let room = Arc::clone(&self.shared.waiting.room).acquire_owned().await;
        let room = room.map_err(|_| Error::Stopped)?;
        self.shared.waiting.push(Entry::Job(job, room))?;
        self.shared.see_to_it();
        Ok(())
    }

    /// Ends the writer once everything handed in is committed.
    pub(crate) async fn stop(&self) {
        let (stop, stopped) = oneshot::channel();
        if self.shared.waiting.push(Entry::Stop(stop)).is_ok() {
            self.shared.woken.notify_one();
            // One that ended meanwhile is done as well.
            let _ = stopped.await;
        }
    }
}

impl Drop for Turns {
    fn drop(&mut self) {
        self.shared.left.store(true, Ordering::Release);
        self.shared.woken.notify_one();
    }
}

impl Shared {
    /// Has what waits written, now or by somebody who writes already.
    fn see_to_it(self: &Arc<Self>) {
        let quick = || self.writer.counters.last_commit.load(Ordering::Relaxed) < QUICK;
        if !self.on_the_spot || !quick() {
            self.woken.notify_one();
            return;
        }
        let Ok(mut tx) = Arc::clone(&self.tx).try_lock_owned() else {
            return;
        };
        let shared = Arc::clone(self);
        let mut turn = async move { shared.turn(&mut tx).await }.boxed();
        if (&mut turn).now_or_never().is_none() {
            let mut begun = lock(&self.begun);
            if matches!(*begun, Begun::Abandoned) {
                drop(begun);
                drop(turn);
                return;
            }
            *begun = Begun::Turn(turn);
            self.woken.notify_one();
            return;
        }
        if !self.waiting.is_empty() {
            self.woken.notify_one();
        }
    }

    /// Takes nothing more and drops a turn that nobody goes on with.
    fn abandon(&self) {
        self.waiting.close();
        let begun = std::mem::replace(&mut *lock(&self.begun), Begun::Abandoned);
        drop(begun);
    }

    async fn turn(&self, tx: &mut Option<Tx>) {
        self.writer.turn(tx, &self.waiting).await;
        if let Some(stop) = self.waiting.take_stop() {
            self.waiting.close();
            self.writer.end(tx).await;
            // Nobody may wait for it any more.
            let _ = stop.send(());
        }
    }
}

/// Tells callers when nobody serves them any more.
struct Serving(Arc<Shared>);

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

/// Writes what waits until told to stop, or until nobody can hand anything in any more.
async fn serve(serving: Serving) {
    let shared = &serving.0;
    loop {
        // Asked first: whoever left may have left a turn.
        let left = shared.left.load(Ordering::Acquire);
        let begun = std::mem::take(&mut *lock(&shared.begun));
        if let Begun::Turn(turn) = begun {
            turn.await;
        }
        if shared.waiting.is_closed() {
            return;
        }
        if shared.waiting.is_empty() {
            if left {
                return;
            }
            shared.woken.notified().await;
            continue;
        }
        match shared.tx.try_lock() {
            Ok(mut tx) => shared.turn(&mut tx).await,
            // Whoever has it looks afterwards whether something waits.
            Err(_) => shared.woken.notified().await,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
