//! `status`, once or whenever something changes.

use std::collections::BTreeSet;

use periapt_client::rest::RestClient;
use periapt_wire::rest::StorageInfo;
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
        let (status, storages) = self.fetch().await?;
        self.view(&status, &storages).write(self.output)?;
        if status.applications.is_empty() && status.machines.is_empty() && self.is_for_people() {
            let session = &self.here.session;
            match self.arguments.patterns.is_empty() {
                true => self.output.say(&format!(
                    "Model \"{}\" is empty.",
                    session.full_name(&self.here.model)
                )),
                false => self.output.say("Nothing matched specified filter."),
            }
        }
        Ok(())
    }

    /// Until the command is interrupted or the model is gone.
    async fn again_and_again(&self, pause: std::time::Duration) -> Outcome {
        let mut live = Live::open(self.client(), &self.here.model).await?;
        let mut first = true;
        loop {
            let (status, storages) = self.fetch().await?;
            let view = self.view(&status, &storages);
            view.write_again(self.output, first)?;
            first = false;
            tokio::time::sleep(pause).await;
            live.changed().await?;
        }
    }

    /// The model and its storage, where that is to be shown.
    async fn fetch(&self) -> Outcome<(FullStatus, Vec<StorageInfo>)> {
        let patterns = &self.arguments.patterns;
        let status = self.client().status(&self.here.model, patterns).await?;
        let mut storages = Vec::new();
        // Documents have it always, as Juju's.
        if self.arguments.storage || !self.is_for_people() {
            storages = self.client().storages(&self.here.model, None).await?;
        }
        if !patterns.is_empty() {
            let shown = shown_units(&status);
            let is_shown = |storage: &StorageInfo| {
                let mut units = storage.attachments.iter().map(|of| of.unit.as_str());
                units.any(|unit| shown.contains(unit))
            };
            storages.retain(is_shown);
        }
        Ok((status, storages))
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

    fn view<'a>(&'a self, status: &'a FullStatus, storages: &'a [StorageInfo]) -> View<'a> {
        View {
            status,
            controller: &self.here.session.name,
            format: self.arguments.format,
            times: self.times,
            relations: self.arguments.relations,
            storages,
        }
    }
}

/// All units of a status, subordinates among them.
fn shown_units(status: &FullStatus) -> BTreeSet<&str> {
    let applications = status.applications.values();
    let units = applications.flat_map(|application| application.units.iter().flatten());
    let all = units.flat_map(|(name, unit)| {
        let subordinates = unit.subordinates.iter().flatten().map(|(name, _)| name);
        std::iter::once(name).chain(subordinates)
    });
    all.map(String::as_str).collect()
}
