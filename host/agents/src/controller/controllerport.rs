//! **controllerport**: holds the port that the controller serves on.
//!
//! Trigger: start. Action: it binds the configured address and makes the resulting one known.
//! Effect: agents' configurations and certificates name the true address. A port that is taken
//! ends the process with a message that says so: clients and agents look for the controller
//! there and nowhere else.

use std::net::SocketAddr;
use std::sync::Arc;

use periapt_engine::{Manifold, Outputs, ResultExt, ValueWorker, WorkerError};

use super::{ControllerContext, ControllerError, agent};

pub const NAME: &str = "controller-port";

/// The bound port.
#[derive(Clone, Debug)]
pub struct Port {
    pub address: SocketAddr,
    listener: Arc<std::net::TcpListener>,
}

impl Port {
    /// A listener on the port for one run of the HTTP server. The port refuses connections once
    /// all of them and the node itself are gone.
    pub fn listener(&self) -> std::io::Result<tokio::net::TcpListener> {
        tokio::net::TcpListener::from_std(self.listener.try_clone()?)
    }
}

/// Lends the [`Port`].
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let controller: ControllerContext = context.get(agent::NAME)?;
        let wanted = SocketAddr::new(controller.config.address, controller.config.port);
        let listener = std::net::TcpListener::bind(wanted).map_err(|source| {
            let error = ControllerError::Port {
                address: wanted,
                source,
            };
            WorkerError::fatal(Arc::<str>::from(error.to_string()))
        })?;
        listener.set_nonblocking(true).worker_error()?;
        let address = listener.local_addr().worker_error()?;
        let api = SocketAddr::new(controller.config.reachable(), address.port()).to_string();
        controller.api_addresses.send_replace(vec![api]);
        Ok(ValueWorker::with(Outputs::of(Port {
            address,
            listener: Arc::new(listener),
        })))
    })
    .needs([agent::NAME])
}
