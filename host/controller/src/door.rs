//! Whether a port of this process accepts connections. The port stays bound for as long as the
//! process lives, so that nobody else takes it; but a client or an agent that connects while
//! nobody serves it would wait for an answer that does not come, instead of trying another of the
//! controller's processes. So it is open only while the HTTP server runs.

use std::io;
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};

use socket2::SockRef;

/// Connections that may wait for the server.
const WAITING: i32 = 1024;

/// Keeps a port open until it is dropped.
#[derive(Debug)]
pub struct Door {
    socket: OwnedFd,
}

impl Door {
    /// Opens the port of a bound listener.
    ///
    /// # Errors
    /// Those of the operating system.
    pub fn open(listener: &impl AsFd) -> io::Result<Self> {
        let socket = listener.as_fd().try_clone_to_owned()?;
        let shared = SockRef::from(&socket);
        // Connections of before may still be ending.
        shared.set_reuse_address(true)?;
        shared.listen(WAITING)?;
        Ok(Self { socket })
    }

    /// Closes the port of a listener that was bound by its number: it refuses connections and stays
    /// bound.
    ///
    /// # Errors
    /// Those of the operating system.
    pub fn close(listener: &impl AsFd) -> io::Result<()> {
        let listener = SockRef::from(listener);
        listener.shutdown(Shutdown::Both)?;
        // With it, whoever asks for the port gets one that is bound and not listening.
        listener.set_reuse_address(false)
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        if let Err(error) = Self::close(&self.socket) {
            tracing::warn!(%error, "the port stays open although nobody serves it");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn a_port_refuses_while_nobody_serves_it_and_stays_taken() {
        // A port that the kernel chose is given back when its listener is closed.
        let chosen = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = chosen.local_addr().unwrap();
        drop(chosen);
        let listener = TcpListener::bind(address).unwrap();
        Door::close(&listener).unwrap();
        for _ in 0..3 {
            assert!(TcpStream::connect(address).is_err());
            assert!(TcpListener::bind(address).is_err(), "still taken");
            let door = Door::open(&listener).unwrap();
            TcpStream::connect(address).unwrap();
            listener.accept().unwrap();
            drop(door);
        }
        assert!(TcpStream::connect(address).is_err());
    }
}
