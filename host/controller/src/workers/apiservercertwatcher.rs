//! **apiservercertwatcher**: the controller's certificate authority and the leaf it shows.
//!
//! Trigger: start (the name is historic, it watches nothing). Action: it reads the authority from
//! `pki/` and issues a fresh leaf for the controller's addresses. Effect: a TLS handshake shows a
//! leaf that the client's copy of the authority vouches for. With the key missing it is in error
//! and the HTTP server stays down. The key never leaves this process.

use periapt_engine::{Manifold, Outputs, ResultExt, ValueWorker};
use periapt_server::authority::{Authority, LeafResolver};

use super::{agent, controllerport};
use crate::{ControllerContext, pki};

#[cfg(test)]
mod tests;

pub const NAME: &str = "certificate-watcher";

/// Lends the [`Authority`] and the [`LeafResolver`].
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let controller: ControllerContext = context.get(agent::NAME)?;
        let port: controllerport::Port = context.get(controllerport::NAME)?;
        let authority: Authority =
            pki::load(&controller.data_dir).while_doing("reading the certificate authority")?;
        let addresses = [port.address.ip().to_string()];
        let resolver = LeafResolver::new(authority.clone(), &addresses, context.clock())
            .while_doing("issuing the certificate")?;
        Ok(ValueWorker::with(Outputs::of(resolver).and(authority)))
    })
    .needs([agent::NAME, controllerport::NAME])
}
