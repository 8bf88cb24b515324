//! `payloads`: what charms say that they run by themselves.

use clap::{Args, Subcommand};
use periapt_wire::rest::{PayloadInfo, UnitPayloads};

use super::Context;
use crate::arguments::{ListFormat, ModelChoice, Target};
use crate::failure::Outcome;
use crate::output::table::Table;
use crate::session::ModelSession;

/// The verbs of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List payloads, which charms run themselves.
    #[command(visible_alias = "list-payloads")]
    Payloads(Payloads),
}

#[derive(Debug, Args)]
pub struct Payloads {
    /// Only payloads matching one of these: a unit, a machine, a class, an id, a type, a status or
    /// a label.
    #[arg(value_name = "WORD")]
    pub words: Vec<String>,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

pub async fn run(context: &Context, verb: Verb) -> Outcome {
    match verb {
        Verb::Payloads(arguments) => list(context, arguments).await,
    }
}

async fn list(context: &Context, arguments: Payloads) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let found = here.client().payloads(&here.model, None).await?;
    let found = chosen(found, &arguments.words);
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&found),
        ListFormat::Yaml => output.yaml(&found),
        ListFormat::Tabular if found.is_empty() => {
            output.say("There are no payloads to show.");
            Ok(())
        }
        ListFormat::Tabular => output.data(&table(&found).render(output.paints())),
    }
}

/// Those that one of the words is about; all without words.
fn chosen(mut found: Vec<UnitPayloads>, words: &[String]) -> Vec<UnitPayloads> {
    if words.is_empty() {
        return found;
    }
    for of in &mut found {
        let machine = of.machine.as_ref().map(ToString::to_string);
        let unit = of.unit.to_string();
        let about = |word: &String| *word == unit || Some(word) == machine.as_ref();
        if !words.iter().any(about) {
            of.payloads
                .retain(|payload| words.iter().any(|word| names(payload, word)));
        }
    }
    found.retain(|of| !of.payloads.is_empty());
    found
}

fn names(payload: &PayloadInfo, word: &str) -> bool {
    let own = [&payload.class, &payload.id, &payload.kind, &payload.status];
    own.into_iter()
        .chain(&payload.labels)
        .any(|own| own == word)
}

fn table(found: &[UnitPayloads]) -> Table {
    let mut table = Table::new(&["Unit", "Machine", "Class", "Status", "Type", "Id", "Labels"]);
    for of in found {
        let machine = of
            .machine
            .as_ref()
            .map_or("-".to_owned(), ToString::to_string);
        for payload in &of.payloads {
            table.row(vec![
                of.unit.to_string().into(),
                (&machine).into(),
                (&payload.class).into(),
                (&payload.status).into(),
                (&payload.kind).into(),
                (&payload.id).into(),
                payload.labels.join(" ").into(),
            ]);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found() -> Vec<UnitPayloads> {
        let found = json!([
            { "unit": "site/0", "machine": "0", "payloads": [
                { "class": "monitor", "id": "a", "type": "process", "status": "running", "labels": ["eu", "blue"] },
                { "class": "monitor", "id": "b", "type": "process", "status": "stopped" },
            ] },
            { "unit": "site/1", "machine": null, "payloads": [
                { "class": "monitor", "id": "a", "type": "process", "status": "running" },
            ] },
        ]);
        serde_json::from_value(found).unwrap()
    }

    #[test]
    fn payloads_are_a_table_of_units() {
        let table = table(&found()).render(false);
        let words: Vec<Vec<&str>> = table
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        assert_eq!(
            words[1],
            [
                "site/0", "0", "monitor", "running", "process", "a", "eu", "blue"
            ]
        );
        assert_eq!(words[3][..4], ["site/1", "-", "monitor", "running"]);
    }

    #[test]
    fn words_choose_among_them() {
        let count = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let found = chosen(found(), &words).into_iter();
            found.map(|of| of.payloads.len()).sum::<usize>()
        };
        for (words, expected) in [
            (&[] as &[&str], 3),
            (&["site/0"], 2),
            (&["0"], 2),
            (&["a"], 2),
            (&["stopped"], 1),
            (&["blue"], 1),
            (&["stopped", "site/1"], 2),
            (&["nothing"], 0),
        ] {
            assert_eq!(count(words), expected, "{words:?}");
        }
    }
}
