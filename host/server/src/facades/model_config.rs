//! `ModelConfig`: the configuration of the connection's model, without secrets.

use periapt_store::{Interest, namespace};
use periapt_wire::agent::model_config::{GetModelConfig, WatchModelConfig};

use super::watch;

handlers! { for periapt_wire::agent::model_config:
    GetModelConfig: |session, _| Ok(session.store().model_config(session.model()?).await?);
    WatchModelConfig: |session, _| {
        let source = watch::notify(session, Interest::model(session.model()?).all(namespace::MODEL_CONFIG));
        session.watch(source, Vec::new())
    };
}
