//! `ModelUpgrader`: how far the upgrade of a model's environment has come.

use periapt_wire::agent::model_upgrader::{GetEnvironVersion, SetEnvironVersion};
use periapt_wire::rpc::Empty;

handlers! { for periapt_wire::agent::model_upgrader:
    GetEnvironVersion: |session, _| Ok(session.store().environ_version(session.model()?).await?);
    SetEnvironVersion: |session, call| {
        session.store().set_environ_version(session.model()?, call.version).await?;
        Ok(Empty {})
    };
}
