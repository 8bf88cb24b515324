//! `Undertaker`: the end of a model.

use periapt_store::{Interest, namespace};
use periapt_wire::agent::undertaker::{
    GetUndertakerModel, ProcessDyingModel, RemoveModel, SetModelStatus, WatchModelResources,
};
use periapt_wire::rpc::Empty;

use super::watch;

handlers! { for periapt_wire::agent::undertaker:
    GetUndertakerModel: |session, _| Ok(session.store().get_undertaker_model(session.model()?).await?);
    ProcessDyingModel: |session, _| {
        session.store().process_dying_model(session.model()?).await?;
        Ok(Empty {})
    };
    RemoveModel: |session, _| {
        session.store().remove_model(session.model()?).await?;
        Ok(Empty {})
    };
    SetModelStatus: |session, call| {
        session.store().set_model_status(session.model()?, call.status).await?;
        Ok(Empty {})
    };
    WatchModelResources: |session, _| {
        let model = session.model()?;
        let interest = Interest::model(model)
            .key(namespace::MODEL, model)
            .all(namespace::APPLICATION)
            .all(namespace::UNIT)
            .all(namespace::MACHINE)
            .all(namespace::STORAGE);
        session.watch(watch::notify(session, interest), Vec::new())
    };
}
