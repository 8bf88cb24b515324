//! Waiting for a model to change, without asking again and again: the controller says when.

use std::time::Duration;

use periapt_client::rest::{EventStream, RestClient, RestError};

/// Between two tries to listen again after the connection was lost.
pub const PAUSE: Duration = Duration::from_secs(1);

/// An ear on one model. Changes from the moment it was opened are not missed, nor are those of
/// a time in which the connection was lost.
pub struct Live {
    client: RestClient,
    model: String,
    events: Option<EventStream>,
    /// How far the last stream had come.
    last: Option<String>,
}

impl Live {
    /// Begins to listen; returns once the controller does.
    pub async fn open(client: &RestClient, model: &str) -> Result<Self, RestError> {
        let mut live = Self {
            client: client.clone(),
            model: model.to_owned(),
            events: None,
            last: None,
        };
        live.listen().await?;
        // What there is comes first.
        live.wait_for(&["current"]).await?;
        Ok(live)
    }

    /// Returns when something changed: one change, or several at once. Fails when the controller
    /// will not be listened to any more, as when the model is gone.
    pub async fn changed(&mut self) -> Result<(), RestError> {
        loop {
            if self.events.is_some() {
                match self.wait_for(&["change", "current"]).await {
                    Ok(()) => {
                        self.drain().await;
                        return Ok(());
                    }
                    Err(_) => self.hang_up(),
                }
            }
            match self.listen().await {
                Ok(()) => {}
                Err(error) if is_lasting(&error) => return Err(error),
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    }

    async fn listen(&mut self) -> Result<(), RestError> {
        let events = self
            .client
            .events(Some(&self.model), self.last.as_deref())
            .await?;
        self.events = Some(events);
        Ok(())
    }

    fn hang_up(&mut self) {
        if let Some(id) = self.events.take().as_ref().and_then(EventStream::last_id) {
            self.last = Some(id.to_owned());
        }
    }

    /// Takes events up to one of this name.
    async fn wait_for(&mut self, names: &[&str]) -> Result<(), RestError> {
        let ended = || RestError::Interrupted("the controller ended the event stream".to_owned());
        let events = self.events.as_mut().ok_or_else(ended)?;
        loop {
            let message = events.next().await.ok_or_else(ended)??;
            if names.contains(&message.event.as_str()) {
                return Ok(());
            }
        }
    }

    /// Takes what has come meanwhile: one look at the model serves for all of it.
    async fn drain(&mut self) {
        loop {
            tokio::select! {
                biased;
                more = self.wait_for(&["change", "current"]) => if more.is_err() {
                    self.hang_up();
                    return;
                },
                () = std::future::ready(()) => return,
            }
        }
    }
}

/// Whether asking again is of no use. A controller that stops or starts answers 5xx for a while, or not
/// at all.
pub fn is_lasting(error: &RestError) -> bool {
    matches!(error, RestError::Problem(problem) if problem.status < 500)
}
