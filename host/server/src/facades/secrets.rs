//! `Secrets`: what units read of secrets between their hooks' commits.

use periapt_model::Refusal;
use periapt_wire::agent::secrets::{GetOwnedSecrets, ReadUnitSecret};

handlers! { for periapt_wire::agent::secrets:
    GetOwnedSecrets: |session, call| {
        Ok(session.store().owned_secrets(session.model()?, &call.unit).await?)
    };
    ReadUnitSecret: |session, call| {
        let (model, secrets) = (session.model()?, session.state().secrets());
        let stored = session.store().unit_secret(model, &call.unit, &call.of, call.newest).await?;
        match secrets.read(model, stored).await {
            // Moved, or its back end's token replaced, between the two.
            Err(error) if error.refusal() == Refusal::SecretBackendUnavailable => {
                let again = session.store().unit_secret(model, &call.unit, &call.of, call.newest);
                Ok(secrets.read(model, again.await?).await?)
            }
            read => Ok(read?),
        }
    };
}
