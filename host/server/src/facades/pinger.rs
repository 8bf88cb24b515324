//! `Pinger`: a sign of life.

use periapt_wire::agent::pinger::Ping;
use periapt_wire::rpc::Empty;

handlers! { for pinger:
    Ping: |_session, _| Ok(Empty {});
}
