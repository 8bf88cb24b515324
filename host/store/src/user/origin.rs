//! Where a token is used from: what helps its user to recognise it.

use std::net::IpAddr;

use periapt_model::bounds::USER_AGENT_BYTES;
use periapt_model::text::clean_line_at_most;

/// The address that a token is used from, and the program that uses it. Either is empty where nobody knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    pub(super) address: String,
    /// As it calls itself.
    pub(super) program: String,
}

impl Origin {
    /// Of a connection from `peer`, on which a program says that it is `user_agent`: a stranger's text of any length.
    pub fn new(peer: Option<IpAddr>, user_agent: &[u8]) -> Self {
        let address = peer.map(|peer| peer.to_canonical().to_string());
        let program = String::from_utf8_lossy(user_agent);
        Self {
            address: address.unwrap_or_default(),
            program: clean_line_at_most(&program, USER_AGENT_BYTES.length()),
        }
    }
}
