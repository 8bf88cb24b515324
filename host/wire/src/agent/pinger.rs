//! Proves that the connection answers. The one facade that is for people as well.

use crate::rpc::Empty;

crate::facade! { "Pinger" 1 for Everyone {
    [Read] Ping as Ping {} -> Empty;
} }
