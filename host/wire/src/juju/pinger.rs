//! Proves that the connection answers, for agents as for people.

use crate::rpc::Empty;

crate::facade! { "Pinger" 1 for Everyone {
    [Read] Ping as Ping {} -> Empty;
} }
