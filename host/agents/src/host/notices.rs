//! What the kernel tells of directories: that something happened, and not what. Whoever waits for it looks
//! at all there is.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

const BUFFER_BYTES: usize = 16 << 10;

/// Notices of directories; they end with it.
pub(super) struct Notices {
    inotify: AsyncFd<OwnedFd>,
}

impl Notices {
    /// Of no directory yet.
    pub fn begin() -> io::Result<Self> {
        let inotify = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        #[expect(
            deprecated,
            reason = "its successor needs unsafe code; an owned descriptor stays what it is"
        )]
        let inotify = AsyncFd::with_interest(inotify, Interest::READABLE)?;
        Ok(Self { inotify })
    }

    /// Of files that are put into a directory, which is made if need be. Begun before the first look into it, so that
    /// nothing falls between the two.
    pub fn of_files_put_into(directory: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(directory)?;
        let notices = Self::begin()?;
        notices.of(directory, WatchFlags::MOVED_TO)?;
        Ok(notices)
    }

    /// Of this directory as well. Asking for one twice changes nothing.
    pub fn of(&self, directory: &Path, flags: WatchFlags) -> io::Result<()> {
        inotify::add_watch(self.inotify.get_ref(), directory, flags)?;
        Ok(())
    }

    /// Ends when something happened since the last call.
    pub async fn happened(&self) {
        let Ok(mut ready) = self.inotify.readable().await else {
            return std::future::pending().await;
        };
        let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
        let mut reader = Reader::new(self.inotify.get_ref(), &mut buffer);
        while reader.next().is_ok() {}
        ready.clear_ready();
    }
}
