//! `ApplicationScaler`: applications that have fewer units than they should.

use futures::future::BoxFuture;
use periapt_store::{Interest, namespace};
use periapt_wire::agent::application_scaler::{Rescale, WatchApplications};

use super::{Names, watch};
use crate::rpc::{RpcError, Session};

handlers! { for periapt_wire::agent::application_scaler:
    WatchApplications: |session, _| {
        let model = session.model()?;
        let interest = Interest::model(model).all(namespace::APPLICATION).all(namespace::UNIT);
        let source = watch::named(session, interest, Below);
        let below = session.store().applications_below_minimum(model).await?;
        session.watch(source, watch::texts(&below))
    };
    Rescale: |session, call| Ok(session.store().rescale(session.model()?, &call.application).await?);
}

/// All that lack units count as changed: the worker remembers nobody.
struct Below;

impl Names for Below {
    fn look<'a>(
        &'a mut self,
        session: &'a Session,
    ) -> BoxFuture<'a, Result<Vec<String>, RpcError>> {
        Box::pin(async move {
            let below = session.store().applications_below_minimum(session.model()?);
            Ok(watch::texts(&below.await?))
        })
    }
}
