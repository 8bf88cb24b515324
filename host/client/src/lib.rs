//! How everyone outside the controller reaches it: the CLI over REST, agents over RPC.

pub mod rest;
pub mod tls;
pub mod websocket;

#[cfg(test)]
mod test_server;
