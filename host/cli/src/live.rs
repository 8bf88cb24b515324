//! Waiting for a model to change, without asking again and again: the controller says when.

use std::time::Duration;

use periapt_client::rest::{Lines, RestClient, RestError};
use periapt_wire::rest::ChangeLine;

/// Between two tries to listen again after the connection was lost.
const PAUSE: Duration = Duration::from_secs(1);

/// An ear on one model. Changes from the moment it was opened are not missed.
pub struct Live {
    client: RestClient,
    model: String,
    lines: Option<Lines<ChangeLine>>,
}

impl Live {
    /// Begins to listen; returns once the controller does.
    pub async fn open(client: &RestClient, model: &str) -> Result<Self, RestError> {
        let mut live = Self {
            client: client.clone(),
            model: model.to_owned(),
            lines: None,
        };
        live.listen().await?;
        Ok(live)
    }

    /// Returns when something may have changed: one change, several at once, or a connection lost
    /// and found again. Fails when the controller will not be listened to any more, as when the
    /// model is gone.
    pub async fn changed(&mut self) -> Result<(), RestError> {
        loop {
            match &mut self.lines {
                Some(lines) => match lines.next().await {
                    Some(Ok(_)) => {
                        self.drain().await;
                        return Ok(());
                    }
                    Some(Err(_)) | None => self.lines = None,
                },
                None => match self.listen().await {
                    Ok(()) => return Ok(()),
                    Err(error @ RestError::Problem(_)) if !is_passing(&error) => return Err(error),
                    Err(_) => tokio::time::sleep(PAUSE).await,
                },
            }
        }
    }

    /// Opens the stream and takes its first line, which says that it stands.
    async fn listen(&mut self) -> Result<(), RestError> {
        let mut lines = self.client.changes(&self.model).await?;
        match lines.next().await {
            Some(Ok(_)) => {
                self.lines = Some(lines);
                Ok(())
            }
            Some(Err(error)) => Err(error),
            None => Err(RestError::Interrupted(
                "the controller ended the stream of changes".to_owned(),
            )),
        }
    }

    /// Takes what has come meanwhile: one look at the model serves for all of it.
    async fn drain(&mut self) {
        while let Some(lines) = &mut self.lines {
            tokio::select! {
                biased;
                line = lines.next() => if !matches!(line, Some(Ok(_))) {
                    self.lines = None;
                },
                () = std::future::ready(()) => return,
            }
        }
    }
}

/// A controller that stops or starts answers 5xx for a while.
fn is_passing(error: &RestError) -> bool {
    error.status().is_some_and(|status| status >= 500)
}
