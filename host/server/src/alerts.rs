//! Messages of alerts on their way from the store to their receivers.
//!
//! What fires and who is told is decided and written down by the store. Here a message that is due is sent, by the
//! room `receivers`, with what is secret in its receiver, and what became of it is written down. Between the two a
//! process may die: then the message is sent again later under the same id.

use std::time::Duration;

use futures::future::join_all;
use periapt_engine::clock::timeout;
use periapt_model::alert::Message;
use periapt_receivers::{Outgoing, send};
use periapt_store::{DueDelivery, StoreError};
use periapt_wire::agent::alerts::Delivered;
use periapt_wire::rest::AlertDelivery;

use crate::state::ServerState;

/// For one message in all: a mail server answers several questions, each in its own time.
const LONGEST: Duration = Duration::from_secs(30);

/// Sends a receiver the messages that are due, so many at a time.
///
/// # Errors
/// Those of the store. A receiver that fails is none.
pub(crate) async fn deliver(state: &ServerState, receiver: &str) -> Result<Delivered, StoreError> {
    let due = state.store().take_alert_deliveries(receiver).await?;
    let mut delivered = Delivered::default();
    let sent = join_all(due.iter().map(|one| deliver_one(state, one))).await;
    for taken in sent {
        match taken? {
            true => delivered.sent += 1,
            false => delivered.failed += 1,
        }
    }
    Ok(delivered)
}

/// Whether the receiver took it.
async fn deliver_one(state: &ServerState, due: &DueDelivery) -> Result<bool, StoreError> {
    let answer = answer(state, &due.receiver, due.id.to_string(), &due.message).await;
    let taken = answer.is_ok();
    if let Err(why) = &answer {
        tracing::warn!(receiver = %due.receiver, delivery = due.id, %why, "an alert's message is not delivered");
    }
    state.store().alert_delivery_tried(due.id, answer).await?;
    Ok(taken)
}

async fn answer(
    state: &ServerState,
    receiver: &str,
    id: String,
    message: &Message,
) -> Result<String, String> {
    let opened = state.secrets().receiver(receiver).await;
    let opened = opened.map_err(|error| error.to_string())?;
    let outgoing = Outgoing {
        id,
        now: state.clock().now().as_second(),
        message,
    };
    let sending = send(&opened, &outgoing);
    match timeout(state.clock().as_ref(), LONGEST, sending).await {
        Some(sent) => sent.map_err(|error| error.to_string()),
        None => Err(format!("it took longer than {} s", LONGEST.as_secs())),
    }
}

/// Sends a receiver a message at once; what became of it.
///
/// # Errors
/// A receiver that there is not, and those of the store.
pub(crate) async fn test(state: &ServerState, receiver: &str) -> Result<AlertDelivery, StoreError> {
    // One that there is not is refused, not tried.
    state.store().alert_receiver(receiver).await?;
    let message = Message {
        rule: "test".to_owned(),
        summary: "This is a test: the receiver works.".to_owned(),
        controller: state.controller().name.clone(),
        firing: 0,
        resolved: 0,
        items: Vec::new(),
    };
    let id = format!("test-{}", uuid::Uuid::new_v4().simple());
    let answer = answer(state, receiver, id, &message).await;
    let store = state.store();
    store
        .alert_receiver_tested(receiver, &message, answer)
        .await
}
