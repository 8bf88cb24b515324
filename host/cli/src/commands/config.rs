//! `config` and `model-config`: show, set, reset.

use std::collections::BTreeMap;
use std::path::PathBuf;

use periapt_model::ApplicationName;
use periapt_model::config::Value;
use periapt_model::options::Source;
use periapt_wire::rest::{ApplicationConfig, ConfigChange, ConfigSetting, ConfigSettings};
use serde::Serialize;

use super::{Context, settings};
use crate::arguments::{Config, ControllerConfig, DetailFormat, ListFormat, ModelConfig};
use crate::failure::{Exit, Failure, Outcome};
use crate::output::Output;
use crate::output::table::Table;
use crate::session::{ModelSession, Session};

/// What the words of the command line ask for.
#[derive(Debug)]
pub(super) enum Wish {
    All,
    One(String),
    Change(ConfigChange),
}

pub(super) fn wish(
    words: &[String],
    reset: &[String],
    file: Option<&PathBuf>,
    application: &str,
) -> Outcome<Wish> {
    let (assignments, keys): (Vec<&String>, Vec<&String>) =
        words.iter().partition(|word| word.contains('='));
    let changes = !assignments.is_empty() || !reset.is_empty() || file.is_some();
    match (keys.as_slice(), changes) {
        ([], false) => Ok(Wish::All),
        ([key], false) => Ok(Wish::One((*key).clone())),
        ([], true) => {
            let mut change = ConfigChange {
                reset: reset.to_vec(),
                ..ConfigChange::default()
            };
            if let Some(file) = file {
                change.set = settings::from_file(file, application)?;
            }
            for word in assignments {
                let (key, value) = settings::assignment(word)?;
                change.set.insert(key, value);
            }
            if let Some(key) = reset.iter().find(|key| change.set.contains_key(*key)) {
                return Err(Failure::usage(format!("\"{key}\" is both set and reset"))
                    .why("a key can only be set or reset")
                    .advice("leave one of them out"));
            }
            Ok(Wish::Change(change))
        }
        _ => Err(
            Failure::usage("options cannot be shown and changed at once")
                .why("KEY and KEY=VALUE arguments cannot be mixed")
                .advice("give one KEY to show it, or KEY=VALUE arguments to set options"),
        ),
    }
}

pub async fn application(context: &Context, arguments: Config) -> Outcome {
    let name: ApplicationName = arguments.application.parse()?;
    let wish = wish(
        &arguments.settings,
        &arguments.reset,
        arguments.file.as_ref(),
        name.as_str(),
    )?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    if let Wish::Change(change) = wish {
        here.client()
            .set_application_config(&here.model, &name, &change)
            .await?;
        return Ok(());
    }
    let config = here.client().application_config(&here.model, &name).await?;
    let output = context.output.to(&arguments.target)?;
    match wish {
        Wish::One(key) => match (
            config.effective.get(&key),
            config.schema.options.contains_key(&key),
        ) {
            (Some(value), _) => output.value(&value.to_string()),
            (None, true) => output.data(""),
            (None, false) if key == TRUST => output.value(&config.trust.to_string()),
            (None, false) => Err(unknown(&key, config.schema.options.keys())),
        },
        _ => match arguments.format {
            DetailFormat::Yaml => output.yaml(&Document::of(&config)),
            DetailFormat::Json => output.json(&Document::of(&config)),
        },
    }
}

pub async fn model(context: &Context, arguments: ModelConfig) -> Outcome {
    let wish = wish(
        &arguments.settings,
        &arguments.reset,
        arguments.file.as_ref(),
        "",
    )?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    if let Wish::Change(change) = wish {
        here.client().set_model_config(&here.model, &change).await?;
        return Ok(());
    }
    let settings = here.client().model_config(&here.model).await?;
    let output = context.output.to(&arguments.target)?;
    show(&output, &settings, &wish, arguments.format)
}

/// `controller-config`: as `model-config`, of the controller.
pub async fn controller(context: &Context, arguments: ControllerConfig) -> Outcome {
    let wish = wish(
        &arguments.settings,
        &arguments.reset,
        arguments.file.as_ref(),
        "",
    )?;
    let here = Session::open(&context.files, &arguments.controller).await?;
    if let Wish::Change(change) = wish {
        here.client.set_controller_config(&change).await?;
        return Ok(());
    }
    let settings = here.client.controller_config().await?;
    let output = context.output.to(&arguments.target)?;
    show(&output, &settings, &wish, arguments.format)
}

fn show(output: &Output, settings: &ConfigSettings, wish: &Wish, format: ListFormat) -> Outcome {
    if let Wish::One(key) = wish {
        let setting = settings.get(key);
        let setting = setting.ok_or_else(|| unknown(key, settings.keys()))?;
        return output.value(&in_words(setting));
    }
    match format {
        ListFormat::Json => output.json(&attributes(settings)),
        ListFormat::Yaml => output.yaml(&attributes(settings)),
        ListFormat::Tabular => {
            let mut table = Table::new(&["Attribute", "From", "Value"]);
            for (key, setting) in settings {
                let shown = match in_words(setting) {
                    empty if empty.is_empty() => "\"\"".to_owned(),
                    text => text,
                };
                table.row(vec![
                    key.into(),
                    setting.source.as_str().into(),
                    shown.into(),
                ]);
            }
            output.data(&table.render(output.paints()))
        }
    }
}

/// The value of an option. Of a secret, which nobody is shown, whether there is one.
fn in_words(setting: &ConfigSetting) -> String {
    match &setting.value {
        Some(value) => value.to_string(),
        None if setting.source == Source::Default => String::new(),
        None => "(set, never shown)".to_owned(),
    }
}

pub(super) fn unknown<'a>(key: &str, known: impl Iterator<Item = &'a String>) -> Failure {
    let known: Vec<&str> = known.map(String::as_str).collect();
    Failure::new(Exit::NotFound, format!("there is no option \"{key}\""))
        .why(match known.as_slice() {
            [] => "it has no options".to_owned(),
            known => format!("there are: {}", known.join(", ")),
        })
        .advice("leave out the key to see all options")
}

/// Options as `juju model-config --format json` nests them.
fn attributes(settings: &ConfigSettings) -> BTreeMap<&String, Attribute<'_>> {
    settings
        .iter()
        .map(|(key, setting)| {
            let attribute = Attribute {
                value: setting.value.as_ref(),
                source: setting.source.as_str(),
            };
            (key, attribute)
        })
        .collect()
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Attribute<'a> {
    /// Never of a secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'a Value>,
    source: &'static str,
}

/// `config APP` as Juju shows it.
#[derive(Serialize)]
struct Document<'a> {
    application: &'a str,
    #[serde(rename = "application-config")]
    own: BTreeMap<&'static str, TrustDocument>,
    charm: &'a str,
    settings: BTreeMap<&'a str, Setting<'a>>,
}

/// What every application has beside its charm's options.
#[derive(Serialize)]
struct TrustDocument {
    default: bool,
    description: &'static str,
    source: &'static str,
    #[serde(rename = "type")]
    kind: &'static str,
    value: bool,
}

/// The key of trust, unless the charm has an option of that name.
const TRUST: &str = "trust";

impl TrustDocument {
    fn of(trust: bool) -> Self {
        Self {
            default: false,
            description: "Whether the application is trusted with the cloud's credential.",
            source: if trust { "user" } else { "default" },
            kind: "bool",
            value: trust,
        }
    }
}

#[derive(Serialize)]
struct Setting<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<&'a Value>,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    source: &'static str,
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'a Value>,
}

impl<'a> Document<'a> {
    fn of(config: &'a ApplicationConfig) -> Self {
        let settings = config.schema.options.iter().map(|(name, option)| {
            let source = match (config.settings.contains_key(name), &option.default) {
                (true, _) => "user",
                (false, Some(_)) => "default",
                (false, None) => "unset",
            };
            let setting = Setting {
                default: option.default.as_ref(),
                description: &option.description,
                source,
                kind: option.kind.as_str(),
                value: config.effective.get(name),
            };
            (name.as_str(), setting)
        });
        Self {
            application: config.application.as_str(),
            own: [(TRUST, TrustDocument::of(config.trust))].into(),
            charm: &config.charm,
            settings: settings.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn words_say_whether_to_show_or_to_change() {
        assert!(matches!(wish(&[], &[], None, "site").unwrap(), Wish::All));
        assert!(
            matches!(wish(&words("size"), &[], None, "site").unwrap(), Wish::One(key) if key == "size")
        );
        let Wish::Change(change) = wish(&words("a=1 b=x"), &words("c d"), None, "site").unwrap()
        else {
            panic!()
        };
        assert_eq!((change.set.len(), change.reset), (2, words("c d")));
        for (settings, reset) in [("a b", ""), ("a b=1", ""), ("a", "b"), ("a=1", "a")] {
            let failure = wish(&words(settings), &words(reset), None, "site").unwrap_err();
            assert_eq!(failure.exit, Exit::Usage, "{settings} {reset}");
        }
    }

    #[test]
    fn a_secret_is_shown_as_set_and_no_more() {
        let settings: ConfigSettings = serde_json::from_value(json!({
            "force-wait": { "type": "duration", "value": "2m", "default": "1m", "source": "model" },
            "set": { "type": "secret", "source": "model" },
            "unset": { "type": "secret", "source": "default" },
        }))
        .unwrap();
        let words: Vec<String> = settings.values().map(in_words).collect();
        assert_eq!(words, ["2m", "(set, never shown)", ""]);
        assert_eq!(
            serde_json::to_value(attributes(&settings)).unwrap(),
            json!({
                "force-wait": { "Value": "2m", "Source": "model" },
                "set": { "Source": "model" }, "unset": { "Source": "default" },
            })
        );
    }

    #[test]
    fn an_applications_settings_say_where_they_come_from() {
        let config: ApplicationConfig = serde_json::from_value(json!({
            "application": "site", "charm": "local:site-0",
            "schema": { "options": {
                "greeting": { "type": "string", "description": "what to say", "default": "hello" },
                "size": { "type": "int", "default": 1 }, "note": { "type": "string" },
            } },
            "settings": { "size": 3 }, "effective": { "greeting": "hello", "size": 3 },
        }))
        .unwrap();
        let shown = serde_json::to_value(Document::of(&config)).unwrap();
        let trust = &shown["application-config"]["trust"];
        assert_eq!(
            (&trust["value"], &trust["source"]),
            (&json!(false), &json!("default"))
        );
        assert_eq!(
            shown["settings"],
            json!({
                "greeting": { "default": "hello", "description": "what to say", "source": "default", "type": "string", "value": "hello" },
                "size": { "default": 1, "source": "user", "type": "int", "value": 3 },
                "note": { "source": "unset", "type": "string" },
            })
        );
    }
}
