//! `refresh-charm-revisions`: which applications have a newer revision in the controller's charm repository.

use clap::{Args, Subcommand};
use periapt_wire::rest::CharmUpgrade;

use super::Context;
use crate::arguments::{ListFormat, ModelChoice, Target};
use crate::failure::Outcome;
use crate::output::table::Table;
use crate::session::ModelSession;

/// The verbs of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Check for newer revisions of a model's charms now.
    RefreshCharmRevisions(RefreshCharmRevisions),
}

#[derive(Debug, Args)]
pub struct RefreshCharmRevisions {
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

pub async fn run(context: &Context, verb: Verb) -> Outcome {
    let Verb::RefreshCharmRevisions(arguments) = verb;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let upgrades = here.client().update_charm_revisions(&here.model).await?;
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&upgrades),
        ListFormat::Yaml => output.yaml(&upgrades),
        ListFormat::Tabular if upgrades.is_empty() => {
            output.say("No application has a newer revision.");
            Ok(())
        }
        ListFormat::Tabular => output.data(&table(&upgrades).render(output.paints())),
    }
}

fn table(upgrades: &[CharmUpgrade]) -> Table {
    let mut table = Table::new(&["App", "Charm", "Can upgrade to"]);
    for upgrade in upgrades {
        table.row(vec![
            upgrade.application.as_str().into(),
            (&upgrade.charm).into(),
            (&upgrade.can_upgrade_to).into(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_upgraded_is_a_table() {
        let upgrades = [CharmUpgrade {
            application: "docs".parse().unwrap(),
            charm: "local:site-0".to_owned(),
            can_upgrade_to: "repository:site-4".to_owned(),
        }];
        let expected = "\
App   Charm         Can upgrade to
docs  local:site-0  repository:site-4
";
        assert_eq!(table(&upgrades).render(false), expected);
    }
}
