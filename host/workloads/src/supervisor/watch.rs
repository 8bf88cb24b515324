//! Hears of files that are put into directories, or taken away.
//!
//! A thread of its own reads what the kernel tells; it ends with the process.

use std::ffi::OsString;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::sync::Arc;

use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};
use tokio::sync::mpsc;

use super::Event;

const BUFFER_BYTES: usize = 16 << 10;

pub struct Watch {
    inotify: Arc<OwnedFd>,
}

impl Watch {
    pub fn begin(events: mpsc::Sender<Event>) -> io::Result<Self> {
        let inotify = Arc::new(inotify::init(CreateFlags::CLOEXEC)?);
        let read = inotify.clone();
        std::thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || follow(&read, &events))?;
        Ok(Self { inotify })
    }

    /// Watches a directory that is open; the number is in its events.
    pub fn add(&self, directory: BorrowedFd<'_>) -> io::Result<i32> {
        let flags = WatchFlags::MOVED_TO
            | WatchFlags::MOVED_FROM
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::DELETE;
        // By what is open, whatever its path leads to by now.
        let path = format!("/proc/self/fd/{}", directory.as_raw_fd());
        Ok(inotify::add_watch(&*self.inotify, path, flags)?)
    }

    pub fn remove(&self, watch: i32) {
        // One whose directory is gone is gone with it.
        let _ = inotify::remove_watch(&*self.inotify, watch);
    }
}

fn follow(inotify: &OwnedFd, events: &mpsc::Sender<Event>) {
    let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
    let mut reader = Reader::new(inotify, &mut buffer);
    loop {
        let event = match reader.next() {
            Ok(event) => {
                let name = event.file_name();
                let name = name.map(|name| OsString::from_vec(name.to_bytes().to_vec()));
                Event::File(event.wd(), name)
            }
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => {
                tracing::error!(%error, "files of agents are not watched any more");
                return;
            }
        };
        if events.blocking_send(event).is_err() {
            return;
        }
    }
}
