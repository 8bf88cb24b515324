//! `CredentialValidator`: whether the model's provider may make instances.

use periapt_store::{Interest, namespace};
use periapt_wire::agent::credential_validator::{
    GetModelCredential, InvalidateModelCredential, WatchModelCredential,
};
use periapt_wire::rpc::Empty;

use super::watch;

handlers! { for periapt_wire::agent::credential_validator:
    GetModelCredential: |session, _| Ok(session.store().model_credential(session.model()?).await?);
    WatchModelCredential: |session, _| {
        let model = session.model()?;
        let interest = Interest::model(model).key(namespace::MODEL, model);
        session.watch(watch::notify(session, interest), Vec::new())
    };
    InvalidateModelCredential: |session, call| {
        session.store().invalidate_credential(session.model()?, &call.reason).await?;
        Ok(Empty {})
    };
}
