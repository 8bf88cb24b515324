//! `model-defaults`: options of models that say nothing else themselves.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use periapt_model::config::Value;
use periapt_wire::rest::{ChangeModelDefaults, ModelDefault, ModelDefaultsQuery};
use serde::Serialize;

use super::Context;
use super::config::{Wish, unknown, wish};
use crate::arguments::{ControllerChoice, ListFormat, Target};
use crate::failure::Outcome;
use crate::output::table::Table;
use crate::session::Session;

#[derive(Debug, Args)]
pub struct ModelDefaults {
    /// KEY=VALUE sets an option, KEY shows one, nothing shows all.
    #[arg(value_name = "KEY[=VALUE]")]
    pub settings: Vec<String>,
    /// Remove these defaults.
    #[arg(long, value_name = "KEY,...", value_delimiter = ',')]
    pub reset: Vec<String>,
    /// Set options from a YAML file.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The cloud of the models [default: the controller's].
    #[arg(long)]
    pub cloud: Option<String>,
    /// Only for one region of the cloud.
    #[arg(long)]
    pub region: Option<String>,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub controller: ControllerChoice,
    #[command(flatten)]
    pub target: Target,
}

type Shown<'a> = BTreeMap<&'a String, &'a ModelDefault>;

pub async fn model_defaults(context: &Context, arguments: ModelDefaults) -> Outcome {
    let file = arguments.file.as_ref();
    let wish = wish(&arguments.settings, &arguments.reset, file, "")?;
    let here = Session::open(&context.files, &arguments.controller).await?;
    let key = match wish {
        Wish::Change(change) => {
            let change = ChangeModelDefaults {
                cloud: arguments.cloud,
                region: arguments.region,
                set: change.set,
                reset: change.reset,
            };
            here.client.change_model_defaults(&change).await?;
            return Ok(());
        }
        Wish::One(key) => Some(key),
        Wish::All => None,
    };
    let query = ModelDefaultsQuery {
        cloud: arguments.cloud,
    };
    let all = here.client.model_defaults(&query).await?;
    if let Some(key) = key.as_ref().filter(|key| !all.contains_key(*key)) {
        return Err(unknown(key, all.keys()));
    }
    let wanted = |name: &String| key.as_ref().is_none_or(|key| key == name);
    let region = arguments.region.as_ref();
    let shown: Shown<'_> = all
        .iter()
        .filter(|&(name, option)| {
            wanted(name) && region.is_none_or(|region| option.regions.contains_key(region))
        })
        .collect();
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&document(&shown)),
        ListFormat::Yaml => output.yaml(&document(&shown)),
        ListFormat::Tabular => output.data(&table(&shown).render(output.paints())),
    }
}

/// An option as Juju nests it.
#[derive(Serialize)]
struct Entry<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    controller: Option<&'a Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    regions: Vec<Region<'a>>,
}

#[derive(Serialize)]
struct Region<'a> {
    name: &'a str,
    value: &'a Value,
}

fn document<'a>(shown: &Shown<'a>) -> BTreeMap<&'a str, Entry<'a>> {
    let entry = |(name, option): (&&'a String, &&'a ModelDefault)| {
        let regions = option.regions.iter();
        let entry = Entry {
            default: option.default.as_ref(),
            controller: option.controller.as_ref(),
            regions: regions
                .map(|(name, value)| Region { name, value })
                .collect(),
        };
        (name.as_str(), entry)
    };
    shown.iter().map(entry).collect()
}

fn table(shown: &Shown<'_>) -> Table {
    let mut table = Table::new(&["Attribute", "Default", "Controller"]);
    let text = |value: Option<&Value>| match value.map(ToString::to_string) {
        None => "-".to_owned(),
        Some(empty) if empty.is_empty() => "\"\"".to_owned(),
        Some(text) => text,
    };
    for (name, option) in shown {
        let default = text(option.default.as_ref());
        let controller = text(option.controller.as_ref());
        table.row(vec![(*name).into(), default.into(), controller.into()]);
        for (region, value) in &option.regions {
            let name = format!("  {region}");
            table.row(vec![name.into(), text(Some(value)).into(), "-".into()]);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn options_show_what_holds_for_the_cloud_and_for_regions() {
        let all: BTreeMap<String, ModelDefault> = serde_json::from_value(json!({
            "force-wait": { "type": "duration", "default": "1m", "controller": "2m",
                "regions": { "attic": "3m" }, "description": "How long." },
            "http-proxy": { "type": "text", "default": "", "description": "The proxy." },
        }))
        .unwrap();
        let shown: Shown<'_> = all.iter().collect();
        let table = table(&shown).render(false);
        let line = |begin: &str| {
            let found = table
                .lines()
                .find(|line| line.trim_start().starts_with(begin));
            found
                .unwrap()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(line("force-wait"), "force-wait 1m 2m");
        assert_eq!(line("attic"), "attic 3m -");
        assert_eq!(line("http-proxy"), "http-proxy \"\" -");
        assert_eq!(
            serde_json::to_value(document(&shown)).unwrap(),
            json!({
                "force-wait": { "default": "1m", "controller": "2m", "regions": [{ "name": "attic", "value": "3m" }] },
                "http-proxy": { "default": "" },
            })
        );
    }
}
