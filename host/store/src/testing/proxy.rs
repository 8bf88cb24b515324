//! What stands between a store and its PostgreSQL server in a test, and loses what it is told to.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use sqlx::postgres::PgConnectOptions;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::Database;

/// What happens to bytes on their way.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Network {
    /// They arrive.
    Good,
    /// They vanish, in both directions, and nobody is told.
    Hole,
    /// The next message to the server with these bytes arrives, and then all connections end.
    EndsAfter(&'static [u8]),
    /// The same, but the message does not arrive.
    EndsBefore(&'static [u8]),
}

pub(crate) struct Proxy {
    address: SocketAddr,
    network: Arc<Mutex<Network>>,
}

impl Proxy {
    pub async fn before(database: &Database) -> Self {
        let Database::Postgres { url } = database else {
            panic!("only a server has a network before it");
        };
        let options: PgConnectOptions = url.parse().expect("URL");
        let server = format!("{}:{}", options.get_host(), options.get_port());
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("port");
        let address = listener.local_addr().expect("address");
        let network = Arc::new(Mutex::new(Network::Good));
        let shared = Arc::clone(&network);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&server).await.expect("PostgreSQL");
                tokio::spawn(carry(client, server, Arc::clone(&shared)));
            }
        });
        Self { address, network }
    }

    /// The same database, reached through here.
    pub fn database(&self, database: &Database) -> Database {
        let Database::Postgres { url } = database else {
            panic!("only a server has a network before it");
        };
        let (before, rest) = url.split_once('@').expect("a user in the URL");
        let (_, after) = rest.split_once('/').expect("a database in the URL");
        Database::Postgres {
            url: format!("{before}@{}/{after}", self.address),
        }
    }

    pub fn set(&self, network: Network) {
        *self.network.lock().expect("lock") = network;
    }
}

async fn carry(mut client: TcpStream, mut server: TcpStream, network: Arc<Mutex<Network>>) {
    let (mut up, mut down) = (vec![0; 65536], vec![0; 65536]);
    loop {
        let (count, to_server) = tokio::select! {
            read = client.read(&mut up) => (read.unwrap_or(0), true),
            read = server.read(&mut down) => (read.unwrap_or(0), false),
        };
        if count == 0 {
            return;
        }
        let now = *network.lock().expect("lock");
        let bytes = if to_server {
            &up[..count]
        } else {
            &down[..count]
        };
        let holds = |wanted: &[u8]| to_server && bytes.windows(wanted.len()).any(|at| at == wanted);
        let (passes, ends) = match now {
            Network::Good => (true, false),
            Network::Hole => (false, false),
            Network::EndsAfter(wanted) => (true, holds(wanted)),
            Network::EndsBefore(wanted) => (!holds(wanted), holds(wanted)),
        };
        if passes {
            let to = if to_server { &mut server } else { &mut client };
            if to.write_all(bytes).await.is_err() {
                return;
            }
        }
        if ends {
            *network.lock().expect("lock") = Network::Good;
            // Long enough for the server to carry out what arrived.
            tokio::time::sleep(std::time::Duration::from_millis(300)).await;
            return;
        }
    }
}
