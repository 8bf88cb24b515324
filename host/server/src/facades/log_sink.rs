//! `LogSink`: lines for `debug-log`.

use periapt_wire::agent::log_sink::WriteLogs;
use periapt_wire::rpc::Empty;

handlers! { for periapt_wire::agent::log_sink:
    WriteLogs: |session, call| {
        session.store().write_logs(session.model()?, call.records).await?;
        Ok(Empty {})
    };
}
