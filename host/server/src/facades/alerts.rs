//! `Alerts`: what fires now, and the messages that tell of it.

use periapt_store::{Interest, namespace};
use periapt_wire::agent::alerts::{
    DeliverAlerts, EvaluateAlerts, WaitingReceivers, WatchAlertFacts, WatchAlertRules,
};

use super::watch;
use crate::alerts;

handlers! { for periapt_wire::agent::alerts:
    WatchAlertRules: |session, _| {
        let interest = Interest::any_model().all(namespace::ALERT_RULE);
        session.watch(watch::notify(session, interest), Vec::new())
    };
    WatchAlertFacts: |session, call| {
        let mut interest = Interest::any_model()
            .all(namespace::MODEL)
            .all(namespace::UNIT)
            .all(namespace::UNIT_STATUS)
            .all(namespace::MACHINE)
            .all(namespace::RELATION)
            .all(namespace::STORAGE)
            .all(namespace::WAITING);
        if call.hooks {
            interest = interest.all(namespace::HOOK);
        }
        session.watch(watch::notify(session, interest), Vec::new())
    };
    EvaluateAlerts: |session, call| {
        let controller = session.state().controller().name.clone();
        Ok(session.store().evaluate_alerts(call.disk, &controller).await?)
    };
    WaitingReceivers: |session, _| Ok(session.store().waiting_alert_receivers().await?);
    DeliverAlerts: |session, call| Ok(alerts::deliver(session.state(), &call.receiver).await?);
}
