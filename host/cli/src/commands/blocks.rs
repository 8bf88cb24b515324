//! `disable-command`, `enable-command`, `disabled-commands`: what people may not do in a model.

use clap::{Args, Subcommand};
use periapt_model::block::BlockKind;
use periapt_wire::rest::{BlockInfo, ModelSummary, SetBlock};
use serde::Serialize;

use super::Context;
use crate::arguments::{ListFormat, ModelChoice, Target};
use crate::failure::Outcome;
use crate::output::table::Table;
use crate::output::text::natural;
use crate::session::{ModelSession, Session, split};

/// The verbs of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Disable commands in a model until you enable them again.
    DisableCommand(DisableCommand),
    /// Enable commands in a model again.
    EnableCommand(EnableCommand),
    /// List the disabled commands of a model.
    #[command(visible_alias = "list-disabled-commands")]
    DisabledCommands(DisabledCommands),
}

const KINDS: &str = "\
Groups of commands:
  destroy-model  destroying the model, or the controller with it
  remove-object  the above, and removing applications, units, machines and relations without --force
  all            every change of the model";

#[derive(Debug, Args)]
#[command(after_help = KINDS)]
pub struct DisableCommand {
    /// destroy-model, remove-object or all.
    #[arg(value_name = "TYPE")]
    pub kind: BlockKind,
    /// The message shown to anyone who is refused.
    #[arg(value_name = "MESSAGE")]
    pub message: Vec<String>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
#[command(after_help = KINDS)]
pub struct EnableCommand {
    /// destroy-model, remove-object or all.
    #[arg(value_name = "TYPE")]
    pub kind: BlockKind,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
#[command(after_help = KINDS)]
pub struct DisabledCommands {
    /// For all models of the controller that you can see.
    #[arg(long)]
    pub all: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

pub async fn run(context: &Context, verb: Verb) -> Outcome {
    match verb {
        Verb::DisableCommand(arguments) => disable(context, arguments).await,
        Verb::EnableCommand(arguments) => enable(context, arguments).await,
        Verb::DisabledCommands(arguments) if arguments.all => list_all(context, arguments).await,
        Verb::DisabledCommands(arguments) => list(context, arguments).await,
    }
}

async fn disable(context: &Context, arguments: DisableCommand) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let block = SetBlock {
        message: arguments.message.join(" "),
    };
    here.client()
        .set_block(&here.model, arguments.kind, &block)
        .await?;
    Ok(())
}

async fn enable(context: &Context, arguments: EnableCommand) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    here.client()
        .remove_block(&here.model, arguments.kind)
        .await?;
    Ok(())
}

/// One block, by the names of Juju's.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Entry<'a> {
    command_set: BlockKind,
    #[serde(skip_serializing_if = "str::is_empty")]
    message: &'a str,
}

/// A model in which something is disabled.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct ModelEntry<'a> {
    name: String,
    model_uuid: &'a str,
    disabled_commands: Vec<Entry<'a>>,
}

const NOTHING: &str = "No commands are currently disabled.";

async fn list(context: &Context, arguments: DisabledCommands) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let blocks = here.client().blocks(&here.model).await?;
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&entries(&blocks)),
        ListFormat::Yaml => output.yaml(&entries(&blocks)),
        ListFormat::Tabular if blocks.is_empty() => {
            output.say(NOTHING);
            Ok(())
        }
        ListFormat::Tabular => output.data(&table(&blocks).render(output.paints())),
    }
}

async fn list_all(context: &Context, arguments: DisabledCommands) -> Outcome {
    let (controller, _) = arguments.model.model.as_deref().map_or((None, None), split);
    let session = Session::open_named(&context.files, controller).await?;
    let mut models = session.client.models().await?;
    models.retain(|model| !model.blocks.is_empty());
    models.sort_by(|a, b| natural(a.name.as_str(), b.name.as_str()));
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&model_entries(&models)),
        ListFormat::Yaml => output.yaml(&model_entries(&models)),
        ListFormat::Tabular if models.is_empty() => {
            output.say(NOTHING);
            Ok(())
        }
        ListFormat::Tabular => output.data(&table_of_all(&models).render(output.paints())),
    }
}

fn entries(blocks: &[BlockInfo]) -> Vec<Entry<'_>> {
    let blocks = blocks.iter();
    let entries = blocks.map(|BlockInfo { kind, message }| Entry {
        command_set: *kind,
        message,
    });
    entries.collect()
}

fn model_entries(models: &[ModelSummary]) -> Vec<ModelEntry<'_>> {
    let entries = models.iter().map(|model| {
        let disabled = model.blocks.iter().map(|(kind, message)| Entry {
            command_set: *kind,
            message,
        });
        ModelEntry {
            name: format!("{}/{}", model.owner, model.name),
            model_uuid: model.uuid.as_str(),
            disabled_commands: disabled.collect(),
        }
    });
    entries.collect()
}

fn table(blocks: &[BlockInfo]) -> Table {
    let mut table = Table::new(&["Disabled commands", "Message"]);
    for block in blocks {
        table.row(vec![block.kind.as_str().into(), (&block.message).into()]);
    }
    table
}

fn table_of_all(models: &[ModelSummary]) -> Table {
    let mut table = Table::new(&["Model", "Disabled commands", "Message"]);
    for model in models {
        for (kind, message) in &model.blocks {
            table.row(vec![
                model.name.as_str().into(),
                kind.as_str().into(),
                message.into(),
            ]);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use serde_json::json;

    use super::*;
    use crate::arguments::{Arguments, Command};

    fn blocks() -> Vec<BlockInfo> {
        vec![
            BlockInfo {
                kind: BlockKind::DestroyModel,
                message: String::new(),
            },
            BlockInfo {
                kind: BlockKind::All,
                message: "a pause\u{1b}[2J\nuntil Monday".to_owned(),
            },
        ]
    }

    fn models() -> Vec<ModelSummary> {
        let model = json!({
            "uuid": "8419cd78-4993-4c3a-928e-c646226beeee", "name": "shop", "type": "iaas",
            "cloud": "local", "region": "default", "owner": "admin", "life": "alive",
            "status": { "status": "available" }, "applications": 1, "machines": 1, "units": 1,
            "created-at": 0, "blocks": { "all": "a pause", "destroy-model": "" },
        });
        vec![serde_json::from_value(model).unwrap()]
    }

    #[test]
    fn what_is_disabled_is_a_table() {
        let expected = "\
Disabled commands  Message
destroy-model
all                a pause until Monday
";
        assert_eq!(table(&blocks()).render(false), expected);
        let expected = "\
Model  Disabled commands  Message
shop   destroy-model
shop   all                a pause
";
        assert_eq!(table_of_all(&models()).render(false), expected);
    }

    #[test]
    fn documents_have_the_message_where_there_is_one() {
        let blocks = blocks();
        assert_eq!(
            serde_json::to_value(entries(&blocks)).unwrap(),
            json!([
                { "command-set": "destroy-model" },
                { "command-set": "all", "message": blocks[1].message },
            ])
        );
        assert_eq!(
            serde_json::to_value(model_entries(&models())).unwrap(),
            json!([{
                "name": "admin/shop",
                "model-uuid": "8419cd78-4993-4c3a-928e-c646226beeee",
                "disabled-commands": [
                    { "command-set": "destroy-model" },
                    { "command-set": "all", "message": "a pause" },
                ],
            }])
        );
    }

    #[test]
    fn the_words_behind_the_type_are_the_message() {
        let parsed = |line: &str| {
            let words = std::iter::once("periapt").chain(line.split(' '));
            Arguments::try_parse_from(words).map(|arguments| arguments.command)
        };
        match parsed("disable-command remove-object ask Ann first").unwrap() {
            Command::Blocks(Verb::DisableCommand(arguments)) => {
                assert_eq!(arguments.kind, BlockKind::RemoveObject);
                assert_eq!(arguments.message.join(" "), "ask Ann first");
            }
            other => panic!("{other:?}"),
        }
        let wrong = parsed("disable-command remove-objects").unwrap_err();
        let wrong = wrong.to_string();
        assert!(wrong.contains("did you mean \"remove-object\""), "{wrong}");
        assert!(parsed("enable-command").is_err());
    }
}
