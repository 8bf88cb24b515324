//! `actions`, `show-action`: what units of an application can be asked to run.

use std::collections::BTreeMap;

use clap::{Args, Subcommand, ValueEnum};
use periapt_model::{ApplicationName, nearest};
use periapt_wire::rest::{ActionInfo, ApplicationActions};
use serde::Serialize;
use serde_json::{Value, json};

use super::Context;
use crate::arguments::{ListFormat, ModelChoice, Target};
use crate::failure::{Exit, Failure, Outcome};
use crate::output::Output;
use crate::output::table::Table;
use crate::output::text::clean;
use crate::session::ModelSession;

/// The verbs of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List the actions of an application.
    #[command(visible_alias = "list-actions")]
    Actions(Actions),
    /// Show what an action does and its parameters.
    ShowAction(ShowAction),
}

#[derive(Debug, Args)]
pub struct Actions {
    /// The application.
    pub application: String,
    /// Show the full schema of each, by default as YAML.
    #[arg(long)]
    pub schema: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct ShowAction {
    /// The application.
    pub application: String,
    /// The action.
    pub action: String,
    #[arg(long, value_enum, default_value_t)]
    pub format: ActionFormat,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

/// Output formats of an action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ActionFormat {
    #[default]
    Plain,
    Json,
    Yaml,
}

pub async fn run(context: &Context, verb: Verb) -> Outcome {
    match verb {
        Verb::Actions(arguments) => list(context, arguments).await,
        Verb::ShowAction(arguments) => show(context, arguments).await,
    }
}

async fn list(context: &Context, arguments: Actions) -> Outcome {
    let name: ApplicationName = arguments.application.parse()?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let found = here.client().actions(&here.model, &name).await?;
    let output = context.output.to(&arguments.target)?;
    match (arguments.format, arguments.schema) {
        (ListFormat::Json, true) => output.json(&schemas(&found)),
        (_, true) => output.yaml(&schemas(&found)),
        (ListFormat::Json, false) => output.json(&descriptions(&found)),
        (ListFormat::Yaml, false) => output.yaml(&descriptions(&found)),
        (ListFormat::Tabular, false) => tabular(&output, &name, &found),
    }
}

fn tabular(output: &Output, name: &ApplicationName, found: &ApplicationActions) -> Outcome {
    match found.actions.is_empty() {
        true => output.say(&format!("No actions defined for {name}.")),
        false => output.data(&table(found).render(output.paints()))?,
    }
    if !found.commands.is_empty() {
        let commands = found.commands.join(", ");
        output.say(&format!("Commands for `periapt exec`: {commands}"));
    }
    Ok(())
}

fn table(found: &ApplicationActions) -> Table {
    let mut table = Table::new(&["Action", "Description"]);
    for (name, action) in &found.actions {
        table.row(vec![name.into(), (&action.description).into()]);
    }
    table
}

fn descriptions(found: &ApplicationActions) -> BTreeMap<&str, &str> {
    let actions = found.actions.iter();
    actions
        .map(|(name, action)| (name.as_str(), action.description.as_str()))
        .collect()
}

/// Schemas as Juju shows them, each with its name and what it is for.
fn schemas(found: &ApplicationActions) -> BTreeMap<&str, Value> {
    let mut all = BTreeMap::new();
    for (name, action) in &found.actions {
        let mut schema = action.schema.clone();
        if let Some(schema) = schema.as_object_mut() {
            schema.insert("title".to_owned(), json!(name));
            schema.insert("description".to_owned(), json!(action.description));
        }
        all.insert(name.as_str(), schema);
    }
    all
}

async fn show(context: &Context, arguments: ShowAction) -> Outcome {
    let name: ApplicationName = arguments.application.parse()?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let found = here.client().actions(&here.model, &name).await?;
    let action = found.actions.get(&arguments.action);
    let action = action.ok_or_else(|| unknown(&name, &arguments.action, &found))?;
    let output = context.output.to(&arguments.target)?;
    let document = ActionDocument::of(action);
    match arguments.format {
        ActionFormat::Json => output.json(&document),
        ActionFormat::Yaml => output.yaml(&document),
        ActionFormat::Plain => {
            output.data(&document.heading())?;
            match document.arguments.is_empty() {
                true => Ok(()),
                false => output.yaml(&document.arguments),
            }
        }
    }
}

fn unknown(name: &ApplicationName, action: &str, found: &ApplicationActions) -> Failure {
    let known = found.actions.keys().map(String::as_str);
    let meant = nearest::suggestion(action, known);
    let what = format!("{name} has no action \"{action}\"{meant}");
    Failure::new(Exit::NotFound, what)
        .why("its charm declares no action with this name")
        .advice(format!("periapt actions {name}"))
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct ActionDocument<'a> {
    description: &'a str,
    parallel: bool,
    #[serde(skip_serializing_if = "str::is_empty")]
    execution_group: &'a str,
    /// By name; those within others by their path, as `run` takes them.
    arguments: BTreeMap<String, Argument<'a>>,
}

#[derive(Serialize)]
struct Argument<'a> {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<&'a Value>,
    #[serde(rename = "enum", skip_serializing_if = "Option::is_none")]
    one_of: Option<&'a Value>,
    required: bool,
}

impl<'a> ActionDocument<'a> {
    fn of(action: &'a ActionInfo) -> Self {
        let mut arguments = BTreeMap::new();
        gather(&action.schema, "", &mut arguments);
        Self {
            description: &action.description,
            parallel: action.parallel,
            execution_group: &action.execution_group,
            arguments,
        }
    }

    /// The options before the arguments.
    fn heading(&self) -> String {
        let description = match self.description.trim() {
            "" => "No description.".to_owned(),
            text => clean(text),
        };
        let arguments = match self.arguments.is_empty() {
            true => "No arguments.",
            false => "Arguments",
        };
        format!("{description}\n\n{arguments}\n")
    }
}

/// The properties of a schema, including nested ones.
fn gather<'a>(schema: &'a Value, within: &str, into: &mut BTreeMap<String, Argument<'a>>) {
    let properties = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| {
        let mut names = required.into_iter().flatten();
        names.any(|required| required.as_str() == Some(name))
    };
    for (name, property) in properties.into_iter().flatten() {
        let path = match within {
            "" => name.clone(),
            within => format!("{within}.{name}"),
        };
        gather(property, &path, into);
        let argument = Argument {
            kind: property.get("type"),
            description: property.get("description"),
            default: property.get("default"),
            one_of: property.get("enum"),
            required: is_required(name),
        };
        into.insert(path, argument);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found() -> ApplicationActions {
        serde_json::from_value(json!({
            "application": "site",
            "actions": {
                "backup": {
                    "description": "Keep \u{1b}[2Jall\nof it", "parallel": true, "execution-group": "disk",
                    "schema": {
                        "type": "object", "required": ["target"], "additionalProperties": false,
                        "properties": {
                            "target": { "type": "string", "description": "where to" },
                            "level": { "type": "integer", "default": 3 },
                            "mode": { "enum": ["full", "part"] },
                            "keep": { "type": "object", "required": ["days"], "properties": {
                                "days": { "type": "integer" },
                            } },
                        },
                    },
                },
                "rebuild": { "description": "", "parallel": false, "schema": {} },
            },
            "commands": ["list"],
        }))
        .unwrap()
    }

    #[test]
    fn actions_are_a_table_and_schemas_have_names() {
        let found = found();
        let expected = "\
Action   Description
backup   Keep all of it
rebuild
";
        assert_eq!(table(&found).render(false), expected);
        assert_eq!(
            descriptions(&found).into_iter().collect::<Vec<_>>(),
            [("backup", "Keep \u{1b}[2Jall\nof it"), ("rebuild", "")]
        );
        let schemas = schemas(&found);
        assert_eq!(schemas["backup"]["title"], "backup");
        assert_eq!(schemas["backup"]["required"], json!(["target"]));
        assert_eq!(
            schemas["rebuild"],
            json!({ "title": "rebuild", "description": "" })
        );
    }

    #[test]
    fn an_action_says_what_it_takes_by_the_path_that_run_takes() {
        let found = found();
        let document = ActionDocument::of(&found.actions["backup"]);
        assert_eq!(document.heading(), "Keep all\nof it\n\nArguments\n");
        assert_eq!(
            serde_json::to_value(&document).unwrap(),
            json!({
                "description": "Keep \u{1b}[2Jall\nof it", "parallel": true, "execution-group": "disk",
                "arguments": {
                    "target": { "type": "string", "description": "where to", "required": true },
                    "level": { "type": "integer", "default": 3, "required": false },
                    "mode": { "enum": ["full", "part"], "required": false },
                    "keep": { "type": "object", "required": false },
                    "keep.days": { "type": "integer", "required": true },
                },
            })
        );
        let nothing = ActionDocument::of(&found.actions["rebuild"]);
        assert_eq!(nothing.heading(), "No description.\n\nNo arguments.\n");
    }

    #[test]
    fn an_unknown_action_is_refused_with_the_one_that_was_meant() {
        let failure = unknown(&"site".parse().unwrap(), "rebuld", &found());
        assert_eq!(failure.exit, Exit::NotFound);
        assert_eq!(
            failure.to_string(),
            "ERROR site has no action \"rebuld\"; did you mean \"rebuild\"?\n  \
             why: its charm declares no action with this name\n  \
             try: periapt actions site"
        );
    }
}
