//! `Cleaner`: work that a removal left behind.

use periapt_store::{Interest, namespace};
use periapt_wire::agent::cleaner::{Cleanup, WatchCleanups};

use super::watch;

handlers! { for periapt_wire::agent::cleaner:
    WatchCleanups: |session, _| {
        let source = watch::notify(session, Interest::model(session.model()?).all(namespace::CLEANUP));
        session.watch(source, Vec::new())
    };
    Cleanup: |session, _| Ok(session.store().cleanup(session.model()?).await?);
}
