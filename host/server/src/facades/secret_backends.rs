//! `SecretBackends`: tokens of back ends, and what is to be removed from them.

use periapt_store::{Interest, namespace};
use periapt_wire::agent::secret_backends::{
    GetTokenRotations, RotateSecretBackendToken, SweepSecretBackends, Swept, TokenRotation,
    WatchTokenRotations,
};
use periapt_wire::rpc::Empty;

use super::watch;

handlers! { for periapt_wire::agent::secret_backends:
    WatchTokenRotations: |session, _| {
        let interest = Interest::any_model().all(namespace::SECRET_BACKEND);
        session.watch(watch::notify(session, interest), Vec::new())
    };
    GetTokenRotations: |session, _| {
        let rotations = session.store().secret_token_rotations().await?.into_iter();
        Ok(rotations.map(|(backend, due)| TokenRotation { backend, due }).collect())
    };
    RotateSecretBackendToken: |session, call| {
        session.state().secrets().rotate_token(&call.backend).await?;
        Ok(Empty {})
    };
    SweepSecretBackends: |session, _| {
        Ok(Swept { next_due: session.state().secrets().sweep().await? })
    };
}
