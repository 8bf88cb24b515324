//! `annotate`, `annotations`: what people note of a model and of what is in it. Juju keeps such notes as well,
//! without a command for them.

use std::collections::BTreeMap;

use clap::{Args, Subcommand};
use periapt_model::annotation::entity;
use periapt_wire::rest::{EntityAnnotations, SetAnnotations};

use super::Context;
use crate::arguments::{ListFormat, ModelChoice, Target};
use crate::failure::{Failure, Outcome};
use crate::output::document::Named;
use crate::output::table::Table;
use crate::session::ModelSession;

/// The verbs of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Set or remove annotations of a model, an application, a unit or a machine.
    Annotate(Annotate),
    /// Show the annotations of a model and its entities.
    Annotations(Annotations),
}

const NOTES: &str = "\
Without an entity the annotation is for the model itself; an empty value removes a key:
  periapt annotate site/0 owner=ann rack=7
  periapt annotate site/0 rack=
  periapt annotate team='web shop'";

#[derive(Debug, Args)]
#[command(after_help = NOTES)]
pub struct Annotate {
    /// An application, a unit or a machine by its name or tag, and its annotations.
    #[arg(required = true, value_name = "[ENTITY] KEY=VALUE")]
    pub words: Vec<String>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct Annotations {
    /// Only annotations of this entity: site, site/0, 0, or a tag such as model-UUID.
    #[arg(value_name = "ENTITY")]
    pub entity: Option<String>,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

pub async fn run(context: &Context, verb: Verb) -> Outcome {
    match verb {
        Verb::Annotate(arguments) => annotate(context, arguments).await,
        Verb::Annotations(arguments) => list(context, arguments).await,
    }
}

async fn annotate(context: &Context, arguments: Annotate) -> Outcome {
    let request = request(&arguments.words)?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    here.client().set_annotations(&here.model, &request).await?;
    Ok(())
}

/// An entity, if the first word is no note, and the notes.
fn request(words: &[String]) -> Outcome<SetAnnotations> {
    let (named, notes) = match words.split_first() {
        Some((first, rest)) if !first.contains('=') => (Some(first), rest),
        _ => (None, words),
    };
    let named = named.map(|name| entity(name)).transpose()?;
    let set: BTreeMap<String, String> = notes
        .iter()
        .map(|word| note(word))
        .collect::<Outcome<_>>()?;
    if set.is_empty() {
        return Err(Failure::usage("there is nothing to note")
            .why("an entity was named, but no key")
            .advice("add KEY=VALUE; periapt annotations ENTITY shows its annotations"));
    }
    Ok(SetAnnotations {
        entity: named.map(|tag| tag.to_string()),
        set,
    })
}

fn note(word: &str) -> Outcome<(String, String)> {
    match word.split_once('=').filter(|(key, _)| !key.is_empty()) {
        Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
        None => Err(Failure::usage(format!("\"{word}\" is no note"))
            .why("an annotation is a key, =, and a value")
            .advice("write KEY=VALUE, or KEY= to remove the key; an entity comes first")),
    }
}

async fn list(context: &Context, arguments: Annotations) -> Outcome {
    let named = arguments.entity.as_deref().map(entity).transpose()?;
    let named = named.map(|tag| tag.to_string());
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let mut found = here
        .client()
        .annotations(&here.model, named.as_deref())
        .await?;
    found.retain(|of| !of.annotations.is_empty());
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&document(&found)),
        ListFormat::Yaml => output.yaml(&document(&found)),
        ListFormat::Tabular if found.is_empty() => {
            output.say("Nothing is noted.");
            Ok(())
        }
        ListFormat::Tabular => output.data(&table(&found).render(output.paints())),
    }
}

fn document(found: &[EntityAnnotations]) -> Named<&BTreeMap<String, String>> {
    let entries = found.iter();
    entries
        .map(|of| (of.entity.to_string(), &of.annotations))
        .collect()
}

fn table(found: &[EntityAnnotations]) -> Table {
    let mut table = Table::new(&["Entity", "Key", "Value"]);
    for of in found {
        for (key, value) in &of.annotations {
            table.row(vec![of.entity.to_string().into(), key.into(), value.into()]);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::failure::Exit;

    fn found() -> Vec<EntityAnnotations> {
        let found = json!([
            { "entity": "application-site", "annotations": { "team": "web\nshop" } },
            { "entity": "unit-site-10", "annotations": { "owner": "ann", "rack": "7" } },
            { "entity": "unit-site-2", "annotations": { "owner": "bob" } },
        ]);
        serde_json::from_value(found).unwrap()
    }

    #[test]
    fn what_is_noted_is_a_table_or_a_document() {
        let expected = "\
Entity            Key    Value
application-site  team   web shop
unit-site-10      owner  ann
unit-site-10      rack   7
unit-site-2       owner  bob
";
        assert_eq!(table(&found()).render(false), expected);
        let found = found();
        let text = serde_json::to_string(&document(&found)).unwrap();
        let in_natural_order = "{\"application-site\":{\"team\":\"web\\nshop\"},\
            \"unit-site-2\":{\"owner\":\"bob\"},\
            \"unit-site-10\":{\"owner\":\"ann\",\"rack\":\"7\"}}";
        assert_eq!(text, in_natural_order);
    }

    fn read(words: &[&str]) -> Outcome<SetAnnotations> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        request(&words)
    }

    #[test]
    fn the_first_word_is_an_entity_unless_it_is_a_note() {
        let site = read(&["site/0", "owner=ann", "rack=", "link=a=b"]).unwrap();
        assert_eq!(site.entity.as_deref(), Some("unit-site-0"));
        let set = [("link", "a=b"), ("owner", "ann"), ("rack", "")];
        let set = set.map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!(site.set, set.into());
        assert_eq!(read(&["team=web"]).unwrap().entity, None);
        for bad in [
            &["site"] as &[&str],
            &["site", "owner"],
            &["site", "=ann"],
            &["Site", "owner=ann"],
            &["=ann"],
        ] {
            assert_eq!(read(bad).unwrap_err().exit, Exit::Usage, "{bad:?}");
        }
    }
}
