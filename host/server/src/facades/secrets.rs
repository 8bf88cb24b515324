//! `Secrets`: what units read of secrets between their hooks' commits.

use periapt_wire::agent::secrets::{GetOwnedSecrets, ReadUnitSecret};

handlers! { for periapt_wire::agent::secrets:
    GetOwnedSecrets: |session, call| {
        Ok(session.store().owned_secrets(session.model()?, &call.unit).await?)
    };
    ReadUnitSecret: |session, call| {
        let model = session.model()?;
        let stored = session.store().unit_secret(model, &call.unit, &call.of, call.newest).await?;
        Ok(session.state().secrets().read(model, stored).await?)
    };
}
