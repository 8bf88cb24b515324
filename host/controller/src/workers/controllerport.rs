//! **controllerport**: holds the ports that the controller serves on.
//!
//! Trigger: start, and a change of the option `controller-api-port`. Action: it binds the
//! configured address and, where that option is set, a second port for agents; when the option
//! changes it bounces, and the HTTP server with it. Effect: agents' configurations and
//! certificates name the true addresses. A port that is taken when the process starts ends it
//! with a message that says so: clients look for the controller there and nowhere else. A second
//! port that cannot be bound leaves agents at the first one; the report says why, and it is tried
//! again.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use periapt_engine::{
    Manifold, Outputs, ResultExt, SharedClock, TaskWorker, WorkerContext, WorkerError, WorkerResult,
};
use serde_json::{Value, json};

use super::agent;
use crate::door::Door;
use crate::{ControllerContext, ControllerError};

pub const NAME: &str = "controller-port";

/// The HTTP server of before closes its port when it is asked to end, which is now.
const CLOSING: Duration = Duration::from_millis(100);
const CLOSING_TRIES: u32 = 100;

/// Before a second port is tried again.
const AGAIN: Duration = Duration::from_secs(10);

/// The bound ports.
#[derive(Clone, Debug)]
pub struct Port {
    pub address: SocketAddr,
    listeners: Arc<Vec<TcpListener>>,
}

/// Where this process is reached, `host:port`.
#[derive(Clone, Debug)]
pub struct Reached {
    pub by_clients: String,
    pub by_agents: String,
}

impl Port {
    /// Opens the ports for one run of the HTTP server: listeners, and what keeps them open. A port
    /// is opened before its listener is registered, since to the runtime one that was ever seen
    /// closed is ready for ever.
    pub fn open(&self) -> std::io::Result<(Vec<tokio::net::TcpListener>, Vec<Door>)> {
        let mut opened = (Vec::new(), Vec::new());
        for listener in self.listeners.iter() {
            opened.1.push(Door::open(listener)?);
            let listener = tokio::net::TcpListener::from_std(listener.try_clone()?)?;
            opened.0.push(listener);
        }
        Ok(opened)
    }
}

/// Lends the [`Port`] and where it is [`Reached`].
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let controller: ControllerContext = context.get(agent::NAME)?;
        let clock = context.clock();
        let (host, port) = (controller.config.address, controller.config.port);
        let wanted = SocketAddr::new(host, port);
        let first = context.or_abort(bind_first(&controller, wanted, &clock));
        let first = first.await?.map_err(|source| {
            let error = ControllerError::Port {
                address: wanted,
                source,
            };
            WorkerError::fatal(Arc::<str>::from(error.to_string()))
        })?;
        let address = first.local_addr().worker_error()?;

        let mut changed = controller.controller_api_port.subscribe();
        let for_agents = *changed.borrow_and_update();
        let mut listeners = vec![first];
        let second = for_agents.map(|port| bind_second(SocketAddr::new(host, port), address));
        let mut report = json!({ "address": address.to_string() });
        let reachable = |port| SocketAddr::new(controller.config.reachable(), port).to_string();
        let by_clients = reachable(address.port());
        let mut by_agents = by_clients.clone();
        let mut failed = None;
        match second {
            None => {}
            Some(Ok((listener, port))) => {
                listeners.push(listener);
                by_agents = reachable(port);
                report["controller-api-port"] = Value::from(port);
            }
            Some(Err(error)) => {
                let port = for_agents.unwrap_or_default();
                tracing::error!(%error, port, "agents have no port of their own");
                report["error"] = Value::from(format!("controller-api-port {port}: {error}"));
                failed = Some(SocketAddr::new(host, port));
            }
        }
        controller
            .api_addresses
            .send_replace(vec![by_clients.clone()]);
        let port = Port {
            address,
            listeners: Arc::new(listeners),
        };
        let reached = Reached {
            by_clients,
            by_agents,
        };
        let lent = Outputs::of(port).and(reached);
        Ok(TaskWorker::lending(lent, move |worker| async move {
            worker.set_report(report);
            tokio::select! {
                () = worker.dying().cancelled() => Ok(()),
                _ = changed.wait_for(|wanted| *wanted != for_agents) => Err(WorkerError::Bounce),
                ended = again(&worker, failed, &clock) => ended,
            }
        }))
    })
    .needs([agent::NAME])
}

/// At the process's start a port that is taken is somebody else's. Later it may still be ours.
async fn bind_first(
    controller: &ControllerContext,
    address: SocketAddr,
    clock: &SharedClock,
) -> std::io::Result<TcpListener> {
    let mut tries = match controller.api_addresses.borrow().is_empty() {
        true => 1,
        false => CLOSING_TRIES,
    };
    loop {
        tries -= 1;
        match bind(address) {
            Err(_) if tries > 0 => clock.sleep(CLOSING).await,
            bound => return bound,
        }
    }
}

/// The listener for agents, and its port.
fn bind_second(address: SocketAddr, first: SocketAddr) -> std::io::Result<(TcpListener, u16)> {
    if address.port() == first.port() {
        return Err(std::io::Error::other("it is the port of clients"));
    }
    bind(address).map(|listener| (listener, address.port()))
}

/// A port that is held, and closed until the HTTP server opens it.
fn bind(address: SocketAddr) -> std::io::Result<TcpListener> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    Door::close(&listener)?;
    Ok(listener)
}

/// Bounces as soon as a port that could not be bound is free.
async fn again(
    worker: &WorkerContext,
    failed: Option<SocketAddr>,
    clock: &SharedClock,
) -> WorkerResult {
    let Some(address) = failed else {
        return std::future::pending().await;
    };
    loop {
        worker.or_dying(clock.sleep(AGAIN)).await?;
        if TcpListener::bind(address).is_ok() {
            return Err(WorkerError::Bounce);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Poll;

    use super::*;

    #[tokio::test]
    async fn a_listener_at_rest_wakes_nobody_also_after_its_port_was_closed() {
        let listener = bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = listener.local_addr().unwrap();
        let port = Port {
            address,
            listeners: Arc::new(vec![listener]),
        };
        for _ in 0..2 {
            let (listeners, doors) = port.open().unwrap();
            let polls = AtomicUsize::new(0);
            let accepted = std::future::poll_fn(|context| {
                polls.fetch_add(1, Ordering::Relaxed);
                assert!(listeners[0].poll_accept(context).is_pending());
                Poll::<()>::Pending
            });
            let rest = Duration::from_millis(200);
            assert!(tokio::time::timeout(rest, accepted).await.is_err());
            // Once to begin with, and once for the time limit.
            assert!(polls.load(Ordering::Relaxed) <= 3, "{polls:?}");
            drop(doors);
        }
    }
}
