//! `LogForwarding`: the model's log for a place outside, and how far that place has it.

use periapt_store::{Interest, namespace};
use periapt_wire::agent::log_forwarding::{
    GetDestination, GetLastSent, GetLogLines, LogLines, SetLastSent, WatchLogLines,
};
use periapt_wire::rpc::Empty;

use super::watch;

handlers! { for periapt_wire::agent::log_forwarding:
    GetDestination: |session, _| Ok(session.store().log_destination(session.model()?).await?);
    GetLastSent: |session, call| Ok(session.store().log_forwarded(session.model()?, &call.sink).await?);
    SetLastSent: |session, call| {
        session.store().set_log_forwarded(session.model()?, &call.sink, call.position).await?;
        Ok(Empty {})
    };
    GetLogLines: |session, call| {
        let page = session.store().log_lines(session.model()?, call.after, call.tail, call.limit).await?;
        Ok(LogLines { records: page.records, position: page.position, complete: page.complete })
    };
    WatchLogLines: |session, _| {
        let source = watch::notify(session, Interest::model(session.model()?).all(namespace::LOG));
        session.watch(source, Vec::new())
    };
}
