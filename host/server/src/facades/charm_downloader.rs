//! `CharmDownloader`: charms that are recorded but not compiled for this controller's engine,
//! as after an upgrade of it.

use futures::future::BoxFuture;
use periapt_model::ModelUuid;
use periapt_store::{Interest, namespace};
use periapt_wire::agent::charm_downloader::{
    DownloadCharm, SetApplicationError, WatchPendingCharms,
};
use periapt_wire::rpc::Empty;

use super::{Names, watch};
use crate::charms;
use crate::rpc::{RpcError, Session};

handlers! { for periapt_wire::agent::charm_downloader:
    WatchPendingCharms: |session, _| {
        let model = session.model()?;
        let interest = Interest::model(model).all(namespace::CHARM).all(namespace::APPLICATION);
        let source = watch::named(session, interest, Pending);
        let pending = pending(session, model).await?;
        session.watch(source, pending)
    };
    DownloadCharm: |session, call| {
        let charm = session.store().application_charm(session.model()?, &call.application).await?;
        charms::ensure_compiled(session.state(), &charm).await?;
        Ok(Empty {})
    };
    SetApplicationError: |session, call| {
        let engine = session.state().compiler().engine_hash();
        session
            .store()
            .set_charm_trouble(session.model()?, &call.application, &engine, &call.message)
            .await?;
        Ok(Empty {})
    };
}

async fn pending(session: &Session, model: &ModelUuid) -> Result<Vec<String>, RpcError> {
    let engine = session.state().compiler().engine_hash();
    Ok(watch::texts(
        &session.store().pending_charms(model, &engine).await?,
    ))
}

/// All that is pending counts as changed: the worker forgets what it could not do.
struct Pending;

impl Names for Pending {
    fn look<'a>(
        &'a mut self,
        session: &'a Session,
    ) -> BoxFuture<'a, Result<Vec<String>, RpcError>> {
        Box::pin(async move { pending(session, session.model()?).await })
    }
}
