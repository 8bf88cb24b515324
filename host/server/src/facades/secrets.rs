//! `Secrets`: what units read of secrets between their hooks' commits.

use periapt_wire::agent::secrets::{GetOwnedSecrets, ReadUnitSecret};

handlers! { for periapt_wire::agent::secrets:
    GetOwnedSecrets: |session, call| {
        Ok(session.store().owned_secrets(session.model()?, &call.unit).await?)
    };
    ReadUnitSecret: |session, call| {
        let (model, store) = (session.model()?, session.store());
        let find = || store.unit_secret(model, &call.unit, &call.of, call.newest);
        Ok(session.state().secrets().read(model, find).await?)
    };
}
