//! **apiaddressupdater**: keeps the controller's addresses in the agent's configuration.
//!
//! Trigger: a new connection, and each change of the controller's addresses. Action: it asks for
//! them, leaves out those that belong to container bridges of this very machine, and keeps the
//! rest when they differ. Effect: an agent finds another process of its controller when the one
//! it is connected to dies, or a controller that has moved. It never keeps an empty list, with
//! which no agent could connect again.
//!
//! What it never does: it writes no file, and it opens no port. The file from which the next
//! process learns the addresses, and the ports that this one may reach, are the controller's to
//! decide (its provisioner does): an agent that was taken over could write anything there.

use std::net::Ipv4Addr;

use periapt_engine::{Manifold, ResultExt, TaskWorker};
use periapt_wire::ApiConnection;
use periapt_wire::agent::host::{HostModel, WatchApiAddresses};
use serde_json::json;

use super::kernel_file::KernelFile;
use super::{AgentContext, agent, apicaller};
use crate::watching;

#[cfg(test)]
mod tests;

pub const NAME: &str = "api-address-updater";

/// How the kernel lists its routes.
const ROUTES: &str = "/proc/net/route";

/// Interfaces that containers of this machine hang on. Their addresses are those of other
/// machines' bridges too, so a controller cannot be meant by them.
const BRIDGES: &[&str] = &["lxcbr", "lxdbr", "incusbr", "virbr", "docker", "cni"];

/// The kernel's routes, through a file that was opened when the process could still open it.
#[derive(Debug)]
pub struct Routes(KernelFile);

impl Routes {
    pub fn open() -> Self {
        Self(KernelFile::open(ROUTES))
    }

    /// As they are now; nothing where the kernel does not tell.
    fn read(&self) -> String {
        self.0.read()
    }
}

/// Lends nothing.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let agent: AgentContext = context.get(agent::NAME)?;
        let connection: ApiConnection = context.get(apicaller::NAME)?;
        Ok(TaskWorker::spawn(move |worker| async move {
            let (watch, doing) = (WatchApiAddresses {}, "watching the controller's addresses");
            watching::notify(&worker, &connection, watch, doing, || async {
                let model = connection.call(&HostModel {}).await;
                let told = model
                    .while_doing("asking for the controller's addresses")?
                    .api_addresses;
                let addresses = without_bridges(&told, &agent.routes.read());
                if !addresses.is_empty() {
                    agent.conf.update(|config| config.api_addresses = addresses);
                }
                let addresses = agent.conf.current().api_addresses;
                worker.set_report(json!({ "addresses": addresses }));
                Ok(())
            })
            .await
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
