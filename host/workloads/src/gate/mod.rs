//! The gate: reads requests of strangers, and passes on those that may come in.
//!
//! Everything it knows, the listeners included, the supervisor told it. What it holds could fall into the
//! hands of who takes it over: the listeners, who reaches whom, and connections to the processes that serve;
//! no file, no secret and no other place to connect to.

mod back;
pub(crate) mod fields;
mod front;
mod listen;
pub(crate) mod names;
pub(crate) mod pages;
pub(crate) mod pass;
pub(crate) mod table;
#[cfg(test)]
mod tests;
mod traced;
mod waits;
pub(crate) mod websocket;

use std::net::TcpListener;
use std::time::Duration;

use periapt_sandbox::lockdown::{Identity, Sockets};

use crate::channel::{self, Inbox, Outbox};
use crate::frames::{FROM_CHILD, FromGate, TO_CHILD, ToGate};
use crate::{Failure, child};
pub use pass::{LONGEST, NOT_HERE, PORT, REFUSED, UNIT};

use back::Back;
use front::Fronts;
use listen::Listeners;
use table::{Table, Tables};
use traced::Traces;

/// The name from which its user follows, where it was started as root.
const USER: &str = "periapt-workloads-gate";
/// A client that takes nothing of an answer for so long has its connection cut.
const UNREAD: Duration = Duration::from_secs(60);
/// More threads than this pass no more on.
const THREADS: usize = 4;

/// Runs the gate until its supervisor is gone.
///
/// # Errors
/// What keeps it from running.
pub fn gate() -> Result<(), Failure> {
    let (found, report) = child::restrict(&Identity::own(USER), &[], &[], Sockets::Accepting)?;
    child::trace();
    tracing::info!(user = report.user, "the gate begins");
    for missing in report.missing() {
        tracing::warn!("a wall around the gate is missing: {missing}");
    }
    child::runtime(found.cores.min(THREADS))?.block_on(async {
        let stream = child::supervisor()?;
        let (inbox, outbox) = channel::open(stream, TO_CHILD, FROM_CHILD);
        run(inbox, outbox, found.descriptors)
            .await
            .map_err(Failure::Channel)
    })
}

async fn run(
    mut inbox: Inbox<ToGate>,
    outbox: Outbox<FromGate>,
    descriptors: u64,
) -> std::io::Result<()> {
    let Some((ToGate::Settings(settings), _)) = inbox.next().await? else {
        return Ok(());
    };
    // A third for strangers, a third for what is asked of those that serve, and the rest for connections that
    // wait for a request and for the listeners.
    let room = usize::try_from(descriptors / 3).unwrap_or(usize::MAX);
    let room = room.max(16);
    let fronts = Fronts::new(settings.connections.min(room));
    let tables = Tables::new(Table::default());
    let back = Back::new(outbox.clone(), &settings, room);
    tokio::spawn(fronts.clone().sweep(settings.head()));
    tokio::spawn(fronts.clone().sweep_unread(UNREAD));
    let traces = Traces::new(outbox.clone());
    let parts = (fronts.clone(), tables.clone(), back.clone());
    let mut listeners = Listeners::new(parts, traces, settings);
    while let Some((frame, mut passed)) = inbox.next().await? {
        match frame {
            ToGate::Settings(_) => {}
            ToGate::Model(model, facing) => {
                let table = tables.change(|table| match facing {
                    Some(facing) => table.insert(model, *facing),
                    None => table.remove(&model),
                });
                fronts.cut_what_may_not(&table).await;
            }
            ToGate::Doors(model, unit, doors) => {
                tables.change(|table| table.set_doors(&model, unit, doors));
            }
            ToGate::Listen(number, leads) => {
                let listener = passed.pop().map(TcpListener::from);
                // The others go on without it.
                if let Err(error) = listeners.open(number, leads, listener) {
                    tracing::warn!(%error, "a listener cannot be taken over");
                }
            }
            ToGate::Close(number) => {
                listeners.close(number).await;
                fronts.cut_listener(number).await;
            }
            ToGate::Mark(number) => {
                // A supervisor that does not read is gone, which the next frame tells.
                let _ = outbox.send(&FromGate::Marked(number), Vec::new());
            }
            ToGate::Connected(number) => back.connected(number, passed.pop()),
        }
    }
    Ok(())
}
