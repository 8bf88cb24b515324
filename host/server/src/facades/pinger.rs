//! `Pinger`: a sign of life.

use periapt_wire::juju::pinger::Ping;
use periapt_wire::rpc::Empty;

handlers! { for periapt_wire::juju::pinger:
    Ping: |_session, _| Ok(Empty {});
}
