//! `Firewaller`: who reaches the units of the connection's model.

use periapt_model::reach::published::Published;
use periapt_store::{Interest, namespace};
use periapt_wire::agent::firewaller::{GetReach, SetReached, WatchReach};
use periapt_wire::rpc::Empty;

use super::watch;

handlers! { for periapt_wire::agent::firewaller:
    WatchReach: |session, _| {
        let interest = Interest::model(session.model()?)
            .all(namespace::APPLICATION)
            .all(namespace::MODEL_CONFIG)
            .all(namespace::PORT)
            .all(namespace::RELATION)
            .all(namespace::UNIT);
        session.watch(watch::notify(session, interest), Vec::new())
    };
    GetReach: |session, _| {
        let published = session.store().published(session.model()?).await?;
        let traces = session.state().observation().spans.is_on();
        Ok(published.map(|published| Published { traces, ..published }))
    };
    SetReached: |session, call| {
        session.store().set_reached(session.model()?, call.answer).await?;
        Ok(Empty {})
    };
}
