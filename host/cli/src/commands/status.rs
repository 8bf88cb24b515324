//! `status`, once or whenever something changes.

use periapt_client::rest::RestClient;
use periapt_wire::status::FullStatus;

use super::Context;
use crate::arguments::{Status, StatusFormat};
use crate::failure::Outcome;
use crate::live::Live;
use crate::output::Output;
use crate::output::status::View;
use crate::output::time::Times;
use crate::session::ModelSession;

pub async fn status(context: &Context, arguments: Status) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let output = context.output.to(&arguments.target)?;
    let times = Times::new(arguments.utc);
    let picture = Picture {
        here: &here,
        arguments: &arguments,
        times: &times,
        output: &output,
    };
    match arguments.watch {
        None => picture.once().await,
        Some(pause) => picture.again_and_again(pause).await,
    }
}

struct Picture<'a> {
    here: &'a ModelSession,
    arguments: &'a Status,
    times: &'a Times,
    output: &'a Output,
}

impl Picture<'_> {
    async fn once(&self) -> Outcome {
        let status = self.fetch().await?;
        self.view(&status).write(self.output)?;
        if status.applications.is_empty() && status.machines.is_empty() && self.is_for_people() {
            let session = &self.here.session;
            match self.arguments.patterns.is_empty() {
                true => self.output.say(&format!(
                    "Model \"{}\" is empty.",
                    session.full_name(&self.here.model)
                )),
                false => self.output.say("Nothing matched the patterns."),
            }
        }
        Ok(())
    }

    /// Until the command is interrupted or the model is gone.
    async fn again_and_again(&self, pause: std::time::Duration) -> Outcome {
        let mut live = Live::open(self.client(), &self.here.model).await?;
        let mut first = true;
        loop {
            let status = self.fetch().await?;
            self.view(&status).write_again(self.output, first)?;
            first = false;
            tokio::time::sleep(pause).await;
            live.changed().await?;
        }
    }

    async fn fetch(&self) -> Outcome<FullStatus> {
        Ok(self
            .client()
            .status(&self.here.model, &self.arguments.patterns)
            .await?)
    }

    fn client(&self) -> &RestClient {
        self.here.client()
    }

    fn is_for_people(&self) -> bool {
        !matches!(
            self.arguments.format,
            StatusFormat::Json | StatusFormat::Yaml
        )
    }

    fn view<'a>(&'a self, status: &'a FullStatus) -> View<'a> {
        View {
            status,
            controller: &self.here.session.name,
            format: self.arguments.format,
            times: self.times,
            relations: self.arguments.relations,
        }
    }
}
