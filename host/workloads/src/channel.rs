//! What the supervisor and a child say to one another: values as JSON, each with descriptors if it needs
//! some, over a pair of sockets.
//!
//! A frame is its length and the number of its descriptors, four bytes each, and the text. Descriptors travel
//! with the first bytes of their frame, so they are there once the frame is. Where the table of descriptors is
//! full, the kernel drops them: the frame comes without, and whoever reads it sees that.

use std::collections::VecDeque;
use std::io::{self, IoSlice, IoSliceMut};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, Shutdown, recvmsg, sendmsg, shutdown,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::Interest;
use tokio::net::UnixStream;
use tokio::sync::mpsc;

/// Descriptors of one frame, at most.
const DESCRIPTORS: usize = 4;
const HEAD_BYTES: usize = 8;
const CHUNK_BYTES: usize = 64 << 10;

type Frame = (Vec<u8>, Vec<OwnedFd>);

/// Where frames are sent; clones share it. The other side reads the end once all clones are gone.
pub struct Outbox<T> {
    frames: mpsc::Sender<Frame>,
    sends: PhantomData<fn(T)>,
}

impl<T> Clone for Outbox<T> {
    fn clone(&self) -> Self {
        Self {
            frames: self.frames.clone(),
            sends: PhantomData,
        }
    }
}

/// The other side does not read, or is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deaf;

impl<T: Serialize> Outbox<T> {
    /// Queues a frame.
    pub fn send(&self, value: &T, descriptors: Vec<OwnedFd>) -> Result<(), Deaf> {
        let frame = (frame(value, descriptors.len()), descriptors);
        self.frames.try_send(frame).map_err(|_| Deaf)
    }

    /// The same, waiting for room in the queue.
    pub async fn send_in_turn(&self, value: &T) -> Result<(), Deaf> {
        let frame = (frame(value, 0), Vec::new());
        self.frames.send(frame).await.map_err(|_| Deaf)
    }
}

/// Where frames come from.
pub struct Inbox<T> {
    stream: Arc<UnixStream>,
    buffer: Vec<u8>,
    /// Those of each frame that has some and was not taken yet.
    passed: VecDeque<Vec<OwnedFd>>,
    most: usize,
    reads: PhantomData<fn() -> T>,
}

/// Both directions of a stream. Frames of more than `most` bytes are not read; `queue` of them wait to be
/// sent.
pub fn open<In, Out>(stream: UnixStream, most: usize, queue: usize) -> (Inbox<In>, Outbox<Out>) {
    let stream = Arc::new(stream);
    let (frames, queued) = mpsc::channel(queue);
    tokio::spawn(write(stream.clone(), queued));
    let inbox = Inbox {
        stream,
        buffer: Vec::new(),
        passed: VecDeque::new(),
        most,
        reads: PhantomData,
    };
    let outbox = Outbox {
        frames,
        sends: PhantomData,
    };
    (inbox, outbox)
}

fn frame<T: Serialize>(value: &T, descriptors: usize) -> Vec<u8> {
    // Maps by text, numbers and text always serialise.
    let text = serde_json::to_vec(value).unwrap_or_default();
    let mut frame = Vec::with_capacity(HEAD_BYTES + text.len());
    let word = |number: usize| u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes();
    frame.extend(word(text.len()));
    frame.extend(word(descriptors));
    frame.extend(text);
    frame
}

async fn write(stream: Arc<UnixStream>, mut frames: mpsc::Receiver<Frame>) {
    while let Some((bytes, descriptors)) = frames.recv().await {
        if let Err(error) = write_one(&stream, &bytes, &descriptors).await {
            tracing::debug!(%error, "the other side of a channel is gone");
            return;
        }
    }
    // Fails where the other side is gone, which is what is meant.
    let _ = shutdown(&*stream, Shutdown::Write);
}

async fn write_one(stream: &UnixStream, bytes: &[u8], descriptors: &[OwnedFd]) -> io::Result<()> {
    let mut rest = bytes;
    let mut attached: Vec<BorrowedFd<'_>> = descriptors.iter().map(AsFd::as_fd).collect();
    while !rest.is_empty() {
        let send = || {
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
            let mut control = SendAncillaryBuffer::new(&mut space);
            if !attached.is_empty() && !control.push(SendAncillaryMessage::ScmRights(&attached)) {
                return Err(io::Error::other("too many descriptors for one frame"));
            }
            let flags = SendFlags::NOSIGNAL;
            Ok(sendmsg(stream, &[IoSlice::new(rest)], &mut control, flags)?)
        };
        let sent = stream.async_io(Interest::WRITABLE, send).await?;
        attached.clear();
        rest = rest.get(sent..).unwrap_or_default();
    }
    Ok(())
}

impl<T: DeserializeOwned> Inbox<T> {
    /// The next frame; none once the other side said its last. To be given up between two calls only.
    pub async fn next(&mut self) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
        loop {
            if let Some(frame) = self.take()? {
                return Ok(Some(frame));
            }
            let (buffer, passed) = (&mut self.buffer, &mut self.passed);
            let stream = &self.stream;
            let receive = || receive(stream, buffer, passed);
            if stream.async_io(Interest::READABLE, receive).await? == 0 {
                return match self.buffer.is_empty() {
                    true => Ok(None),
                    false => Err(io::ErrorKind::UnexpectedEof.into()),
                };
            }
        }
    }

    fn take(&mut self) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
        let word = |at: usize| {
            let bytes = self.buffer.get(at..at + 4)?;
            let number = u32::from_le_bytes(bytes.try_into().ok()?);
            usize::try_from(number).ok()
        };
        let (Some(length), Some(count)) = (word(0), word(4)) else {
            return Ok(None);
        };
        if length > self.most || count > DESCRIPTORS {
            return Err(io::Error::other("a frame is too large"));
        }
        let Some(text) = self.buffer.get(HEAD_BYTES..HEAD_BYTES + length) else {
            return Ok(None);
        };
        let value = serde_json::from_slice(text).map_err(io::Error::other)?;
        self.buffer.drain(..HEAD_BYTES + length);
        let passed = match count {
            0 => Some(Vec::new()),
            _ => self.passed.pop_front(),
        };
        let missing = || io::Error::other("descriptors of a frame are missing");
        let mut passed = passed.ok_or_else(missing)?;
        passed.truncate(count);
        Ok(Some((value, passed)))
    }
}

fn receive(
    stream: &UnixStream,
    buffer: &mut Vec<u8>,
    passed: &mut VecDeque<Vec<OwnedFd>>,
) -> io::Result<usize> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let before = buffer.len();
    buffer.resize(before + CHUNK_BYTES, 0);
    let chunk = buffer.get_mut(before..).unwrap_or_default();
    let flags = RecvFlags::CMSG_CLOEXEC;
    let received = recvmsg(stream, &mut [IoSliceMut::new(chunk)], &mut control, flags);
    buffer.truncate(before + received.as_ref().map_or(0, |received| received.bytes));
    let received = received?;
    let mut here: Vec<OwnedFd> = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            here.extend(rights);
        }
    }
    // One call reads those of one frame at most. That they were dropped counts too, so that the next ones do
    // not come with this frame.
    if !here.is_empty() || received.flags.contains(ReturnFlags::CTRUNC) {
        passed.push_back(here);
    }
    // More than fit into what is read: whoever sends that wants to fill the table of descriptors.
    match passed.len() > CHUNK_BYTES / HEAD_BYTES {
        true => Err(io::Error::other("descriptors came without their frames")),
        false => Ok(received.bytes),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream as Pair;

    use super::*;

    fn pair() -> (UnixStream, UnixStream) {
        UnixStream::pair().unwrap()
    }

    #[tokio::test]
    async fn values_and_their_descriptors_come_in_order() {
        let (one, other) = pair();
        let (_in, out) = open::<String, String>(one, 1 << 20, 64);
        let (mut inbox, _out) = open::<String, String>(other, 1 << 20, 64);
        let mut kept = Vec::new();
        for number in 0..20 {
            let mut passed = Vec::new();
            if number % 3 == 0 {
                let (mine, theirs) = Pair::pair().unwrap();
                (&mine).write_all(number.to_string().as_bytes()).unwrap();
                passed.push(OwnedFd::from(theirs));
                kept.push(mine);
            }
            let text = "x".repeat(number * 20_000);
            out.send(&text, passed).unwrap();
        }
        drop(out);
        drop(kept);
        for number in 0..20 {
            let (text, passed) = inbox.next().await.unwrap().unwrap();
            assert_eq!(text.len(), number * 20_000);
            assert_eq!(passed.len(), usize::from(number % 3 == 0));
            for descriptor in passed {
                let mut said = String::new();
                Pair::from(descriptor).read_to_string(&mut said).unwrap();
                assert_eq!(said, number.to_string());
            }
        }
        assert!(inbox.next().await.unwrap().is_none());
    }

    #[tokio::test]
    async fn descriptors_that_were_dropped_are_missing_from_their_frame_alone() {
        let (one, _other) = pair();
        let (mut inbox, _out) = open::<String, String>(one, 100, 1);
        for text in ["one", "two"] {
            inbox.buffer.extend(frame(&text, 1));
        }
        let (mine, _theirs) = Pair::pair().unwrap();
        inbox.passed = [Vec::new(), vec![OwnedFd::from(mine)]].into();
        for (text, passed) in [("one", 0), ("two", 1)] {
            let (said, with) = inbox.next().await.unwrap().unwrap();
            assert_eq!((said.as_str(), with.len()), (text, passed));
        }
    }

    #[tokio::test]
    async fn what_is_too_large_or_nonsense_is_refused() {
        for bytes in [
            b"\xff\xff\xff\xff\0\0\0\0".as_slice(),
            b"\x02\0\0\0\0\0\0\0{{",
            b"\x02\0\0\0\x01\0\0\0\"\"",
            b"\x02\0",
        ] {
            let (mut one, other) = Pair::pair().unwrap();
            one.write_all(bytes).unwrap();
            drop(one);
            other.set_nonblocking(true).unwrap();
            let other = UnixStream::from_std(other).unwrap();
            let (mut inbox, _out) = open::<String, String>(other, 100, 1);
            assert!(inbox.next().await.is_err());
        }
    }
}
