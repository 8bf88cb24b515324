//! **certupdater**: keeps the controller's certificate good for the addresses it has.
//!
//! Trigger: start, a change of the controller's addresses, and two thirds of a certificate's
//! life. Action: it has the resolver show a new leaf. Effect: clients that dial a new address pass
//! verification without a restart, and connections that stand are not touched. A leaf that covers
//! all addresses already is left as it is. A clock that jumps past the end of a leaf needs no
//! timer here: the resolver itself renews what is due before it is shown to a client. On a
//! controller that listens everywhere the addresses of the machine's interfaces count too; the
//! kernel is asked for them once a minute, since it tells of changes only to programs with a
//! netlink socket. Loopback addresses are in every leaf and need no change.

use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

use periapt_engine::{Manifold, ResultExt, SharedClock, TaskWorker, WorkerContext, WorkerResult};
use periapt_server::authority::{Authority, LeafResolver};
use serde_json::json;
use tokio::sync::watch;

use super::{agent, apiservercertwatcher, controllerport};
use crate::ControllerContext;

#[cfg(test)]
mod tests;

pub const NAME: &str = "certificate-updater";

/// Between two looks at the machine's interfaces.
const LOOK: Duration = Duration::from_secs(60);
/// Between two looks at the calendar: a machine may sleep, and timers with it.
const DAY: Duration = Duration::from_secs(24 * 3600);

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let controller: ControllerContext = context.get(agent::NAME)?;
        let port: controllerport::Port = context.get(controllerport::NAME)?;
        let resolver: LeafResolver = context.get(apiservercertwatcher::NAME)?;
        let updater = Updater {
            everywhere: port.address.ip().is_unspecified(),
            listening: port.address.ip(),
            addresses: controller.api_addresses.subscribe(),
            resolver,
            clock: context.clock(),
        };
        // The port itself belongs to the listener.
        drop(port);
        Ok(TaskWorker::spawn(|worker| updater.run(worker)))
    })
    .needs([
        agent::NAME,
        controllerport::NAME,
        apiservercertwatcher::NAME,
    ])
}

struct Updater {
    everywhere: bool,
    listening: IpAddr,
    addresses: watch::Receiver<Vec<String>>,
    resolver: LeafResolver,
    clock: SharedClock,
}

impl Updater {
    async fn run(mut self, worker: WorkerContext) -> WorkerResult {
        let mut issued = 0;
        loop {
            let names = Authority::names(&self.wanted());
            if self.resolver.current().names() != names {
                self.resolver
                    .renew(&names)
                    .while_doing("issuing the certificate")?;
                tracing::info!(?names, "new certificate");
                issued += 1;
            } else if self
                .resolver
                .renew_if_due()
                .while_doing("renewing the certificate")?
            {
                issued += 1;
            }
            let renew_at = jiff::Timestamp::try_from(self.resolver.current().renew_at());
            let renew_at = renew_at.map(|time| time.as_second()).unwrap_or_default();
            worker.set_report(json!({ "names": names, "issued": issued, "renew-at": renew_at }));
            let pause = if self.everywhere { LOOK } else { DAY };
            tokio::select! {
                () = worker.dying().cancelled() => return Ok(()),
                () = self.clock.sleep(pause) => {}
                changed = self.addresses.changed() => {
                    if changed.is_err() {
                        // Whoever knows the addresses has gone: the process ends.
                        worker.dying().cancelled().await;
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Addresses that clients may dial.
    fn wanted(&mut self) -> Vec<String> {
        let mut wanted = vec![self.listening.to_string()];
        wanted.extend(self.addresses.borrow_and_update().iter().map(|address| {
            let host = address
                .rsplit_once(':')
                .map_or(address.as_str(), |(host, _)| host);
            host.to_owned()
        }));
        if self.everywhere {
            wanted.extend(interfaces());
        }
        wanted
    }
}

/// Addresses of the machine's interfaces, without loopback and link-local ones.
fn interfaces() -> Vec<String> {
    let read = |path: &str| std::fs::read_to_string(Path::new(path)).unwrap_or_default();
    let mut found = ipv4(&read("/proc/net/fib_trie"));
    found.extend(ipv6(&read("/proc/net/if_inet6")));
    found.sort();
    found.dedup();
    found.iter().map(IpAddr::to_string).collect()
}

/// Local addresses in the kernel's routing trie: each is followed by `/32 host LOCAL`.
fn ipv4(trie: &str) -> Vec<IpAddr> {
    let lines: Vec<&str> = trie.lines().map(str::trim).collect();
    let local = lines
        .windows(2)
        .filter(|pair| pair[1].starts_with("/32 host LOCAL"));
    local
        .filter_map(|pair| pair[0].strip_prefix("|-- ")?.parse::<IpAddr>().ok())
        .filter(|address| !address.is_loopback())
        .collect()
}

/// `fd42...01 02 40 00 80 eth0`: address, interface number, prefix, scope, flags, name. Scope 0
/// is global.
fn ipv6(table: &str) -> Vec<IpAddr> {
    let global = table.lines().filter_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (address, scope) = (fields.first()?, fields.get(3)?);
        (*scope == "00")
            .then(|| u128::from_str_radix(address, 16).ok())
            .flatten()
    });
    global
        .map(|bits| IpAddr::from(bits.to_be_bytes()))
        .collect()
}
