//! `RetryStrategy`: whether and how failed hooks are run again.

use periapt_store::{Interest, namespace};
use periapt_wire::agent::retry_strategy::{GetRetryStrategy, WatchRetryStrategy};

use super::watch;

handlers! { for periapt_wire::agent::retry_strategy:
    GetRetryStrategy: |session, _| Ok(session.store().get_retry_strategy(session.model()?).await?);
    WatchRetryStrategy: |session, _| {
        let source = watch::notify(session, Interest::model(session.model()?).all(namespace::MODEL_CONFIG));
        session.watch(source, Vec::new())
    };
}
