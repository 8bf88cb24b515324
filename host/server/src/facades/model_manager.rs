//! `ModelManager`: the models of this controller.

use periapt_store::{Interest, namespace};
use periapt_wire::agent::models::{GetModel, WatchModels};

use super::watch;

handlers! { for periapt_wire::agent::models:
    WatchModels: |session, _| {
        let source = watch::keys(session, Interest::any_model().all(namespace::MODEL));
        let models = session.store().models().await?;
        session.watch(source, models.iter().map(|model| model.uuid.to_string()).collect())
    };
    GetModel: |session, call| Ok(session.store().get_model(&call.model).await?);
}
