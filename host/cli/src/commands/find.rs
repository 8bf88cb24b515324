//! `find`: what a controller has of charms, applications and machines, by words.

use clap::Args;
use periapt_wire::rest::ListQuery;
use serde::Serialize;

use super::Context;
use crate::arguments::{ControllerChoice, ListFormat, Target};
use crate::failure::Outcome;
use crate::output::table::Table;
use crate::output::text::clean;
use crate::session::Session;

#[derive(Debug, Args)]
pub struct Find {
    /// Words that must all be found, ignoring case.
    #[arg(value_name = "WORD")]
    pub words: Vec<String>,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub controller: ControllerChoice,
    #[command(flatten)]
    pub target: Target,
}

/// Something in a model.
#[derive(Debug, PartialEq, Serialize)]
struct Found {
    kind: &'static str,
    name: String,
    model: String,
    /// Other details, which are also searched.
    about: String,
}

impl Found {
    fn has(&self, words: &[String]) -> bool {
        let text = format!("{} {} {}", self.kind, self.name, self.about).to_lowercase();
        words.iter().all(|word| text.contains(word))
    }
}

pub async fn find(context: &Context, arguments: Find) -> Outcome {
    let words: Vec<String> = arguments
        .words
        .iter()
        .map(|word| word.to_lowercase())
        .collect();
    let session = Session::open(&context.files, &arguments.controller).await?;
    let mut found = all(&session).await?;
    found.retain(|entity| entity.has(&words));
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&found),
        ListFormat::Yaml => output.yaml(&found),
        ListFormat::Tabular if found.is_empty() => {
            output.say("Nothing matches.");
            Ok(())
        }
        ListFormat::Tabular => output.data(&table(&found).render(output.paints())),
    }
}

/// The contents of the models that the user may read.
async fn all(session: &Session) -> Outcome<Vec<Found>> {
    let client = &session.client;
    let mut found = Vec::new();
    for summary in client.models().await? {
        let (id, model) = (summary.uuid.as_str(), summary.name.to_string());
        let entity = |kind: &'static str, name: String, about: String| Found {
            kind,
            name,
            model: model.clone(),
            about: clean(about.trim()),
        };
        for charm in client.charms(id).await? {
            found.push(entity(
                "charm",
                charm.url.to_string(),
                charm.metadata.summary,
            ));
        }
        for application in client.applications(id).await? {
            let (charm, status) = (application.charm, application.status);
            let about = format!("{charm} {} {}", status.status, status.message);
            found.push(entity("application", application.name.to_string(), about));
        }
        for machine in client.machines(id, &ListQuery::default()).await? {
            let addresses = machine.addresses.join(" ");
            let about = format!("{} {addresses} {}", machine.instance_id, machine.hardware);
            found.push(entity("machine", machine.id.to_string(), about));
        }
    }
    Ok(found)
}

fn table(found: &[Found]) -> Table {
    let mut table = Table::new(&["Kind", "Name", "Model", "About"]);
    for entity in found {
        table.row(vec![
            entity.kind.into(),
            (&entity.name).into(),
            (&entity.model).into(),
            (&entity.about).into(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_words_have_to_be_there_in_any_case() {
        let site = Found {
            kind: "charm",
            name: "local:site-0".to_owned(),
            model: "shop".to_owned(),
            about: "A static Web site".to_owned(),
        };
        let has = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            site.has(&words)
        };
        assert!(has(&[]) && has(&["site", "web"]) && has(&["charm"]));
        assert!(!has(&["site", "database"]) && !has(&["shop"]));
    }
}
