//! The process that serves one model: its components, loaded, and the requests that the gate passes on.
//!
//! It works in the directory of the model's agent, as the user to whom the units' files belong. It reads
//! there, and writes to the units' storage. Everything else it has from its supervisor: what each unit serves, and
//! the connections of the gate.

pub(crate) mod answer;
mod inside;
mod telling;
#[cfg(test)]
mod tests;
pub(crate) mod units;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use periapt_sandbox::Settings as EngineSettings;
use periapt_sandbox::lockdown::{Identity, Sockets};
use periapt_serving::ServingEngine;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::channel::{self, Inbox, Outbox};
use crate::frames::{FromServe, TO_CHILD, ToServe};
use crate::{Failure, child};
use answer::Answering;
use units::Units;

/// Requests of all units of a model that are answered at the same time.
pub const SLOTS: u32 = 64;
/// What is told and not yet heard; lines beyond it are counted and dropped.
const QUEUE: usize = 4096;
/// Requests under way have so long when the process ends, which is longer than most may last.
const LEFT: Duration = Duration::from_secs(40);
/// What it reads, in the directory of the model's agent.
pub const READ: [&str; 2] = ["compiled", "units"];
/// What it writes to there. An agent of before storage has none.
const STORAGE: &str = "storage";

/// Runs the process in its working directory until it is not needed any more.
///
/// # Errors
/// What keeps it from running.
pub fn serve() -> Result<(), Failure> {
    let read = READ.map(Path::new);
    let write = [Path::new(STORAGE)];
    let write = write.into_iter().filter(|path| path.is_dir());
    let write: Vec<&Path> = write.collect();
    let owner =
        fs::metadata("units").map_err(crate::failure::file("look at", Path::new("units")))?;
    let identity = Identity::owner(owner.uid());
    let (found, report) = child::restrict(&identity, &write, &read, Sockets::Given)?;
    child::trace();
    for missing in report.missing() {
        tracing::warn!("a wall around a process that serves is missing: {missing}");
    }
    let background = child::background(found.cores)?;
    let settings = EngineSettings::for_process(SLOTS, found.descriptors);
    let engine = ServingEngine::with_background(settings, background.handle().clone())?;
    let runtime = child::runtime(found.cores)?;
    let outcome = runtime.block_on(async {
        let (inbox, outbox) = channel::open(child::supervisor()?, TO_CHILD, QUEUE);
        run(engine, inbox, outbox).await.map_err(Failure::Channel)
    });
    // Whoever is still computing has had its time.
    runtime.shutdown_background();
    background.shutdown_background();
    outcome
}

async fn run(
    engine: ServingEngine,
    mut inbox: Inbox<ToServe>,
    outbox: Outbox<FromServe>,
) -> std::io::Result<()> {
    let Some((ToServe::Settings(settings), _)) = inbox.next().await? else {
        return Ok(());
    };
    let units = Arc::new(Units::new(engine, outbox.clone()));
    let (ending, connections) = (CancellationToken::new(), TaskTracker::new());
    let answering = Answering::new(units.clone(), ending.clone());
    let resting = tokio::spawn(answering.clone().rest(settings.rest(), outbox.clone()));
    while let Some((frame, passed)) = inbox.next().await? {
        match frame {
            ToServe::Settings(_) => {}
            ToServe::Network(network) => units.set_network(*network),
            ToServe::Unready(unit, ports) => units.set_unready(unit, ports),
            ToServe::Unit(unit, number, serving) => {
                let mut told: Vec<FromServe> = units
                    .set(&unit, serving)
                    .into_iter()
                    .map(|(place, load, error)| FromServe::Loaded { place, load, error })
                    .collect();
                told.push(FromServe::Has(unit, number));
                for told in told {
                    // A supervisor that is gone needs no answer.
                    let _ = outbox.send_in_turn(&told).await;
                }
            }
            ToServe::Connection => {
                for descriptor in passed {
                    let stream = UnixStream::from(descriptor);
                    connections.spawn(answering.clone().connection(stream));
                }
            }
            ToServe::Alive => {
                // A supervisor that is gone needs no answer.
                let _ = outbox.send_in_turn(&FromServe::Alive).await;
            }
            ToServe::Probe(probe) => {
                let (units, outbox) = (units.clone(), outbox.clone());
                connections.spawn(async move {
                    let number = probe.number;
                    let probed = FromServe::Probed(number, answer::probe(&units, probe).await);
                    // A supervisor that is gone does not ask any more.
                    let _ = outbox.send_in_turn(&probed).await;
                });
            }
        }
    }
    resting.abort();
    ending.cancel();
    connections.close();
    // Those that last longer are ended as by a kill.
    let _ = tokio::time::timeout(LEFT, connections.wait()).await;
    units.tell_the_rest().await;
    Ok(())
}
