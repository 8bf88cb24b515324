//! **apiaddressupdater**: keeps the controller's addresses in the agent's configuration.
//!
//! Trigger: a new connection, and each change of the controller's addresses. Action: it asks for
//! them, leaves out those that belong to container bridges of this very machine, and records the
//! rest when they differ. Effect: an agent finds another process of its controller when the one
//! it is connected to dies, or a controller that has moved. It never records an empty list, with
//! which no agent could connect again.

use std::net::Ipv4Addr;
use std::sync::Arc;

use periapt_client::ApiConnection;
use periapt_engine::{Manifold, ResultExt, TaskWorker};
use periapt_wire::agent::host::{HostModel, WatchApiAddresses};
use serde_json::json;

use super::{AgentContext, agent, apicaller};

#[cfg(test)]
mod tests;

pub const NAME: &str = "api-address-updater";

/// How the kernel lists its routes.
const ROUTES: &str = "/proc/net/route";

/// Interfaces that containers of this machine hang on. Their addresses are those of other
/// machines' bridges too, so a controller cannot be meant by them.
const BRIDGES: &[&str] = &["lxcbr", "lxdbr", "incusbr", "virbr", "docker", "cni"];

/// Lends nothing.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let agent: AgentContext = context.get(agent::NAME)?;
        let connection: ApiConnection = context.get(apicaller::NAME)?;
        Ok(TaskWorker::spawn(move |worker| async move {
            let watch = worker
                .or_dying(connection.watch(&WatchApiAddresses {}))
                .await?;
            let mut watcher = watch.while_doing("watching the controller's addresses")?;
            loop {
                worker
                    .or_dying(watcher.next())
                    .await?
                    .while_doing("watching the controller's addresses")?;
                let model = worker.or_dying(connection.call(&HostModel {})).await?;
                let told = model
                    .while_doing("asking for the controller's addresses")?
                    .api_addresses;
                let conf = Arc::clone(&agent.conf);
                // Reads and writes files.
                let update = move || {
                    let routes = std::fs::read_to_string(ROUTES).unwrap_or_default();
                    let addresses = without_bridges(&told, &routes);
                    if !addresses.is_empty() {
                        conf.update(|config| config.api_addresses = addresses)?;
                    }
                    std::io::Result::Ok(conf.current().api_addresses)
                };
                let addresses = tokio::task::spawn_blocking(update)
                    .await
                    .worker_error()?
                    .while_doing("recording the controller's addresses")?;
                worker.set_report(json!({ "addresses": addresses }));
            }
        }))
    })
    .needs([agent::NAME, apicaller::NAME])
}

/// The addresses that are in no network of a bridge among `routes`.
fn without_bridges(addresses: &[String], routes: &str) -> Vec<String> {
    let bridges: Vec<(u32, u32)> = routes.lines().filter_map(bridge).collect();
    let on_bridge = |address: &str| {
        let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
        host.parse::<Ipv4Addr>().is_ok_and(|host| {
            let host = u32::from(host);
            bridges
                .iter()
                .any(|(network, mask)| host & mask == *network)
        })
    };
    addresses
        .iter()
        .filter(|address| !on_bridge(address))
        .cloned()
        .collect()
}

/// Network and mask of a line `Iface Destination Gateway Flags RefCnt Use Metric Mask ...` about
/// a bridge. The numbers are in hexadecimal, in the order of bytes of the network as this machine
/// reads them.
fn bridge(line: &str) -> Option<(u32, u32)> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let name = fields.first()?;
    if !BRIDGES.iter().any(|bridge| name.starts_with(bridge)) {
        return None;
    }
    let number = |field: &str| u32::from_str_radix(field, 16).ok().map(u32::from_be);
    let (network, mask) = (number(fields.get(1)?)?, number(fields.get(7)?)?);
    (mask != 0).then_some((network, mask))
}
