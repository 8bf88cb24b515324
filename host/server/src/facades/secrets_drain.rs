//! `SecretsDrain`: revisions on their way to the back end that their model wants.

use periapt_store::{Interest, namespace};
use periapt_wire::agent::secrets_drain::{GetMisplacedSecrets, MoveSecret, WatchSecretBackend};
use periapt_wire::rpc::Empty;

use super::watch;

handlers! { for periapt_wire::agent::secrets_drain:
    WatchSecretBackend: |session, _| {
        let interest = Interest::model(session.model()?)
            .all(namespace::MODEL_CONFIG)
            .all(namespace::SECRET);
        session.watch(watch::notify(session, interest), Vec::new())
    };
    GetMisplacedSecrets: |session, call| {
        Ok(session.store().misplaced_secrets(session.model()?, call.after.as_ref()).await?)
    };
    MoveSecret: |session, call| {
        session.state().secrets().move_one(session.model()?, &call.revision).await?;
        Ok(Empty {})
    };
}
