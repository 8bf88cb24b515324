//! `operations`.

use clap::Args;
use periapt_model::task::TaskStatus;
use periapt_model::{ApplicationName, MachineId, UnitName};
use periapt_wire::rest::{OperationInfo, OperationQuery};

use crate::arguments::{ListFormat, ModelChoice, Target};
use crate::commands::Context;
use crate::failure::Outcome;
use crate::output::document::Named;
use crate::output::table::{Cell, Table, Tone};
use crate::output::tasks::OperationDocument;
use crate::output::time::Times;
use crate::session::ModelSession;

/// The controller gives no more at once.
const PAGE: u64 = 1_000;
/// So many tasks of an operation are named in the table.
const NAMED: usize = 5;

#[derive(Debug, Args)]
pub struct Operations {
    /// Only operations with a task on one of these units.
    #[arg(long, value_name = "UNIT,...", value_delimiter = ',')]
    pub units: Vec<UnitName>,
    /// Only operations with a task on a unit of one of these applications.
    #[arg(
        long,
        visible_alias = "apps",
        value_name = "APPLICATION,...",
        value_delimiter = ','
    )]
    pub applications: Vec<ApplicationName>,
    /// Only operations with a task on one of these machines; with --units, on one of either.
    #[arg(long, value_name = "MACHINE,...", value_delimiter = ',')]
    pub machines: Vec<MachineId>,
    /// Only operations with one of these actions.
    #[arg(long, value_name = "ACTION,...", value_delimiter = ',')]
    pub actions: Vec<String>,
    /// Only operations with a task in one of these states: pending, running, aborting, completed,
    /// failed, cancelled, aborted.
    #[arg(long, value_name = "STATUS,...", value_delimiter = ',')]
    pub status: Vec<TaskStatus>,
    /// Show this many of the newest.
    #[arg(short = 'n', long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: u64,
    /// Skip this many of the newest.
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 0,
        hide_default_value = true
    )]
    pub offset: u64,
    /// Continue after the end of an earlier list, which shows this value.
    #[arg(long, value_name = "ID")]
    pub after: Option<String>,
    /// Show times in UTC, in ISO format.
    #[arg(long)]
    pub utc: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

pub async fn operations(context: &Context, arguments: Operations) -> Outcome {
    let mut query = query(&arguments);
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let until = arguments.limit.saturating_add(arguments.offset);
    let mut found: Vec<OperationInfo> = Vec::new();
    loop {
        let wanted = until.saturating_sub(found.len() as u64);
        query.limit = Some(wanted.min(PAGE));
        let page = here.client().operations(&here.model, &query).await?;
        found.extend(page.items);
        query.after = page.next;
        if query.after.is_none() || found.len() as u64 >= until {
            break;
        }
    }
    let offset = usize::try_from(arguments.offset).unwrap_or(usize::MAX);
    found.drain(..offset.min(found.len()));
    let times = Times::new(arguments.utc);
    let output = context.output.to(&arguments.target)?;
    let documents = || {
        let document = |one| (id(one), OperationDocument::of(one, &times));
        found.iter().map(document).collect::<Named<_>>()
    };
    match arguments.format {
        ListFormat::Json => output.json(&documents())?,
        ListFormat::Yaml => output.yaml(&documents())?,
        ListFormat::Tabular if found.is_empty() => output.say("No operations."),
        ListFormat::Tabular => output.data(&table(&found, &times).render(output.paints()))?,
    }
    if let Some(after) = query.after {
        output.say(&format!("There are older ones: add --after {after}"));
    }
    Ok(())
}

fn id(operation: &OperationInfo) -> String {
    operation.id.to_string()
}

fn query(arguments: &Operations) -> OperationQuery {
    OperationQuery {
        units: listed(&arguments.units),
        applications: listed(&arguments.applications),
        machines: listed(&arguments.machines),
        actions: listed(&arguments.actions),
        status: listed(&arguments.status),
        limit: None,
        after: arguments.after.clone(),
    }
}

fn listed(words: &[impl ToString]) -> Option<String> {
    let words: Vec<String> = words.iter().map(ToString::to_string).collect();
    (!words.is_empty()).then(|| words.join(","))
}

fn table(operations: &[OperationInfo], times: &Times) -> Table {
    let mut table = Table::new(&["ID", "Status", "Started", "Finished", "Task IDs", "Summary"]);
    let shown = |time: Option<i64>| time.map_or_else(String::new, |time| times.micros(time));
    for one in operations {
        table.row(vec![
            id(one).into(),
            Cell::toned(one.status.as_str(), tone(one.status)),
            shown(one.started_at).into(),
            shown(one.completed_at).into(),
            tasks(one).into(),
            (&one.summary).into(),
        ]);
    }
    table
}

/// `2,3,4,5,6,…`
fn tasks(operation: &OperationInfo) -> String {
    let ids = operation.tasks.iter().map(|task| task.id.to_string());
    let mut ids: Vec<String> = ids.take(NAMED).collect();
    if operation.tasks.len() > NAMED {
        ids.push("…".to_owned());
    }
    ids.join(",")
}

fn tone(status: TaskStatus) -> Tone {
    match status {
        TaskStatus::Completed => Tone::Good,
        TaskStatus::Pending | TaskStatus::Running | TaskStatus::Aborting => Tone::Busy,
        TaskStatus::Failed | TaskStatus::Aborted => Tone::Bad,
        TaskStatus::Cancelled => Tone::Quiet,
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::Verb;
    use super::super::tests::{operation, task};
    use super::*;
    use crate::arguments::{Arguments, Command};

    #[test]
    fn the_list_is_a_table() {
        let mut done = operation(vec![task(2, "site/0", "completed")]);
        (done.started_at, done.completed_at) =
            (Some(1_795_257_480_000_000), Some(1_795_257_481_000_000));
        done.status = TaskStatus::Completed;
        let many = (4..10).map(|id| task(id, "site/0", "pending")).collect();
        let mut waits = operation(many);
        (waits.id, waits.summary) = (3, "say \u{1b}[2Jrun\non site/0".to_owned());
        let expected = "\
ID  Status     Started               Finished              Task IDs     Summary
3   pending                                                4,5,6,7,8,…  say run on site/0
1   completed  2026-11-21 10:38:00Z  2026-11-21 10:38:01Z  2            rebuild run on site/0
";
        let table = table(&[waits, done], &Times::new(true));
        assert_eq!(table.render(false), expected);
    }

    fn parsed(line: &str) -> Result<Operations, clap::Error> {
        let words = ["periapt", "operations"]
            .into_iter()
            .chain(line.split_whitespace());
        match Arguments::try_parse_from(words)?.command {
            Command::Tasks(Verb::Operations(arguments)) => Ok(arguments),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn flags_become_a_query() {
        let line =
            "--units site/0,db/1 --apps web --machines 0,2 --status running,failed --after 7 -n 3";
        let arguments = parsed(line).unwrap();
        assert_eq!(arguments.limit, 3);
        let query = query(&arguments);
        assert_eq!(query.units.as_deref(), Some("site/0,db/1"));
        assert_eq!(query.applications.as_deref(), Some("web"));
        assert_eq!(query.machines.as_deref(), Some("0,2"));
        assert_eq!(query.status.as_deref(), Some("running,failed"));
        assert_eq!((query.actions, query.after.as_deref()), (None, Some("7")));
        for bad in ["--status runing", "--units site", "--apps 9", "-n 0"] {
            assert!(parsed(bad).is_err(), "{bad}");
        }
        let error = parsed("--status runing").unwrap_err().to_string();
        assert!(error.contains("did you mean \"running\""), "{error}");
    }
}
