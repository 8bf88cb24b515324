//! `controller nodes`, `controller remove-node`: the processes of one controller.

use periapt_wire::rest::{ControllerNode, NodeState};
use serde::Serialize;

use super::Context;
use crate::arguments::{ListFormat, Nodes, RemoveNode};
use crate::failure::{Exit, Failure, Outcome};
use crate::output::document::Named;
use crate::output::table::{Cell, Table};
use crate::output::time::Times;
use crate::session::Session;

#[derive(Serialize)]
struct Document {
    nodes: Named<Entry>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Entry {
    #[serde(skip_serializing_if = "String::is_empty")]
    address: String,
    state: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    last_seen: String,
    answers: bool,
}

pub async fn list(context: &Context, arguments: Nodes) -> Outcome {
    let session = Session::open(&context.files, &arguments.controller).await?;
    let nodes = session.client.controller_nodes().await?;
    let output = context.output.to(&arguments.target)?;
    let times = Times::new(arguments.utc);
    match arguments.format {
        ListFormat::Json => output.json(&document(nodes, &times)),
        ListFormat::Yaml => output.yaml(&document(nodes, &times)),
        ListFormat::Tabular => output.data(&table(&nodes, &times).render(output.paints())),
    }
}

fn document(nodes: Vec<ControllerNode>, times: &Times) -> Document {
    let entry = |node: ControllerNode| {
        let entry = Entry {
            last_seen: seen(&node, times),
            address: node.address,
            state: node.state.as_str(),
            answers: node.answers,
        };
        (node.node.to_string(), entry)
    };
    Document {
        nodes: nodes.into_iter().map(entry).collect(),
    }
}

/// The one that answers is here now, whatever it wrote last.
fn table(nodes: &[ControllerNode], times: &Times) -> Table {
    let mut table = Table::new(&["Node", "State", "Address", "Last seen"]);
    for node in nodes {
        let mark = if node.answers { "*" } else { "" };
        let or_dash = |text: String| match text.is_empty() {
            true => Cell::from("-"),
            false => Cell::from(text),
        };
        table.row(vec![
            format!("{}{mark}", node.node).into(),
            Cell::status(node.state.as_str()),
            or_dash(node.address.clone()),
            or_dash(seen(node, times)),
        ]);
    }
    table
}

fn seen(node: &ControllerNode, times: &Times) -> String {
    match node.seen_at {
        0 => String::new(),
        _ if node.answers => "now".to_owned(),
        seen_at => times.micros(seen_at),
    }
}

pub async fn remove(context: &Context, arguments: RemoveNode) -> Outcome {
    let session = Session::open(&context.files, &arguments.controller).await?;
    let all = session.client.controller_nodes().await?;
    for number in &arguments.nodes {
        let known = all.iter().find(|node| node.node == *number);
        let node = known.ok_or_else(|| {
            Failure::new(
                Exit::NotFound,
                format!("controller \"{}\" has no process {number}", session.name),
            )
            .why("it never joined, or was already removed")
            .advice("periapt controller nodes")
        })?;
        let running = match node.state {
            NodeState::Running => ", which runs",
            NodeState::Lost | NodeState::New => "",
        };
        context
            .output
            .say(&format!("will remove process {number}{running}"));
    }
    context.output.confirm(
        &format!(
            "This removes the above from controller \"{}\".",
            session.name
        ),
        arguments.no_prompt,
    )?;
    for number in &arguments.nodes {
        let client = &session.client;
        let removed = client.remove_controller_node(*number, arguments.force);
        let removed = removed.await?;
        forget(context, &session, &removed.address)?;
        context.output.say(&format!(
            "Process {number} was removed from controller \"{}\"",
            session.name
        ));
    }
    Ok(())
}

/// Commands do not try its address any more.
fn forget(context: &Context, session: &Session, address: &str) -> Outcome {
    context.files.change(|contents| {
        let known = contents.controllers.controllers.get_mut(&session.name);
        if let Some(controller) = known.filter(|known| known.api_endpoints.len() > 1) {
            controller.api_endpoints.retain(|known| known != address);
        }
    })
}
